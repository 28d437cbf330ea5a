import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Approval } from '../../core/approvals/approval.ts';
import { type IdempotencyClaim, isAnswer, judgeClaim } from '../../core/approvals/idempotency.ts';

import { BY_OWNER, BY_POLICY, PLACES } from './approvals/machine.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
const HOUR_MS = 3_600_000;

const claims: fc.Arbitrary<IdempotencyClaim> = fc.record({
  fingerprint: fc.constantFrom('same', 'other'),
  released: fc.boolean(),
  leaseUntil: fc.integer({ min: -60_000, max: 60_000 }).map((ms) => new Date(NOW.getTime() + ms)),
  sealedOutcome: fc.option(fc.constant('sealed')),
  approvalId: fc.option(fc.constant('apr_1')),
  createdAt: fc.integer({ min: -25 * HOUR_MS, max: 0 }).map((ms) => new Date(NOW.getTime() + ms)),
});

/** In every state, by each of those who can approve it. */
const APPROVALS: readonly Approval[] = Object.values(PLACES).flatMap<Approval>((place: Approval) =>
  'authorization' in place
    ? [BY_OWNER, BY_POLICY].map(({ authorization }) => ({ ...place, authorization }))
    : [place],
);

const approvals = fc.constantFrom(...APPROVALS);

function approvalOf(claim: IdempotencyClaim, found: Approval): Approval | undefined {
  return claim.approvalId === null ? undefined : { ...found, id: claim.approvalId };
}

describe('judgeClaim', () => {
  it('runs a new request', () => {
    expect(
      judgeClaim(undefined, { fingerprint: 'same', approval: undefined, now: NOW, leasesAt: NOW }),
    ).toEqual({ kind: 'win', again: false });
  });

  it('runs a request twice only if the first certainly left no result', () => {
    fc.assert(
      fc.property(claims, approvals, (claim, found) => {
        const approval = approvalOf(claim, found);
        const verdict = judgeClaim(claim, { fingerprint: 'same', approval, now: NOW, leasesAt: NOW });
        const old = NOW.getTime() - claim.createdAt.getTime() >= 24 * HOUR_MS;
        if (verdict.kind !== 'win' || old || claim.released) return;
        expect(claim.fingerprint).toBe('same');
        expect(claim.sealedOutcome).toBeNull();
        expect(claim.leaseUntil.getTime()).toBeLessThanOrEqual(NOW.getTime());
        expect(approval === undefined || !isAnswer(approval)).toBe(true);
      }),
    );
  });

  it('never answers one request with the result of another', () => {
    fc.assert(
      fc.property(claims, approvals, (claim, found) => {
        const approval = approvalOf(claim, found);
        const { kind } = judgeClaim(
          { ...claim, fingerprint: 'other' },
          { fingerprint: 'same', approval, now: NOW, leasesAt: NOW },
        );
        expect(['win', 'reused']).toContain(kind);
      }),
    );
  });

  it('forgets after 24 hours, and not a millisecond before', () => {
    const claim: IdempotencyClaim = {
      fingerprint: 'same',
      released: false,
      leaseUntil: NOW,
      sealedOutcome: 'sealed',
      approvalId: null,
      createdAt: NOW,
    };
    const at = (ms: number) =>
      judgeClaim(claim, {
        fingerprint: 'same',
        approval: undefined,
        now: new Date(NOW.getTime() + ms),
        leasesAt: NOW,
      }).kind;
    expect([at(24 * HOUR_MS - 1), at(24 * HOUR_MS)]).toEqual(['stored', 'win']);
  });

  it('lets only a failed direct run be tried again', () => {
    const { authorization } = BY_POLICY;
    expect(APPROVALS.filter((one) => !isAnswer(one))).toEqual([{ ...PLACES.failed, authorization }]);
  });
});
