import { PassThrough, type Readable } from 'node:stream';
import { createMcpHandler } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { type Failure, failure } from '../../core/call/outcome.ts';
import { isRecord, withoutNulls } from '../../core/contract/result.ts';
import type { Caller } from '../../core/keys/call-storage.ts';
import { errorName } from '../../core/ports/log.ts';
import { admitRequest } from '../http/admit-request.ts';
import { trustedProxies } from '../http/client-address.ts';
import { entryFailure } from '../http/entry-rules.ts';
import { revokeLeakedKeys } from '../http/leaked-keys.ts';
import { publicBase } from '../http/public-base.ts';
import { codedBody, failureStatus, type Reply } from '../http/reply.ts';
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
import { bearerToken, headerOf, type RequestHead } from '../http/request-head.ts';
import { acceptedContent, acceptedForms, type Content, EVENTS_TYPE, JSON_TYPE } from './accepted-forms.ts';
import { cancellableCalls } from './cancellable-calls.ts';
import { answerDirectly } from './direct-answer.ts';
import { directRequest } from './direct-request.ts';
import { protocolServer, type Turn } from './protocol-server.ts';
import { refusedInitialize } from './refused-initialize.ts';

/**
 * Serves the tools over the Model Context Protocol (Streamable HTTP, without sessions) to clients of every revision.
 * Until a tool is called, requests are refused in the same order as in the REST API.
 * @throws Error naming the option if an option is wrong
 */
export function mcpEndpoint(service: ApiService, options: ApiOptions): AnswerRequest {
  const isTrusted = trustedProxies(options.trustedProxies ?? []);
  const calls = cancellableCalls();

  return async (head, readBody, gone) => {
    const request = receiveRequest(head, readBody, gone, isTrusted);
    let answered: Answered | undefined;
    try {
      await revokeLeakedKeys(service, request.leakedKeys);
      answered = await answer(request);
    } catch (cause) {
      answered = await answerFailure(service, options, request, cause, (why) => refusal(why));
    }
    return answered && completeReply(service, request, answered);
  };

  async function answer(request: ApiRequest): Promise<Answered | undefined> {
    const wrong = entryFailure(request, service) ?? methodFailure(request.head);
    if (wrong !== undefined) return { ...refusal(wrong), rate: await addressRate(service, request.address) };
    const admitted = await admitRequest(service, request, true);
    if (admitted.kind === 'lost') return undefined;
    const { rate } = admitted;
    if (admitted.kind === 'refused') return { ...refusal(admitted.failure, admitted.headers), rate };
    return { ...(await answerMessage(request, admitted.caller, admitted.body)), rate };
  }

  async function answerMessage(request: ApiRequest, caller: Caller, body: Uint8Array): Promise<Reply> {
    const errors: Error[] = [];
    const given = jsonOf(body);
    const message = Array.isArray(given) ? given.map(withoutUnset) : withoutUnset(given);
    calls.cancelBy(caller.credential.credentialId, message);
    const { turn, end } = turnOf(request, caller, message);
    const forms = acceptedForms(request.head);
    const isAccepted = forms.json || forms.events;
    let isStreamed = false;
    try {
      const text = isAccepted ? await ownAnswer(turn, request.head, message) : undefined;
      if (text !== undefined) return replyOf(200, acceptedContent({ type: JSON_TYPE, text }, forms));
      const { fetch } = createMcpHandler(() => protocolServer(turn), {
        // A stream lasts at most as long as one wait. A subscription ends at once: nothing is announced.
        keepAliveMs: 0,
        onerror: (error) => errors.push(error),
      });
      const asked = requestOf(request.head, message === undefined ? body : undefined);
      // The library insists that a client names both.
      if (isAccepted) asked.headers.set('accept', `${JSON_TYPE}, ${EVENTS_TYPE}`);
      const response = await fetch(asked, { parsedBody: message });
      const type = response.headers.get('content-type');
      if (type === EVENTS_TYPE && response.body !== null && forms.events && wantsProgress(message)) {
        isStreamed = true;
        return {
          status: response.status,
          headers: { 'Content-Type': type },
          body: '',
          rest: relayed(response.body, end),
        };
      }
      const answer = { type, text: await response.text() };
      if (response.status >= 500) {
        for (const error of errors) options.log?.error('the tool protocol failed', errorName(error));
      }
      return replyOf(response.status, response.ok ? acceptedContent(answer, forms) : answer);
    } finally {
      if (!isStreamed) await end();
    }
  }

  /** Passes events on as they arrive. @param end  ends the call after the last event */
  function relayed(events: ReadableStream<Uint8Array>, end: () => Promise<void>): Readable {
    // Its source is read to the end even if the caller disconnects. All of it is at most one answer of 64 KB.
    const relay = new PassThrough();
    const pass = async () => {
      try {
        for await (const event of events) relay.write(event);
      } finally {
        await end();
      }
    };
    pass().then(
      () => relay.end(),
      (cause: unknown) => {
        options.log?.error('the tool protocol failed', errorName(cause));
        relay.destroy();
      },
    );
    return relay;
  }

  /** The first tool call of a batch uses the admission of the request. Each further one is admitted by itself. */
  function turnOf(
    { head, address, gone }: ApiRequest,
    caller: Caller,
    message: unknown,
  ): { turn: Turn; end(): Promise<void> } {
    let admitted: Caller | undefined = caller;
    const cancellable = calls.begin(caller.credential.credentialId, message, gone);
    return {
      turn: {
        idempotencyKey: headerOf(head, 'idempotency-key'),
        gone: cancellable.gone,
        tools: () => service.calls.tools(caller),
        async call(call) {
          const first = admitted;
          admitted = undefined;
          if (first !== undefined) return service.calls.runTool(first, call);
          const again = await service.calls.admitCaller({ token: bearerToken(head), address });
          if (again.kind !== 'admitted') return { outcome: again.failure, replayed: false };
          return service.calls.runTool(again.caller, call);
        },
      },
      async end() {
        cancellable.end();
        if (admitted !== undefined) await service.calls.endCall(admitted, 'ok');
      },
    };
  }

  /** Keeps only the headers that the protocol uses. @param body  undefined: it is already parsed */
  function requestOf(head: RequestHead, body: Uint8Array | undefined): Request {
    const headers = new Headers();
    for (const name of Object.keys(head.headers)) {
      const value = headerOf(head, name);
      if (value !== undefined && /^(?:accept|content-type|mcp-.*)$/.test(name)) headers.set(name, value);
    }
    return new Request(publicBase(service.baseUrl).address('/mcp'), {
      method: 'POST',
      headers,
      ...(body === undefined ? {} : { body: textOf(body) }),
    });
  }
}

/** The JSON of an answer that does not need the library. Undefined: it must answer. */
async function ownAnswer(turn: Turn, head: RequestHead, message: unknown): Promise<string | undefined> {
  const direct = directRequest(head, message);
  return direct === undefined ? refusedInitialize(head, message) : await answerDirectly(turn, direct);
}

function replyOf(status: number, { type, text }: Content): Reply {
  return { status, headers: type === null || text === '' ? {} : { 'Content-Type': type }, body: text };
}

const withProgressToken = z.looseObject({
  params: z.looseObject({ _meta: z.looseObject({ progressToken: z.union([z.string(), z.number()]) }) }),
});

/** Whether the message asks for progress reports. Only then is the response streamed. */
function wantsProgress(message: unknown): boolean {
  return withProgressToken.safeParse(message).success;
}

/** The message without parameters that are null: strict clients cannot leave them out. */
function withoutUnset(message: unknown): unknown {
  if (!isRecord(message) || !('method' in message)) return message;
  const { params = null, ...others } = message;
  if (params === null) return others;
  if (!isRecord(params)) return message;
  const set = withoutNulls(params);
  return { ...others, params: isRecord(set._meta) ? { ...set, _meta: withoutNulls(set._meta) } : set };
}

/** Undefined if the body is not JSON. The library has a response for that. */
function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(textOf(body));
  } catch {
    return undefined;
  }
}

/** Empty if the body is not UTF-8, so that it is not JSON either. */
function textOf(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return '';
  }
}

function methodFailure({ method }: RequestHead): Failure | undefined {
  return method === 'POST' ? undefined : failure('method_not_allowed');
}

function refusal(why: Failure, headers: Readonly<Record<string, string>> = {}): Reply {
  const { status, headers: own } = failureStatus(why);
  const allowed = why.code === 'method_not_allowed' ? { Allow: 'POST' } : {};
  return { status, headers: { ...own, ...allowed, ...headers }, body: codedBody(why) };
}
