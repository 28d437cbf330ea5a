import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  APPROVAL_ERRORS,
  APPROVAL_STATES,
  type Approval,
  type Approved,
  REJECTION_REASONS,
} from '../../../core/approvals/approval.ts';
import {
  type ApprovalRow,
  approvalColumns,
  approvalOf,
  RESTORED_LEASE_MS,
} from '../../../core/approvals/approval-state.ts';
import { approvalOutcome, meaningOf } from '../../../core/call/outcome.ts';
import { adviceForOwner, meaningForOwner } from '../../../hosts/dashboard/labels.ts';
import { NOON, PENDING, PLACES } from './machine.ts';
import { FIRST, STEPS, walk } from './random-walk.ts';

/** As a restore leaves it. */
function restored(approval: Approval): Approval[] {
  const lease: Pick<Approved, 'leaseUntilMs'> = { leaseUntilMs: 'restored' };
  return approval.state === 'approved' ? [{ ...approval, ...lease }] : [];
}

describe('the columns of an approval', () => {
  it('say all of it, wherever the machine leads', () => {
    fc.assert(
      fc.property(FIRST, STEPS, (from, way) => {
        for (const approval of walk(from, way)) {
          for (const one of [approval, ...restored(approval)]) {
            expect(approvalOf(approvalColumns(one))).toStrictEqual(one);
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it.each(Object.entries(PLACES))('say all of one that is %s', (_place, approval) => {
    expect(approvalOf(approvalColumns(approval))).toStrictEqual(approval);
  });

  it('have 0 for the end of no lease, and a mark of their own for one from a backup', () => {
    const leases = [PENDING, ...restored(PLACES['started, by owner']), PLACES.executed].map(
      (one) => approvalColumns(one).leaseUntilMs,
    );
    expect(leases).toEqual([0, RESTORED_LEASE_MS, 0]);
  });
});

describe('a row of an approval that somebody changed', () => {
  const time = fc.option(fc.constantFrom(new Date(0), NOON, new Date(4e12)));
  const changed: fc.Arbitrary<ApprovalRow> = fc.record({
    ownerId: fc.constant('owner'),
    approvalId: fc.constant('apr_1'),
    credentialId: fc.constant('key_1'),
    accountId: fc.option(fc.constant(1)),
    tool: fc.constantFrom('send_email', ''),
    permissionGroup: fc.constant('mail:send' as const),
    action: fc.option(fc.constant('send')),
    state: fc.constantFrom(...APPROVAL_STATES),
    reasons: fc.constantFrom([], ['mode_approval']),
    approvedBy: fc.constantFrom('owner', 'policy', null),
    createdAt: fc.constant(NOON),
    expiresAt: fc.constant(NOON),
    decidedAt: time,
    decidedIn: fc.option(fc.constantFrom('ses_1', 'app')),
    rejection: fc.option(fc.constantFrom(...REJECTION_REASONS)),
    sealedNote: fc.option(fc.constant('note')),
    editedHash: fc.option(fc.constant('hash')),
    sealedDiff: fc.option(fc.constant('diff')),
    approvedAt: time,
    startedAt: time,
    executedAt: time,
    endedAt: time,
    fence: fc.integer({ min: -1, max: 3 }),
    leaseUntilMs: fc.constantFrom(RESTORED_LEASE_MS, -2, 0, 1, 4e12),
    digest: fc.constant('seen'),
    result: fc.option(fc.constantFrom({}, { sent: true })),
    error: fc.option(fc.constantFrom(...APPROVAL_ERRORS)),
    messageBytes: fc.option(fc.nat()),
    limitBytes: fc.option(fc.nat()),
  });

  it('is read, told and shown, and stays as it was read', () => {
    const told = { dashboardUrl: '', ownerWords: () => ({ note: null, diff: null }) };
    fc.assert(
      fc.property(changed, (row) => {
        const approval = approvalOf(row);
        expect(approval).toMatchObject({ id: row.approvalId, state: row.state, fence: row.fence });
        expect(approvalOf(approvalColumns(approval))).toStrictEqual(approval);
        for (const words of [meaningOf(approval), meaningForOwner(approval)]) expect(words).toMatch(/\w/);
        expect(adviceForOwner(approval)).not.toBe('');
        expect(JSON.stringify(approvalOutcome(approval, told, NOON))).toContain(row.state);
      }),
      { numRuns: 1000 },
    );
  });
});
