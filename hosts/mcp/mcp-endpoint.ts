import { PassThrough, type Readable } from 'node:stream';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { type Failure, failure } from '../../core/call/outcome.ts';
import type { OverAdmission } from '../../core/gate/calls.ts';
import type { Caller } from '../../core/keys/call-storage.ts';
import { errorName } from '../../core/ports/log.ts';
import { admitRequest, readWholeBody } from '../http/admit-request.ts';
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
import { isToolCall, type Message, messageIn, textOf, wantsProgress } from './message.ts';
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
    if (admitted.kind === 'over') return answerOver(request, admitted);
    const { rate } = admitted;
    if (admitted.kind === 'refused') return { ...refusal(admitted.failure), rate };
    return { ...(await answerCaller(request, admitted.caller, messageIn(admitted.body))), rate };
  }

  async function answerCaller(request: ApiRequest, caller: Caller, message: Message): Promise<Reply> {
    calls.cancelBy(caller.credential.credentialId, message.json);
    return answerMessage(request, message, turnOf(request, caller, message.json));
  }

  /**
   * A call of a busy key waits for a slot first. If there is none, or the key has called too often, the result of the tool
   * says so, because clients give up at the status 429, while a model can try again later.
   */
  async function answerOver(request: ApiRequest, over: OverAdmission): Promise<Answered | undefined> {
    const read = await readWholeBody(request);
    if (read.kind === 'lost') return undefined;
    if (read.kind === 'refused') return { ...refusal(read.failure), rate: over.rate };
    const message = messageIn(read.body);
    // It would otherwise wait for what it cancels.
    if (calls.cancelBy(over.credentialId, message.json))
      return { status: 202, headers: {}, body: '', rate: over.rate };
    const { head, address, gone } = request;
    const by = { token: bearerToken(head), address };
    const admission = await service.calls.admitWaiting(by, over, gone);
    const { rate } = admission;
    if (admission.kind === 'admitted')
      return { ...(await answerCaller(request, admission.caller, message)), rate };
    const { failure: why } = admission;
    const isForModel = why.code === 'busy' || why.code === 'rate_limited';
    if (admission.kind === 'refused' || !isForModel || !isToolCall(message)) return { ...refusal(why), rate };
    return { ...(await answerMessage(request, message, refusedTurn(why))), rate };
  }

  async function answerMessage(
    request: ApiRequest,
    message: Message,
    { turn, end }: HeldTurn,
  ): Promise<Reply> {
    const { body, json } = message;
    const errors: Error[] = [];
    const forms = acceptedForms(request.head);
    const isAccepted = forms.json || forms.events;
    let isStreamed = false;
    try {
      const text = isAccepted ? await ownAnswer(turn, request.head, json) : undefined;
      if (text !== undefined) return replyOf(200, acceptedContent({ type: JSON_TYPE, text }, forms));
      const { fetch } = createMcpHandler(() => protocolServer(turn), {
        // A stream lasts at most as long as one wait. A subscription ends at once: nothing is announced.
        keepAliveMs: 0,
        onerror: (error) => errors.push(error),
      });
      const asked = requestOf(request.head, json === undefined ? body : undefined);
      // The library insists that a client names both.
      if (isAccepted) asked.headers.set('accept', `${JSON_TYPE}, ${EVENTS_TYPE}`);
      const response = await fetch(asked, { parsedBody: json });
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
  function turnOf({ head, address, gone }: ApiRequest, caller: Caller, message: unknown): HeldTurn {
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
          const by = { token: bearerToken(head), address };
          let again = await service.calls.admitCaller(by);
          if (again.kind === 'over') again = await service.calls.admitWaiting(by, again, gone);
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

/** A turn that holds a slot of its key until it ends. */
interface HeldTurn {
  readonly turn: Turn;
  end(): Promise<void>;
}

/** The turn of a caller who was not admitted. */
function refusedTurn(why: Failure): HeldTurn {
  return {
    turn: {
      idempotencyKey: undefined,
      gone: undefined,
      tools: () => [],
      call: async () => ({ outcome: why, replayed: false }),
    },
    end: async () => undefined,
  };
}

/** The JSON of an answer that does not need the library. Undefined: it must answer. */
async function ownAnswer(turn: Turn, head: RequestHead, message: unknown): Promise<string | undefined> {
  const direct = directRequest(head, message);
  return direct === undefined ? refusedInitialize(head, message) : await answerDirectly(turn, direct);
}

function replyOf(status: number, { type, text }: Content): Reply {
  return { status, headers: type === null || text === '' ? {} : { 'Content-Type': type }, body: text };
}

function methodFailure({ method }: RequestHead): Failure | undefined {
  return method === 'POST' ? undefined : failure('method_not_allowed');
}

function refusal(why: Failure): Reply {
  const { status, headers: own } = failureStatus(why);
  const allowed = why.code === 'method_not_allowed' ? { Allow: 'POST' } : {};
  return { status, headers: { ...own, ...allowed }, body: codedBody(why) };
}
