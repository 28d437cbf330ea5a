import { arrivalIdentity } from '../accounts/arrival-identity.ts';
import { relocationMark } from '../accounts/sent-evidence.ts';
import type { MessageRow } from '../mail/message-row.ts';
import type { InboxPosition, RecentMessage } from '../ports/watch-storage.ts';

/**
 * Which messages of an inbox are new. Pure.
 *
 * As long as UIDVALIDITY stays the same, a message is new if its UID is above the position. If the server recreates the
 * inbox, all UIDs change. Then a message is old if it was received before the oldest message that the position
 * remembers, or if the position remembers it. Two copies of one message count as one there.
 *
 * The first look at an inbox follows the same rule, with nothing remembered.
 */

/**
 * The messages that a position remembers, and with them all of the same second as the oldest one. Older messages are
 * recognised by the time at which they were received.
 */
export const RECENT_KEPT = 256;
/** The limit, if very many messages were received in that second. */
export const RECENT_MOST = 1024;

export type Arrival = Pick<
  MessageRow,
  'place' | 'internalDate' | 'messageId' | 'subject' | 'date' | 'sizeBytes'
>;

export function identityOf(row: Omit<Arrival, 'place'>): string {
  return arrivalIdentity(relocationMark(row), row);
}

function receivedS({ internalDate }: Pick<Arrival, 'internalDate'>): number {
  return Math.floor(internalDate.getTime() / 1000);
}

/** Where to start in an inbox that has a different UIDVALIDITY from the position. Feed it the mail since `sinceS`. */
export interface Reopening {
  /** In any order. */
  see(row: Arrival): void;
  position(): InboxPosition;
}

export function reopening(
  from: InboxPosition,
  inbox: { readonly uidValidity: string; readonly uidNext: number },
): Reopening {
  const known = new Map<string, Set<number>>();
  for (const [identity, at] of from.recent) known.set(identity, (known.get(identity) ?? new Set()).add(at));
  let lowestNew = inbox.uidNext;
  let highestKnown = 0;
  let datesKept = 0;
  let datesChanged = 0;
  return {
    see(row) {
      const { uid } = row.place;
      if (uid >= inbox.uidNext) return;
      const dates = known.get(identityOf(row));
      if (dates === undefined) {
        lowestNew = Math.min(lowestNew, uid);
        return;
      }
      highestKnown = Math.max(highestKnown, uid);
      if (dates.has(receivedS(row))) datesKept += 1;
      else datesChanged += 1;
    },
    position() {
      const { uidValidity } = inbox;
      // The server forgot when it received its mail, so only the order of the messages is left.
      if (datesChanged > datesKept) return { ...from, uidValidity, uid: highestKnown, sift: null };
      const sift = lowestNew < inbox.uidNext ? { uid: inbox.uidNext - 1, sinceS: from.sinceS } : null;
      return { ...from, uidValidity, uid: lowestNew - 1, sift };
    },
  };
}

/**
 * Moves the position over the next messages.
 * @param rows those after the position, lowest UID first
 * @param isEnd there are no more
 * @returns the new ones, and the position after all of them
 */
export function advance<Row extends Arrival>(
  from: InboxPosition,
  rows: readonly Row[],
  isEnd: boolean,
): { readonly fresh: readonly Row[]; readonly to: InboxPosition } {
  const { sift } = from;
  const seen = new Set(sift === null ? [] : from.recent.map(([identity]) => identity));
  const recent: RecentMessage[] = [...from.recent];
  const fresh: Row[] = [];
  for (const row of rows) {
    const identity = identityOf(row);
    const at = receivedS(row);
    if (sift !== null && row.place.uid <= sift.uid && (at < sift.sinceS || seen.has(identity))) continue;
    seen.add(identity);
    recent.push([identity, at]);
    fresh.push(row);
  }
  const last = rows.at(-1)?.place.uid ?? from.uid;
  const uid = isEnd && sift !== null ? Math.max(last, sift.uid) : last;
  // While the sifting goes on, it needs everything that it knows.
  if (sift !== null && uid < sift.uid) return { fresh, to: { ...from, uid, recent } };
  return { fresh, to: { ...from, uid, sift: null, ...trimmed(from.sinceS, recent) } };
}

function trimmed(sinceS: number, recent: readonly RecentMessage[]): Pick<InboxPosition, 'sinceS' | 'recent'> {
  if (recent.length <= RECENT_KEPT) return { sinceS, recent };
  // Of one second, those that were read last come first.
  const newest = recent.toReversed().sort(([, a], [, b]) => b - a);
  const [, oldestS] = newest[RECENT_KEPT - 1] ?? ['', sinceS];
  const count = Math.min(newest.filter(([, at]) => at >= oldestS).length, RECENT_MOST);
  const forgotten = newest[count];
  if (forgotten === undefined) return { sinceS, recent };
  const [, forgottenS] = forgotten;
  // Within a second that is only partly remembered, a message may be reported twice after a change, but none is left
  // out.
  const fromS = forgottenS < oldestS ? forgottenS + 1 : forgottenS;
  return { sinceS: Math.max(sinceS, fromS), recent: newest.slice(0, count).reverse() };
}
