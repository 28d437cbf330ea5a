import type { LegHealth } from '../ports/account-health.ts';
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
