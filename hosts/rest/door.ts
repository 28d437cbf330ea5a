import { randomUUID } from 'node:crypto';
import { ServiceError } from '../../core/errors.ts';
import type { Rate } from '../../core/limits.ts';
import { type Failure, failure, failureOf, type Outcome } from '../../core/outcome.ts';
import type { Log } from '../../core/ports/log.ts';
import { named } from '../../core/ports/log.ts';
import type { Caller } from '../../core/ports/storage.ts';
import type { Keys, Service } from '../../core/service.ts';
import { clientAddress, trustedProxies } from '../http/client-address.ts';
import { leakedKeys } from '../http/leaked-keys.ts';
import { bearerToken, headerOf, type RequestHead } from '../http/request-head.ts';
import { type Addressed, addressed } from './addressing.ts';
import { bodyOf, commonHeaders, type Reply, rateHeaders, statusOf } from './answer.ts';
import { announcesBody, bodyFailure } from './body-rules.ts';
import { type Given, strangeParameters } from './call-arguments.ts';
import { parseBody } from './json-body.ts';
import { openApiDocument } from './openapi/document.ts';
import { BodyLost } from './read-body.ts';
import type { Route, ToolChoice } from './routes.ts';

/** What this door needs of the service. */
export interface RestService extends Pick<Service, 'baseUrl' | 'calls' | 'healthy'> {
  readonly keys: Pick<Keys, 'revokeLeaked'>;
}

export interface RestOptions {
  /** Proxies whose word about the caller's address is believed: addresses, or networks like `10.0.0.0/8`. */
  readonly trustedProxies?: readonly string[];
  /** Told of failures of our own, with the X-Request-Id that the caller was given. */
  readonly log?: Log;
}

/**
 * Answers one request. Undefined: the caller went away before it had said everything.
 * @param readBody reads the body, whose announced length was found to be within bounds; called at most once
 */
export type RestDoor = (head: RequestHead, readBody: ReadBody) => Promise<Reply | undefined>;
type ReadBody = () => Promise<Uint8Array>;

interface Answered {
  readonly outcome: Outcome;
  /** What `outcome` is on the wire, where it has been written already to see how long it is. */
  readonly body?: string | undefined;
  readonly rate: Rate | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

type RouteAddressed = Extract<Addressed, { kind: 'route' }>;

const HEALTH_RETRY_S = 5;

/**
 * The order of refusals: host, origin, a key in the address, route, method; the key; length, size, media type;
 * limits; JSON. What follows (the form of an Idempotency-Key, tool, permission, arguments) the service judges.
 * Source: API-NOTES.md, order of refusals.
 */
export function restDoor(
  service: RestService,
  { trustedProxies: proxies = [], log }: RestOptions = {},
): RestDoor {
  const isTrusted = trustedProxies(proxies);
  let description: string | undefined;

  return async (head, readBody) => {
    const requestId = randomUUID();
    const address = clientAddress(head, isTrusted);
    const leaked = leakedKeys(head.target);
    const to = addressed(head, leaked.length > 0, service.baseUrl);
    const form = to.kind === 'route' ? to.route : to.form;

    let answered: Answered | undefined;
    try {
      // Whatever else is wrong with the request: a key that stood in an address is no longer safe.
      for (const key of leaked) await service.keys.revokeLeaked(key);
      switch (to.kind) {
        case 'health':
          answered = await health();
          break;
        case 'refused':
          answered = { outcome: to.failure, headers: to.headers, rate: await addressRate(address) };
          break;
        case 'route':
          answered =
            to.route.call === 'describe'
              ? await describe(to, address)
              : await answerCall(to, to.route.call, head, readBody, address);
      }
    } catch (cause) {
      const outcome = cause instanceof ServiceError ? failureOf(cause) : failure('internal_error');
      log?.error('request failed', { request_id: requestId, code: outcome.code, error: named(cause).error });
      // An answer without its rate is better than none.
      answered = { outcome, rate: await addressRate(address).catch(() => undefined) };
    }
    if (answered === undefined) return undefined;
    const { status, headers } = statusOf(answered.outcome, form);
    return {
      status,
      headers: {
        ...commonHeaders(requestId),
        ...(answered.rate === undefined ? {} : rateHeaders(answered.rate)),
        ...headers,
        ...answered.headers,
      },
      body: answered.body ?? bodyOf(answered.outcome, form),
    };
  };

  /** Whoever asks needs no key; the budget of the address is all that bounds the asking. */
  async function describe({ target, path }: RouteAddressed, address: string): Promise<Answered> {
    const admission = await service.calls.admit({ token: undefined, address });
    const { rate } = admission;
    if (admission.kind !== 'admitted' && admission.failure.code === 'rate_limited') {
      return { outcome: admission.failure, rate };
    }
    const strange = strangeParameters({ path, query: target.query, body: {} });
    if (strange !== undefined) return { outcome: strange, rate };
    description ??= JSON.stringify(openApiDocument(service.baseUrl));
    return { outcome: { status: 'ok', result: {} }, body: description, rate };
  }

  async function answerCall(
    { route, target, path }: RouteAddressed,
    call: 'list_tools' | ToolChoice,
    head: RequestHead,
    readBody: ReadBody,
    address: string,
  ): Promise<Answered | undefined> {
    const admission = await service.calls.admit({ token: bearerToken(head), address });
    const { rate } = admission;
    if (admission.kind === 'refused') return { outcome: admission.failure, rate };
    const wrongBody = bodyFailure(head, route.body === 'required');
    if (admission.kind === 'over') {
      if (wrongBody !== undefined) return { outcome: wrongBody, rate };
      return { outcome: admission.failure, rate, headers: { 'Retry-After': String(admission.retryAfterS) } };
    }
    const { caller } = admission;
    const refused = async (why: Failure): Promise<Answered> => {
      await service.calls.leave(caller, why.code);
      return { outcome: why, rate };
    };
    if (wrongBody !== undefined) return refused(wrongBody);
    let body: Uint8Array = new Uint8Array();
    try {
      if (announcesBody(head)) body = await readBody();
    } catch (cause) {
      // Nobody is left to tell when the body is lost: the code is for the activity alone.
      await service.calls.leave(
        caller,
        cause instanceof BodyLost ? 'invalid_content_length' : 'internal_error',
      );
      if (cause instanceof BodyLost) return undefined;
      throw cause;
    }
    const parsed = parseBody(body);
    if (parsed.kind === 'failure') return refused(parsed.failure);
    const given: Given = { path, query: target.query, body: parsed.object };
    if (call !== 'list_tools') {
      return { ...(await runTool(call.call(given, inputSchemas(caller)), route, caller, head)), rate };
    }
    const strange = strangeParameters(given);
    if (strange !== undefined) return refused(strange);
    const tools = service.calls.tools(caller);
    await service.calls.leave(caller, 'ok');
    return { outcome: { status: 'ok', result: { tools } }, rate };
  }

  async function runTool(
    call: { tool: string; args: unknown },
    route: Route,
    caller: Caller,
    head: RequestHead,
  ): Promise<Omit<Answered, 'rate'>> {
    let written: { outcome: Outcome; body: string } | undefined;
    const { outcome, replayed } = await service.calls.run(caller, {
      ...call,
      idempotencyKey: headerOf(head, 'idempotency-key'),
      sizeBytes(answer) {
        written = { outcome: answer, body: bodyOf(answer, route) };
        return Buffer.byteLength(written.body);
      },
    });
    const body = written?.outcome === outcome ? written.body : undefined;
    return replayed ? { outcome, body, headers: { 'Idempotent-Replayed': 'true' } } : { outcome, body };
  }

  /** Of a tool that the caller may not use nothing is told: its permission is refused before its arguments. */
  function inputSchemas(caller: Caller): (tool: string) => Readonly<Record<string, unknown>> {
    return (name) => service.calls.tools(caller).find((tool) => tool.name === name)?.inputSchema ?? {};
  }

  async function addressRate(address: string): Promise<Rate> {
    return (await service.calls.admit({ token: undefined, address })).rate;
  }

  async function health(): Promise<Answered> {
    try {
      await service.healthy();
      return { outcome: { status: 'ok', result: {} }, rate: undefined };
    } catch (cause) {
      log?.error('storage does not answer', named(cause));
      const details = { retry_after_s: HEALTH_RETRY_S };
      return { outcome: failure('temporarily_unavailable', details), rate: undefined };
    }
  }
}
