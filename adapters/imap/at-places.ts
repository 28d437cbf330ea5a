import type { ListedMessage, MessagePlace } from '../../core/mail/listed-message.ts';
import type { MessageText, RawMessage } from '../../core/ports/mail-reading.ts';
import { readTexts } from './content.ts';
import { inEachFolder } from './each-folder.ts';
import { hasThreadIds } from './folders.ts';
import type { ImapAccount } from './imap-accounts.ts';
import type { OpenFolder } from './session.ts';

/** Messages of several folders. All return one for each place, in their order; undefined for one that is gone. */

export function messagesAt(
  { connections, messages }: Pick<ImapAccount, 'connections' | 'messages'>,
  places: readonly MessagePlace[],
  limit: AbortSignal,
): Promise<readonly (RawMessage | undefined)[]> {
  return atPlaces(connections, places, limit, (folder, uids) => messages.of(folder, uids));
}

/** The same, without attachments. Nothing is kept of them. */
export function textsAt(
  { connections }: Pick<ImapAccount, 'connections'>,
  places: readonly MessagePlace[],
  limit: AbortSignal,
): Promise<readonly (MessageText | undefined)[]> {
  return atPlaces(connections, places, limit, async (folder, uids) => {
    const threaded = hasThreadIds(folder.client) && ({ isThreaded: true } as const);
    const read = new Map<number, MessageText>();
    for await (const text of readTexts(folder, uids)) read.set(text.row.place.uid, { ...text, ...threaded });
    return read;
  });
}

export function rowsAt(
  { connections, rows }: Pick<ImapAccount, 'connections' | 'rows'>,
  places: readonly MessagePlace[],
  limit: AbortSignal,
): Promise<readonly (ListedMessage | undefined)[]> {
  return atPlaces(connections, places, limit, async (folder, uids) => {
    const there = await rows.of(folder, uids);
    return new Map(there.map((row) => [row.place.uid, row]));
  });
}

async function atPlaces<T>(
  connections: ImapAccount['connections'],
  places: readonly MessagePlace[],
  limit: AbortSignal,
  fetch: (folder: OpenFolder, uids: readonly number[]) => Promise<ReadonlyMap<number, T>>,
): Promise<readonly (T | undefined)[]> {
  const folders = new Map<string, { path: string; uidValidity: string; places: MessagePlace[] }>();
  for (const place of places) {
    const { path, uidValidity } = place;
    const key = `${uidValidity} ${path}`;
    const folder = folders.get(key) ?? { path, uidValidity, places: [] };
    folder.places.push(place);
    folders.set(key, folder);
  }
  const found = await inEachFolder(connections, [...folders.values()], limit, async (open, folder) => {
    if (folder.uidValidity !== open.uidValidity) return undefined;
    const there = await fetch(
      open,
      folder.places.map(({ uid }) => uid),
    );
    return new Map(folder.places.map((place) => [place, there.get(place.uid)]));
  });
  return places.map((place) => found.find((some) => some?.has(place))?.get(place));
}
