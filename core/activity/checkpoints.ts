import type { Signer } from '../secrets/keyring.ts';
import { digestOf } from '../text/canonical-json.ts';
import { HOUR_MS } from '../time/durations.ts';
import type { NumberedActivity } from './activity.ts';
import type { Checkpoint } from './activity-state.ts';

/** The most rows of a checkpoint. A check reads all of them at once. */
export const CHECKPOINT_ROWS_MAX = 1000;

/**
 * Covers the owner's rows behind the last checkpoint, which grows until its hour is over; then a new one starts.
 * @returns the checkpoints that are new or have grown
 */
export function coveringCheckpoints(
  last: Checkpoint | undefined,
  rows: readonly NumberedActivity[],
  { ownerId, signer, now }: { readonly ownerId: string; readonly signer: Signer; readonly now: Date },
): readonly Checkpoint[] {
  const written = new Map<number, Unsigned>();
  // A checkpoint that was changed outside Countersign does not grow: signing it again would hide the change.
  let newest: Unsigned | undefined = last;
  let grows = last !== undefined && isCheckpointIntact(last, signer);
  for (const row of rows) {
    const hour = hourOf(row.activity.at);
    const isSame = grows && newest?.hour.getTime() === hour.getTime();
    if (newest === undefined || !isSame || newest.rowCount >= CHECKPOINT_ROWS_MAX) {
      newest = emptyCheckpoint(ownerId, newest, row.id, hour, now);
    }
    const hash = hashWith(newest.hash, row);
    newest = { ...newest, lastId: row.id, rowCount: newest.rowCount + 1, updatedAt: now, hash };
    written.set(newest.number, newest);
    grows = true;
  }
  return Array.from(written.values(), (one) => signedCheckpoint(one, signer));
}

type Unsigned = Omit<Checkpoint, 'signature'>;

function emptyCheckpoint(
  ownerId: string,
  before: Unsigned | undefined,
  firstId: number,
  hour: Date,
  now: Date,
): Unsigned {
  const previousHash = before?.hash ?? '';
  return {
    ownerId,
    number: (before?.number ?? 0) + 1,
    firstId,
    lastId: firstId,
    rowCount: 0,
    hour,
    createdAt: now,
    updatedAt: now,
    previousHash,
    hash: previousHash,
  };
}

export function hourOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS);
}

/** Returns the hash of the rows so far and one more. */
export function hashWith(hash: string, { id, activity }: NumberedActivity): string {
  const { at, kind, credentialId, tool, outcome, approvalId, durationMs, shown, listed } = activity;
  const row = [id, at.getTime(), kind, credentialId, tool, outcome, approvalId, durationMs, shown, listed];
  return digestOf(JSON.stringify([hash, ...row]));
}

export function signedCheckpoint(checkpoint: Unsigned, signer: Signer): Checkpoint {
  return { ...checkpoint, signature: signer.sign('checkpoint', checkpointText(checkpoint)) };
}

/** Whether the checkpoint is as Countersign wrote it. */
export function isCheckpointIntact(checkpoint: Checkpoint, signer: Signer): boolean {
  return signer.isSigned('checkpoint', checkpointText(checkpoint), checkpoint.signature);
}

/** Different checkpoints have different texts. */
function checkpointText(checkpoint: Unsigned): string {
  const { ownerId, number, firstId, lastId, rowCount, previousHash, hash } = checkpoint;
  const times = [checkpoint.hour, checkpoint.createdAt, checkpoint.updatedAt].map((time) => time.getTime());
  return JSON.stringify([1, ownerId, number, firstId, lastId, rowCount, ...times, previousHash, hash]);
}
