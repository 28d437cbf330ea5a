import type { StoredSession } from '../../../core/owners/session.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { addOwner, at, NOON, SIGNER } from './scene.ts';

/** Sessions for the promises of storage. Racers use them too, without a test runner. */

export const PASSWORD_HASH = 'the hash';

/** Adds an owner who can sign in. */
export async function addPerson(storage: Storage): Promise<string> {
  const ownerId = await addOwner(storage);
  await storage.setPassword(ownerId, PASSWORD_HASH, SIGNER);
  return ownerId;
}

export function aSession(ownerId: string, id: string, changes: Partial<StoredSession> = {}): StoredSession {
  return {
    id,
    ownerId,
    authenticatedAt: NOON,
    createdAt: NOON,
    lastUsedAt: NOON,
    browser: 'Firefox on Linux',
    address: '192.0.2.1',
    proofKey: `key of ${id}`,
    ...changes,
  };
}

/** Starts a session. The hash of its token is its id. */
export function begin(
  storage: Storage,
  session: StoredSession,
  { passwordHash = PASSWORD_HASH, expiresAt = at(1000) } = {},
): Promise<boolean> {
  return storage.addSession({ signer: SIGNER, session, tokenHash: session.id, passwordHash, expiresAt });
}
