import { randomUUID } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import { type IdempotencyClaim, isAnswer, judgeClaim } from '../../core/idempotency.ts';
import type { ClaimRef, Storage } from '../../core/ports/storage.ts';
import { flag, instant, integer, type Row, text, textOrNull } from '../rows/row.ts';
import type { ApprovalTable } from './approval-table.ts';
import { atomic, storeNowMs } from './database.ts';

interface Holder {
  readonly ownerId: string;
  readonly credentialId: string;
}

type Named = Readonly<Record<'ownerId' | 'credentialId' | 'key', string>>;

interface Claim extends IdempotencyClaim {
  readonly fence: number;
  /** Stays the same for as long as the key stands for the same request. */
  readonly requestId: string;
}

/** What the other verbs do to a claim, inside their own transactions. Each does nothing once the fence is lost. */
export interface ClaimTable {
  /** Whether the claim is still this run's, and free to be bound. */
  holds(holder: Holder, claim: ClaimRef): boolean;
  bind(holder: Holder, claim: ClaimRef, approvalId: string): void;
  extend(holder: Holder, claim: ClaimRef, leaseUntilMs: number): void;
  complete(holder: Holder, claim: ClaimRef, sealedOutcome: string): void;
  /** Frees the key, unless it is bound to an approval that is to be its answer. */
  release(holder: Holder, claim: ClaimRef): void;
}

export function sqliteClaims(db: Database, approvals: ApprovalTable): Pick<Storage, 'claim'> {
  const find = db.prepare<[string, string, string], Row>(
    'SELECT * FROM claims WHERE owner_id = ? AND credential_id = ? AND key = ?',
  );
  const win = db.prepare<[string, string, string, string, string, number, number], Row>(`
    INSERT INTO claims (owner_id, credential_id, key, fence, request_id, fingerprint, lease_until_ms, created_at_ms)
    VALUES (?, ?, ?, 1, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET fence = fence + 1, request_id = excluded.request_id,
      fingerprint = excluded.fingerprint, released = 0, lease_until_ms = excluded.lease_until_ms,
      sealed_outcome = NULL, approval_id = NULL, created_at_ms = excluded.created_at_ms
    RETURNING fence`);
  return {
    claim: atomic(db, ({ ownerId, credentialId, key, fingerprint, leaseMs, now }) => {
      const nowMs = storeNowMs();
      const row = find.get(ownerId, credentialId, key);
      const before = row === undefined ? undefined : readClaim(row);
      const approval = before?.approvalId == null ? undefined : approvals.find(ownerId, before.approvalId);
      const verdict = judgeClaim(before, { fingerprint, approval, now, leasesAt: new Date(nowMs) });
      if (verdict.kind !== 'win') return verdict;
      const requestId = before !== undefined && verdict.again ? before.requestId : randomUUID();
      const won = win.get(ownerId, credentialId, key, requestId, fingerprint, nowMs + leaseMs, now.getTime());
      if (won === undefined) throw new Error('An upsert of a claim returned no row.');
      return { kind: 'won', fence: integer(won, 'fence'), requestId };
    }),
  };
}

export function claimTable(db: Database, approvals: ApprovalTable): ClaimTable {
  const find = db.prepare<[Named], Row>(
    'SELECT * FROM claims WHERE owner_id = @ownerId AND credential_id = @credentialId AND key = @key',
  );
  const where = 'WHERE owner_id = @ownerId AND credential_id = @credentialId AND key = @key';
  const bind = db.prepare(`UPDATE claims SET approval_id = @approvalId ${where}`);
  const extend = db.prepare(`UPDATE claims SET lease_until_ms = @leaseUntilMs ${where}`);
  const complete = db.prepare(
    `UPDATE claims SET sealed_outcome = @sealedOutcome, lease_until_ms = 0 ${where}`,
  );
  const end = db.prepare(`UPDATE claims SET lease_until_ms = 0 ${where}`);
  const free = db.prepare(`UPDATE claims SET lease_until_ms = 0, released = 1, approval_id = NULL ${where}`);

  const named = ({ ownerId, credentialId }: Holder, { key }: ClaimRef): Named => ({
    ownerId,
    credentialId,
    key,
  });
  /** The claim, while this run's fence is its newest and the run has not ended it. */
  const held = (holder: Holder, claim: ClaimRef): Claim | undefined => {
    const row = find.get(named(holder, claim));
    const found = row === undefined ? undefined : readClaim(row);
    if (found === undefined || found.fence !== claim.fence || found.released) return undefined;
    return found.sealedOutcome === null ? found : undefined;
  };
  return {
    holds: (holder, claim) => held(holder, claim)?.approvalId === null,
    bind(holder, claim, approvalId) {
      if (held(holder, claim) !== undefined) bind.run({ ...named(holder, claim), approvalId });
    },
    extend(holder, claim, leaseUntilMs) {
      if (held(holder, claim) !== undefined) extend.run({ ...named(holder, claim), leaseUntilMs });
    },
    complete(holder, claim, sealedOutcome) {
      if (held(holder, claim) !== undefined) complete.run({ ...named(holder, claim), sealedOutcome });
    },
    release(holder, claim) {
      const found = held(holder, claim);
      if (found === undefined) return;
      const bound = found.approvalId === null ? undefined : approvals.find(holder.ownerId, found.approvalId);
      const stays = bound !== undefined && isAnswer(bound);
      (stays ? end : free).run(named(holder, claim));
    },
  };
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
