import { type LimitOverrides, type Limits, limitsOf, PLAN_LIMITS } from '../../core/limits.ts';
import { effectiveMode, GROUPS, type Group, type Mode, type Modes, modesOf } from '../../core/permissions.ts';
import type { Credential } from '../../core/ports/storage.ts';
import { instant, instantOrNull, integer, object, oneOf, type Row, text } from './row.ts';

/** @param now decides whether a rotation's overlap is still on */
export function readCredential(row: Row, now: Date): Credential {
  const overlapUntil = instantOrNull(row, 'overlap_until_ms');
  return {
    ownerId: text(row, 'owner_id'),
    credentialId: text(row, 'credential_id'),
    kind: oneOf(row, 'kind', ['pat']),
    name: text(row, 'name'),
    modes: readModes(row),
    revision: integer(row, 'revision'),
    createdAt: instant(row, 'created_at_ms'),
    expiresAt: instant(row, 'expires_at_ms'),
    overlapUntil: overlapUntil !== null && overlapUntil > now ? overlapUntil : null,
    revokedAt: instantOrNull(row, 'revoked_at_ms'),
  };
}

function readModes(row: Row): Modes {
  const modes = object(row, 'modes');
  if (!isModes(modes))
    throw new Error('A credential in the database has modes that this program does not know.');
  return modes;
}

function isModes(value: Readonly<Record<string, unknown>>): value is Modes {
  return GROUPS.every((group) => modesOf(group).some((mode) => mode === value[group]));
}

export function readPlan(row: Row): 'free' | 'paid' {
  return oneOf(row, 'plan', ['free', 'paid']);
}

export function readOverrides(row: Row): LimitOverrides {
  const overrides = object(row, 'limits');
  if (!isOverrides(overrides))
    throw new Error('An owner in the database has limits that this program does not know.');
  return overrides;
}

function isOverrides(value: Readonly<Record<string, unknown>>): value is LimitOverrides {
  return Object.entries(value).every(
    ([name, limit]) => name in PLAN_LIMITS.free && typeof limit === 'number',
  );
}

/** On: not revoked, and one of its secrets is live. */
export function isOn(credential: Credential, now: Date): boolean {
  return credential.revokedAt === null && (credential.expiresAt > now || credential.overlapUntil !== null);
}

export interface Standing {
  /** The mode that counts for the group; undefined when the credential is off or unknown. */
  readonly mode: Mode | undefined;
  readonly limits: Limits;
}

/** @param row the credential's, with plan and limits of its owner */
export function readStanding(row: Row, group: Group, now: Date): Standing {
  const credential = readCredential(row, now);
  const plan = readPlan(row);
  return {
    mode: isOn(credential, now) ? effectiveMode(group, credential.modes[group], plan) : undefined,
    limits: limitsOf(plan, readOverrides(row)),
  };
}

/** `allowed` of the approval machine: credential and permission are still on. */
export function isAllowed(standing: Standing | undefined): boolean {
  return standing?.mode !== undefined && standing.mode !== 'off';
}
