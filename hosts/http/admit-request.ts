import { type Failure, failure } from '../../core/call/outcome.ts';
import type { OverAdmission } from '../../core/gate/calls.ts';
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
  | { readonly kind: 'refused'; readonly failure: Failure; readonly rate: Rate }
  /** The key is over a limit. The body was not read. */
  | OverAdmission
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
  request: ApiRequest,
  needsBody: boolean,
): Promise<AdmittedRequest> {
  const { head, address } = request;
  const admission = await calls.admitCaller({ token: bearerToken(head), address });
  const { rate } = admission;
  if (admission.kind === 'refused') return admission;
  const wrongBody = bodyFailure(head, needsBody);
  if (admission.kind === 'over') {
    return wrongBody === undefined ? admission : { kind: 'refused', failure: wrongBody, rate };
  }
  const { caller } = admission;
  if (wrongBody !== undefined) {
    await calls.endCall(caller, wrongBody.code);
    return { kind: 'refused', failure: wrongBody, rate };
  }
  let read: WholeBody;
  try {
    read = await readWholeBody(request);
  } catch (cause) {
    await calls.endCall(caller, 'internal_error');
    throw cause;
  }
  if (read.kind === 'read') return { kind: 'admitted', caller, rate, body: read.body };
  // If the body is lost, the caller is gone. The code is only for the activity.
  await calls.endCall(caller, read.kind === 'lost' ? 'invalid_content_length' : read.failure.code);
  return read.kind === 'lost' ? read : { ...read, rate };
}

export type WholeBody =
  | { readonly kind: 'read'; readonly body: Uint8Array }
  | { readonly kind: 'refused'; readonly failure: Failure }
  | { readonly kind: 'lost' };

/** @throws the error of `readBody`, unless the body was lost or is too large */
export async function readWholeBody({ head, readBody }: ApiRequest): Promise<WholeBody> {
  try {
    return { kind: 'read', body: announcesBody(head) ? await readBody() : new Uint8Array() };
  } catch (cause) {
    if (cause instanceof BodyTooLarge) {
      return { kind: 'refused', failure: failure('payload_too_large', { max_bytes: BODY_MAX_BYTES }) };
    }
    if (cause instanceof BodyLost) return { kind: 'lost' };
    throw cause;
  }
}
