/**
 * What the ports of a mailbox share. The ports themselves are in mail-reading.ts, mail-changing.ts, mail-sending.ts,
 * mail-watching.ts and mail-connections.ts. An adapter implements all five (`Mail` in ports.ts).
 *
 * Every call takes a MailCall: the account, a signal that ends the work, and a deadline. Every failure is a MailError
 * with one of the codes below. An adapter throws nothing else and never reports a failure as an empty result.
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
  /** The settings and password, unsealed for each connection and not kept. Their shape is the adapter's. */
  settings(): Promise<unknown>;
}

/** Records that the next byte cannot be taken back. False: do not send it. */
export type Start = () => Promise<boolean>;

export type MailErrorCode =
  /** No such folder or message. */
  | 'not_found'
  /** The server refused; nothing was done. */
  | 'refused'
  /** The server could not be reached, was too slow, or deferred the request; nothing was done. */
  | 'unavailable'
  /** The server may have done it. */
  | 'outcome_unknown'
  /** The server does not accept the credentials. */
  | 'auth'
  /** The object has changed since it was read; nothing was done. Calendars only. */
  | 'conflict'
  /** `start` returned false; nothing was done. */
  | 'not_started';

export class MailError extends Error {
  readonly code: MailErrorCode;

  /** @param reason for the log and the owner, in plain words; no addresses and no content */
  constructor(code: MailErrorCode, reason: string, options: { cause?: unknown } = {}) {
    super(reason, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'MailError';
    this.code = code;
  }
}
