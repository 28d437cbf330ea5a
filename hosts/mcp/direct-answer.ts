import { ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Outcome } from '../../core/call/outcome.ts';
import type { ToolListing } from '../../core/tools/define-tool.ts';
import type { DirectRequest } from './direct-request.ts';
import {
  FRAME_BYTES,
  idempotencyKeyOf,
  isUnknownTool,
  REPLAYED,
  SERVER_INFO,
  type Turn,
  UNKNOWN_TOOL,
  wantsTextAlone,
} from './protocol-server.ts';

const SERVER_META = { 'io.modelcontextprotocol/serverInfo': SERVER_INFO };
/** The list depends on the key, and may change at any time. */
const LIST_FIELDS = fields({ resultType: 'complete', ttlMs: 0, cacheScope: 'private', _meta: SERVER_META });

/** By list, because the service returns the same list for the same permissions. */
const listTexts = new WeakMap<readonly ToolListing[], string>();

/** @returns the JSON of the answer, equal to that of the library */
export async function answerDirectly(turn: Turn, request: DirectRequest): Promise<string> {
  if (request.method === 'tools/list') {
    const tools = listText(turn.tools());
    return answered(request, 'result', `{"tools":${tools}${request.isStateless ? LIST_FIELDS : ''}}`);
  }
  const isTextAlone = wantsTextAlone(request.meta);
  let sized: { outcome: Outcome; text: string } | undefined;
  const { outcome, replayed } = await turn.call({
    tool: request.name,
    args: request.args,
    idempotencyKey: idempotencyKeyOf(request.meta) ?? turn.idempotencyKey,
    gone: turn.gone,
    sizeBytes(answer) {
      sized = { outcome: answer, text: outcomeText(answer, isTextAlone) };
      return Buffer.byteLength(sized.text) + FRAME_BYTES;
    },
  });
  if (isUnknownTool(outcome)) {
    const error = { code: ProtocolErrorCode.InvalidParams, message: UNKNOWN_TOOL };
    return answered(request, 'error', JSON.stringify(error));
  }
  // The text was written already, to measure its length.
  const text = sized?.outcome === outcome ? sized.text : outcomeText(outcome, isTextAlone);
  const meta = { ...(request.isStateless && SERVER_META), ...(replayed && { [REPLAYED]: true }) };
  const end = { ...(request.isStateless && { resultType: 'complete' }), ...withMeta(meta) };
  return answered(request, 'result', `{${text}${fields(end)}}`);
}

function answered({ id }: DirectRequest, name: 'result' | 'error', text: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"${name}":${text}}`;
}

/** The fields of a result that depend on the outcome. */
function outcomeText(outcome: Outcome, isTextAlone: boolean): string {
  const data = JSON.stringify(outcome);
  const isError = outcome.status === 'error';
  const structured = isTextAlone ? '' : `"structuredContent":${data},`;
  return `"content":[{"type":"text","text":${JSON.stringify(data)}}],${structured}"isError":${isError}`;
}

function listText(tools: readonly ToolListing[]): string {
  const text = listTexts.get(tools) ?? JSON.stringify(tools);
  listTexts.set(tools, text);
  return text;
}

function withMeta(meta: object): object {
  return Object.keys(meta).length === 0 ? {} : { _meta: meta };
}

/** Returns JSON fields to append to others. */
function fields(value: object): string {
  const text = JSON.stringify(value).slice(1, -1);
  return text === '' ? '' : `,${text}`;
}
