import type { ListedMessage } from '../mail/listed-message.ts';
import type { MailCall } from './mail.ts';

/** New mail in the inbox (the folder INBOX), as it arrives. */
export interface MailWatching {
  /**
   * Opens the inbox on a separate connection and keeps it open. Calls `visit` once the inbox is open, and again
   * whenever the server announces that messages may have been added. Visits never overlap: announcements during a
   * visit lead to one more visit after it. If a visit throws, the watch ends with that error.
   *
   * `call.deadlineMs` limits opening and each command, not the watch. The adapter renews the announcement in time and
   * notices a dead connection by itself. Settles only after the visit in progress has.
   *
   * @returns why the watch ended without an error
   * @throws MailError `unavailable` if the connection could not be opened, or was lost or closed (`forget` and `close`
   *   do that); `auth`
   */
  watchInbox(call: MailCall, visit: InboxVisit): Promise<WatchEnd>;

  /**
   * Opens the inbox on a shared connection and visits it once. For servers that cannot announce. The visit may call
   * other methods for the same account. `call.deadlineMs` limits opening and each command, not the visit.
   * @throws MailError; whatever `visit` throws
   */
  visitInbox(call: MailCall, visit: InboxVisit): Promise<void>;
}

export type InboxVisit = (inbox: OpenInbox) => Promise<void>;

/**
 * `aborted`: by the signal of the call. `cannot_announce`: the server has no IDLE, or does not tell by it
 * what arrives. `no_connection_to_spare`: it refuses further connections of this account, or the account's other calls
 * need this one.
 */
export type WatchEnd = 'aborted' | 'cannot_announce' | 'no_connection_to_spare';

/** The inbox during a visit. Do not use it after the visit. */
export interface OpenInbox {
  readonly uidValidity: string;
  /** Every message that arrives during or after this visit has this UID or a higher one. */
  readonly uidNext: number;
  /**
   * Messages with a UID above `uid`, lowest UID first, at most `limit`. Fewer than `limit`: there are no more.
   * @throws MailError `not_found` if the inbox was replaced during the visit: its UIDVALIDITY has changed
   */
  arrivals(uid: number, limit: number): Promise<readonly ListedMessage[]>;
}
