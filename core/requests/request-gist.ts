import { type OpenedGist, openGist } from '../execution/sealed-gist.ts';
import { errorName, type Log } from '../ports/log.ts';
import type { Keyring } from '../secrets/keyring.ts';
import type { ApprovalGist } from './approval-views.ts';

/**
 * The gist of a request for the owner. One that cannot be read hides nothing else, and the log names it.
 * @param sealedGist undefined once it is erased, null if it was never kept
 */
export function requestGist(
  keyring: Keyring,
  log: Log,
  approval: { readonly ownerId: string; readonly id: string },
  sealedGist: string | null | undefined,
): { readonly gist: ApprovalGist; readonly findings: OpenedGist['findings'] } {
  const hidden = (kind: 'erased' | 'not_kept' | 'unreadable') => ({ gist: { kind }, findings: undefined });
  if (sealedGist === undefined) return hidden('erased');
  if (sealedGist === null) return hidden('not_kept');
  try {
    return openGist(keyring, approval, sealedGist);
  } catch (error) {
    log.error('the gist of a request could not be read', { approval: approval.id, ...errorName(error) });
    return hidden('unreadable');
  }
}
