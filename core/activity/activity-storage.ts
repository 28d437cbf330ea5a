import type { Signer } from '../secrets/keyring.ts';
import { put, type RowChange, run } from '../state/change.ts';
import { all, first } from '../state/query.ts';
import type { StateStore } from '../state/store.ts';
import type { ValuesOf } from '../state/table.ts';
import { FAR_MS } from '../time/durations.ts';
import type {
  ActivityFilter,
  ActivityPlace,
  ActivityRecord,
  ListedActivity,
  NumberedActivity,
} from './activity.ts';
import {
  type ACTIVITY_COLUMNS,
  activityCommands,
  activityStatements,
  type Checkpoint,
  checkpoints,
  checkpointsOfOwner,
} from './activity-state.ts';
import { coveringCheckpoints } from './checkpoints.ts';

/** Rows that one look-up goes through. */
const STRETCH_ROWS = 5000;

/** The activity, and the checkpoints that reveal changes to its rows. */
export type ActivityStorage = ReturnType<typeof activityStorage>;

export function activityStorage({ unit, look, otherWork }: StateStore) {
  return {
    /**
     * Newest first, with the requests as they are at that moment. Goes through the activity in stretches until enough rows
     * are found: an index for each filter would slow down every call. Without one, only a page with a rare match takes longer.
     * @param query `before`: only rows before this place
     */
    async activity(query: ActivityQuery): Promise<readonly ListedActivity[]> {
      const rows: ListedActivity[] = [];
      for (let { before } = query; ; await otherWork()) {
        const { found, end } = await look(stretch({ ...query, before, limit: query.limit - rows.length }));
        for (const row of found) rows.push(listed(row));
        if (end === undefined || rows.length === query.limit) return rows;
        before = { at: end.at, id: end.activityId };
      }
    },

    /** Rows with a number after `afterId`, up to `upToId`, oldest first. */
    async numberedActivity(query: {
      ownerId: string;
      afterId: number;
      upToId: number;
      limit: number;
    }): Promise<readonly NumberedActivity[]> {
      const { found } = await look({ found: all(activityStatements.activity_in_order, query) });
      return found.map(numbered);
    },

    /** Owners with activity that no checkpoint covers. */
    async ownersWithoutCheckpoint(): Promise<readonly string[]> {
      const { found } = await look({ found: all(activityStatements.owners_without_checkpoint, {}) });
      return found.map(({ ownerId }) => ownerId);
    },

    /**
     * Covers the owner's oldest rows that no checkpoint covers, at most `limit`.
     * @returns the number of rows that it covered
     */
    addCheckpoints: (request: {
      ownerId: string;
      limit: number;
      signer: Signer;
      now: Date;
    }): Promise<number> => {
      const { ownerId, limit } = request;
      const facts = {
        last: first(activityStatements.last_checkpoint, { ownerId }),
        rows: all(activityStatements.uncovered_activity, { ownerId, limit }),
      };
      return unit('relaxed', { ownerId }, facts, ({ last, rows }) => ({
        answer: rows.length,
        changes: coveringCheckpoints(last, rows.map(numbered), request).map((one) => put(checkpoints, one)),
      }));
    },

    /** Oldest first. */
    async checkpoints(ownerId: string): Promise<readonly Checkpoint[]> {
      return (await look({ found: all(checkpointsOfOwner, { ownerId }) })).found;
    },
  };
}

/** After the owner's other rows, including those that its checkpoints cover. Does nothing if the owner is removed. */
export function appendedActivity(ownerId: string, activity: ActivityRecord): RowChange {
  const durationMs = Math.round(activity.durationMs);
  return run(activityCommands.append_activity, { ...activity, ownerId, durationMs });
}

type ActivityQuery = ActivityFilter & {
  ownerId: string;
  before?: ActivityPlace | undefined;
  limit: number;
};

/** The rows of one stretch, and the place of its last row if there may be more behind it. */
function stretch({ ownerId, credentialId, tool, from, before, limit }: ActivityQuery) {
  const place = {
    ownerId,
    from: from ?? new Date(-FAR_MS),
    at: before?.at ?? new Date(FAR_MS),
    activityId: before?.id ?? 0,
    stretch: STRETCH_ROWS,
  };
  const filter = { credentialId: credentialId ?? null, tool: tool ?? null };
  return {
    found: all(activityStatements.activity_in_stretch, { ...place, ...filter, limit }),
    end: first(activityStatements.end_of_stretch, place),
  };
}

type Row = ValuesOf<typeof ACTIVITY_COLUMNS>;

function numbered({ activityId: id, ...activity }: Row): NumberedActivity {
  return { id, activity };
}

function listed({
  activityId: id,
  state,
  approvedBy,
  error,
  hasPlan,
  sealedGist,
  ...activity
}: ValuesOf<(typeof activityStatements.activity_in_stretch)['columns']>): ListedActivity {
  const request = state && { state, approvedBy, error, sealedGist: hasPlan ? sealedGist : undefined };
  return { ...activity, id, request };
}
