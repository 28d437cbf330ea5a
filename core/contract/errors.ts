import * as z from 'zod';

/** The possible reasons of `not_found`. */
const MISSING = [
  'account',
  'approval',
  'attachment',
  'calendar',
  'delivery',
  'endpoint',
  'event',
  'folder',
  'key',
  'message',
  'owner',
  'route',
  'tool',
  'tracker',
] as const;

const retry = z.object({ retry_after_s: z.int().min(1).meta({ description: 'Whole seconds.' }) });
const resetsAt = z.string().meta({ format: 'date-time' });

export type Missing = (typeof MISSING)[number];

interface ErrorFacts {
  /** HTTP status. */
  readonly status: number;
  /** Fixed text without data. Anything else that a caller needs is in `details`. */
  readonly message: string;
  /** The schema of `details`; null: the error has none. Nothing in it is a third party's: errors are not marked. */
  readonly details: z.ZodObject | null;
}

/** Every error code, with its HTTP status, its text and its details. */
export const ERRORS = {
  invalid_arguments: {
    status: 400,
    message: 'The arguments do not match the input schema. See details.errors.',
    details: z.object({
      errors: z
        .array(
          z.object({
            field: z.string().meta({ description: 'A path like to[0]. Empty for the arguments as a whole.' }),
            rule: z.string().meta({ description: 'The rule that it breaks, such as pattern or required.' }),
            message: z.string().meta({ description: 'What the argument must be.' }),
          }),
        )
        .min(1),
      errors_total: z
        .int()
        .exactOptional()
        .meta({ description: 'Present if not all errors fit into the response.' }),
    }),
  },
  invalid_content_length: {
    status: 400,
    message: 'The Content-Length header is not a number.',
    details: null,
  },
  invalid_idempotency_key: {
    status: 400,
    message: 'The Idempotency-Key must be 1 to 255 visible ASCII characters.',
    details: null,
  },
  invalid_message_id: {
    status: 400,
    message: 'This message id was not issued by this service. Use ids exactly as results return them.',
    details: null,
  },
  token_in_url: {
    status: 400,
    message:
      'A key was found in the URL. It is no longer safe; a live key is revoked. Send keys only in the Authorization header.',
    details: null,
  },
  too_many_targets: {
    status: 400,
    message: 'The request selects more messages than one call may act on.',
    details: z.object({ max_targets: z.int().meta({ description: 'The most messages of one call.' }) }),
  },
  invalid_token: {
    status: 401,
    message: 'The API key is missing, malformed, unknown, revoked or expired.',
    details: null,
  },
  quota_exceeded: {
    status: 402,
    message: 'The quota of approval requests for today is used up.',
    details: z.object({ resets_at: resetsAt }),
  },
  not_permitted: {
    status: 403,
    message: 'This key may not do that. See details. Only the owner can change that, in the dashboard.',
    details: z.object({
      group: z.string().meta({ description: 'The permission group of the call.' }),
      reason: z.enum(['paused', 'fence']).exactOptional().meta({
        description: 'Absent: the group is off. paused: the owner paused the key. fence: see get_me.',
      }),
      field: z.string().exactOptional().meta({
        description:
          'Present with fence: the argument that leads outside, empty for the whole call; or until.',
      }),
    }),
  },
  origin_not_allowed: {
    status: 403,
    message: 'This API is server to server only; browser origins are refused.',
    details: null,
  },
  not_found: {
    status: 404,
    message: 'There is no such item for this user.',
    details: z.object({
      reason: z.enum(MISSING).exactOptional().meta({ description: 'What was not found.' }),
    }),
  },
  method_not_allowed: {
    status: 405,
    message: 'This route does not allow that method. See the Allow header.',
    details: null,
  },
  idempotency_in_progress: {
    status: 409,
    message: 'A request with the same Idempotency-Key is still running. Retry shortly.',
    details: retry,
  },
  no_mail_account_connected: {
    status: 409,
    message: 'No mailbox is connected. This does not mean that the inbox is empty.',
    details: null,
  },
  pending_exists_for_target: {
    status: 409,
    message: 'A request for this target already waits for approval.',
    details: z.object({
      approval_id: z.string().regex(/^apr_/).max(26).meta({ description: 'The request that waits.' }),
    }),
  },
  previously_rejected: {
    status: 409,
    message: 'The owner recently rejected this same request. Do not repeat it.',
    details: z.object({ resets_at: resetsAt }),
  },
  length_required: {
    status: 411,
    message: 'A Content-Length header is required; chunked bodies are refused.',
    details: null,
  },
  payload_too_large: {
    status: 413,
    message: 'The request body is larger than details.max_bytes.',
    details: z.object({ max_bytes: z.int().meta({ description: 'The largest body.' }) }),
  },
  unsupported_media_type: {
    status: 415,
    message: 'The request body must be application/json, without a Content-Encoding.',
    details: null,
  },
  misdirected_request: {
    status: 421,
    message: 'The request is not addressed to this host. See details.',
    details: z.object({
      expected: z.string().meta({ description: 'The address of this host.' }),
      setting: z.string().meta({ description: 'The setting of the server that names this address.' }),
    }),
  },
  idempotency_key_reused: {
    status: 422,
    message: 'This Idempotency-Key was used for a different request.',
    details: null,
  },
  busy: {
    status: 429,
    message: 'This key already has calls in flight. Retry when one of them is answered.',
    details: retry,
  },
  daily_limit_reached: {
    status: 429,
    message: 'The daily call limit is reached. It resets at midnight UTC.',
    details: retry.extend({ resets_at: resetsAt }),
  },
  rate_limited: {
    status: 429,
    message: 'Too many calls in a short time.',
    details: retry,
  },
  too_many_pending: {
    status: 429,
    message: 'Too many requests wait for approval. Wait until the owner has decided some.',
    details: retry,
  },
  internal_error: {
    status: 500,
    message: 'The server failed. Nothing is reported as done.',
    details: z.object({
      remedy: z
        .string()
        .exactOptional()
        .meta({ description: 'What the operator of the server has to change, if that is known.' }),
    }),
  },
  upstream_mail_error: {
    status: 502,
    message: 'The mail or calendar server did not complete the operation. Nothing is reported as done.',
    details: z.object({
      account_id: z.int().exactOptional().meta({ description: 'The account whose server failed.' }),
      calendar: z
        .int()
        .min(1)
        .exactOptional()
        .meta({ description: 'The place of the calendar that failed among those of the account.' }),
      reason: z
        .enum([
          'auth',
          'conflict',
          'message_too_large',
          'not_started',
          'outcome_unknown',
          'refused',
          'too_many_recipients',
          'unavailable',
        ])
        .exactOptional(),
      message_bytes: z
        .int()
        .exactOptional()
        .meta({ description: 'The size of the message that is too large.' }),
      limit_bytes: z
        .int()
        .exactOptional()
        .meta({ description: 'How large the server takes one, if it says so.' }),
    }),
  },
  temporarily_unavailable: {
    status: 503,
    message: 'The service cannot answer at the moment. Retry after details.retry_after_s seconds.',
    details: retry,
  },
  unavailable: {
    status: 503,
    message: 'The service is not available. Retry after details.retry_after_s seconds.',
    details: retry,
  },
} as const satisfies Readonly<Record<string, ErrorFacts>>;

export type ErrorCode = keyof typeof ERRORS;

/** The details of an error, for reading. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

type Schema<C extends ErrorCode> = (typeof ERRORS)[C]['details'];

/** The details of a code. Undefined: it has none. */
export type DetailsOf<C extends ErrorCode> =
  Schema<C> extends z.ZodObject ? Readonly<z.input<Schema<C>>> : undefined;

/** A code and its details. Optional if none of them is required. */
export type CodeAndDetails = { [C in ErrorCode]: [code: C, ...Argument<DetailsOf<C>>] }[ErrorCode];

/** A code, and the other parts of an error. */
export type ErrorArguments = { [C in ErrorCode]: [code: C, ...Argument<Options<DetailsOf<C>>>] }[ErrorCode];

type Argument<T> = IsOptional<T> extends true ? [argument?: T] : [argument: T];
type IsOptional<T> = T extends undefined ? true : Record<never, never> extends T ? true : false;

/** The field `details` of an error with this code. */
export type DetailsPart<C extends ErrorCode> =
  DetailsOf<C> extends undefined
    ? { readonly details?: undefined }
    : Record<never, never> extends DetailsOf<C>
      ? { readonly details?: DetailsOf<C> }
      : { readonly details: DetailsOf<C> };

type Options<D> = {
  /** For the log, never for the caller. */
  readonly cause?: unknown;
} & (IsOptional<D> extends true ? { readonly details?: D } : { readonly details: D });

/** A refusal or failure that is reported to the caller by its code. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails | undefined;

  constructor(...[code, options]: ErrorArguments) {
    super(ERRORS[code].message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.details = options?.details;
  }
}

/** The service is stopped, or is stopping. Its code is `temporarily_unavailable`, so hosts answer 503. */
export class ServiceStoppedError extends ServiceError {
  constructor() {
    super('temporarily_unavailable', { details: { retry_after_s: 5 } });
    this.name = 'ServiceStoppedError';
    this.message = 'The service is stopped.';
  }
}
