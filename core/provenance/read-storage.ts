import { type RowChange, run } from '../state/change.ts';
import { all } from '../state/query.ts';
import type { StateStore } from '../state/store.ts';
import { FAR_MS } from '../time/durations.ts';
import {
  type NewRead,
  readCommands,
  readStatements,
  type StoredRead,
  type StoredSources,
  sourcesOfReads,
} from './read-state.ts';

export type ReadStorage = ReturnType<typeof readStorage>;

export function readStorage({ apply, look }: Pick<StateStore, 'apply' | 'look'>) {
  return {
    /**
     * The owner's reads after a time, by all credentials, newest first.
     * @param query `before`: only those behind this read in that order
     */
    async reads(query: {
      ownerId: string;
      after: Date;
      before?: Pick<StoredRead, 'at' | 'readId'> | undefined;
      limit: number;
    }): Promise<readonly StoredRead[]> {
      const { ownerId, after, before, limit } = query;
      const place = { before: before?.at ?? new Date(FAR_MS), beforeId: before?.readId ?? '' };
      return (await look({ found: all(readStatements.reads_between, { ownerId, after, ...place, limit }) }))
        .found;
    },

    /** Records what a call showed after it had ended. */
    rememberRead: (shown: {
      ownerId: string;
      credentialId: string;
      read: NewRead;
      now: Date;
    }): Promise<void> => apply(shown.ownerId, [rememberedRead(shown)]),

    /** The sources of these reads, in any order. Those that were erased are missing. */
    async readSources(ownerId: string, readIds: readonly string[]): Promise<readonly StoredSources[]> {
      return (await look({ found: all(sourcesOfReads, { ownerId, readIdList: readIds }) })).found;
    },
  };
}

/** Does nothing if the owner is removed. */
export function rememberedRead(shown: {
  readonly ownerId: string;
  readonly credentialId: string;
  readonly read: NewRead;
  readonly now: Date;
}): RowChange {
  const { ownerId, credentialId, read, now } = shown;
  const { readId, hashes, phrases, sealed } = read;
  return run(readCommands.remember_read, { ownerId, credentialId, readId, hashes, phrases, sealed, at: now });
}
