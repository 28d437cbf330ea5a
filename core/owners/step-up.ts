import { type Fences, isWider } from '../keys/fences.ts';
import { effectiveMode, GROUPS, type Group, type Modes } from '../keys/permissions.ts';
import { HOUR_MS, MINUTE_MS } from '../time/durations.ts';
import type { Session } from './session.ts';

/**
 * How sensitive an owner's request is. `view`: changes nothing. `change`: changes something. `approve`: lets an action
 * happen. `prove`: the same, if the owner has chosen to prove with each decision who makes it. `grant`: gives a program
 * more rights than it had, changes the folders that decide what waits, sends events to a new receiver, or hands out or
 * changes what the owner alone may have. `own`: sets the password, or removes the owner.
 */
export type Demand = 'view' | 'change' | 'approve' | 'prove' | 'grant' | 'own';

/**
 * A working day: an owner who signs in in the morning approves with one click until the evening, and a computer left
 * open overnight approves nothing.
 */
const APPROVE_WITHIN_MS = 12 * HOUR_MS;
/** Long enough to set up several keys in a row. */
const GRANT_WITHIN_MS = 10 * MINUTE_MS;

const WITHIN_MS: Record<Demand, number> = {
  view: Number.POSITIVE_INFINITY,
  change: Number.POSITIVE_INFINITY,
  approve: APPROVE_WITHIN_MS,
  grant: GRANT_WITHIN_MS,
  // Every time, with the form itself.
  prove: 0,
  own: 0,
};

/**
 * Whether a request may go ahead, or the person must first confirm that they are the owner. Pure.
 * @param facts `isProven`: the request shows that it comes from the session's own browser and page, or carries the
 *   owner's password; the cookie alone proves neither
 */
export function stepUp(facts: {
  readonly demand: Demand;
  readonly isProven: boolean;
  readonly session: Pick<Session, 'authenticatedAt'>;
  readonly now: Date;
}): 'go' | 'confirm' {
  const { demand, isProven, session, now } = facts;
  if (demand === 'view') return 'go';
  // After the clock was set back, the time may be in the future: measure the distance in either direction.
  const awayMs = Math.abs(now.getTime() - session.authenticatedAt.getTime());
  return isProven && awayMs < WITHIN_MS[demand] ? 'go' : 'confirm';
}

/** Returns the demand of a change to a key's modes. Only a gated group that becomes `direct` is a grant. */
export function demandForModes(before: Modes, changes: Partial<Modes>): 'change' | 'grant' {
  return newlyDirect(before, changes).length > 0 ? 'grant' : 'change';
}

/** Returns the gated groups that the change makes `direct`. */
export function newlyDirect(before: Modes, changes: Partial<Modes>): readonly Group[] {
  return GROUPS.filter(
    (group) => changes[group] === 'direct' && before[group] !== 'direct' && isGated(group),
  );
}

/** Returns the demand of ending a key's pause: it gets all its modes back. */
export function demandForResume(modes: Modes): 'change' | 'grant' {
  return GROUPS.some((group) => modes[group] === 'direct' && isGated(group)) ? 'grant' : 'change';
}

/** Returns the demand of a change to a key's fences. Wider fences count like its modes, given to it again. */
export function demandForFences(before: Fences, after: Fences, modes: Modes): 'change' | 'grant' {
  return isWider(before, after) ? demandForResume(modes) : 'change';
}

/** Whether the group's writes are hard to undo: those that a free plan never runs directly. */
function isGated(group: Group): boolean {
  return effectiveMode(group, 'direct', 'free') !== 'direct';
}
