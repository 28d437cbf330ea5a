import { randomUUID } from 'node:crypto';
import { type Failure, failure, failureOf } from '../../core/call/outcome.ts';
import { type ErrorCode, ServiceError } from '../../core/contract/errors.ts';
import type { Rate } from '../../core/gate/limits.ts';
import { errorName, type Log } from '../../core/ports/log.ts';
import type { Keys, Service } from '../../core/service/service.ts';
import { clientAddress, type IsTrusted } from './client-address.ts';
import { leakedKeys } from './leaked-keys.ts';
import { commonHeaders, type Reply, rateHeaders } from './reply.ts';
import type { RequestHead } from './request-head.ts';

/** What the hosts for programs share: how a request begins, and how its reply is completed. */

/** What a host for programs needs of the service. */
export interface ApiService extends Pick<Service, 'baseUrl' | 'calls'> {
  readonly keys: Pick<Keys, 'revokeLeaked'>;
}

export interface ApiOptions {
  /** Proxies whose word about the caller's address is believed: addresses, or networks like `10.0.0.0/8`. */
  readonly trustedProxies?: readonly string[];
  /** Told of failures of our own, with the X-Request-Id that the caller was given. */
  readonly log?: Log;
}

/**
 * Answers one request. Undefined: the caller went away before it had said everything.
 * @param readBody reads the body, whose announced length was found to be within bounds; called at most once
 */
export type AnswerRequest = (head: RequestHead, readBody: ReadBody) => Promise<Reply | undefined>;
type ReadBody = () => Promise<Uint8Array>;

export interface ApiRequest {
  /** X-Request-Id of the response. */
  readonly id: string;
  readonly head: RequestHead;
  /** The caller's. */
  readonly address: string;
  /** Keys that stand in the request's address. */
  readonly leakedKeys: readonly string[];
  readonly readBody: ReadBody;
}

/** The headers are those beside the common ones. */
export interface Answered extends Reply {
  /** Undefined: the response says nothing of limits. */
  readonly rate: Rate | undefined;
}

export function receiveRequest(head: RequestHead, readBody: ReadBody, isTrusted: IsTrusted): ApiRequest {
  const address = clientAddress(head, isTrusted);
  return { id: randomUUID(), head, address, leakedKeys: leakedKeys(head.target), readBody };
}

/** Whatever else is wrong with the request: a key that stood in an address is no longer safe. */
export async function revokeLeakedKeys({ keys }: ApiService, request: ApiRequest): Promise<void> {
  for (const key of request.leakedKeys) await keys.revokeLeaked(key);
}

/** What is left to an address of the budget of those who hold no key. */
export async function addressRate({ calls }: Pick<Service, 'calls'>, address: string): Promise<Rate> {
  return (await calls.admitCaller({ token: undefined, address })).rate;
}

/** Of `answerFailure`. */
export const UNEXPECTED_ERRORS = [
  'internal_error',
  'temporarily_unavailable',
] as const satisfies readonly ErrorCode[];

/** Logs a failure of ours and answers it. @param write how this host writes a failure */
export async function answerFailure(
  service: ApiService,
  { log }: ApiOptions,
  request: ApiRequest,
  cause: unknown,
  write: (why: Failure) => Reply,
): Promise<Answered> {
  const why = cause instanceof ServiceError ? failureOf(cause) : failure('internal_error');
  log?.error('request failed', { request_id: request.id, code: why.code, error: errorName(cause).error });
  // An answer without its rate is better than none.
  const rate = await addressRate(service, request.address).catch(() => undefined);
  return { ...write(why), rate };
}

/** The reply with the headers that every response has. */
export function completeReply({ baseUrl }: ApiService, request: ApiRequest, answered: Answered): Reply {
  const { status, headers, body, rate } = answered;
  const rates = rate === undefined ? {} : rateHeaders(rate);
  return { status, headers: { ...commonHeaders(baseUrl, request.id, body), ...rates, ...headers }, body };
}
