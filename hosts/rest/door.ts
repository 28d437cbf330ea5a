import { type Failure, failure, type Outcome } from '../../core/outcome.ts';
import { named } from '../../core/ports/log.ts';
import type { Caller } from '../../core/ports/storage.ts';
import type { Service } from '../../core/service.ts';
import { enter } from '../http/admission.ts';
import {
  type Answered,
  addressRate,
  type Door,
  type DoorOptions,
  type DoorService,
  door,
  type Visit,
} from '../http/door.ts';
import type { Reply } from '../http/reply.ts';
import { headerOf } from '../http/request-head.ts';
import { type Addressed, addressed } from './addressing.ts';
import { bodyOf, type Form, statusOf } from './answer.ts';
import { type Given, notUtf8, strangeParameters } from './call-arguments.ts';
import { parseBody } from './json-body.ts';
import { openApiDocument } from './openapi/document.ts';
import type { Route, ToolChoice } from './routes.ts';

/** What this door needs of the service. */
export interface RestService extends DoorService, Pick<Service, 'healthy'> {}

type RouteAddressed = Extract<Addressed, { kind: 'route' }>;

const HEALTH_RETRY_S = 5;

/**
 * The order of refusals: host, origin, a key in the address, route, method; the key; length, size, media type;
 * limits; JSON. What follows (the form of an Idempotency-Key, tool, permission, arguments) the service judges.
 * Source: API-NOTES.md, order of refusals.
 */
export function restDoor(service: RestService, options: DoorOptions = {}): Door {
  let description: string | undefined;

  return door(service, options, {
    async answer(visit) {
      const to = addressed(visit, service.baseUrl);
      switch (to.kind) {
        case 'health':
          return { ...(await health(to.form)), rate: undefined };
        case 'refused':
          return {
            ...written(to.failure, to.form, to.headers),
            rate: await addressRate(service, visit.address),
          };
        case 'route':
          return to.route.call === 'describe'
            ? describe(to, visit.address)
            : answerCall(to, to.route.call, visit);
      }
    },
    failed(head, why) {
      const to = addressed({ head, hasLeaked: false }, service.baseUrl);
      return written(why, to.kind === 'route' ? to.route : to.form);
    },
  });

  /** Whoever asks needs no key; the budget of the address is all that bounds the asking. */
  async function describe({ route, target, path }: RouteAddressed, address: string): Promise<Answered> {
    const admission = await service.calls.admitCaller({ token: undefined, address });
    const { rate } = admission;
    if (admission.kind !== 'admitted' && admission.failure.code === 'rate_limited') {
      return { ...written(admission.failure, route), rate };
    }
    const strange = strangeParameters({ path, query: target.query, body: {} });
    if (strange !== undefined) return { ...written(strange, route), rate };
    description ??= JSON.stringify(openApiDocument(service.baseUrl));
    return { status: 200, headers: {}, body: description, rate };
  }

  async function answerCall(
    { route, target, path }: RouteAddressed,
    call: 'list_tools' | ToolChoice,
    visit: Visit,
  ): Promise<Answered | undefined> {
    const entered = await enter(service, visit, route.body === 'required');
    if (entered.kind === 'lost') return undefined;
    const { rate } = entered;
    if (entered.kind === 'refused') return { ...written(entered.failure, route, entered.headers), rate };
    const { caller } = entered;
    const refused = async (why: Failure): Promise<Answered> => {
      await service.calls.endCall(caller, why.code);
      return { ...written(why, route), rate };
    };
    const parsed = parseBody(entered.body);
    if (parsed.kind === 'failure') return refused(parsed.failure);
    if (target.notUtf8.length > 0) return refused(notUtf8(target.notUtf8));
    const given: Given = { path, query: target.query, body: parsed.object };
    if (call !== 'list_tools') {
      const idempotencyKey = headerOf(visit.head, 'idempotency-key');
      return {
        ...(await runTool(call.call(given, inputSchemas(caller)), route, caller, idempotencyKey)),
        rate,
      };
    }
    const strange = strangeParameters(given);
    if (strange !== undefined) return refused(strange);
    const tools = service.calls.tools(caller);
    await service.calls.endCall(caller, 'ok');
    return { ...written({ status: 'ok', result: { tools } }, route), rate };
  }

  async function runTool(
    call: { tool: string; args: unknown },
    route: Route,
    caller: Caller,
    idempotencyKey: string | undefined,
  ): Promise<Reply> {
    let sized: { outcome: Outcome; body: string } | undefined;
    const { outcome, replayed } = await service.calls.runTool(caller, {
      ...call,
      idempotencyKey,
      sizeBytes(answer) {
        sized = { outcome: answer, body: bodyOf(answer, route) };
        return Buffer.byteLength(sized.body);
      },
    });
    const headers: Record<string, string> = replayed ? { 'Idempotent-Replayed': 'true' } : {};
    // It has been written already, to see how long it is.
    if (sized?.outcome === outcome) return { ...statusWith(outcome, route, headers), body: sized.body };
    return written(outcome, route, headers);
  }

  /** Of a tool that the caller may not use nothing is told: its permission is refused before its arguments. */
  function inputSchemas(caller: Caller): (tool: string) => Readonly<Record<string, unknown>> {
    return (name) => service.calls.tools(caller).find((tool) => tool.name === name)?.inputSchema ?? {};
  }

  async function health(form: Form): Promise<Reply> {
    try {
      await service.healthy();
      return written({ status: 'ok', result: {} }, form);
    } catch (cause) {
      options.log?.error('storage does not answer', named(cause));
      return written(failure('temporarily_unavailable', { retry_after_s: HEALTH_RETRY_S }), form);
    }
  }
}

function written(outcome: Outcome, form: Form, headers: Reply['headers'] = {}): Reply {
  return { ...statusWith(outcome, form, headers), body: bodyOf(outcome, form) };
}

function statusWith(
  outcome: Outcome,
  form: Form,
  headers: Reply['headers'],
): Pick<Reply, 'status' | 'headers'> {
  const { status, headers: own } = statusOf(outcome, form);
  return { status, headers: { ...own, ...headers } };
}
