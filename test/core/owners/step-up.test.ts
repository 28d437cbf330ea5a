import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_FENCES } from '../../../core/keys/fences.ts';
import { GROUPS, type Modes, modesOf, PRESETS } from '../../../core/keys/permissions.ts';
import {
  type Demand,
  demandForFences,
  demandForModes,
  demandForResume,
  stepUp,
} from '../../../core/owners/step-up.ts';

const NOW = new Date('2026-03-10T12:00:00.000Z');
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const rows: [demand: Demand, isProven: boolean, ageMs: number, answer: 'go' | 'confirm'][] = [
  ['view', false, 13 * 24 * HOUR_MS, 'go'],
  ['change', false, 0, 'confirm'],
  ['change', true, 13 * 24 * HOUR_MS, 'go'],
  ['approve', false, 0, 'confirm'],
  ['approve', true, 0, 'go'],
  ['approve', true, 12 * HOUR_MS - 1, 'go'],
  ['approve', true, 12 * HOUR_MS, 'confirm'],
  ['approve', true, -12 * HOUR_MS, 'confirm'],
  ['grant', false, 0, 'confirm'],
  ['grant', true, 10 * MINUTE_MS - 1, 'go'],
  ['grant', true, 10 * MINUTE_MS, 'confirm'],
  ['own', true, 0, 'confirm'],
];

describe('stepUp', () => {
  it.each(rows)('%s, proven: %s, the person proved it %d ms ago: %s', (demand, isProven, ageMs, answer) => {
    const session = { authenticatedAt: new Date(NOW.getTime() - ageMs) };
    expect(stepUp({ demand, isProven, session, now: NOW })).toBe(answer);
  });

  it('never lets a request change anything without a proof, and never asks less of an older session', () => {
    const demand = fc.constantFrom<Demand>('change', 'approve', 'grant', 'own');
    const ages = fc.tuple(fc.nat(20 * 24 * HOUR_MS), fc.nat(20 * 24 * HOUR_MS));
    fc.assert(
      fc.property(demand, ages, (demand, [one, other]) => {
        const answer = (ageMs: number, isProven: boolean) =>
          stepUp({
            demand,
            isProven,
            session: { authenticatedAt: new Date(NOW.getTime() - ageMs) },
            now: NOW,
          });
        expect(answer(one, false)).toBe('confirm');
        const [younger, older] = [Math.min(one, other), Math.max(one, other)];
        if (answer(younger, true) === 'confirm') expect(answer(older, true)).toBe('confirm');
      }),
    );
  });
});

describe('demandOfModes', () => {
  const { modes } = PRESETS.full;

  it.each(['mail:send', 'mail:reply', 'mail:manage', 'calendar:write', 'trackers:remove'] as const)(
    'is a grant when %s becomes direct, but not if it was direct before',
    (group) => {
      expect(demandForModes(modes, { [group]: 'direct' })).toBe('grant');
      expect(demandForModes({ ...modes, [group]: 'direct' }, { [group]: 'direct' })).toBe('change');
    },
  );

  it.each(['mail:organize', 'trackers:write'] as const)('is not a grant when %s becomes direct', (group) => {
    expect(demandForModes({ ...modes, [group]: 'off' }, { [group]: 'direct' })).toBe('change');
  });

  it('is not a grant if nothing becomes direct', () => {
    const change = fc
      .constantFrom(...GROUPS)
      .chain((group) =>
        fc
          .constantFrom(...modesOf(group).filter((mode) => mode !== 'direct'))
          .map((mode): Partial<Modes> => ({ [group]: mode })),
      );
    fc.assert(
      fc.property(change, (changes) => {
        expect(demandForModes(modes, changes)).toBe('change');
      }),
    );
  });
});

describe('demandForResume and demandForFences', () => {
  const asking = PRESETS.full.modes;
  const direct: Modes = { ...asking, 'mail:send': 'direct' };
  const fenced = { ...NO_FENCES, recipients: ['atlas.example'] };

  it('are a grant if the key gets back a gated group in mode direct', () => {
    expect(demandForResume(direct)).toBe('grant');
    expect(demandForFences(fenced, NO_FENCES, direct)).toBe('grant');
  });

  it('are not if each gated write waits for the owner, or the fences are not wider', () => {
    expect(demandForResume(asking)).toBe('change');
    expect(demandForFences(fenced, NO_FENCES, asking)).toBe('change');
    expect(demandForFences(NO_FENCES, fenced, direct)).toBe('change');
    expect(demandForFences(fenced, fenced, direct)).toBe('change');
  });
});
