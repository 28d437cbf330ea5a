import { randomUUID } from 'node:crypto';
import { type Failure, failure, failureOf } from '../../core/call/outcome.ts';
import { type ErrorCode, ServiceError } from '../../core/contract/errors.ts';
import type { Keys } from '../../core/keys/keys.ts';
import type { Rate } from '../../core/keys/limits.ts';
import { errorName, type Log } from '../../core/ports/log.ts';
import type { Service } from '../../core/service/service.ts';
import { clientAddress, type IsTrusted } from './client-address.ts';
import { leakedKeys } from './leaked-keys.ts';
import { BodyTaken } from './read-body.ts';
import { commonHeaders, type Reply, rateHeaders } from './reply.ts';
import type { RequestHead } from './request-head.ts';

/** The common parts of the hosts for programs: the start of a request, and the completion of its reply. */

/** Where a host for programs is. */
export interface PublicAddress {
  readonly baseUrl: string;
  /** The option of `createService` that sets this address. Default: `baseUrl`. */
  readonly setting?: 'mcpUrl';
}

/** The part of the service that a host for programs needs. */
export interface ApiService extends PublicAddress, Pick<Service, 'calls'> {
  readonly keys: Pick<Keys, 'revokeLeaked'>;
}

export interface ApiOptions {
  /** Trusted proxies: addresses, or networks like `10.0.0.0/8`. */
  readonly trustedProxies?: readonly string[];
  /** Receives internal failures, with the X-Request-Id of the response. */
  readonly log?: Log;
}

/**
 * Answers one request. Undefined: the caller disconnected before the request was complete.
 * @param readBody reads the body once its announced length is known to be within the limit; called at most once
 * @param gone aborted when the caller has disconnected; default: never
 * @param readSession calls the app's session hook with this request; only the dashboard uses it
 */
export type AnswerRequest = (
  head: RequestHead,
  readBody: ReadBody,
  gone?: AbortSignal,
  readSession?: () => unknown,
) => Promise<Reply | undefined>;

/** @throws BodyLost, BodyTaken, BodyTooLarge */
export type ReadBody = () => Promise<Uint8Array>;

export interface ApiRequest {
  /** X-Request-Id of the response. */
  readonly id: string;
  readonly head: RequestHead;
  /** The caller's address. */
  readonly address: string;
  /** Keys in the request's URL. */
  readonly leakedKeys: readonly string[];
  readonly readBody: ReadBody;
  /** Aborted when the caller has disconnected. */
  readonly gone: AbortSignal | undefined;
}

/** A reply with its headers except the common ones. */
export interface Answered extends Reply {
  /** Undefined: the response does not mention limits. */
  readonly rate: Rate | undefined;
}

export function receiveRequest(
  head: RequestHead,
  readBody: ReadBody,
  gone: AbortSignal | undefined,
  isTrusted: IsTrusted,
): ApiRequest {
  const address = clientAddress(head, isTrusted);
  return { id: randomUUID(), head, address, leakedKeys: leakedKeys(head.target), readBody, gone };
}

/** Returns the remaining budget of an address for requests without a key. */
export async function addressRate({ calls }: Pick<Service, 'calls'>, address: string): Promise<Rate> {
  return (await calls.admitCaller({ token: undefined, address })).rate;
}

/** The errors of `answerFailure`. */
export const UNEXPECTED_ERRORS = [
  'internal_error',
  'temporarily_unavailable',
] as const satisfies readonly ErrorCode[];

/** Logs and answers an internal failure. @param write returns a failure in the form of this host */
export async function answerFailure(
  service: ApiService,
  { log }: ApiOptions,
  request: ApiRequest,
  cause: unknown,
  write: (why: Failure) => Reply,
): Promise<Answered> {
  const why = failureFor(cause);
  log?.error('request failed', { request_id: request.id, code: why.code, error: errorName(cause).error });
  // A response without its rate is better than none.
  const rate = await addressRate(service, request.address).catch(() => undefined);
  return { ...write(why), rate };
}

function failureFor(cause: unknown): Failure {
  if (cause instanceof ServiceError) return failureOf(cause);
  return failure('internal_error', cause instanceof BodyTaken ? { remedy: cause.message } : {});
}

/** Returns the reply with the headers that every response has. */
export function completeReply({ baseUrl }: ApiService, request: ApiRequest, answered: Answered): Reply {
  const { status, headers, body, rest, rate } = answered;
  const rates = rate === undefined ? {} : rateHeaders(rate);
  const all = { ...commonHeaders(baseUrl, request.id, body), ...rates, ...headers };
  return { status, headers: all, body, ...(rest === undefined ? {} : { rest }) };
}
