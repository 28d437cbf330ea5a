import { describe, expect, it } from 'vitest';
import { NO_FENCES } from '../../../core/keys/fences.ts';
import { denialOf, type Grant } from '../../../core/keys/grant.ts';
import { PRESETS } from '../../../core/keys/permissions.ts';

const NOW = new Date('2026-03-10T12:00:00.000Z');
const GRANT: Grant = { modes: PRESETS.full.modes, fences: NO_FENCES, pausedAt: null };
const OFF = { ...PRESETS.full.modes, 'mail:send': 'off' } as const;

describe('denialOf', () => {
  it.each<[what: string, changes: Partial<Grant>, denial: object | undefined]>([
    ['on', {}, undefined],
    ['off', { modes: OFF }, { group: 'mail:send' }],
    ['paused', { pausedAt: NOW }, { group: 'mail:send', reason: 'paused' }],
    ['paused and off', { pausedAt: NOW, modes: OFF }, { group: 'mail:send', reason: 'paused' }],
    ['not ended yet', { fences: { ...NO_FENCES, until: new Date(NOW.getTime() + 1) } }, undefined],
    [
      'ended',
      { fences: { ...NO_FENCES, until: NOW } },
      { group: 'mail:send', reason: 'fence', field: 'until' },
    ],
    ['fenced otherwise', { fences: { ...NO_FENCES, accounts: [], recipients: [] } }, undefined],
  ])('of a key that is %s', (_what, changes, denial) => {
    expect(denialOf({ ...GRANT, ...changes }, 'mail:send', 'paid', NOW)).toEqual(denial);
  });
});
