import { randomUUID } from 'node:crypto';
import { type IdempotencyClaim, isAnswer, judgeClaim } from '../../core/idempotency.ts';
import type { ClaimRef, Storage } from '../../core/ports/storage.ts';
import { flag, instant, integer, type Row, text, textOrNull } from '../rows/row.ts';
import { findApproval } from './approval-table.ts';
import { atomic, type Database, type Transaction } from './database.ts';
import { lockOwner } from './owner-lock.ts';

interface Holder {
  readonly ownerId: string;
  readonly credentialId: string;
}

interface Claim extends IdempotencyClaim {
  readonly fence: number;
  /** Stays the same for as long as the key stands for the same request. */
  readonly requestId: string;
}

const WHERE = 'WHERE owner_id = $1 AND credential_id = $2 AND key = $3';
const FIND = `SELECT * FROM countersign.claims ${WHERE}`;
const WIN = `
  INSERT INTO countersign.claims AS held
    (owner_id, credential_id, key, fence, request_id, fingerprint, lease_until_ms, created_at_ms)
  VALUES ($1, $2, $3, 1, $4, $5, $6, $7)
  ON CONFLICT (owner_id, credential_id, key) DO UPDATE SET fence = held.fence + 1, request_id = excluded.request_id,
    fingerprint = excluded.fingerprint, released = false, lease_until_ms = excluded.lease_until_ms,
    sealed_outcome = NULL, approval_id = NULL, created_at_ms = excluded.created_at_ms
  RETURNING fence`;

export function postgresClaims(db: Database): Pick<Storage, 'claim'> {
  return {
    claim: atomic(db, async (tx, { ownerId, credentialId, key, fingerprint, leaseMs, now }) => {
      const nowMs = await lockOwner(tx, ownerId);
      const row = await tx.row(FIND, [ownerId, credentialId, key]);
      const before = row === undefined ? undefined : readClaim(row);
      const approval =
        before?.approvalId == null ? undefined : await findApproval(tx, ownerId, before.approvalId);
      const verdict = judgeClaim(before, { fingerprint, approval, now, leasesAt: new Date(nowMs) });
      if (verdict.kind !== 'win') return verdict;
      const requestId = before !== undefined && verdict.again ? before.requestId : randomUUID();
      const values = [ownerId, credentialId, key, requestId, fingerprint, nowMs + leaseMs, now.getTime()];
      const won = await tx.row(WIN, values);
      if (won === undefined) throw new Error('An upsert of a claim returned no row.');
      return { kind: 'won', fence: integer(won, 'fence'), requestId };
    }),
  };
}

const BIND = `UPDATE countersign.claims SET approval_id = $4 ${WHERE}`;
const EXTEND = `UPDATE countersign.claims SET lease_until_ms = $4 ${WHERE}`;
const COMPLETE = `UPDATE countersign.claims SET sealed_outcome = $4, lease_until_ms = 0 ${WHERE}`;
const END = `UPDATE countersign.claims SET lease_until_ms = 0 ${WHERE}`;
const FREE = `UPDATE countersign.claims SET lease_until_ms = 0, released = true, approval_id = NULL ${WHERE}`;

// What the other verbs do to a claim, inside their own transactions, which have locked the owner. Each does nothing
// once the fence is lost.

/** Whether the claim is still this run's, and free to be bound. */
export async function holdsClaim(tx: Transaction, holder: Holder, claim: ClaimRef): Promise<boolean> {
  return (await held(tx, holder, claim))?.approvalId === null;
}

export async function bindClaim(
  tx: Transaction,
  holder: Holder,
  claim: ClaimRef,
  approvalId: string,
): Promise<void> {
  if ((await held(tx, holder, claim)) !== undefined)
    await tx.run(BIND, [...named(holder, claim), approvalId]);
}

export async function extendClaim(
  tx: Transaction,
  holder: Holder,
  claim: ClaimRef,
  leaseUntilMs: number,
): Promise<void> {
  if ((await held(tx, holder, claim)) !== undefined) {
    await tx.run(EXTEND, [...named(holder, claim), leaseUntilMs]);
  }
}

export async function completeClaim(
  tx: Transaction,
  holder: Holder,
  claim: ClaimRef,
  sealedOutcome: string,
): Promise<void> {
  if ((await held(tx, holder, claim)) !== undefined) {
    await tx.run(COMPLETE, [...named(holder, claim), sealedOutcome]);
  }
}

/** Frees the key, unless it is bound to an approval that is to be its answer. */
export async function releaseClaim(tx: Transaction, holder: Holder, claim: ClaimRef): Promise<void> {
  const found = await held(tx, holder, claim);
  if (found === undefined) return;
  const { approvalId } = found;
  const bound = approvalId === null ? undefined : await findApproval(tx, holder.ownerId, approvalId);
  const stays = bound !== undefined && isAnswer(bound);
  await tx.run(stays ? END : FREE, named(holder, claim));
}

/** The claim, while this run's fence is its newest and the run has not ended it. */
async function held(tx: Transaction, holder: Holder, claim: ClaimRef): Promise<Claim | undefined> {
  const row = await tx.row(FIND, named(holder, claim));
  const found = row === undefined ? undefined : readClaim(row);
  if (found === undefined || found.fence !== claim.fence || found.released) return undefined;
  return found.sealedOutcome === null ? found : undefined;
}

function named({ ownerId, credentialId }: Holder, { key }: ClaimRef): readonly string[] {
  return [ownerId, credentialId, key];
}

function readClaim(row: Row): Claim {
  return {
    fence: integer(row, 'fence'),
    requestId: text(row, 'request_id'),
    fingerprint: text(row, 'fingerprint'),
    released: flag(row, 'released'),
    leaseUntil: instant(row, 'lease_until_ms'),
    sealedOutcome: textOrNull(row, 'sealed_outcome'),
    approvalId: textOrNull(row, 'approval_id'),
    createdAt: instant(row, 'created_at_ms'),
  };
}
