import { instant, uidSets } from './rows.ts';
import type { OpenFolder } from './session.ts';

/** A folder's INTERNALDATEs. Each is fetched once, because it never changes. */
export interface ReceivedDates {
  /** Returns INTERNALDATE in milliseconds by UID, without messages that are gone. */
  of(folder: OpenFolder, uids: readonly number[]): Promise<ReadonlyMap<number, number>>;
}

/** About 20 MB. Beyond it everything is fetched again. */
const MOST_DATES = 300_000;

export function receivedDates(): ReceivedDates {
  const folders = new Map<string, Map<number, number>>();
  let size = 0;

  return {
    async of(folder, uids) {
      if (size > MOST_DATES) {
        folders.clear();
        size = 0;
      }
      const key = `${folder.uidValidity} ${folder.mailbox.path}`;
      const known = folders.get(key) ?? new Map<number, number>();
      folders.set(key, known);
      const before = known.size;
      for (const set of uidSets(uids.filter((uid) => !known.has(uid)))) {
        const messages = await folder.client.fetchAll(set, { internalDate: true }, { uid: true });
        for (const { uid, internalDate } of messages) {
          if (internalDate !== undefined) known.set(uid, instant(internalDate).getTime());
        }
      }
      size += known.size - before;
      const dates = new Map<number, number>();
      for (const uid of uids) {
        const receivedMs = known.get(uid);
        if (receivedMs !== undefined) dates.set(uid, receivedMs);
      }
      return dates;
    },
  };
}
