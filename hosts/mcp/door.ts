import { createMcpHandler } from '@modelcontextprotocol/server';
import { type Failure, failure } from '../../core/outcome.ts';
import { named } from '../../core/ports/log.ts';
import type { Caller } from '../../core/ports/storage.ts';
import { enter } from '../http/admission.ts';
import {
  addressRate,
  type Door,
  type DoorOptions,
  type DoorService,
  door,
  type Visit,
} from '../http/door.ts';
import { entryFailure } from '../http/entry-rules.ts';
import { codedBody, failureStatus, type Reply } from '../http/reply.ts';
import { bearerToken, headerOf, type RequestHead } from '../http/request-head.ts';
import { protocolServer, type Turn } from './protocol-server.ts';

/**
 * The tools by the Model Context Protocol over Streamable HTTP, without sessions, for clients of every revision.
 * What is refused before a tool is called is refused as the REST API refuses it, in the same order.
 */
export function mcpDoor(service: DoorService, options: DoorOptions): Door {
  return door(service, options, {
    async answer(visit) {
      const wrong = entryFailure(visit, service.baseUrl) ?? methodFailure(visit.head);
      if (wrong !== undefined) {
        return { ...refusal(wrong), rate: await addressRate(service, visit.address) };
      }
      const entered = await enter(service, visit, true);
      if (entered.kind === 'lost') return undefined;
      const { rate } = entered;
      if (entered.kind === 'refused') return { ...refusal(entered.failure, entered.headers), rate };
      return { ...(await answerMessage(visit, entered.caller, entered.body)), rate };
    },
    failed: (_head, why) => refusal(why),
  });

  async function answerMessage(visit: Visit, caller: Caller, body: Uint8Array): Promise<Reply> {
    const { turn, end } = turnOf(visit, caller);
    const errors: Error[] = [];
    try {
      const { fetch } = createMcpHandler(() => protocolServer(turn), {
        // Nothing of what is listed changes while a stream is open, and an answer here is written whole.
        maxSubscriptions: 0,
        keepAliveMs: 0,
        onerror: (error) => errors.push(error),
      });
      const response = await fetch(requestOf(visit.head, body));
      const text = await response.text();
      if (response.status >= 500) {
        for (const error of errors) options.log?.error('the tool protocol failed', named(error));
      }
      const type = response.headers.get('content-type');
      return {
        status: response.status,
        headers: type === null || text === '' ? {} : { 'Content-Type': type },
        body: text,
      };
    } finally {
      await end();
    }
  }

  /** The first call of a tool ends what was admitted; more of them in one batch are calls of their own. */
  function turnOf({ head, address }: Visit, caller: Caller): { turn: Turn; end(): Promise<void> } {
    let admitted: Caller | undefined = caller;
    return {
      turn: {
        idempotencyKey: headerOf(head, 'idempotency-key'),
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
        if (admitted !== undefined) await service.calls.endCall(admitted, 'ok');
      },
    };
  }

  /** With the headers that the protocol has a use for. */
  function requestOf(head: RequestHead, body: Uint8Array): Request {
    const headers = new Headers();
    for (const name of Object.keys(head.headers)) {
      const value = headerOf(head, name);
      if (value !== undefined && /^(?:accept|content-type|mcp-.*)$/.test(name)) headers.set(name, value);
    }
    return new Request(`${service.baseUrl}/mcp`, { method: 'POST', headers, body: textOf(body) });
  }
}

/** What is not UTF-8 is no JSON either; the protocol has an answer to that. */
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
