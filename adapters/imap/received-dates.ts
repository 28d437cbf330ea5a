import type { KeptOfAccount } from '../../core/accounts/account-cache.ts';
import { instant, uidSets } from './rows.ts';
import type { OpenFolder } from './session.ts';

/** A folder's INTERNALDATEs. Each is fetched once, because it never changes. */
export interface ReceivedDates {
  /** Returns INTERNALDATE in milliseconds by UID, without messages that are gone. */
  of(folder: OpenFolder, uids: readonly number[]): Promise<ReadonlyMap<number, number>>;
}

/** The dates of a folder, by UID. */
export type FolderDates = Map<number, number>;

/** Of a date in its map. */
const DATE_BYTES = 100;

export function bytesOfDates({ size }: FolderDates): number {
  return DATE_BYTES * size;
}

/** @param kept  by folder. A folder with more dates than it can hold is fetched again each time */
export function receivedDates(kept: KeptOfAccount<FolderDates>): ReceivedDates {
  return {
    async of(folder, uids) {
      const key = `${folder.uidValidity} ${folder.mailbox.path}`;
      const known = kept.get(key) ?? new Map<number, number>();
      for (const set of uidSets(uids.filter((uid) => !known.has(uid)))) {
        const messages = await folder.client.fetchAll(set, { internalDate: true }, { uid: true });
        for (const { uid, internalDate } of messages) {
          if (internalDate !== undefined) known.set(uid, instant(internalDate).getTime());
        }
      }
      kept.set(key, known);
      const dates = new Map<number, number>();
      for (const uid of uids) {
        const receivedMs = known.get(uid);
        if (receivedMs !== undefined) dates.set(uid, receivedMs);
      }
      return dates;
    },
  };
}
