import * as z from 'zod';
import { isRecord, withoutNulls } from '../../core/contract/result.ts';

/** The body of a request to the tool protocol: a JSON-RPC message, or a batch of them. */
export interface Message {
  readonly body: Uint8Array;
  /** Without parameters that are null. Undefined if the body is not JSON. */
  readonly json: unknown;
}

export function messageIn(body: Uint8Array): Message {
  const given = jsonOf(body);
  return { body, json: Array.isArray(given) ? given.map(withoutUnset) : withoutUnset(given) };
}

/** Empty if the body is not UTF-8, so that it is not JSON either. */
export function textOf(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return '';
  }
}

const toolCall = z.looseObject({
  id: z.union([z.string(), z.number()]),
  method: z.literal('tools/call'),
});

/** Whether it is one call of a tool. */
export function isToolCall({ json }: Message): boolean {
  return toolCall.safeParse(json).success;
}

const withProgressToken = z.looseObject({
  params: z.looseObject({ _meta: z.looseObject({ progressToken: z.union([z.string(), z.number()]) }) }),
});

/** Whether it asks for progress reports. Only then is the response streamed. */
export function wantsProgress({ json }: Message): boolean {
  return withProgressToken.safeParse(json).success;
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
