import { type Fences, fencesIn, NO_FENCES } from '../../core/gate/fences.ts';
import { type LimitOverrides, PLAN_LIMITS } from '../../core/gate/limits.ts';
import { GROUPS, type Modes, modesOf } from '../../core/gate/permissions.ts';
import type { Standing, StoredCredential, StoredSecret } from '../../core/ports/store.ts';
import { remembering } from '../../core/state/remembering.ts';
import { instant, instantOrNull, integer, object, oneOf, type Row, text, textOrNull } from './row.ts';

/** The columns that `readCredential` reads, of a table `c`. */
export const CREDENTIAL_COLUMNS = `c.owner_id, c.credential_id, c.kind, c.name, c.modes, c.revision, c.created_at_ms,
  c.expires_at_ms, c.overlap_until_ms, c.revoked_at_ms, c.paused_at_ms, c.fences, c.signature`;

export function readCredential(row: Row): StoredCredential {
  return {
    ownerId: text(row, 'owner_id'),
    credentialId: text(row, 'credential_id'),
    kind: oneOf(row, 'kind', ['pat', 'oauth']),
    name: text(row, 'name'),
    modes: modesIn(text(row, 'modes')),
    revision: integer(row, 'revision'),
    createdAt: instant(row, 'created_at_ms'),
    expiresAt: instant(row, 'expires_at_ms'),
    overlapUntil: instantOrNull(row, 'overlap_until_ms'),
    revokedAt: instantOrNull(row, 'revoked_at_ms'),
    pausedAt: instantOrNull(row, 'paused_at_ms'),
    fences: readFences(row),
    signature: text(row, 'signature'),
  };
}

function readFences(row: Row): Fences {
  const fences = textOrNull(row, 'fences');
  return fences === null ? NO_FENCES : fencesOf(fences);
}

const fencesOf = remembering(fencesIn);

export function readSecret(row: Row): StoredSecret {
  return {
    ownerId: text(row, 'owner_id'),
    credentialId: text(row, 'credential_id'),
    secretHash: text(row, 'secret_hash'),
    expiresAt: instant(row, 'expires_at_ms'),
    sealedTokens: textOrNull(row, 'sealed_tokens'),
    signature: text(row, 'signature'),
  };
}

const modesIn = remembering((text): Modes => {
  const modes = object({ modes: text }, 'modes');
  if (!isModes(modes))
    throw new Error('A credential in the database has modes that this program does not know.');
  return modes;
});

function isModes(value: Readonly<Record<string, unknown>>): value is Modes {
  return GROUPS.every((group) => modesOf(group).some((mode) => mode === value[group]));
}

export function readPlan(row: Row): 'free' | 'paid' {
  return oneOf(row, 'plan', ['free', 'paid']);
}

export function readOverrides(row: Row): LimitOverrides {
  return overridesIn(text(row, 'limits'));
}

const overridesIn = remembering((text): LimitOverrides => {
  const overrides = object({ limits: text }, 'limits');
  if (!isOverrides(overrides))
    throw new Error('An owner in the database has limits that this program does not know.');
  return overrides;
});

function isOverrides(value: Readonly<Record<string, unknown>>): value is LimitOverrides {
  return Object.entries(value).every(
    ([name, limit]) => name in PLAN_LIMITS.free && typeof limit === 'number',
  );
}

/** @param row  the credential's, with plan and limits of its owner */
export function readStanding(row: Row): Standing {
  return { credential: readCredential(row), plan: readPlan(row), limits: readOverrides(row) };
}
