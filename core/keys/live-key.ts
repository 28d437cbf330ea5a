import type { Signer } from '../secrets/keyring.ts';
import type { Grant } from './grant.ts';
import type { StoredCredential } from './key-state.ts';
import { isCredentialIntact } from './signed-rows.ts';

export interface Credential extends Grant {
  readonly ownerId: string;
  /** Opaque: `key_` and 16 letters or digits. */
  readonly credentialId: string;
  /** `pat`: a key. `oauth`: the sign-in of an assistant. */
  readonly kind: 'pat' | 'oauth';
  readonly name: string;
  /** Counts every change of the modes and the fences, from 1. */
  readonly revision: number;
  readonly createdAt: Date;
  /** When the newest secret ends. */
  readonly expiresAt: Date;
  /** When the previous secret ends. Null unless a rotation's overlap is still running. */
  readonly overlapUntil: Date | null;
  readonly revokedAt: Date | null;
  /** Whether its rows were changed outside Countersign. Then it counts as revoked. */
  readonly isAltered: boolean;
}

/** Returns a credential as it is now, without an overlap that has ended. */
export function credentialAt(stored: StoredCredential, isAltered: boolean, now: Date): Credential {
  const { overlapUntil } = stored;
  // Field by field, because every call does this and leaving a field out of a copy costs more.
  return {
    ownerId: stored.ownerId,
    credentialId: stored.credentialId,
    kind: stored.kind,
    name: stored.name,
    modes: stored.modes,
    fences: stored.fences,
    pausedAt: stored.pausedAt,
    revision: stored.revision,
    createdAt: stored.createdAt,
    expiresAt: stored.expiresAt,
    overlapUntil: overlapUntil !== null && overlapUntil > now ? overlapUntil : null,
    revokedAt: stored.revokedAt,
    isAltered,
  };
}

/** Whether it is on: not revoked, with a live secret, and with its row as Countersign wrote it. */
export function isOn(credential: StoredCredential, signer: Signer, now: Date): boolean {
  return (
    credential.revokedAt === null && hasLiveSecret(credential, now) && isCredentialIntact(credential, signer)
  );
}

/** Whether one of its secrets has not expired. */
export function hasLiveSecret({ expiresAt, overlapUntil }: StoredCredential, now: Date): boolean {
  return expiresAt > now || (overlapUntil !== null && overlapUntil > now);
}
