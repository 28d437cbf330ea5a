import { type Gist, storedGist } from '../actions/gist.ts';
import type { Approval } from '../approvals/approval.ts';
import type { Keyring } from '../secrets/keyring.ts';

/** Seals gists for storage, for their owner and their approval, like plans. */

export function sealGist(keyring: Keyring, ownerId: string, approvalId: string, gist: Gist): string {
  return keyring.seal('gist', `${ownerId}\n${approvalId}`, JSON.stringify(gist));
}

/** @throws Error if it was not sealed for this approval, its key is not in the ring, or a different version wrote it */
export function openGist(
  keyring: Keyring,
  { ownerId, id }: Pick<Approval, 'ownerId' | 'id'>,
  sealedGist: string,
): Gist {
  return storedGist.parse(JSON.parse(keyring.open('gist', `${ownerId}\n${id}`, sealedGist)));
}
