import { type Failure, failure, type Outcome } from '../../core/call/outcome.ts';
import type { ToolCall } from '../../core/gate/tool-call.ts';
import type { Caller } from '../../core/keys/call-storage.ts';
import { errorName } from '../../core/ports/log.ts';
import type { Service } from '../../core/service/service.ts';
import { admitRequest } from '../http/admit-request.ts';
import { trustedProxies } from '../http/client-address.ts';
import { revokeLeakedKeys } from '../http/leaked-keys.ts';
import { publicBase } from '../http/public-base.ts';
import type { Reply } from '../http/reply.ts';
import {
  type Answered,
  type AnswerRequest,
  type ApiOptions,
  type ApiRequest,
  type ApiService,
  addressRate,
  answerFailure,
  completeReply,
  receiveRequest,
} from '../http/request.ts';
import { headerOf } from '../http/request-head.ts';
import { type Addressed, addressed } from './addressing.ts';
import { bodyOf, type Form, statusOf } from './answer.ts';
import { givenBy, undeclaredParameters } from './call-arguments.ts';
import { type Description, describeApi, isKnown } from './openapi/description.ts';
import type { Route } from './routes.ts';

/** The part of the service that the REST API needs. */
export interface RestService extends ApiService, Pick<Service, 'healthy'> {}

type RouteAddressed = Extract<Addressed, { kind: 'route' }>;

const HEALTH_RETRY_S = 5;

/**
 * Answers REST requests. The steps of a call: receive, route, admit the caller, read the body, collect the arguments,
 * run the tool, write the response. The order of refusals: host, origin, a key in the URL, route, method; the key;
 * length, size, media type; limits; JSON. The service checks the rest: the form of an Idempotency-Key, tool,
 * permission, arguments.
 * @throws Error naming the option if an option is wrong
 */
export function restApi(service: RestService, options: ApiOptions = {}): AnswerRequest {
  const isTrusted = trustedProxies(options.trustedProxies ?? []);
  const base = publicBase(service.baseUrl);
  let description: Promise<Description> | undefined;

  return async (head, readBody, gone) => {
    const request = receiveRequest(head, readBody, gone, isTrusted);
    const to = addressed(request, service);
    let answered: Answered | undefined;
    try {
      await revokeLeakedKeys(service, request.leakedKeys);
      answered = await answer(request, to);
    } catch (cause) {
      const form = to.kind === 'route' ? to.route : to.form;
      answered = await answerFailure(service, options, request, cause, (why) => written(why, form));
    }
    return answered && completeReply(service, request, answered);
  };

  async function answer(request: ApiRequest, to: Addressed): Promise<Answered | undefined> {
    if (to.kind === 'health') return { ...(await health(to.form)), rate: undefined };
    if (to.kind === 'refused') {
      const rate = await addressRate(service, request.address);
      return { ...written(to.failure, to.form, to.headers), rate };
    }
    const { route } = to;
    if (route.call === 'describe') return describe(to, request);

    const admitted = await admitRequest(service, request, route.body === 'required');
    if (admitted.kind === 'lost') return undefined;
    const { rate } = admitted;
    if (admitted.kind !== 'admitted') return { ...written(admitted.failure, route), rate };

    const { caller } = admitted;
    const given = givenBy(admitted.body, to);
    if (given.kind === 'refused') return { ...(await refuse(caller, given.failure, route)), rate };
    if (route.call === 'list_tools') {
      const strange = undeclaredParameters(given);
      if (strange !== undefined) return { ...(await refuse(caller, strange, route)), rate };
      return { ...(await listTools(caller, route)), rate };
    }
    const call = route.call.call(given, inputSchemas(caller));
    const idempotencyKey = headerOf(request.head, 'idempotency-key');
    return { ...(await runTool({ ...call, idempotencyKey, gone: request.gone }, route, caller)), rate };
  }

  /** Needs no key. Only the budget of the address limits these requests. */
  async function describe(
    { route, target, path }: RouteAddressed,
    { address, head }: ApiRequest,
  ): Promise<Answered> {
    const admission = await service.calls.admitCaller({ token: undefined, address });
    const { rate } = admission;
    if (admission.kind !== 'admitted' && admission.failure.code === 'rate_limited') {
      return { ...written(admission.failure, route), rate };
    }
    const strange = undeclaredParameters({ path, query: target.query, body: {} });
    if (strange !== undefined) return { ...written(strange, route), rate };
    description ??= describeApi(service.baseUrl);
    const made = await description;
    // Unlike other responses, this one may be cached, if the client revalidates it each time.
    const headers = { ETag: made.etag, 'Cache-Control': 'no-cache' };
    return isKnown(made, headerOf(head, 'if-none-match'))
      ? { status: 304, headers, body: '', rate }
      : { status: 200, headers, body: made.body, rate };
  }

  async function refuse(caller: Caller, why: Failure, route: Route): Promise<Reply> {
    await service.calls.endCall(caller, why.code);
    return written(why, route);
  }

  async function listTools(caller: Caller, route: Route): Promise<Reply> {
    const tools = service.calls.tools(caller);
    await service.calls.endCall(caller, 'ok');
    return written({ status: 'ok', result: { tools } }, route);
  }

  async function runTool(call: Omit<ToolCall, 'sizeBytes'>, route: Route, caller: Caller): Promise<Reply> {
    let sized: { outcome: Outcome; body: string } | undefined;
    const { outcome, replayed } = await service.calls.runTool(caller, {
      ...call,
      sizeBytes(answer) {
        sized = { outcome: answer, body: bodyOf(answer, route) };
        return Buffer.byteLength(sized.body);
      },
    });
    const headers: Record<string, string> = replayed ? { 'Idempotent-Replayed': 'true' } : {};
    // The body was written already, to measure its length.
    if (sized?.outcome === outcome) return { ...statusWith(outcome, route, headers), body: sized.body };
    return written(outcome, route, headers);
  }

  /** Empty for a tool that the caller may not use: its permission is checked before its arguments. */
  function inputSchemas(caller: Caller): (tool: string) => Readonly<Record<string, unknown>> {
    return (name) => service.calls.tools(caller).find((tool) => tool.name === name)?.inputSchema ?? {};
  }

  async function health(form: Form): Promise<Reply> {
    try {
      await service.healthy();
      return written({ status: 'ok', result: {} }, form);
    } catch (cause) {
      options.log?.error('storage does not answer', errorName(cause));
      return written(failure('temporarily_unavailable', { retry_after_s: HEALTH_RETRY_S }), form);
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
    const { status, headers: own } = statusOf(outcome, form, base);
    return { status, headers: { ...own, ...headers } };
  }
}
