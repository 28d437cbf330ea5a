import type { Signer } from '../secrets/keyring.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time/durations.ts';
import type { NumberedActivity } from './activity.ts';
import type { Checkpoint } from './activity-state.ts';
import type { ActivityStorage } from './activity-storage.ts';
import { hashWith, hourOf, isCheckpointIntact } from './checkpoints.ts';

/** Older rows are erased. */
export const ACTIVITY_KEPT_MS = 90 * DAY_MS;

/** A background round covers rows within seconds. If a row waits longer than this, something prevented it. */
const LATE_MS = 15 * MINUTE_MS;
/** Absorbs small differences between the clocks of the hosts that erase rows. */
const TOLERANCE_MS = HOUR_MS;
const NEWEST_MAX = 1000;

export interface ActivityReport {
  readonly checkpoints: number;
  /** The number of checked rows that are as Countersign wrote them. */
  readonly intact: number;
  readonly faults: readonly ActivityFault[];
  /** The number of rows that no checkpoint covers yet. Counts to 1000 at most. */
  readonly uncovered: { readonly count: number; readonly oldest: Date | undefined };
}

export interface ActivityFault {
  /**
   * `checkpoint`: the checkpoint was changed. `rows`: rows were changed, deleted or inserted. `missing`: earlier
   * checkpoints were removed. `late`: the rows were covered long after they were written. A change before that cannot
   * be seen.
   */
  readonly kind: 'checkpoint' | 'rows' | 'missing' | 'late';
  readonly hour: Date;
}

/** Compares the owner's activity with its checkpoints. Rows that retention erased are not reported. */
export async function checkActivity(
  storage: Pick<ActivityStorage, 'checkpoints' | 'numberedActivity'>,
  ownerId: string,
  signer: Signer,
  now: Date,
): Promise<ActivityReport> {
  const checkpoints = await storage.checkpoints(ownerId);
  const faults: ActivityFault[] = [];
  let intact = 0;
  let before: Checkpoint | undefined;
  for (const checkpoint of checkpoints) {
    const covered = { ownerId, afterId: checkpoint.firstId - 1, upToId: checkpoint.lastId };
    // One extra row is enough to see a difference.
    const rows = await storage.numberedActivity({ ...covered, limit: checkpoint.rowCount + 1 });
    const kinds = faultsOf(checkpoint, before, rows, signer, now);
    for (const kind of kinds) faults.push({ kind, hour: checkpoint.hour });
    if (!kinds.some((kind) => kind === 'rows' || kind === 'checkpoint')) intact += rows.length;
    before = checkpoint;
  }
  const all = { ownerId, afterId: Number.MIN_SAFE_INTEGER, upToId: Number.MAX_SAFE_INTEGER };
  const [first, last] = [checkpoints.at(0), checkpoints.at(-1)];
  if (first !== undefined) {
    const [early] = await storage.numberedActivity({ ...all, upToId: first.firstId - 1, limit: 1 });
    if (early !== undefined) faults.unshift({ kind: 'rows', hour: hourOf(early.activity.at) });
  }
  const newest = { ...all, afterId: last?.lastId ?? all.afterId, limit: NEWEST_MAX };
  const rows = await storage.numberedActivity(newest);
  const uncovered = { count: rows.length, oldest: rows[0]?.activity.at };
  return { checkpoints: checkpoints.length, intact, faults, uncovered };
}

/** Returns the fault of one checkpoint and its rows. @param before the previous checkpoint */
function faultsOf(
  checkpoint: Checkpoint,
  before: Checkpoint | undefined,
  rows: readonly NumberedActivity[],
  signer: Signer,
  now: Date,
): readonly ActivityFault['kind'][] {
  if (!isCheckpointIntact(checkpoint, signer)) return ['checkpoint'];
  const faults: ActivityFault['kind'][] = [];
  const mayBeErased = checkpoint.hour.getTime() < now.getTime() - ACTIVITY_KEPT_MS + TOLERANCE_MS;
  if (!follows(checkpoint, before, mayBeErased)) faults.push('missing');
  if (mayBeErased && rows.length < checkpoint.rowCount) return faults;
  const { firstId, lastId, rowCount, previousHash } = checkpoint;
  const isWhole = rows.length === rowCount && rowCount === lastId - firstId + 1;
  if (!isWhole || rows.reduce(hashWith, previousHash) !== checkpoint.hash) faults.push('rows');
  else if (isLate(checkpoint, rows)) faults.push('late');
  return faults;
}

function follows(checkpoint: Checkpoint, before: Checkpoint | undefined, mayBeErased: boolean): boolean {
  // Retention keeps the newest checkpoint whose rows are erased, so that the next one can be checked against it.
  if (before === undefined) return checkpoint.number === 1 || mayBeErased;
  const isNext = checkpoint.number === before.number + 1 && checkpoint.firstId === before.lastId + 1;
  return isNext && checkpoint.previousHash === before.hash;
}

function isLate({ createdAt, updatedAt }: Checkpoint, rows: readonly NumberedActivity[]): boolean {
  const late = (row: NumberedActivity | undefined, covered: Date) =>
    row !== undefined && covered.getTime() - row.activity.at.getTime() > LATE_MS;
  return late(rows.at(0), createdAt) || late(rows.at(-1), updatedAt);
}
