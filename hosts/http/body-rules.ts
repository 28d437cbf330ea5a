import { type Failure, failure } from '../../core/call/outcome.ts';
import type { ErrorCode } from '../../core/contract/errors.ts';
import { headerOf, type RequestHead } from './request-head.ts';

export const BODY_MAX_BYTES = 262_144;

/** The errors of `bodyFailure`. */
export const BODY_ERRORS = [
  'length_required',
  'invalid_content_length',
  'payload_too_large',
  'unsupported_media_type',
] as const satisfies readonly ErrorCode[];

/**
 * Checks the body that a request's head announces: its length, size, media type and coding.
 * @param required whether the route requires a body
 */
export function bodyFailure(head: RequestHead, required: boolean): Failure | undefined {
  if (headerOf(head, 'transfer-encoding') !== undefined) return failure('length_required');
  const length = headerOf(head, 'content-length');
  if (length === undefined) return required ? failure('length_required') : undefined;
  if (!/^\d+$/.test(length)) return failure('invalid_content_length');
  if (Number(length) > BODY_MAX_BYTES) return failure('payload_too_large', { max_bytes: BODY_MAX_BYTES });
  const isReadable = isJson(headerOf(head, 'content-type')) && !isEncoded(head);
  return Number(length) > 0 && !isReadable ? failure('unsupported_media_type') : undefined;
}

/** Whether the body has a Content-Encoding. None is read here (RFC 9110, 8.4). */
export function isEncoded(head: RequestHead): boolean {
  return (headerOf(head, 'content-encoding') ?? 'identity').trim().toLowerCase() !== 'identity';
}

export function announcesBody(head: RequestHead): boolean {
  return Number(headerOf(head, 'content-length') ?? 0) > 0;
}

/** Both headers together can smuggle a request past a proxy: refuse and close (RFC 9112, 6.1). */
export function isAmbiguous(head: RequestHead): boolean {
  return headerOf(head, 'transfer-encoding') !== undefined && headerOf(head, 'content-length') !== undefined;
}

function isJson(type: string | undefined): boolean {
  return /^\s*application\/json\s*(;|$)/i.test(type ?? '');
}
