import type { ActivityEntry } from '../../../core/requests/activity-list.ts';
import { MINUTE_MS } from '../../../core/time/durations.ts';

/** Rows of one key that are further apart belong to two runs. */
const GAP_MS = 5 * MINUTE_MS;

/** What one key did in one go. */
export interface Run {
  /** Null: of no key. */
  readonly credentialId: string | null;
  /** Newest first, at least one. */
  readonly entries: readonly [ActivityEntry, ...ActivityEntry[]];
}

/**
 * Groups rows by run. Rows of other keys in between do not split a run. The run with the newest row comes first.
 * @param entries newest first
 */
export function runsOf(entries: readonly ActivityEntry[]): readonly Run[] {
  const runs: { credentialId: string | null; entries: [ActivityEntry, ...ActivityEntry[]] }[] = [];
  const newest = new Map<string | null, (typeof runs)[number]>();
  for (const entry of entries) {
    const { credentialId } = entry;
    const run = newest.get(credentialId);
    const later = run?.entries.at(-1);
    if (run !== undefined && later !== undefined && later.at.getTime() - entry.at.getTime() <= GAP_MS) {
      run.entries.push(entry);
    } else {
      const next = { credentialId, entries: [entry] as [ActivityEntry] };
      runs.push(next);
      newest.set(credentialId, next);
    }
  }
  return runs;
}
