import { expect, it } from 'vitest';
import { GROUPS, type Modes, PRESETS } from '../../../core/keys/permissions.ts';
import { modesInWords } from '../../../hosts/dashboard/keys/modes-in-words.ts';

const OFF: Modes = {
  ...PRESETS.read.modes,
  'mail:read': 'off',
  'calendar:read': 'off',
  'trackers:read': 'off',
};

it.each([
  [OFF, 'It may do nothing.'],
  [PRESETS.read.modes, 'It reads mail, the calendar and trackers.'],
  [{ ...OFF, 'mail:send': 'approval' }, 'It asks you before it sends new mail.'],
  [
    PRESETS.organise.modes,
    'It reads mail, the calendar and trackers. On its own, it marks mail as read or flagged and changes trackers. ' +
      'It asks you before it moves, labels or deletes mail.',
  ],
  [
    { ...OFF, 'mail:read': 'on', 'mail:reply': 'approval', 'calendar:write': 'approval' },
    'It reads mail. It asks you before it replies to mail or changes the calendar.',
  ],
] as const satisfies readonly (readonly [Modes, string])[])('a key with the modes %j', (modes, words) => {
  expect(modesInWords(modes, 'paid')).toBe(words);
});

it('a plan that holds a mode back changes the words', () => {
  const direct: Modes = { ...OFF, 'mail:send': 'direct' };
  expect(modesInWords(direct, 'paid')).toBe('On its own, it sends new mail.');
  expect(modesInWords(direct, 'free')).toBe('It asks you before it sends new mail.');
});

it('every group that is on is named', () => {
  for (const group of GROUPS) {
    const mode = group.endsWith(':read') ? 'on' : 'approval';
    expect(modesInWords({ ...OFF, [group]: mode }, 'paid')).not.toBe('It may do nothing.');
  }
});
