import { type Limits, limitsOf } from '../gate/limits.ts';
import { effectiveMode, type Group, type Mode } from '../gate/permissions.ts';
import type { Credential } from '../ports/storage.ts';
import type { Standing, StoredCredential } from '../ports/store.ts';

/** A credential as it is now: an overlap that is over is not shown. */
export function credentialAt(stored: StoredCredential, now: Date): Credential {
  const { overlapUntil } = stored;
  return { ...stored, overlapUntil: overlapUntil !== null && overlapUntil > now ? overlapUntil : null };
}

/** On: not revoked, and one of its secrets is live. */
export function isOn({ revokedAt, expiresAt, overlapUntil }: StoredCredential, now: Date): boolean {
  return revokedAt === null && (expiresAt > now || (overlapUntil !== null && overlapUntil > now));
}

/** The mode that counts for the group; undefined when the credential is off. */
export function modeNow({ credential, plan }: Standing, group: Group, now: Date): Mode | undefined {
  return isOn(credential, now) ? effectiveMode(group, credential.modes[group], plan) : undefined;
}

/** `allowed` of the approval machine: credential and permission are still on. */
export function isAllowed(standing: Standing, group: Group, now: Date): boolean {
  const mode = modeNow(standing, group, now);
  return mode !== undefined && mode !== 'off';
}

export function limitsNow({ plan, limits }: Standing): Limits {
  return limitsOf(plan, limits);
}
