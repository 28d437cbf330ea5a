import type { Credential } from '../../../core/keys/live-key.ts';
import type { OwnerVisit } from '../visit.ts';

/** The key or the sign-in that the path names. Undefined: the owner has none with this id. */
export async function keyOf({ service, owner, param }: OwnerVisit): Promise<Credential | undefined> {
  return (await service.keys.list(owner.ownerId)).find(({ credentialId }) => credentialId === param);
}
