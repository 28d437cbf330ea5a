import type { PendingGrant, StoredGrant } from '../../core/ports/grant-storage.ts';
import type { Values } from '../../core/state/change.ts';
import { instant, instantOrNull, integer, type Row, text, textOrNull } from './row.ts';

/** The columns of an account that `readGrant` reads. */
export const GRANT_COLUMNS = 'sealed_grant, grant_withdrawn_at_ms, grant_fence, grant_lease_until_ms';

/** Null: the account signs in with a password. */
export function readGrant(row: Row): StoredGrant | null {
  const sealed = textOrNull(row, 'sealed_grant');
  if (sealed === null) return null;
  return {
    sealed,
    withdrawnAt: instantOrNull(row, 'grant_withdrawn_at_ms'),
    fence: integer(row, 'grant_fence'),
    leaseUntilMs: integer(row, 'grant_lease_until_ms'),
  };
}

export function grantColumns(grant: StoredGrant | null): Values {
  return {
    sealed_grant: grant?.sealed ?? null,
    grant_withdrawn_at_ms: grant?.withdrawnAt?.getTime() ?? null,
    grant_fence: grant?.fence ?? 0,
    grant_lease_until_ms: grant?.leaseUntilMs ?? 0,
  };
}

export function readPendingGrant(row: Row): PendingGrant {
  return {
    stateHash: text(row, 'state_hash'),
    sealed: text(row, 'sealed'),
    expiresAt: instant(row, 'expires_at_ms'),
  };
}

export function pendingGrantColumns({ sealed, expiresAt }: PendingGrant): Values {
  return { sealed, expires_at_ms: expiresAt.getTime() };
}

export function pendingGrantKey(ownerId: string, stateHash: string): Values {
  return { owner_id: ownerId, state_hash: stateHash };
}
