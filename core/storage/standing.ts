import { type Limits, limitsOf } from '../gate/limits.ts';
import { effectiveMode, type Group, type Mode } from '../gate/permissions.ts';
import type { Credential } from '../ports/credential-storage.ts';
import type { Standing, StoredCredential } from '../ports/store.ts';
import type { Signer } from '../secrets/keyring.ts';
import { isCredentialIntact } from './signed-rows.ts';

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
  const { revokedAt, expiresAt, overlapUntil } = credential;
  if (revokedAt !== null) return false;
  const isLive = expiresAt > now || (overlapUntil !== null && overlapUntil > now);
  return isLive && isCredentialIntact(credential, signer);
}

/** Returns the mode that counts for the group. Undefined if the credential is off. */
export function modeNow(
  { credential, plan }: Standing,
  group: Group,
  signer: Signer,
  now: Date,
): Mode | undefined {
  return isOn(credential, signer, now) ? effectiveMode(group, credential.modes[group], plan) : undefined;
}

/** Returns `allowed` for the approval machine: whether credential and permission are still on. */
export function isAllowed(standing: Standing, group: Group, signer: Signer, now: Date): boolean {
  const mode = modeNow(standing, group, signer, now);
  return mode !== undefined && mode !== 'off';
}

export function limitsNow({ plan, limits }: Standing): Limits {
  return limitsOf(plan, limits);
}
