import type { Signer } from '../secrets/keyring.ts';
import type { StoredActivity } from './activity.ts';

/** Checkpoints of the activity. They reveal changes to the rows that they cover. */
export interface CheckpointStorage {
  /** Owners with activity that no checkpoint covers. */
  ownersWithoutCheckpoint(): Promise<readonly string[]>;

  /**
   * Covers the owner's oldest rows that no checkpoint covers, at most `limit`.
   * @returns the number of rows that it covered
   */
  addCheckpoints(request: { ownerId: string; limit: number; signer: Signer; now: Date }): Promise<number>;

  /** Oldest first. */
  checkpoints(ownerId: string): Promise<readonly Checkpoint[]>;

  /** Rows with a number after `afterId`, up to `upToId`, oldest first. */
  numberedActivity(query: {
    ownerId: string;
    afterId: number;
    upToId: number;
    limit: number;
  }): Promise<readonly NumberedActivity[]>;
}

/**
 * Covers the activity of one hour, or a part of it. It grows until the hour is over. Each checkpoint contains the hash
 * of the previous one, so that none can be removed unnoticed.
 */
export interface Checkpoint {
  readonly ownerId: string;
  /** Counted per owner, from 1. */
  readonly number: number;
  /** Numbers of the first and the last row. Rows of an owner have no gaps. */
  readonly firstId: number;
  readonly lastId: number;
  readonly count: number;
  /** The start of the hour, in UTC, when the rows were written. */
  readonly hour: Date;
  readonly createdAt: Date;
  /** When the last row was added. */
  readonly updatedAt: Date;
  /** The hash of the previous checkpoint. Empty in the first. */
  readonly previousHash: string;
  /** SHA-256 of `previousHash` and every row, in hex. */
  readonly hash: string;
  readonly signature: string;
}

export interface NumberedActivity {
  readonly id: number;
  readonly activity: StoredActivity;
}
