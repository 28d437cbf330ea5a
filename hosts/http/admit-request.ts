import { type Failure, failure } from '../../core/call/outcome.ts';
import type { Caller } from '../../core/keys/call-storage.ts';
import type { Rate } from '../../core/keys/limits.ts';
import type { Service } from '../../core/service/service.ts';
import { announcesBody, BODY_MAX_BYTES, bodyFailure } from './body-rules.ts';
import { BodyLost, BodyTooLarge } from './read-body.ts';
import type { ApiRequest } from './request.ts';
import { bearerToken } from './request-head.ts';

/** A request with a known caller and its body, or the reason why it is refused. */
export type AdmittedRequest =
  | { readonly kind: 'admitted'; readonly caller: Caller; readonly rate: Rate; readonly body: Uint8Array }
  | {
      readonly kind: 'refused';
      readonly failure: Failure;
      readonly rate: Rate;
      readonly headers: Readonly<Record<string, string>>;
    }
  /** The caller disconnected before the request was complete. */
  | { readonly kind: 'lost' };

/**
 * Checks the key, then length, size and media type of the body, then the limits. An admitted request must end with
 * `calls.runTool` or `calls.endCall`.
 * @param needsBody  whether the request requires a body
 * @throws the error of `readBody`, unless the body was lost; the call has ended by then
 */
export async function admitRequest(
  { calls }: Pick<Service, 'calls'>,
  { head, address, readBody }: ApiRequest,
  needsBody: boolean,
): Promise<AdmittedRequest> {
  const admission = await calls.admitCaller({ token: bearerToken(head), address });
  const { rate } = admission;
  const refused = (failure: Failure, headers = {}): AdmittedRequest => ({
    kind: 'refused',
    failure,
    rate,
    headers,
  });
  if (admission.kind === 'refused') return refused(admission.failure);
  const wrongBody = bodyFailure(head, needsBody);
  if (admission.kind === 'over') {
    if (wrongBody !== undefined) return refused(wrongBody);
    return refused(admission.failure, { 'Retry-After': String(admission.retryAfterS) });
  }
  const { caller } = admission;
  if (wrongBody !== undefined) {
    await calls.endCall(caller, wrongBody.code);
    return refused(wrongBody);
  }
  try {
    const body = announcesBody(head) ? await readBody() : new Uint8Array();
    return { kind: 'admitted', caller, rate, body };
  } catch (cause) {
    if (cause instanceof BodyTooLarge) {
      await calls.endCall(caller, 'payload_too_large');
      return refused(failure('payload_too_large', { max_bytes: BODY_MAX_BYTES }));
    }
    // If the body is lost, the caller is gone. The code is only for the activity.
    const isLost = cause instanceof BodyLost;
    await calls.endCall(caller, isLost ? 'invalid_content_length' : 'internal_error');
    if (isLost) return { kind: 'lost' };
    throw cause;
  }
}
