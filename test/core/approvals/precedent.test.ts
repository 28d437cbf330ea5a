import fc from 'fast-check';
import { expect, it } from 'vitest';
import { APPROVAL_STATES } from '../../../core/approvals/approval.ts';
import { precedentOf } from '../../../core/approvals/precedent.ts';
import { DAY_MS, HOUR_MS } from '../../../core/time/durations.ts';

const END = new Date('2026-03-10T12:00:00.000Z');

it.each([
  { state: 'pending', endedAt: null, precedent: 'pending', ms: HOUR_MS / 4 },
  { state: 'approved', endedAt: null, precedent: 'unfinished', ms: 1000 * DAY_MS },
  { state: 'outcome_unknown', endedAt: END, precedent: 'unfinished', ms: DAY_MS },
  { state: 'executed', endedAt: END, precedent: 'executed', ms: HOUR_MS },
  { state: 'rejected', endedAt: END, precedent: 'rejected', ms: HOUR_MS },
] as const)('a request that is $state counts for its time', ({ state, endedAt, precedent, ms }) => {
  const found = precedentOf({ state, endedAt, expiresAt: new Date(END.getTime() + HOUR_MS / 4) });
  expect(found.precedent).toBe(precedent);
  const untilMs = found.precedentUntil?.getTime() ?? 0;
  if (state === 'approved') expect(untilMs).toBeGreaterThan(END.getTime() + ms);
  else expect(untilMs).toBe(END.getTime() + ms);
});

it('counts until an instant, or not at all', () => {
  const time = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) });
  fc.assert(
    fc.property(fc.constantFrom(...APPROVAL_STATES), time, fc.option(time), (state, expiresAt, endedAt) => {
      const { precedent, precedentUntil } = precedentOf({ state, expiresAt, endedAt });
      expect(precedent === null).toBe(['failed', 'expired', 'cancelled'].includes(state));
      expect(precedentUntil === null).toBe(precedent === null);
    }),
  );
});
