import { type Failure, failure } from '../../core/call/outcome.ts';
import type { ErrorCode } from '../../core/contract/errors.ts';
import { namesHost } from './host-name.ts';
import type { ApiRequest, PublicAddress } from './request.ts';
import { headerOf, targetOf } from './request-head.ts';

/** The errors of `entryFailure`. */
export const ENTRY_ERRORS = [
  'misdirected_request',
  'origin_not_allowed',
  'token_in_url',
] as const satisfies readonly ErrorCode[];

/**
 * Checks the rules for every route: host, origin, a key in the URL, in this order.
 * @param at  the request must name this host; undefined: any host
 */
export function entryFailure(
  { head, leakedKeys }: Pick<ApiRequest, 'head' | 'leakedKeys'>,
  at: PublicAddress | undefined,
): Failure | undefined {
  if (at !== undefined && !namesHost(targetOf(head).authority, at.baseUrl)) {
    return failure('misdirected_request', { expected: at.baseUrl, setting: at.setting ?? 'baseUrl' });
  }
  if (headerOf(head, 'origin') !== undefined) return failure('origin_not_allowed');
  return leakedKeys.length > 0 ? failure('token_in_url') : undefined;
}
