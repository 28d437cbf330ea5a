import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import * as z from 'zod';
import { failure } from '../../core/call/outcome.ts';
import { checkOptions } from '../../core/contract/options.ts';
import { errorName } from '../../core/ports/log.ts';
import type { Service } from '../../core/service/service.ts';
import type { AppSession } from '../dashboard/owners/app-session.ts';
import { readFetchBody } from '../http/read-body.ts';
import { codedBody, commonHeaders, failureStatus, type Reply } from '../http/reply.ts';
import type { RequestHead } from '../http/request-head.ts';
import { answerMount } from '../mount/mount.ts';
import { MOUNT_OPTIONS, type MountOptions, planMount } from '../mount/options.ts';

export type {
  AccountFields,
  AccountServers,
  CalendarFields,
  FoundServer,
  FoundServers,
  ProbedServer,
  Security,
  ServerFields,
} from '../dashboard/accounts/account-fields.ts';
export type { AppSession } from '../dashboard/owners/app-session.ts';
export type { Connect } from '../dashboard/visit.ts';
export type { Door, MountOptions } from '../mount/options.ts';

/** @template Context  what the server passes beside the request, for example Hono's context */
export interface FetchHandlerOptions<Context = unknown> extends MountOptions {
  /**
   * Returns the address of the other end of the connection. A Fetch request does not contain it, and callers without a
   * key have one budget per address.
   */
  readonly address: (request: Request, context: Context) => string;
  /**
   * The app's session of a request, instead of Countersign's own sign-in; null: nobody is signed in. It needs `signInUrl`
   * and `stepUpUrl`.
   */
  readonly session?: (request: Request, context: Context) => AppSession | null | Promise<AppSession | null>;
}

/**
 * REST, MCP and the owner's pages as one Fetch handler, for Hono, Next and similar servers. It answers every
 * request that it receives. Below a path, the addresses of the service have the same path.
 * @returns the handler. It passes its second argument on to `address` and `session`
 * @throws Error naming the option and the remedy if an option is wrong
 */
export function fetchHandler(
  service: Service,
  options: FetchHandlerOptions,
): (request: Request, context?: unknown) => Promise<Response>;
export function fetchHandler<Context>(
  service: Service,
  options: FetchHandlerOptions<Context>,
): (request: Request, context: Context) => Promise<Response>;
export function fetchHandler<Context>(
  service: Service,
  options: FetchHandlerOptions<Context>,
): (request: Request, context: Context) => Promise<Response> {
  checkOptions('fetchHandler', options, {
    ...MOUNT_OPTIONS,
    address: ['required', 'function'],
    session: ['optional', 'function'],
  });
  const plan = planMount('fetchHandler', service, options);
  const { session, log } = options;
  const answer = answerMount(service, options, plan, () => false);
  return async (request, context) => {
    let peer: string;
    try {
      peer = addressIn(options.address(request, context));
    } catch (cause) {
      log?.error('the address option failed', errorName(cause));
      return responseTo(withoutAddress(service.baseUrl));
    }
    const reply = await answer(
      headOf(request, peer),
      () => readFetchBody(request),
      request.signal,
      session && (() => session(request, context)),
    );
    // The caller has left, so nobody reads this.
    if (reply === undefined) return new Response(null, { status: 400 });
    return responseTo(request.method === 'HEAD' ? { ...reply, body: '' } : reply);
  };
}

const addressText = z.string().refine((text) => isIP(text.replace(/%.*$/, '')) !== 0);

/** @throws Error if it is not an address: all callers would share one budget */
function addressIn(address: unknown): string {
  return addressText.parse(address);
}

function withoutAddress(baseUrl: string): Reply {
  const remedy = 'The option address of fetchHandler() must return the address of the caller.';
  const why = failure('internal_error', { remedy });
  const body = codedBody(why);
  return { ...failureStatus(why), headers: commonHeaders(baseUrl, randomUUID(), body), body };
}

/** The Host header comes before the URL: some servers write their own name into the URL. */
function headOf(request: Request, peer: string): RequestHead {
  const { host, pathname, search } = new URL(request.url);
  const headers = { host, ...Object.fromEntries(request.headers) };
  return { method: request.method, target: `${pathname}${search}`, headers, peer };
}

function responseTo({ status, headers, body, rest }: Reply): Response {
  const fields = new Headers();
  for (const [name, values] of Object.entries(headers)) {
    for (const value of [values].flat()) fields.append(name, value);
  }
  const content = rest === undefined ? body || null : streamOf(body, rest);
  return new Response(content, { status, headers: fields });
}

function streamOf(body: Reply['body'], rest: Readable): ReadableStream<Uint8Array> {
  const chunks = (rest as AsyncIterable<string | Uint8Array>)[Symbol.asyncIterator]();
  return new ReadableStream({
    start(controller) {
      if (body.length > 0) controller.enqueue(Buffer.from(body));
    },
    async pull(controller) {
      const next = await chunks.next();
      if (next.done === true) controller.close();
      else controller.enqueue(Buffer.from(next.value));
    },
    // The caller has left.
    async cancel() {
      await chunks.return?.();
    },
  });
}
