import { type Failure, failure } from '../../core/call/outcome.ts';
import { isRecord } from '../../core/contract/result.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export type ParsedBody =
  | { readonly kind: 'object'; readonly object: JsonObject }
  | { readonly kind: 'failure'; readonly failure: Failure };

/** An empty body counts as `{}`. */
export function parseBody(bytes: Uint8Array): ParsedBody {
  if (bytes.length === 0) return { kind: 'object', object: {} };
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return refused('json', 'the body is not JSON in UTF-8');
  }
  return isRecord(value)
    ? { kind: 'object', object: value }
    : refused('type', 'the body must be a JSON object');
}

function refused(rule: string, message: string): ParsedBody {
  return {
    kind: 'failure',
    failure: failure('invalid_arguments', { errors: [{ field: '', rule, message }] }),
  };
}
