import type { ListedActivity } from '../activity/activity.ts';
import { openedReads } from '../plans/opened-reads.ts';
import type { Log } from '../ports/log.ts';
import type { Storage } from '../ports/storage.ts';
import type { StoredRead } from '../provenance/read-state.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { DAY_MS } from '../time/durations.ts';
import { findTool } from '../tools/catalogue.ts';

/** A message or tracker that a call showed. Strangers wrote most of the titles. */
export interface ShownSource {
  /** As in `shown`. */
  readonly id: string;
  readonly title: string;
  /** An address. Empty: it is not known. */
  readonly author: string;
}

/** Reads between the first and the last row: with a filter, most of them belong to other rows. */
const READS_MAX = 2000;
/** Reads after those of the rows that are searched for what the rows read, too. */
const LATER_READS_MAX = 500;

/**
 * Names the messages and trackers that reads of the last 24 hours showed, from the sealed record of each. The record of
 * what was read again has the time of the last read, so the later records are searched as well, up to a limit.
 * @param rows  newest first
 * @returns for a row, what is known of what it showed
 */
export async function shownSources(
  { storage, log }: { readonly storage: Pick<Storage, 'reads' | 'readSources'>; readonly log: Log },
  keyring: Keyring,
  ownerId: string,
  rows: readonly ListedActivity[],
  now: Date,
): Promise<(row: ListedActivity) => readonly ShownSource[]> {
  const isNamed = ({ kind, tool, shown, at }: ListedActivity) =>
    kind === 'call' &&
    shown.length > 0 &&
    now.getTime() - at.getTime() < DAY_MS &&
    findTool(tool ?? '')?.kind === 'read';
  const recorded = rows.filter(isNamed);
  const [newest, oldest] = [recorded[0], recorded.at(-1)];
  if (newest === undefined || oldest === undefined) return () => [];
  const sources = new Map<string, ShownSource>();

  async function addFrom(reads: readonly StoredRead[]): Promise<void> {
    const ids = reads.map(({ readId }) => readId);
    for (const { passages } of await openedReads({ storage, log }, keyring, ownerId, ids)) {
      for (const { id, title, author } of passages) sources.set(id, { id, title, author });
    }
  }

  const after = new Date(oldest.at.getTime() - 1);
  const before = { at: new Date(newest.at.getTime() + 1), readId: '' };
  const reads = await storage.reads({ ownerId, after, before, limit: READS_MAX });
  // A call and its read are recorded with one time.
  const times = new Set(recorded.map(({ at }) => at.getTime()));
  await addFrom(reads.filter(({ at }) => times.has(at.getTime())));
  if (recorded.some(({ shown }) => shown.some((id) => !sources.has(id)))) {
    await addFrom(await storage.reads({ ownerId, after: newest.at, limit: LATER_READS_MAX }));
  }
  return (row) => (isNamed(row) ? row.shown.flatMap((id) => sources.get(id) ?? []) : []);
}
