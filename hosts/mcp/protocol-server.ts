import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Outcome } from '../../core/call/outcome.ts';
import type { Answer, ToolCall } from '../../core/gate/tool-call.ts';
import type { ToolListing } from '../../core/tools/define-tool.ts';
import { INSTRUCTIONS } from '../../core/tools/instructions.ts';
import { version } from '../../package.json';

/** The parts of the service that one MCP request uses. */
export interface Turn {
  tools(): readonly ToolListing[];
  call(call: ToolCall): Promise<Answer>;
  /** The Idempotency-Key header of the request. */
  readonly idempotencyKey: string | undefined;
  /** Aborted when the caller has disconnected or cancelled the request. */
  readonly gone: AbortSignal | undefined;
}

/** Fields in `_meta`: of a call, and of its result. */
const IDEMPOTENCY_KEY = 'countersign/idempotency-key';
const CONTENT = 'countersign/content';
export const REPLAYED = 'countersign/idempotent-replayed';

/** `version` is that of the package. */
export const SERVER_INFO = { name: 'countersign', title: 'Countersign', version };

export const UNKNOWN_TOOL = 'There is no tool of that name.';

/**
 * Room for what surrounds a result: the JSON-RPC envelope with the request's id, event field names, progress reports.
 */
export const FRAME_BYTES = 2048;

/** Returns the library's protocol server for one request. Nothing is kept between requests. */
export function protocolServer(turn: Turn): Server {
  const server = new Server(SERVER_INFO, { capabilities: { tools: {} }, instructions: INSTRUCTIONS });
  server.setRequestHandler('tools/list', () => ({
    tools: turn.tools().map((tool) => ({ ...tool, inputSchema: { ...tool.inputSchema, type: 'object' } })),
  }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const written = (outcome: Outcome) => resultOf(outcome, wantsTextAlone(params._meta));
    const { outcome, replayed } = await turn.call({
      tool: params.name,
      args: params.arguments ?? {},
      idempotencyKey: idempotencyKeyOf(params._meta) ?? turn.idempotencyKey,
      gone: turn.gone,
      onWaiting: progressReport(mcpReq),
      sizeBytes: (answer) => Buffer.byteLength(JSON.stringify(written(answer))) + FRAME_BYTES,
    });
    if (isUnknownTool(outcome)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, UNKNOWN_TOOL);
    return replayed ? { ...written(outcome), _meta: { [REPLAYED]: true } } : written(outcome);
  });
  return server;
}

/** The protocol has its own error for this. */
export function isUnknownTool(outcome: Outcome): boolean {
  return outcome.status === 'error' && outcome.code === 'not_found' && outcome.details?.reason === 'tool';
}

/** A write that waits for the owner is an ordinary result, not an error. */
function resultOf(outcome: Outcome, isTextAlone: boolean): CallToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(outcome) }],
    ...(!isTextAlone && { structuredContent: { ...outcome } }),
    isError: outcome.status === 'error',
  };
}

/** Reports progress to the caller. Undefined if the call has no progress token. */
function progressReport({ _meta, notify }: ServerContext['mcpReq']): ToolCall['onWaiting'] {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return (waitedS, waitS) => {
    const message = 'Waiting for the request to end.';
    const params = { progressToken, progress: waitedS, total: waitS, message };
    // A caller who has disconnected misses nothing.
    notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

/** Whether the client asks for the result once: models are often shown the text and `structuredContent`, which are the same. */
export function wantsTextAlone(meta: Readonly<Record<string, unknown>> | undefined): boolean {
  return meta?.[CONTENT] === 'text';
}

/** A value that is not a string becomes an empty key, which the service rejects. */
export function idempotencyKeyOf(meta: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const key = meta?.[IDEMPOTENCY_KEY];
  return key === undefined || typeof key === 'string' ? key : '';
}
