import * as z from 'zod';
import { findingSource } from '../safety/finding.ts';
import { shortened } from '../text/shortened.ts';
import { isStrangers, type Judged, sourceOf, standingOf } from './judge.ts';
import type { Hit, Passage } from './taken-values.ts';

/** The lines under "What was read before it asked", as a plan stores them. */

/** What a request takes from one source. `words`: ten words in a row. */
const takenPart = z.strictObject({
  what: z.enum(['recipient', 'link', 'address', 'account_number', 'amount', 'words', 'purpose']),
  value: z.string(),
});

/** A message, event or tracker that an agent of the owner read in the day before the request. Strangers wrote most of it. */
export const readLine = z.strictObject({
  source: findingSource,
  /** The last time, in milliseconds. */
  atMs: z.int(),
  /** Only a row of a list was shown. */
  isListed: z.boolean(),
  /** A different credential of the owner read it. */
  byOther: z.boolean(),
  /** Null: it was not checked, or nobody is named. */
  isStranger: z.boolean().nullable(),
  /** It names a person the owner knows, and is not proven to be theirs. */
  isUnproven: z.literal(true).exactOptional(),
  takes: z.array(takenPart),
});
export type PriorRead = z.infer<typeof readLine>;

/** More lines are left out: first those from which the request takes nothing, then the oldest. */
const LINES_MAX = 12;
const TAKES_MAX = 5;
const VALUE_CHARS = 80;

/**
 * @param passages  newest first
 * @returns newest first, one line per source
 */
export function readLines(
  passages: readonly Passage[],
  hits: readonly Hit[],
  facts: Judged,
  credentialId: string,
): PriorRead[] {
  const lines = new Map<string, PriorRead>();
  const add = (passage: Passage, take?: PriorRead['takes'][number]) => {
    if (passage.atMs === null) return;
    const { kind, id, quoting } = passage;
    const isQuote = quoting !== null && take !== undefined;
    const name = JSON.stringify([kind, id, isQuote ? quoting : null]);
    const line = lines.get(name) ?? {
      source: { ...sourceOf(passage), quoting: isQuote ? quoting : null },
      atMs: passage.atMs,
      isListed: true,
      byOther: passage.credentialId !== credentialId,
      isStranger: isByStranger(passage, facts),
      ...(standingOf(passage, facts) === 'unproven' && { isUnproven: true as const }),
      takes: [],
    };
    const isNew =
      take !== undefined && !line.takes.some(({ what, value }) => what === take.what && value === take.value);
    lines.set(name, {
      ...line,
      atMs: Math.max(line.atMs, passage.atMs),
      isListed: line.isListed && passage.isListed,
      byOther: line.byOther && passage.credentialId !== credentialId,
      takes: isNew ? [...line.takes, take].slice(0, TAKES_MAX) : line.takes,
    });
  };
  for (const { taken, passage } of hits) {
    const take = takeOf(taken);
    if (take !== undefined) add(passage, take);
  }
  for (const passage of passages) if (!passage.isListed && passage.quoting === null) add(passage);
  const newestFirst = (a: PriorRead, b: PriorRead) => b.atMs - a.atMs;
  return [...lines.values()]
    .sort((a, b) => Number(b.takes.length > 0) - Number(a.takes.length > 0) || newestFirst(a, b))
    .slice(0, LINES_MAX)
    .sort(newestFirst);
}

function takeOf(taken: Hit['taken']): PriorRead['takes'][number] | undefined {
  const value = shortened(taken.value, VALUE_CHARS);
  switch (taken.kind) {
    case 'words':
      return taken.in === 'purpose' ? { what: 'purpose', value } : { what: 'words', value: '' };
    case 'address':
      return { what: taken.isWritten || taken.isPassedOn ? 'address' : 'recipient', value };
    case 'host':
    case 'domain':
      return taken.isWritten || taken.isPassedOn ? { what: 'link', value } : undefined;
    case 'address_domain':
      return { what: 'address', value };
    case 'account':
      return { what: 'account_number', value };
    case 'amount':
      return taken.isWritten ? { what: 'amount', value } : undefined;
    default:
      return undefined;
  }
}

function isByStranger(passage: Passage, facts: Judged): boolean | null {
  const standing = standingOf(passage, facts);
  if (passage.author === '') return null;
  return standing === 'neutral' ? null : isStrangers(standing);
}
