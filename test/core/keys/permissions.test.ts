import { describe, expect, it } from 'vitest';
import {
  effectiveMode,
  GROUPS,
  type Group,
  invalidModes,
  type Mode,
  modesOf,
  PRESETS,
} from '../../../core/keys/permissions.ts';

const READS: readonly Group[] = ['mail:read', 'calendar:read', 'trackers:read'];
const WRITES = GROUPS.filter((group) => !READS.includes(group));
const DIRECT_ON_FREE: readonly Group[] = ['mail:organize', 'trackers:write'];

describe('modes', () => {
  it.each(READS)('%s is off or on', (group) => {
    expect(modesOf(group)).toEqual(['off', 'on']);
  });

  it.each(WRITES)('%s is off, approval or direct', (group) => {
    expect(modesOf(group)).toEqual(['off', 'approval', 'direct']);
  });

  it('that a group does not have are reported', () => {
    const { modes } = PRESETS.full;
    expect(invalidModes(modes)).toEqual([]);
    expect(invalidModes({ ...modes, 'mail:read': 'direct', 'mail:send': 'on' })).toEqual([
      'mail:read',
      'mail:send',
    ]);
  });
});

describe('the mode that counts', () => {
  it.each(GROUPS)('%s: the mode of the key on a paid plan', (group) => {
    for (const mode of modesOf(group)) expect(effectiveMode(group, mode, 'paid')).toBe(mode);
  });

  it.each(GROUPS)('%s: the stricter of key and plan on a free one', (group) => {
    for (const mode of modesOf(group)) {
      const held = mode === 'direct' && !DIRECT_ON_FREE.includes(group);
      expect(effectiveMode(group, mode, 'free')).toBe(held ? 'approval' : mode);
    }
  });
});

describe('presets', () => {
  /** Read only, Read and organise, Full. */
  const TABLE: Record<Group, [Mode, Mode, Mode]> = {
    'mail:read': ['on', 'on', 'on'],
    'mail:send': ['off', 'off', 'approval'],
    'mail:reply': ['off', 'off', 'approval'],
    'mail:manage': ['off', 'approval', 'approval'],
    'mail:organize': ['off', 'direct', 'direct'],
    'calendar:read': ['on', 'on', 'on'],
    'calendar:write': ['off', 'off', 'approval'],
    'trackers:read': ['on', 'on', 'on'],
    'trackers:write': ['off', 'direct', 'direct'],
    'trackers:remove': ['off', 'off', 'approval'],
  };

  it.each(GROUPS)('%s', (group) => {
    const { read, organise, full } = PRESETS;
    expect([read.modes[group], organise.modes[group], full.modes[group]]).toEqual(TABLE[group]);
  });

  it('have the names of the dashboard', () => {
    expect(Object.values(PRESETS).map(({ title }) => title)).toEqual([
      'Read only',
      'Read and organise',
      'Full',
    ]);
  });
});
