import * as z from 'zod';
import { ERRORS, type ErrorCode } from '../../../core/contract/errors.ts';
import { timestamp } from '../../../core/tools/result-shapes.ts';
import { STATUS } from '../../http/error-status.ts';
import type { JsonObject } from '../json-body.ts';
import { jsonSchemaOf, ref } from './json-schema.ts';

/** The schemas of failures: one for each code, with the details that it carries. Source: API.md, Errors. */

const retryAfterS = z.int().min(1).meta({ description: 'Whole seconds.' });
const resetsAt = timestamp.meta({ format: 'date-time' });

/** What `details` holds; undefined where a code has none. */
const DETAILS: Readonly<Record<ErrorCode, z.ZodRawShape | undefined>> = {
  invalid_arguments: {
    errors: z
      .array(
        z.looseObject({
          field: z.string().meta({ description: 'A path like to[0]; empty for the body as a whole.' }),
          rule: z.string(),
          message: z.string(),
        }),
      )
      .min(1),
    errors_total: z.int().optional().meta({ description: 'There when not all errors fit into the answer.' }),
  },
  invalid_content_length: undefined,
  invalid_idempotency_key: undefined,
  invalid_message_id: undefined,
  token_in_url: undefined,
  too_many_targets: { max_targets: z.int() },
  invalid_token: undefined,
  quota_exceeded: { resets_at: resetsAt },
  not_permitted: { group: z.string() },
  origin_not_allowed: undefined,
  not_found: { reason: z.string().optional().meta({ description: 'What was not found, such as message.' }) },
  method_not_allowed: undefined,
  idempotency_in_progress: { retry_after_s: retryAfterS },
  no_mail_account_connected: undefined,
  pending_exists_for_target: { approval_id: z.string() },
  previously_rejected: { resets_at: resetsAt },
  length_required: undefined,
  payload_too_large: { max_bytes: z.int() },
  unsupported_media_type: undefined,
  misdirected_request: undefined,
  idempotency_key_reused: undefined,
  busy: { retry_after_s: retryAfterS },
  daily_limit_reached: { retry_after_s: retryAfterS, resets_at: resetsAt },
  rate_limited: { retry_after_s: retryAfterS },
  too_many_pending: { retry_after_s: retryAfterS },
  internal_error: undefined,
  upstream_mail_error: {
    reason: z.string().optional(),
    account_id: z.int().optional().meta({ description: 'The account whose server it was.' }),
  },
  temporarily_unavailable: { retry_after_s: retryAfterS },
  unavailable: { retry_after_s: retryAfterS },
};

const CODES = Object.keys(ERRORS) as ErrorCode[];

/** `InvalidArgumentsError` for `invalid_arguments`. */
function schemaName(code: ErrorCode): string {
  return `${code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Error`;
}

/** By name: the failure of each code as it is on the wire. */
export function failureSchemas(): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(CODES.map((code) => [schemaName(code), jsonSchemaOf(failureOf(code)).schema]));
}

function failureOf(code: ErrorCode): z.ZodType {
  const details = DETAILS[code];
  const envelope = z.looseObject({
    status: z.literal('error'),
    code: z.literal(code),
    message: z.string().meta({ examples: [ERRORS[code]] }),
  });
  if (details === undefined) return envelope;
  const shape = z.looseObject(details);
  // Where none of them is always known, there may be no details at all.
  const mayLack = shape.safeParse({}).success;
  return envelope.extend({ details: mayLack ? shape.optional() : shape });
}

/** The codes of each status that a failure can have. */
export function codesByStatus(): ReadonlyMap<number, readonly ErrorCode[]> {
  const statuses = [...new Set(CODES.map((code) => STATUS[code]))].sort((a, b) => a - b);
  return new Map(statuses.map((status) => [status, CODES.filter((code) => STATUS[code] === status)]));
}

/** A failure with one of these codes. @param coded  the code stands in `error` as well */
export function oneFailureOf(codes: readonly ErrorCode[], coded: boolean): JsonObject {
  const refs = codes.map((code) => ref(schemaName(code)));
  const one = refs.length === 1 ? refs[0] : { oneOf: refs };
  if (!coded) return one ?? {};
  const withCode = {
    type: 'object',
    properties: { error: { enum: codes } },
    required: ['error'],
    additionalProperties: true,
  };
  return { allOf: [one, withCode] };
}
