import type { Signer } from '../secrets/keyring.ts';
import type { StoredActivity } from './activity.ts';

/** Checkpoints of the activity: a change of rows that they cover shows. */
export interface CheckpointStorage {
  /** Owners with activity that no checkpoint covers. */
  ownersWithoutCheckpoint(): Promise<readonly string[]>;

  /**
   * Covers the owner's oldest rows that no checkpoint covers, at most `limit`.
   * @returns how many rows
   */
  addCheckpoints(request: { ownerId: string; limit: number; signer: Signer; now: Date }): Promise<number>;

  /** Oldest first. */
  checkpoints(ownerId: string): Promise<readonly Checkpoint[]>;

  /** Rows with a number behind `afterId`, up to `upToId`, oldest first. */
  numberedActivity(query: {
    ownerId: string;
    afterId: number;
    upToId: number;
    limit: number;
  }): Promise<readonly NumberedActivity[]>;
}

/**
 * What the activity of one hour was, or a part of it. It grows until the hour is over. Each names the hash of the one
 * before it, so that none can be left out.
 */
export interface Checkpoint {
  readonly ownerId: string;
  /** Counts the owner's checkpoints, from 1. */
  readonly number: number;
  /** Numbers of the first and the last row. Rows of an owner have no gaps. */
  readonly firstId: number;
  readonly lastId: number;
  readonly count: number;
  /** The beginning of the hour, in UTC, in which the rows were written. */
  readonly hour: Date;
  readonly createdAt: Date;
  /** When the last row was added. */
  readonly updatedAt: Date;
  /** Of the checkpoint before; empty in the first. */
  readonly previousHash: string;
  /** SHA-256 over `previousHash` and every row, hex. */
  readonly hash: string;
  readonly signature: string;
}

export interface NumberedActivity {
  readonly id: number;
  readonly activity: StoredActivity;
}
