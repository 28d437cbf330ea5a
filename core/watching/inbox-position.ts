import { arrivalIdentity } from '../accounts/arrival-identity.ts';
import { relocationMark } from '../accounts/sent-evidence.ts';
import type { MessageRow } from '../mail/message-row.ts';
import type { InboxPosition, RecentMessage } from './inbox-state.ts';

/**
 * Which messages of an inbox are new. Pure.
 *
 * As long as UIDVALIDITY stays the same, a message is new if its UID is above the position. If the server recreates the
 * inbox, all UIDs change, and if it restores it from a backup, UIDs that the position has passed are given once more. Then
 * a message is old if it was received before the oldest message that the position remembers, or if the position remembers
 * it. Two copies of one message count as one there.
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

/**
 * Whether the server gives UIDs once more that the position has passed (GMX after a restore from a backup, with the same
 * UIDVALIDITY): UIDNEXT is lower than it was, or the last message that was read is another one.
 * @param last  the message with the UID of the position, if there is one
 */
export function isRestored(
  from: InboxPosition,
  inbox: { readonly uidNext: number },
  last: Omit<Arrival, 'place'> | undefined,
): boolean {
  if (inbox.uidNext <= from.uid) return true;
  if (last === undefined) return false;
  const at = receivedS(last);
  const identity = identityOf(last);
  // The same time with another identity: some servers report another size of the same message.
  return at >= from.sinceS && !from.recent.some((one) => one[0] === identity || one[1] === at);
}

/** Where to start in an inbox that was recreated or restored since the position. Feed it the mail since `sinceS`. */
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
      const isSame = uidValidity === from.uidValidity;
      // A server that shows an old state for a while gives the same messages again.
      const last = Math.max(inbox.uidNext - 1, isSame ? from.uid : 0);
      const sift = lowestNew <= last ? { uid: last, sinceS: from.sinceS } : null;
      return { ...from, uidValidity, uid: lowestNew - 1, sift };
    },
  };
}

/**
 * Moves the position over the next messages.
 * @param rows those after the position, lowest UID first
 * @param end  if there are no more: UIDNEXT, or a lower UID
 * @returns the new ones, and the position after all of them
 */
export function advance<Row extends Arrival>(
  from: InboxPosition,
  rows: readonly Row[],
  end: number | undefined,
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
  const uid = sift === null || end === undefined ? last : Math.max(last, Math.min(sift.uid, end - 1));
  const isSifting = sift !== null && uid < sift.uid;
  // In the midst of the mailbox, the sifting needs everything that it knows.
  if (isSifting && end === undefined) return { fresh, to: { ...from, uid, recent } };
  const kept = trimmed(from.sinceS, recent);
  return { fresh, to: { ...from, uid, ...kept, sift: isSifting ? { ...sift, sinceS: kept.sinceS } : null } };
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
