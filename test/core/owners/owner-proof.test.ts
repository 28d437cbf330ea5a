import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isProofOf, needsProof, PROOF_LEVELS } from '../../../core/owners/owner-proof.ts';

const finding = fc.record({ severity: fc.constantFrom('info', 'amber', 'red') });
const asked = fc.record({
  findings: fc.array(finding, { maxLength: 4 }),
  reach: fc.record({
    people: fc.array(fc.constantFrom('ada@example.net', 'bob@example.net'), { maxLength: 2 }),
  }),
});

describe('the proof of who decides', () => {
  it('is needed by the level: each level needs it whenever the one before does', () => {
    fc.assert(
      fc.property(asked, (one) => {
        const needed = PROOF_LEVELS.map((level) => needsProof(level, one));
        const isRed = one.findings.some(({ severity }) => severity === 'red');
        const leaves = one.reach.people.length > 0;
        expect(needed).toEqual([false, isRed, isRed || leaves, true]);
      }),
    );
  });

  it('is good for one digest and for two minutes, whichever way the clock was set', () => {
    const now = new Date('2026-11-24T12:00:00Z');
    fc.assert(
      fc.property(fc.integer({ min: -300_000, max: 300_000 }), fc.boolean(), (awayMs, isSame) => {
        const proof = { provenAt: new Date(now.getTime() + awayMs), digest: isSame ? 'a' : 'b' };
        expect(isProofOf(proof, 'a', now)).toBe(isSame && Math.abs(awayMs) <= 120_000);
      }),
    );
    expect(isProofOf(undefined, 'a', now)).toBe(false);
    expect(isProofOf({ provenAt: new Date(Number.NaN), digest: 'a' }, 'a', now)).toBe(false);
  });
});
