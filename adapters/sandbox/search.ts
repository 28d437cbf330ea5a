import {
  compareSearchPositions,
  folderKey,
  type SearchPosition,
  type SearchQuery,
} from '../../core/ports/mail-reading.ts';
import { letterForm } from '../../core/text/letter-form.ts';
import { isUnread, type Mailbox, type StoredMessage } from './mailbox.ts';

/** A message with its folder. */
export interface Located {
  readonly path: string;
  readonly message: StoredMessage;
}

export function everyMessage(mailbox: Mailbox): Located[] {
  return [...mailbox].flatMap(([path, { messages }]) => messages.map((message) => ({ path, message })));
}

/** In the order of the port, from the position on. `total` includes those before it. */
export async function searched(
  located: readonly Located[],
  query: SearchQuery,
): Promise<{ behind: readonly Located[]; total: number }> {
  const matching: Located[] = [];
  for (const one of located) if (await matches(one, query)) matching.push(one);
  matching.sort(compare);
  const { after } = query;
  const behind = matching.filter(
    (one) => after === undefined || compareSearchPositions(after, positionOf(one)) < 0,
  );
  return { behind, total: matching.length };
}

async function matches({ path, message }: Located, query: SearchQuery): Promise<boolean> {
  const { headers } = message;
  const people = (addresses: typeof headers.from) =>
    addresses.flatMap(({ name, address }) => [name, address]);
  const holds = (texts: readonly string[], part: string) =>
    letterForm(texts.join('\n')).includes(letterForm(part));
  const from = people(headers.from);
  const isMeant =
    (query.path === undefined || query.path === path) &&
    (!query.unread || isUnread(message)) &&
    (query.from === undefined || holds(from, query.from)) &&
    (query.since === undefined || message.receivedAt.getTime() >= Date.parse(query.since));
  if (!isMeant) return false;
  const header = [...from, ...people(headers.to), ...people(headers.cc), headers.subject];
  for (const word of query.words) {
    const source = { kind: 'whole', bytes: message.raw } as const;
    if (!holds(header, word) && !(await query.contains(source, word))) return false;
  }
  return true;
}

function positionOf({ path, message }: Located): SearchPosition {
  return { internalDateMs: message.receivedAt.getTime(), folderKey: folderKey(path), uid: message.uid };
}

function compare(a: Located, b: Located): number {
  return compareSearchPositions(positionOf(a), positionOf(b));
}

/** Returns `seeds` and the messages linked to them by ids, oldest first. */
export function conversation(located: readonly Located[], seeds: readonly Located[]): Located[] {
  const found = new Set(seeds);
  const ids = new Set(seeds.flatMap(({ message }) => message.linkedIds));
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const one of located) {
      const { linkedIds } = one.message;
      if (!linkedIds.some((id) => ids.has(id))) continue;
      found.add(one);
      for (const id of linkedIds) ids.add(id);
    }
  }
  return [...found].sort((a, b) => compare(b, a));
}
