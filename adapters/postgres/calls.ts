import {
  DAY_MS,
  judgeLimits,
  limitsOf,
  nextUtcMidnight,
  type Usage,
  type Window,
} from '../../core/limits.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { readCredential } from '../rows/credential.ts';
import { readOwner } from '../rows/owner.ts';
import { integer, type Row, text } from '../rows/row.ts';
import { accountsOf } from './accounts.ts';
import { recordActivity } from './activity.ts';
import { completeClaim, extendClaim, releaseClaim } from './claims.ts';
import { credentialColumns } from './credential-row.ts';
import { atomic, type Database } from './database.ts';
import { lockOwner, lockOwnerOfSecret } from './owner-lock.ts';

const FIND = {
  name: 'countersign-find-caller-1',
  text: `
    SELECT s.expires_at_ms AS secret_expires_at_ms, ${credentialColumns('c')},
      o.email, o.timezone, o.plan, o.limits, o.active_account_id
    FROM countersign.secrets s
    JOIN countersign.credentials c ON c.owner_id = s.owner_id AND c.credential_id = s.credential_id
    JOIN countersign.owners o ON o.owner_id = s.owner_id
    WHERE s.secret_hash = $1`,
};
const USED = {
  name: 'countersign-used-1',
  text: `
    SELECT u.credential_id, u.slot_id, u.time_ms, u.count FROM countersign.usage u
    JOIN countersign.secrets s ON s.owner_id = u.owner_id AND u.credential_id IN ('', s.credential_id)
    WHERE s.secret_hash = $1`,
};
const DELETE_LAPSED = `
  DELETE FROM countersign.usage WHERE owner_id = $1 AND credential_id = $2 AND slot_id <> '' AND time_ms <= $3`;
const USE = {
  name: 'countersign-use-1',
  text: `
    INSERT INTO countersign.usage (owner_id, credential_id, slot_id, time_ms, count)
    VALUES ($1, '', '', $3, $4), ($1, $2, '', $5, $6), ($1, $2, $7, $8, 1)
    ON CONFLICT (owner_id, credential_id, slot_id)
    DO UPDATE SET time_ms = excluded.time_ms, count = excluded.count WHERE usage.slot_id = ''`,
};
const GIVE_SLOT = {
  name: 'countersign-give-slot-1',
  text: 'DELETE FROM countersign.usage WHERE owner_id = $1 AND credential_id = $2 AND slot_id = $3',
};
// A lapsed slot counts no more: taking it back could make one call too many.
const EXTEND_SLOT =
  'UPDATE countersign.usage SET time_ms = $3 WHERE owner_id = $1 AND slot_id = $2 AND time_ms > $4';
const EXTEND_APPROVAL = `
  UPDATE countersign.approvals SET lease_until_ms = $4
  WHERE owner_id = $1 AND approval_id = $2 AND fence = $3 AND state = 'approved'`;
const EXTEND_FOLLOW_UP =
  'UPDATE countersign.follow_ups SET due_at_ms = $3 WHERE owner_id = $1 AND approval_id = $2';

/** The verbs on the way of every call. */
export function postgresCalls(db: Database): Pick<Storage, 'admit' | 'renew' | 'finish'> {
  return {
    admit: atomic(db, async (tx, { secretHash, slotId, leaseMs, now }) => {
      const locked = await lockOwnerOfSecret(tx, secretHash);
      if (locked === undefined) return { kind: 'unknown' };
      const { ownerId, nowMs } = locked;
      const [row, used, accounts] = await Promise.all([
        tx.row(FIND, [secretHash]),
        tx.rows(USED, [secretHash]),
        accountsOf(tx, ownerId),
      ]);
      if (row === undefined || integer(row, 'secret_expires_at_ms') <= now.getTime()) {
        return { kind: 'unknown' };
      }
      const credential = readCredential(row, now);
      if (credential.revokedAt !== null) return { kind: 'unknown' };
      const owner = readOwner(row);
      const { credentialId } = credential;
      const dayMs = nextUtcMidnight(now).getTime() - DAY_MS;
      const { usage, hasLapsed } = readUsage(used, dayMs, nowMs);
      if (hasLapsed) await tx.run(DELETE_LAPSED, [ownerId, credentialId, nowMs]);
      const verdict = judgeLimits(usage, limitsOf(owner.plan, owner.limits), now);
      if (verdict.kind === 'over') return { kind: 'over', verdict };
      const { startedAtMs, count } = verdict.minute;
      const today = [dayMs, usage.callsToday + 1];
      const thisMinute = [startedAtMs, count];
      await tx.run(USE, [ownerId, credentialId, ...today, ...thisMinute, slotId, nowMs + leaseMs]);
      return { kind: 'admitted', caller: { owner, credential, accounts, slotId }, rate: verdict.rate };
    }),

    renew: atomic(db, async (tx, { ownerId, slotId, claim, approval, followUp }, leaseMs) => {
      const nowMs = await lockOwner(tx, ownerId);
      const untilMs = nowMs + leaseMs;
      if (slotId !== undefined) await tx.run(EXTEND_SLOT, [ownerId, slotId, untilMs, nowMs]);
      if (claim !== undefined) {
        await extendClaim(tx, { ownerId, credentialId: claim.credentialId }, claim, untilMs);
      }
      if (approval !== undefined) {
        await tx.run(EXTEND_APPROVAL, [ownerId, approval.id, approval.fence, untilMs]);
      }
      if (followUp !== undefined) await tx.run(EXTEND_FOLLOW_UP, [ownerId, followUp, untilMs]);
    }),

    finish: atomic(db, async (tx, { caller, slotId, claim, activity, now }) => {
      await lockOwner(tx, caller.ownerId);
      await Promise.all([
        tx.run(GIVE_SLOT, [caller.ownerId, caller.credentialId, slotId]),
        recordActivity(tx, caller.ownerId, activity, now),
      ]);
      if (claim === null) return;
      if (claim.sealedOutcome === null) await releaseClaim(tx, caller, claim);
      else await completeClaim(tx, caller, claim, claim.sealedOutcome);
    }),
  };
}

/** @param dayMs the beginning of the UTC day that counts @param nowMs the store's clock */
function readUsage(
  used: readonly Row[],
  dayMs: number,
  nowMs: number,
): { readonly usage: Usage; readonly hasLapsed: boolean } {
  let minute: Window | undefined;
  let callsToday = 0;
  let inFlight = 0;
  let hasLapsed = false;
  for (const row of used) {
    const timeMs = integer(row, 'time_ms');
    const count = integer(row, 'count');
    if (text(row, 'slot_id') !== '') {
      if (timeMs > nowMs) inFlight += 1;
      else hasLapsed = true;
    } else if (text(row, 'credential_id') !== '') {
      minute = { startedAtMs: timeMs, count };
    } else if (timeMs === dayMs) {
      callsToday = count;
    }
  }
  return { usage: { minute, callsToday, inFlight }, hasLapsed };
}
