import type { ErrorCode } from '../contract/errors.ts';
import { isWrite, type Tool } from './define-tool.ts';

/** The errors that follow from the steps of a call. A tool declares only its own, in `errors`. */

/** The errors of `admitCaller`. */
export const ADMISSION_ERRORS = [
  'invalid_token',
  'rate_limited',
  'daily_limit_reached',
  'busy',
  'temporarily_unavailable',
] as const satisfies readonly ErrorCode[];

/** The errors of every tool: the form of the Idempotency-Key, the arguments, and failures of the service. */
const CALL_ERRORS: readonly ErrorCode[] = [
  'invalid_idempotency_key',
  'invalid_arguments',
  'internal_error',
  'temporarily_unavailable',
];

/** The errors of a claim of an Idempotency-Key. */
const CLAIM_ERRORS: readonly ErrorCode[] = ['idempotency_in_progress', 'idempotency_key_reused'];

/**
 * The errors of a request for approval: the credential is checked again, then what the owner rejected, then the caps.
 */
const FILING_ERRORS: readonly ErrorCode[] = [
  'invalid_token',
  'previously_rejected',
  'quota_exceeded',
  'too_many_pending',
];

/** Every error code that a call of the tool can return once the caller is admitted. */
export function errorsOf(tool: Tool): ReadonlySet<ErrorCode> {
  return new Set([
    ...CALL_ERRORS,
    ...(tool.group === null ? [] : (['not_permitted'] as const)),
    ...(tool.kind === 'read' ? [] : CLAIM_ERRORS),
    ...(isWrite(tool) ? FILING_ERRORS : []),
    ...tool.errors,
  ]);
}
