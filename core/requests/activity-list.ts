import type { ActivityFilter, ActivityPlace, ActivityRecord, ListedActivity } from '../activity/activity.ts';
import type { Ports } from '../ports/ports.ts';
import type { Keyring } from '../secrets/keyring.ts';
import type { ApprovalGist } from './approval-views.ts';
import { requestGist } from './request-gist.ts';
import { type ShownSource, shownSources } from './shown-sources.ts';

/** What the keys of an owner did, with the requests and the sources that the owner's page shows of it. */
export interface ActivityList {
  /** Newest first. */
  activity(
    ownerId: string,
    query: ActivityQuery,
  ): Promise<{ readonly entries: readonly ActivityEntry[]; readonly more: boolean }>;
}

export interface ActivityQuery extends ActivityFilter {
  /** Rows before this instant. */
  readonly until?: Date;
  /** The last row of the page before. It wins over `until`. */
  readonly before?: ActivityPlace | undefined;
  readonly limit: number;
}

/** A row of the activity. */
export interface ActivityEntry extends Omit<ListedActivity, 'request'> {
  /** The request that the row is about, as it is now. Null: none. */
  readonly request:
    | (Omit<NonNullable<ListedActivity['request']>, 'sealedGist'> & { readonly gist: ApprovalGist })
    | null;
  /** What a read of the last 24 hours showed, as far as it is known, in the order of `shown`. */
  readonly sources: readonly ShownSource[];
}

export function createActivityList({ storage, clock, log }: Ports, keyring: Keyring): ActivityList {
  function requestOf(ownerId: string, { approvalId }: ActivityRecord, request: ListedActivity['request']) {
    if (request === null || approvalId === null) return null;
    const { sealedGist, ...known } = request;
    return { ...known, gist: requestGist(keyring, log, { ownerId, id: approvalId }, sealedGist).gist };
  }

  return {
    async activity(ownerId, { until, before = until && { at: until, id: 0 }, limit, ...filter }) {
      // One row beyond the limit shows whether there are more.
      const rows = await storage.activity({ ownerId, ...filter, before, limit: limit + 1 });
      const shown = rows.slice(0, limit);
      const sourcesOf = await shownSources({ storage, log }, keyring, ownerId, shown, clock.now());
      const entries = shown.map((row) => ({
        ...row,
        request: requestOf(ownerId, row, row.request),
        sources: sourcesOf(row),
      }));
      return { entries, more: rows.length > limit };
    },
  };
}
