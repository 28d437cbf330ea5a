/**
 * Every code that an answer may carry, with its fixed text. The texts never hold data: what a caller needs
 * to know beyond the code stands in `details`.
 * Source: API.md, Errors.
 */
export const ERRORS = {
  invalid_arguments: 'The arguments do not match the input schema. See details.errors.',
  invalid_content_length: 'The Content-Length header is not a number.',
  invalid_idempotency_key: 'The Idempotency-Key must be 1 to 255 visible ASCII characters.',
  invalid_message_id:
    'This message id was not issued by this service. Use ids exactly as results return them.',
  token_in_url:
    'A key was found in the URL. It is no longer safe; a live key is revoked. Send keys only in the Authorization header.',
  too_many_targets: 'The request selects more messages than one call may act on.',
  invalid_token: 'The API key is missing, malformed, unknown, revoked or expired.',
  quota_exceeded: 'The quota of approval requests for today is used up.',
  not_permitted:
    'This key may not use that permission group. Only the owner can change that, in the dashboard.',
  origin_not_allowed: 'This API is server to server only; browser origins are refused.',
  not_found: 'There is no such item for this user.',
  method_not_allowed: 'This route does not allow that method. See the Allow header.',
  idempotency_in_progress: 'A request with the same Idempotency-Key is still running. Retry shortly.',
  no_mail_account_connected: 'No mailbox is connected. This does not mean that the inbox is empty.',
  pending_exists_for_target: 'A request for this target already waits for approval.',
  previously_rejected: 'The owner recently rejected this same request. Do not repeat it.',
  length_required: 'A Content-Length header is required; chunked bodies are refused.',
  payload_too_large: 'The request body is larger than details.max_bytes.',
  unsupported_media_type: 'The request body must be application/json.',
  misdirected_request: 'The request is not addressed to this host.',
  idempotency_key_reused: 'This Idempotency-Key was used for a different request.',
  busy: 'This key already has calls in flight. Retry when one of them is answered.',
  daily_limit_reached: 'The daily call limit is reached. It resets at midnight UTC.',
  rate_limited: 'Too many calls in a short time.',
  too_many_pending: 'Too many requests wait for approval. Wait until the owner has decided some.',
  internal_error: 'The server failed. Nothing is reported as done.',
  upstream_mail_error: 'The mail server did not complete the operation. Nothing is reported as done.',
  temporarily_unavailable:
    'The service cannot answer at the moment. Retry after details.retry_after_s seconds.',
  unavailable: 'The service is not available. Retry after details.retry_after_s seconds.',
} as const;

export type ErrorCode = keyof typeof ERRORS;

export type ErrorDetails = Readonly<Record<string, unknown>>;

/** A refusal or failure that the caller is told about, by its code. The cause is for the log, never for the caller. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails | undefined;

  constructor(code: ErrorCode, options: { details?: ErrorDetails; cause?: unknown } = {}) {
    super(ERRORS[code], options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.details = options.details;
  }
}
