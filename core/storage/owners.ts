import type { OwnerRemoval, OwnerUpdate } from '../ports/owner-storage.ts';
import type { Change, Judged, OwnerFacts, RemovalFacts } from '../ports/store.ts';
import { setPassword } from './sessions.ts';

export function updateOwner(
  facts: OwnerFacts | undefined,
  { ownerId, passwordHash, ...given }: OwnerUpdate,
  storeNowMs: number,
): Judged<'updated' | 'not_found' | 'email_taken'> {
  if (facts === undefined) return { answer: 'not_found', changes: [] };
  if (facts.isEmailTaken) return { answer: 'email_taken', changes: [] };
  const { owner } = facts;
  const { language = owner.language, plansKeptDays = owner.plansKeptDays } = given;
  const { proofFor = owner.proofFor } = given;
  const { email = owner.email, timezone = owner.timezone, plan = owner.plan, limits = owner.limits } = given;
  const changed = { ...owner, email, timezone, language, plansKeptDays, proofFor, plan, limits };
  const saved: Change = { type: 'save_owner', owner: changed };
  const password =
    passwordHash === undefined ? [] : setPassword(facts, ownerId, passwordHash, storeNowMs).changes;
  return { answer: 'updated', changes: [saved, ...password] };
}

/** Removes an owner, unless an action is under way: its end must still be recorded. */
export function removeOwner(facts: RemovalFacts | undefined, ownerId: string): Judged<OwnerRemoval> {
  if (facts === undefined) return { answer: { kind: 'not_found' }, changes: [] };
  const { accountIds, lastAccountId, lastEndpointId, isRunning } = facts;
  if (isRunning) return { answer: { kind: 'running' }, changes: [] };
  return {
    answer: { kind: 'removed', accountIds },
    changes: [{ type: 'remove_owner', ownerId, lastAccountId, lastEndpointId }],
  };
}
