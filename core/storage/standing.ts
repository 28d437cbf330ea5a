import type { Approval, ApprovalError } from '../approvals/approval.ts';
import { crossedFence, type Reach } from '../gate/fences.ts';
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

/** Returns the mode that counts for the group. Undefined if the credential is off. */
export function modeNow(
  { credential, plan }: Standing,
  group: Group,
  signer: Signer,
  now: Date,
): Mode | undefined {
  return isOn(credential, signer, now) ? effectiveMode(group, credential.modes[group], plan) : undefined;
}

/**
 * Why a request may not be approved or started now. Undefined: it may. A pause does not stop what the owner approves:
 * it ends earlier approvals, so every approval by the owner that exists during a pause is later than the pause.
 * @param reach null: its plan cannot be read, so it will not run
 */
export function refusalNow(
  standing: Standing,
  { group, approvedBy }: Pick<Approval, 'group' | 'approvedBy'>,
  reach: Reach | null,
  signer: Signer,
  now: Date,
): ApprovalError | undefined {
  const mode = modeNow(standing, group, signer, now);
  if (mode === undefined || mode === 'off') return 'credential_off';
  const { pausedAt, fences } = standing.credential;
  if (pausedAt !== null && approvedBy === 'policy') return 'credential_paused';
  return reach !== null && crossedFence(fences, reach, now) !== undefined ? 'outside_fence' : undefined;
}

export function limitsNow({ plan, limits }: Standing): Limits {
  return limitsOf(plan, limits);
}
