import { HOUR_MS, MINUTE_MS } from './limits.ts';
import { effectiveMode, GROUPS, type Modes } from './permissions.ts';
import type { Session } from './session.ts';

/**
 * How much a request of the owner needs.
 * `view`: it changes nothing. `change`: it changes something. `approve`: it lets an action happen.
 * `grant`: it gives a program more than it had.
 */
export type Demand = 'view' | 'change' | 'approve' | 'grant';

/**
 * A working day: whoever signs in in the morning approves with one click until the evening, and a computer that was
 * left open overnight approves nothing.
 */
const APPROVE_WITHIN_MS = 12 * HOUR_MS;
/** Long enough to set up several keys in a row. */
const GRANT_WITHIN_MS = 10 * MINUTE_MS;

const WITHIN_MS: Record<Demand, number> = {
  view: Number.POSITIVE_INFINITY,
  change: Number.POSITIVE_INFINITY,
  approve: APPROVE_WITHIN_MS,
  grant: GRANT_WITHIN_MS,
};

/**
 * Whether a request may go ahead, or the person must first confirm to be the owner. Pure.
 * @param facts `isProven`: the request shows that it comes from the session's own browser and page, or it carries the
 *   owner's password; the cookie proves neither
 */
export function stepUp(facts: {
  readonly demand: Demand;
  readonly isProven: boolean;
  readonly session: Pick<Session, 'authenticatedAt'>;
  readonly now: Date;
}): 'go' | 'confirm' {
  const { demand, isProven, session, now } = facts;
  if (demand === 'view') return 'go';
  // A moment in the future (the clock was set back) is as far away as one in the past.
  const awayMs = Math.abs(now.getTime() - session.authenticatedAt.getTime());
  return isProven && awayMs < WITHIN_MS[demand] ? 'go' : 'confirm';
}

/** What new modes of a key demand. Only `direct` for a group that is gated, and was not `direct` before, is a grant. */
export function demandOfModes(before: Modes, changes: Partial<Modes>): 'change' | 'grant' {
  const grants = GROUPS.some(
    (group) => changes[group] === 'direct' && before[group] !== 'direct' && isGated(group),
  );
  return grants ? 'grant' : 'change';
}

/** Whether the group's writes can do harm that is hard to undo: those that a free plan never runs directly. */
function isGated(group: (typeof GROUPS)[number]): boolean {
  return effectiveMode(group, 'direct', 'free') !== 'direct';
}
