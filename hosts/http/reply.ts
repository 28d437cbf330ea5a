import type { Readable } from 'node:stream';
import type { Failure } from '../../core/call/outcome.ts';
import { ERRORS } from '../../core/contract/errors.ts';
import type { Rate } from '../../core/keys/limits.ts';
import { transportSecurity } from './transport-security.ts';

/** A response, before it is written to a connection. */
export interface Reply {
  readonly status: number;
  /** A header with several values is sent once for each. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** What follows the body, as it arrives. Default: nothing. */
  readonly rest?: Readable;
}

/** The default for a 429 or 503 of an adapter whose details lack it. */
const RETRY_AFTER_DEFAULT_S = 30;

/** Returns the status and the headers of a failure. */
export function failureStatus(failure: Failure): Pick<Reply, 'status' | 'headers'> {
  const status = ERRORS[failure.code].status;
  if (status === 401) return { status, headers: { 'WWW-Authenticate': 'Bearer' } };
  if (status === 429 || status === 503) {
    return { status, headers: { 'Retry-After': String(retryAfterS(failure)) } };
  }
  return { status, headers: {} };
}

/** A failure in the simple form that needs no envelope: `{error: string}`. */
export function codedBody(failure: Failure): string {
  return JSON.stringify({ error: failure.code, ...failure });
}

function retryAfterS({ details }: Failure): number {
  if (details === undefined || !('retry_after_s' in details)) return RETRY_AFTER_DEFAULT_S;
  return Math.max(1, Math.ceil(details.retry_after_s));
}

/**
 * Returns the headers of every response. Without a body there is no media type.
 * @param baseUrl  the API's public address
 */
export function commonHeaders(
  baseUrl: string,
  requestId: string,
  body: Reply['body'],
): Record<string, string> {
  return {
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
    ...(body === '' ? {} : { 'Content-Type': 'application/json' }),
    ...transportSecurity(baseUrl),
  };
}

/** The headers of draft-ietf-httpapi-ratelimit-headers-06. */
export function rateHeaders(rate: Rate): Record<string, string> {
  return {
    'RateLimit-Limit': String(rate.limit),
    'RateLimit-Remaining': String(rate.remaining),
    'RateLimit-Reset': String(rate.resetS),
    'RateLimit-Policy': `${rate.limit};w=60`,
  };
}
