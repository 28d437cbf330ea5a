import type { DetailsOf } from '../contract/errors.ts';
import { type Fences, hasEnded } from './fences.ts';
import { effectiveMode, type Group, type Modes, type Plan } from './permissions.ts';

/** What the owner grants to a credential. */
export interface Grant {
  readonly modes: Modes;
  readonly fences: Fences;
  /** When the owner paused it. Null: it is not paused. */
  readonly pausedAt: Date | null;
}

/** Why the credential may not use the group now: the details of `not_permitted`. Undefined: it may. */
export function denialOf(
  { modes, fences, pausedAt }: Grant,
  group: Group,
  plan: Plan,
  now: Date,
): DetailsOf<'not_permitted'> | undefined {
  if (pausedAt !== null) return { group, reason: 'paused' };
  if (hasEnded(fences, now)) return { group, reason: 'fence', field: 'until' };
  return effectiveMode(group, modes[group], plan) === 'off' ? { group } : undefined;
}
