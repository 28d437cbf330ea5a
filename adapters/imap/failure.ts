import * as z from 'zod';
import { MailError } from '../../core/ports/mail.ts';
import { connectionFailure } from '../remote/connection-failure.ts';
import { signInRefusal } from '../remote/sign-in-refusal.ts';

/** The fields of an imapflow error that decide its meaning. */
const imapflowError = z.object({
  code: z.string().optional().catch(undefined),
  /** `NO` or `BAD` if the server refused a command. */
  responseStatus: z.string().optional().catch(undefined),
  /** The response code in brackets. */
  serverResponseCode: z.string().optional().catch(undefined),
  /** The whole line: its text after most commands, and its parts after a refused FETCH, the response code first. */
  response: z
    .union([
      z.string(),
      z.object({
        attributes: z
          .tuple([z.object({ section: z.tuple([z.object({ value: z.string() })]).rest(z.unknown()) })])
          .rest(z.unknown()),
      }),
    ])
    .optional()
    .catch(undefined),
  /** The text after it. */
  responseText: z.string().optional().catch(undefined),
  /** The text of a BYE with which the server greeted. */
  reason: z.string().optional().catch(undefined),
  authenticationFailed: z.boolean().optional().catch(undefined),
  mailboxMissing: z.boolean().optional().catch(undefined),
});

/** Response codes (RFC 5530; the last two: Yahoo, Gmail) with which a server asks to try again later. */
const DEFERRING = new Set(['UNAVAILABLE', 'INUSE', 'LIMIT', 'SERVERBUG', 'TEMPFAIL', 'THROTTLED']);

/** How servers without response codes refuse one connection too many. Gmail: "Too many simultaneous connections." */
const CONNECTION_LIMIT =
  /too many\b.*\b(connections|sessions)|(maximum|limit)\b.*\bconnections|connection limit/i;

const NO_FOLDER = 'there is no such folder';
const TRY_LATER = 'the IMAP server asks to try again later';

/** The account already has as many connections as the server allows. */
export class TooManyConnections extends MailError {
  constructor(options: { readonly cause?: unknown } = {}) {
    super('unavailable', TRY_LATER, options);
  }
}

/** The same failure for later, without its cause, which holds what the server wrote. */
export function keptFailure(error: MailError): MailError {
  const { code, message, trouble } = error;
  return error instanceof TooManyConnections
    ? new TooManyConnections()
    : new MailError(code, message, { trouble });
}

/**
 * Converts the failure of an IMAP command or connection to a MailError, if nothing can have been changed.
 * @param proof  what a sign-in would send
 */
export function imapFailure(error: unknown, proof: 'pass' | 'token' = 'pass'): MailError {
  if (error instanceof MailError) return error;
  const reported = imapflowError.safeParse(error).data;
  const { authenticationFailed, mailboxMissing, responseStatus, code } = reported ?? {};
  const responseCode = responseCodeOf(reported);
  const fail = (...[code, reason]: ConstructorParameters<typeof MailError>) =>
    new MailError(code, reason, { cause: error });
  if (isConnectionLimit(reported)) return new TooManyConnections({ cause: error });
  if (
    code === 'ETHROTTLE' ||
    // At a sign-in, it is for good.
    (responseCode === 'CONTACTADMIN' && authenticationFailed !== true) ||
    (responseCode !== undefined && DEFERRING.has(responseCode))
  ) {
    return fail('unavailable', TRY_LATER);
  }
  if (mailboxMissing === true || code === 'NotFound') return fail('not_found', NO_FOLDER);
  if (authenticationFailed === true) {
    const line = typeof reported?.response === 'string' ? reported.response : '';
    const reply = line.replace(/^\S+ (?:NO|BAD) /, '');
    return signInRefusal('IMAP', proof, reply, error);
  }
  if (responseStatus !== undefined) return refusal(error);
  return connectionFailure('IMAP', error);
}

/** The failure of a command that the server refused. */
export function refusal(cause: unknown): MailError {
  return new MailError('refused', 'the IMAP server refused the command', { cause });
}

/**
 * Whether the server answered BAD: to it, the command makes no sense, perhaps because it sees the connection in another
 * state than we do (not signed in, for instance).
 */
export function isBad(error: unknown): boolean {
  const reported = error instanceof MailError ? error.cause : error;
  return imapflowError.safeParse(reported).data?.responseStatus === 'BAD';
}

/** The same for a sign-in with an access token. */
export function tokenFailure(error: unknown, capabilities: ReadonlyMap<string, unknown>): MailError {
  const failure = imapFailure(error, 'token');
  const offers = [...capabilities.keys()];
  // imapflow fails with a TypeError if there is no way to hand over a token.
  if (error instanceof TypeError && !offers.some((name) => /^AUTH=(OAUTHBEARER|XOAUTH2?)$/.test(name)))
    return new MailError('refused', 'the IMAP server does not offer a sign-in at a provider', {
      cause: error,
    });
  return failure;
}

/**
 * Whether a refused password may mean its mechanism: some servers offer AUTHENTICATE and accept only LOGIN. Not if the
 * server names another reason.
 */
export function mayMeanMechanism(error: unknown, capabilities: ReadonlyMap<string, unknown>): boolean {
  const reported = imapflowError.safeParse(error).data;
  const isOffered = capabilities.has('AUTH=PLAIN') || capabilities.has('AUTH=LOGIN');
  const code = responseCodeOf(reported);
  return (
    reported?.authenticationFailed === true &&
    (reported.responseStatus === 'BAD' || !code || code === 'CANNOT') &&
    isOffered &&
    !capabilities.has('LOGINDISABLED')
  );
}

function isConnectionLimit(reported: z.infer<typeof imapflowError> | undefined): boolean {
  const { serverResponseCode, responseText = '', reason = '', authenticationFailed } = reported ?? {};
  if (CONNECTION_LIMIT.test(reason)) return true;
  // Before the sign-in succeeds, RFC 5530's LIMIT can mean nothing else.
  return (
    authenticationFailed === true && (serverResponseCode === 'LIMIT' || CONNECTION_LIMIT.test(responseText))
  );
}

function responseCodeOf(reported: z.infer<typeof imapflowError> | undefined): string | undefined {
  const { serverResponseCode, response } = reported ?? {};
  const fetched = typeof response === 'object' ? response.attributes[0].section[0].value : undefined;
  return (serverResponseCode ?? fetched)?.toUpperCase();
}

/** Response codes of a server that failed at what was asked of it. It may never succeed. */
const FAILING = new Set(['SERVERBUG', 'CONTACTADMIN']);

/**
 * Why the server did not deliver a message: undefined if it could not deliver any now.
 * `isCertain`: false if it may be unable to deliver any
 */
export function deliveryRefusal(
  error: unknown,
): { readonly why: MailError; readonly isCertain: boolean } | undefined {
  const why = imapFailure(error);
  if (isRefused(why)) return { why, isCertain: true };
  const reported = imapflowError.safeParse(error).data;
  const code = responseCodeOf(reported);
  const hasFailed = reported?.responseStatus !== undefined && code !== undefined && FAILING.has(code);
  return hasFailed ? { why, isCertain: false } : undefined;
}

/** Whether the server refuses for good, and not only for now. */
export function isRefused(error: unknown): error is MailError {
  return error instanceof MailError && error.code === 'refused';
}

export function isNotFound(error: unknown): boolean {
  return error instanceof MailError && error.code === 'not_found';
}

export function noFolder(): MailError {
  return new MailError('not_found', NO_FOLDER);
}
