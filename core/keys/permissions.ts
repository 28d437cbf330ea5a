/** Permission groups, modes, presets, and what a plan allows. */

export const GROUPS = [
  'mail:read',
  'mail:send',
  'mail:reply',
  'mail:manage',
  'mail:organize',
  'calendar:read',
  'calendar:write',
  'trackers:read',
  'trackers:write',
  'trackers:remove',
] as const;

export type Group = (typeof GROUPS)[number];
export const MODES = ['off', 'on', 'direct', 'approval'] as const;
export type Mode = (typeof MODES)[number];
export const PLANS = ['free', 'paid'] as const;
export type Plan = (typeof PLANS)[number];

/** A mode for every group. Reads are `off` or `on`; writes are `off`, `approval` or `direct`. */
export type Modes = Readonly<Record<Group, Mode>>;

const READ_GROUPS: ReadonlySet<Group> = new Set(['mail:read', 'calendar:read', 'trackers:read']);
const DIRECT_ON_FREE: ReadonlySet<Group> = new Set(['mail:organize', 'trackers:write']);

export function modesOf(group: Group): readonly Mode[] {
  return READ_GROUPS.has(group) ? ['off', 'on'] : ['off', 'approval', 'direct'];
}

/** Returns the mode that applies: the stricter of the key's mode and the plan's. */
export function effectiveMode(group: Group, mode: Mode, plan: Plan): Mode {
  return mode === 'direct' && plan === 'free' && !DIRECT_ON_FREE.has(group) ? 'approval' : mode;
}

/** The mode that applies in each group. */
export function effectiveModes(modes: Modes, plan: Plan): Modes {
  const effective = GROUPS.map((group) => [group, effectiveMode(group, modes[group], plan)] as const);
  return { ...modes, ...Object.fromEntries(effective) };
}

const NOTHING: Modes = {
  'mail:read': 'off',
  'mail:send': 'off',
  'mail:reply': 'off',
  'mail:manage': 'off',
  'mail:organize': 'off',
  'calendar:read': 'off',
  'calendar:write': 'off',
  'trackers:read': 'off',
  'trackers:write': 'off',
  'trackers:remove': 'off',
};
const READ: Modes = { ...NOTHING, 'mail:read': 'on', 'calendar:read': 'on', 'trackers:read': 'on' };
const ORGANISE: Modes = {
  ...READ,
  'mail:organize': 'direct',
  'trackers:write': 'direct',
  'mail:manage': 'approval',
};

export const PRESETS = {
  read: { title: 'Read only', modes: READ },
  organise: { title: 'Read and organise', modes: ORGANISE },
  full: {
    title: 'Full',
    modes: {
      ...ORGANISE,
      'mail:send': 'approval',
      'mail:reply': 'approval',
      'calendar:write': 'approval',
      'trackers:remove': 'approval',
    },
  },
} as const satisfies Record<string, { title: string; modes: Modes }>;

export type Preset = keyof typeof PRESETS;

/**
 * Returns the groups of `modes` whose mode is invalid (a read group `direct`, for example); empty if all are
 * valid.
 */
export function invalidModes(modes: Modes): Group[] {
  return GROUPS.filter((group) => !modesOf(group).includes(modes[group]));
}
