import { setImmediate as otherWork } from 'node:timers/promises';
import type { ListedActivity } from '../../core/ports/activity.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { readListedActivity } from './activity.ts';
import { ask } from './facts.ts';
import type { Load } from './query.ts';
import { instant, integer } from './row.ts';

type ActivityQuery = Parameters<Storage['activity']>[0];

/** Rows that one look-up goes through. */
const STRETCH_ROWS = 5000;

/**
 * Goes through the activity in stretches until enough rows are found. An index for each filter would slow down every
 * call. Without one, only a page with a rare match takes longer. Other work gets its turn between stretches.
 */
export async function findActivity(
  answered: <Answer>(load: Load<Answer>) => Promise<Answer>,
  query: ActivityQuery,
): Promise<readonly ListedActivity[]> {
  const rows: ListedActivity[] = [];
  for (let { before } = query; ; await otherWork()) {
    const { found, end } = await answered(stretch({ ...query, before, limit: query.limit - rows.length }));
    for (const row of found) rows.push(row);
    if (end === undefined || rows.length === query.limit) return rows;
    before = end;
  }
}

/** The rows of one stretch, and the place of its last row if there may be more behind it. */
function stretch({ ownerId, credentialId, tool, from, before, limit }: ActivityQuery) {
  const values = {
    ownerId,
    fromMs: from?.getTime() ?? Number.MIN_SAFE_INTEGER,
    atMs: before?.at.getTime() ?? Number.MAX_SAFE_INTEGER,
    activityId: before?.id ?? 0,
    stretch: STRETCH_ROWS,
  };
  const filter = { credentialId: credentialId ?? null, tool: tool ?? null };
  return {
    queries: [ask('activity', { ...values, ...filter, limit }), ask('activity_stretch', values)],
    read: (found, [end]) => ({
      found: found.map(readListedActivity),
      end: end && { at: instant(end, 'at_ms'), id: integer(end, 'activity_id') },
    }),
  } satisfies Load<unknown>;
}
