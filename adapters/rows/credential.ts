import { type LimitOverrides, PLAN_LIMITS } from '../../core/gate/limits.ts';
import { GROUPS, type Modes, modesOf } from '../../core/gate/permissions.ts';
import type { Standing, StoredCredential, StoredSecret } from '../../core/ports/store.ts';
import { instant, instantOrNull, integer, object, oneOf, type Row, text, textOrNull } from './row.ts';

const TEXTS_REMEMBERED = 1000;

export function readCredential(row: Row): StoredCredential {
  return {
    ownerId: text(row, 'owner_id'),
    credentialId: text(row, 'credential_id'),
    kind: oneOf(row, 'kind', ['pat']),
    name: text(row, 'name'),
    modes: readModes(row),
    revision: integer(row, 'revision'),
    createdAt: instant(row, 'created_at_ms'),
    expiresAt: instant(row, 'expires_at_ms'),
    overlapUntil: instantOrNull(row, 'overlap_until_ms'),
    revokedAt: instantOrNull(row, 'revoked_at_ms'),
    signature: textOrNull(row, 'signature'),
  };
}

export function readSecret(row: Row): StoredSecret {
  return {
    ownerId: text(row, 'owner_id'),
    credentialId: text(row, 'credential_id'),
    secretHash: text(row, 'secret_hash'),
    expiresAt: instant(row, 'expires_at_ms'),
    signature: textOrNull(row, 'signature'),
  };
}

const readModes = remembering('modes', (row): Modes => {
  const modes = object(row, 'modes');
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

export const readOverrides = remembering('limits', (row): LimitOverrides => {
  const overrides = object(row, 'limits');
  if (!isOverrides(overrides))
    throw new Error('An owner in the database has limits that this program does not know.');
  return overrides;
});

function isOverrides(value: Readonly<Record<string, unknown>>): value is LimitOverrides {
  return Object.entries(value).every(
    ([name, limit]) => name in PLAN_LIMITS.free && typeof limit === 'number',
  );
}

/** @param row the credential's, with plan and limits of its owner */
export function readStanding(row: Row): Standing {
  return { credential: readCredential(row), plan: readPlan(row), limits: readOverrides(row) };
}

/** Reads a column of JSON once for each text in it: every call reads these columns, and few of their texts differ. */
function remembering<Value>(column: string, read: (row: Row) => Value): (row: Row) => Value {
  const values = new Map<string, Value>();
  return (row) => {
    const written = text(row, column);
    const known = values.get(written);
    if (known !== undefined) return known;
    const value = read(row);
    if (values.size >= TEXTS_REMEMBERED) values.clear();
    values.set(written, value);
    return value;
  };
}
