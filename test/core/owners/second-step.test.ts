import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeSecondStep, NO_SECOND_STEP, type SecondStep } from '../../../core/owners/second-step.ts';

const NOON_MS = Date.parse('2026-03-03T12:00:00Z');
const DAY_MS = 86_400_000;

const WITH_APP: SecondStep = {
  ...NO_SECOND_STEP,
  app: { sealedSecret: 'sealed', lastStep: 10, addedAt: new Date(NOON_MS) },
  recoveryHashes: ['one'],
};
const WRONG = { kind: 'app', sealedSecret: 'sealed', steps: [] } as const;

/** Tries a wrong code as often as it is allowed. @returns how often that was within a day */
function triesInADay(isKnown: boolean): number {
  let secondStep = WITH_APP;
  let device = isKnown ? { failures: 0, lastMs: 0 } : undefined;
  let tries = 0;
  for (let nowMs = NOON_MS; nowMs < NOON_MS + 2 * DAY_MS; ) {
    const verdict = judgeSecondStep(secondStep, WRONG, device, new Date(nowMs));
    if (verdict.kind === 'wait') {
      nowMs += verdict.waitMs;
      continue;
    }
    if (verdict.kind === 'right') throw new Error('a wrong code was right');
    secondStep = verdict.secondStep;
    device = verdict.device ?? device;
    if (nowMs < NOON_MS + DAY_MS) tries += 1;
    nowMs += 1;
  }
  return tries;
}

describe('the second step', () => {
  it('lets strangers try 34 codes a day, and a known device 41', () => {
    expect(triesInADay(false)).toBeLessThanOrEqual(34);
    expect(triesInADay(true)).toBeLessThanOrEqual(41);
  });

  it('never makes a known device wait because of strangers, nor anybody for more than an hour', () => {
    const tries = fc.record({
      failures: fc.nat({ max: 1000 }),
      lastMs: fc.integer({ min: NOON_MS - DAY_MS, max: NOON_MS + DAY_MS }),
    });
    fc.assert(
      fc.property(tries, tries, (strangers, device) => {
        const secondStep = { ...WITH_APP, strangers };
        const right = { ...WRONG, steps: [11] };
        const calm = { failures: 0, lastMs: 0 };
        expect(judgeSecondStep(secondStep, right, calm, new Date(NOON_MS)).kind).toBe('right');
        for (const one of [undefined, device]) {
          const verdict = judgeSecondStep(secondStep, right, one, new Date(NOON_MS));
          if (verdict.kind === 'wait') expect(verdict.waitMs).toBeLessThanOrEqual(3_600_000);
        }
      }),
    );
  });

  it.each([
    ['a code of a later time step', { ...WRONG, steps: [11] }, 'right'],
    ['a code of several time steps, of which one is later', { ...WRONG, steps: [9, 10, 11] }, 'right'],
    ['a code of the last time step', { ...WRONG, steps: [10] }, 'wrong'],
    ['a code of an earlier time step', { ...WRONG, steps: [9] }, 'wrong'],
    ['a code of an app that was replaced', { ...WRONG, sealedSecret: 'before', steps: [11] }, 'wrong'],
    ['a recovery code', { kind: 'recovery_code', hash: 'one' }, 'right'],
    ['an unknown recovery code', { kind: 'recovery_code', hash: 'two' }, 'wrong'],
    ['something else', { kind: 'none' }, 'wrong'],
  ] as const)('%s is judged, and counts once at most: %#', (_, proof, end) => {
    const verdict = judgeSecondStep(WITH_APP, proof, undefined, new Date(NOON_MS));
    expect(verdict.kind).toBe(end);
    if (verdict.kind !== 'right') return;
    const again = judgeSecondStep(verdict.secondStep, proof, undefined, new Date(NOON_MS));
    expect(again.kind).toBe('wrong');
  });
});
