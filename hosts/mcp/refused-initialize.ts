import { ProtocolErrorCode, specTypeSchemas } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { headerOf, type RequestHead } from '../http/request-head.ts';
import { STATELESS } from './direct-request.ts';

const initialize = z.looseObject({ method: z.literal('initialize'), id: z.union([z.string(), z.int()]) });

/**
 * The JSON of the answer to an `initialize` whose parameters are not as the protocol wants them. The library answers that
 * with an internal error and its own notes. Undefined: it is right, another message, or of a revision without it.
 */
export function refusedInitialize(head: RequestHead, message: unknown): string | undefined {
  const asked = initialize.safeParse(message).data;
  if (asked === undefined || headerOf(head, 'mcp-protocol-version') === STATELESS) return undefined;
  const checked = specTypeSchemas.InitializeRequest['~standard'].validate(message);
  if (checked instanceof Promise || checked.issues === undefined) return undefined;
  const wrong = checked.issues.map(({ path = [], message: why }) => `${path.map(String).join('.')}: ${why}`);
  const error = { code: ProtocolErrorCode.InvalidParams, message: `Invalid initialize: ${wrong.join('; ')}` };
  return JSON.stringify({ jsonrpc: '2.0', id: asked.id, error });
}
