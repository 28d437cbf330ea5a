import type { FetchQueryObject } from 'imapflow';
import type { KeptOfAccount } from '../../core/accounts/account-cache.ts';
import { deliveryRefusal } from './failure.ts';
import { fetchEach } from './fetch-each.ts';
import { fetched, receivedAt } from './fetched.ts';
import { type OpenFolder, reportedUidNext } from './session.ts';
import { uidSets } from './uid-search.ts';

/** Of messages whose INTERNALDATE the server did not report: some are gone. */
const UNDATED: FetchQueryObject = { internalDate: true, size: true, headers: ['date'] };

/** A folder's INTERNALDATEs. Each is fetched once, because it never changes while a message keeps its UID. */
export interface ReceivedDates {
  /** Returns INTERNALDATE in milliseconds by UID, without messages that are gone. */
  of(folder: OpenFolder, uids: readonly number[]): Promise<ReadonlyMap<number, number>>;
}

/** What is known of a folder. */
export interface FolderDates {
  readonly byUid: Map<number, number>;
  highestUid: number;
}

/** Of a date in its map. */
const DATE_BYTES = 100;

export function bytesOfDates({ byUid }: FolderDates): number {
  return DATE_BYTES * byUid.size;
}

/** @param kept  by folder. A folder with more dates than it can hold is fetched again each time */
export function receivedDates(kept: KeptOfAccount<FolderDates>): ReceivedDates {
  return {
    async of(folder, uids) {
      const key = `${folder.uidValidity} ${folder.mailbox.path}`;
      const about = kept.get(key) ?? { byUid: new Map<number, number>(), highestUid: 0 };
      forgetFrom(reportedUidNext(folder), about);
      const known = about.byUid;
      for (const set of uidSets(uids.filter((uid) => !known.has(uid)))) {
        try {
          for await (const { uid, internalDate } of fetched(folder.client, set, { internalDate: true })) {
            if (internalDate !== undefined) known.set(uid, internalDate.getTime());
          }
        } catch (error) {
          if (deliveryRefusal(error) === undefined) throw error;
        }
      }
      const others = uids.filter((uid) => !known.has(uid));
      const { messages, undeliverable } = await fetchEach(folder.client, others, UNDATED);
      for (const message of messages) known.set(message.uid, receivedAt(message).getTime());
      about.highestUid = uids.reduce((highest, uid) => Math.max(highest, uid), about.highestUid);
      kept.set(key, about);
      const dates = new Map<number, number>();
      for (const uid of uids) {
        const receivedMs = known.get(uid);
        if (receivedMs !== undefined) dates.set(uid, receivedMs);
      }
      for (const message of undeliverable) dates.set(message.uid, receivedAt(message).getTime());
      return dates;
    },
  };
}

/** A folder that was restored from a backup gives UIDs once more: then UIDNEXT is lower than it was. */
function forgetFrom(uidNext: number | undefined, { byUid, highestUid }: FolderDates): void {
  if (uidNext === undefined || uidNext > highestUid) return;
  for (const uid of byUid.keys()) if (uid >= uidNext) byUid.delete(uid);
}
