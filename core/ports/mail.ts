/**
 * What the ports of a mailbox share. What each of them does is in mail-reading.ts, mail-changing.ts, mail-sending.ts
 * and mail-connections.ts; an adapter implements all four (`Mail` in ports.ts).
 *
 * Every call takes a MailCall: the account, a signal that ends the work, and a deadline. Every failure is a MailError
 * of the closed set. Nothing else leaves an adapter, and a failure is never an empty answer.
 */
export interface MailCall {
  readonly account: MailAccount;
  readonly signal: AbortSignal;
  /** When the caller stops waiting: milliseconds from the start of this call. */
  readonly deadlineMs: number;
}

export interface MailAccount {
  readonly ownerId: string;
  readonly accountId: number;
  /** The account's own address. */
  readonly email: string;
  /** The settings and password, unsealed when a connection is made and not kept. What it holds is the adapter's. */
  settings(): Promise<unknown>;
}

/** Records that the next byte cannot be taken back; false: do not send it. */
export type Start = () => Promise<boolean>;

export type MailErrorCode =
  /** No such folder or message. */
  | 'not_found'
  /** The server said no; nothing was done. */
  | 'refused'
  /** The server could not be reached, was too slow, or put us off; nothing was done. */
  | 'unavailable'
  /** It may have been done. */
  | 'outcome_unknown'
  /** The server does not accept the credentials. */
  | 'auth'
  /** What it was for is not as it was when it was read; nothing was done. Calendars only. */
  | 'conflict'
  /** `start` answered false; nothing was done. */
  | 'not_started';

export class MailError extends Error {
  readonly code: MailErrorCode;

  /** @param reason for the log and the owner: plain words without addresses or content */
  constructor(code: MailErrorCode, reason: string, options: { cause?: unknown } = {}) {
    super(reason, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'MailError';
    this.code = code;
  }
}
