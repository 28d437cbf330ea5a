import type { Database } from 'better-sqlite3';
import {
  DAY_MS,
  judgeLimits,
  limitsOf,
  nextUtcMidnight,
  type Usage,
  type Window,
} from '../../core/limits.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { readAccounts } from '../rows/account.ts';
import { readCredential } from '../rows/credential.ts';
import { readOwner } from '../rows/owner.ts';
import { integer, type Row } from '../rows/row.ts';
import { activityWriter } from './activity.ts';
import type { ClaimTable } from './claims.ts';
import { atomic, storeNowMs } from './database.ts';
import { grouping } from './grouped.ts';

/** The verbs on the way of every call. */
export function sqliteCalls(db: Database, claims: ClaimTable): Pick<Storage, 'admit' | 'renew' | 'finish'> {
  const find = db.prepare<[string], Row>(`
    SELECT s.expires_at_ms AS secret_expires_at_ms, c.*, o.email, o.timezone, o.plan, o.limits, o.active_account_id
    FROM secrets s
    JOIN credentials c ON c.owner_id = s.owner_id AND c.credential_id = s.credential_id
    JOIN owners o ON o.owner_id = s.owner_id
    WHERE s.secret_hash = ?`);
  const accounts = db.prepare<[string], Row>('SELECT * FROM accounts WHERE owner_id = ? ORDER BY account_id');
  // As arrays, which cost half of what objects do; STRICT vouches for their types.
  const used = db
    .prepare<[string, string], [credentialId: string, slotId: string, timeMs: number, count: number]>(
      "SELECT credential_id, slot_id, time_ms, count FROM usage WHERE owner_id = ? AND credential_id IN ('', ?)",
    )
    .raw();
  const deleteLapsed = db.prepare(`
    DELETE FROM usage WHERE owner_id = ? AND credential_id = ? AND slot_id <> '' AND time_ms <= ?`);
  const use = db.prepare(`
    INSERT INTO usage (owner_id, credential_id, slot_id, time_ms, count)
    VALUES (?, '', '', ?, ?), (?, ?, '', ?, ?), (?, ?, ?, ?, 1)
    ON CONFLICT DO UPDATE SET time_ms = excluded.time_ms, count = excluded.count WHERE slot_id = ''`);
  const giveSlot = db.prepare('DELETE FROM usage WHERE owner_id = ? AND credential_id = ? AND slot_id = ?');
  // A lapsed slot counts no more: taking it back could make one call too many.
  const extendSlot = db.prepare(
    'UPDATE usage SET time_ms = ? WHERE owner_id = ? AND slot_id = ? AND time_ms > ?',
  );
  const extendApproval = db.prepare(`
    UPDATE approvals SET lease_until_ms = ?
    WHERE owner_id = ? AND approval_id = ? AND fence = ? AND state = 'approved'`);
  const extendFollowUp = db.prepare(
    'UPDATE follow_ups SET due_at_ms = ? WHERE owner_id = ? AND approval_id = ?',
  );
  const record = activityWriter(db);
  const grouped = grouping(db);

  /** @param dayMs the beginning of the UTC day that counts @param nowMs the store's clock */
  const readUsage = (ownerId: string, credentialId: string, dayMs: number, nowMs: number): Usage => {
    let minute: Window | undefined;
    let callsToday = 0;
    let inFlight = 0;
    let lapsed = false;
    for (const [ofCredential, ofSlot, timeMs, count] of used.all(ownerId, credentialId)) {
      if (ofSlot !== '') {
        if (timeMs > nowMs) inFlight += 1;
        else lapsed = true;
      } else if (ofCredential !== '') {
        minute = { startedAtMs: timeMs, count };
      } else if (timeMs === dayMs) {
        callsToday = count;
      }
    }
    if (lapsed) deleteLapsed.run(ownerId, credentialId, nowMs);
    return { minute, callsToday, inFlight };
  };

  return {
    admit: grouped(({ secretHash, slotId, leaseMs, now }) => {
      const row = find.get(secretHash);
      if (row === undefined || integer(row, 'secret_expires_at_ms') <= now.getTime())
        return { kind: 'unknown' };
      const credential = readCredential(row, now);
      if (credential.revokedAt !== null) return { kind: 'unknown' };
      const owner = readOwner(row);
      const { ownerId } = owner;
      const { credentialId } = credential;
      const nowMs = storeNowMs();
      const dayMs = nextUtcMidnight(now).getTime() - DAY_MS;
      const usage = readUsage(ownerId, credentialId, dayMs, nowMs);
      const verdict = judgeLimits(usage, limitsOf(owner.plan, owner.limits), now);
      if (verdict.kind === 'over') return { kind: 'over', verdict };
      const { startedAtMs, count } = verdict.minute;
      const today = [ownerId, dayMs, usage.callsToday + 1];
      const thisMinute = [ownerId, credentialId, startedAtMs, count];
      use.run(...today, ...thisMinute, ownerId, credentialId, slotId, nowMs + leaseMs);
      const caller = { owner, credential, accounts: readAccounts(accounts.all(ownerId)), slotId };
      return { kind: 'admitted', caller, rate: verdict.rate };
    }),

    renew: atomic(db, ({ ownerId, slotId, claim, approval, followUp }, leaseMs) => {
      const nowMs = storeNowMs();
      const untilMs = nowMs + leaseMs;
      if (slotId !== undefined) extendSlot.run(untilMs, ownerId, slotId, nowMs);
      if (claim !== undefined) claims.extend({ ownerId, credentialId: claim.credentialId }, claim, untilMs);
      if (approval !== undefined) extendApproval.run(untilMs, ownerId, approval.id, approval.fence);
      if (followUp !== undefined) extendFollowUp.run(untilMs, ownerId, followUp);
    }),

    finish: grouped(({ caller, slotId, claim, activity, now }) => {
      giveSlot.run(caller.ownerId, caller.credentialId, slotId);
      if (claim !== null) {
        if (claim.sealedOutcome === null) claims.release(caller, claim);
        else claims.complete(caller, claim, claim.sealedOutcome);
      }
      record(caller.ownerId, activity, now);
    }),
  };
}
