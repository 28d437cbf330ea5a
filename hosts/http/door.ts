import { randomUUID } from 'node:crypto';
import { ServiceError } from '../../core/errors.ts';
import type { Rate } from '../../core/limits.ts';
import { type Failure, failure, failureOf } from '../../core/outcome.ts';
import { type Log, named } from '../../core/ports/log.ts';
import type { Keys, Service } from '../../core/service.ts';
import { clientAddress, trustedProxies } from './client-address.ts';
import { leakedKeys } from './leaked-keys.ts';
import { commonHeaders, type Reply, rateHeaders } from './reply.ts';
import type { RequestHead } from './request-head.ts';

/** What a door for programs needs of the service. */
export interface DoorService extends Pick<Service, 'baseUrl' | 'calls'> {
  readonly keys: Pick<Keys, 'revokeLeaked'>;
}

export interface DoorOptions {
  /** Proxies whose word about the caller's address is believed: addresses, or networks like `10.0.0.0/8`. */
  readonly trustedProxies?: readonly string[];
  /** Told of failures of our own, with the X-Request-Id that the caller was given. */
  readonly log?: Log;
}

/**
 * Answers one request. Undefined: the caller went away before it had said everything.
 * @param readBody reads the body, whose announced length was found to be within bounds; called at most once
 */
export type Door = (head: RequestHead, readBody: ReadBody) => Promise<Reply | undefined>;
type ReadBody = () => Promise<Uint8Array>;

/** One request on its way through a door. */
export interface Visit {
  readonly head: RequestHead;
  /** The caller's. */
  readonly address: string;
  /** A key stood in the request's address; it is revoked by now. */
  readonly hasLeaked: boolean;
  readonly readBody: ReadBody;
}

/** The headers are those beside the common ones. */
export interface Answered extends Reply {
  readonly rate: Rate | undefined;
}

export interface DoorWork {
  /** Undefined: the caller went away. What it throws is answered with `failed`. */
  answer(visit: Visit): Promise<Answered | undefined>;
  /** How this door writes the failure of a request. */
  failed(head: RequestHead, why: Failure): Reply;
}

/** What every door for programs does around its own work. */
export function door(service: DoorService, options: DoorOptions, { answer, failed }: DoorWork): Door {
  const isTrusted = trustedProxies(options.trustedProxies ?? []);
  return async (head, readBody) => {
    const requestId = randomUUID();
    const address = clientAddress(head, isTrusted);
    const leaked = leakedKeys(head.target);
    let answered: Answered | undefined;
    try {
      // Whatever else is wrong with the request: a key that stood in an address is no longer safe.
      for (const key of leaked) await service.keys.revokeLeaked(key);
      answered = await answer({ head, address, hasLeaked: leaked.length > 0, readBody });
    } catch (cause) {
      const why = cause instanceof ServiceError ? failureOf(cause) : failure('internal_error');
      options.log?.error('request failed', {
        request_id: requestId,
        code: why.code,
        error: named(cause).error,
      });
      // An answer without its rate is better than none.
      const rate = await addressRate(service, address).catch(() => undefined);
      answered = { ...failed(head, why), rate };
    }
    if (answered === undefined) return undefined;
    const { status, headers, body, rate } = answered;
    const rates = rate === undefined ? {} : rateHeaders(rate);
    return {
      status,
      headers: { ...commonHeaders(service.baseUrl, requestId, body), ...rates, ...headers },
      body,
    };
  };
}

/** What remains to an address of the budget of those who hold no key. */
export async function addressRate({ calls }: Pick<Service, 'calls'>, address: string): Promise<Rate> {
  return (await calls.admitCaller({ token: undefined, address })).rate;
}
