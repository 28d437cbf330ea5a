/** The parts of an account, each with its own server: IMAP, SMTP and CalDAV, or what an adapter uses instead. */
export const SERVER_ROLES = ['reading', 'sending', 'calendar'] as const;
export type ServerRole = (typeof SERVER_ROLES)[number];

/** What is wrong with a server. */
const SERVER_TROUBLES = [
  /** The owner has to enter the new password. */
  'password_refused',
  /** The provider has withdrawn the sign-in. The owner has to sign in again. */
  'sign_in_again',
  'no_such_host',
  'nothing_listens',
  /** The port speaks TLS from the first byte, and the settings say that it does not. */
  'wants_tls',
  'no_answer',
  /** The certificate is not the pinned one. */
  'certificate_changed',
  /** There is no pin, and the certificate cannot be verified. */
  'certificate_unverified',
  /** The calendar server works, and has no calendar for events. */
  'no_calendar',
  'other',
] as const;
export type ServerTrouble = (typeof SERVER_TROUBLES)[number];

export const SERVER_STATES = ['working', ...SERVER_TROUBLES] as const;
export type ServerState = (typeof SERVER_STATES)[number];

export interface ServerHealth {
  readonly accountId: number;
  readonly server: ServerRole;
  readonly state: ServerState;
  /** The reason of the MailError: plain words, no address, no content. Null if it works. */
  readonly reason: string | null;
  /** Since when it is in this state. */
  readonly since: Date;
  /** When it last worked, to within a few minutes. Null: not since it was connected. */
  readonly workedAt: Date | null;
}

/** Undefined: the account has no such server, or it was never used. */
export function healthOf(
  all: readonly ServerHealth[],
  accountId: number,
  server: ServerRole,
): ServerHealth | undefined {
  return all.find((one) => one.accountId === accountId && one.server === server);
}

/** What only the owner can mend. Everything else may pass. */
const MENDED_BY_OWNER = ['password_refused', 'sign_in_again', 'certificate_changed'] as const;

export function needsOwner(state: ServerState): boolean {
  return MENDED_BY_OWNER.some((one) => one === state);
}
