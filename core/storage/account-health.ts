import { LEGS, type Leg, type LegHealth, needsOwner } from '../ports/account-health.ts';
import type { Storage } from '../ports/storage.ts';
import type { FactsOf, Judged } from '../ports/store.ts';

/** Records the result of a use of a server, unless it was a use of older settings. */
export function reportLeg(
  facts: FactsOf<'health'>,
  { ownerId, accountId, revision, leg, state, reason, now }: Parameters<Storage['reportLeg']>[0],
): Judged<undefined> {
  if (facts === undefined || facts.revision !== revision) return { answer: undefined, changes: [] };
  const before = facts.legs.find((one) => one.leg === leg);
  const isSame = before?.state === state;
  const after: LegHealth = {
    accountId,
    leg,
    state,
    reason,
    since: isSame ? before.since : now,
    workedAt: state === 'working' ? now : (before?.workedAt ?? null),
  };
  return { answer: undefined, changes: [{ type: 'save_leg', ownerId, leg: after, isNew: !isSame }] };
}

/** Claims a look at the servers of an account that nobody has used. The first look at an account only plans the next. */
export function takeCheck(
  facts: FactsOf<'health'>,
  { ownerId, accountId, idleMs, jitterMs, now }: Parameters<Storage['takeCheck']>[0],
): Judged<readonly Leg[] | undefined> {
  if (facts === undefined || facts.nextCheckAt > now) return { answer: undefined, changes: [] };
  const nowMs = now.getTime();
  const isFirst = facts.nextCheckAt.getTime() === 0;
  const legs = isFirst ? [] : idleLegs(facts.legs, nowMs - idleMs);
  // If all are in use, one is idle as soon as its last use is that old.
  const used = legs.length > 0 ? [] : facts.legs.map(({ workedAt }) => (workedAt?.getTime() ?? 0) + idleMs);
  const nextMs = Math.min(...used.filter((ms) => ms > nowMs), nowMs + idleMs);
  const at = new Date(nextMs + jitterMs);
  return { answer: legs, changes: [{ type: 'plan_check', ownerId, accountId, at }] };
}

/** A password that was refused is not tried again: a provider may lock the account. */
function idleLegs(legs: readonly LegHealth[], idleSinceMs: number): readonly Leg[] {
  if (legs.some(({ state }) => needsOwner(state))) return [];
  return LEGS.filter((leg) => {
    const known = legs.find((one) => one.leg === leg);
    // Not every account has a calendar.
    if (known === undefined) return leg !== 'calendar';
    return known.state !== 'working' || (known.workedAt?.getTime() ?? 0) <= idleSinceMs;
  });
}
