import type { MessageSizes } from '../mail/message-sizes.ts';
import type { ServerTrouble } from './account-health.ts';

/**
 * What the ports of a mailbox share. The ports themselves are in mail-reading.ts, mail-changing.ts, mail-sending.ts,
 * mail-watching.ts and mail-connections.ts. An adapter implements all five (`Mail` in ports.ts).
 *
 * Every call takes a MailCall: the account, a signal that ends the work, and a deadline. Every failure is a MailError
 * with one of the codes below. An adapter throws nothing else and never reports a failure as an empty result. Half a second
 * after the signal or the deadline, nobody waits for its answer any more, and `start` returns false.
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
  /**
   * Rises when the owner changes the settings. A connection that was opened with another revision must not be used any
   * more. Undefined: the account is not saved yet.
   */
  readonly revision?: number;
  /** False: the owner wants no index of this account. For core alone. */
  readonly isIndexed?: boolean;
  /** The settings and password, unsealed for each connection and not kept. Their shape is the adapter's. */
  settings(): Promise<unknown>;
  /** Present for an account that signs in at its provider instead of with a password. */
  readonly accessToken?: AccessToken | undefined;
}

/**
 * Returns an access token of the account's sign-in at its provider, and gets a new one in time.
 * @param refused  a token that a server has just refused; the result is another one, unless this one is new
 * @throws SignInWithdrawn if the owner must sign in again; MailError `unavailable` if the provider cannot be reached,
 *   `refused` if it does not serve this installation
 */
export type AccessToken = (refused?: string) => Promise<string>;

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
  /** What is wrong with the server, for the owner. Undefined: the failure says nothing about that. */
  readonly trouble: ServerTrouble | undefined;
  /** The place, from 1, of the calendar that failed among those of the account, if one did. */
  readonly calendar: number | undefined;
  /**
   * What the server wrote, on one line of at most 300 characters, none of them invisible. A stranger's words: only for the
   * owner, marked as the server's, never for a key, the log or the database.
   */
  readonly said: string | undefined;
  /** What a `refused` message has too much of for the server. */
  readonly tooMuch: 'message_too_large' | 'too_many_recipients' | undefined;
  /** Of a message that is too large. */
  readonly sizes: MessageSizes | undefined;

  /**
   * @param reason for the log and the owner, in plain words; no addresses and no content
   * @param options  `trouble`: default for `auth`: `password_refused`
   */
  constructor(
    code: MailErrorCode,
    reason: string,
    options: {
      cause?: unknown;
      trouble?: ServerTrouble | undefined;
      calendar?: number;
      said?: string | undefined;
      tooMuch?: MailError['tooMuch'];
      sizes?: MessageSizes;
    } = {},
  ) {
    super(reason, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'MailError';
    this.code = code;
    this.calendar = options.calendar;
    this.said = options.said;
    this.tooMuch = options.tooMuch;
    this.sizes = options.sizes;
    this.trouble = options.trouble ?? (code === 'auth' ? 'password_refused' : undefined);
  }

  /** The failure in sentences for the owner. */
  get forOwner(): string {
    const reason = `${this.message.charAt(0).toUpperCase()}${this.message.slice(1)}.`;
    return this.said === undefined ? reason : `${reason} Its own words: “${this.said}”`;
  }
}

/** A call has reached its limit. @param code  `outcome_unknown`: what it was to change may be changed */
export function timedOut(code: 'unavailable' | 'outcome_unknown' = 'unavailable'): MailError {
  return new MailError(code, 'the call ran out of time');
}

/** The provider has ended the account's sign-in. Only the owner can mend that, by signing in there again. */
export class SignInWithdrawn extends MailError {
  constructor(options: { cause?: unknown } = {}) {
    super('auth', 'the provider has withdrawn the sign-in; sign in again', {
      ...options,
      trouble: 'sign_in_again',
    });
    this.name = 'SignInWithdrawn';
  }
}
