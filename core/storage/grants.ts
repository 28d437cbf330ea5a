import type { GrantStorage, PendingGrant, StoredGrant } from '../ports/grant-storage.ts';
import type { AccountsFacts, Change, Judged } from '../ports/store.ts';

type Facts = AccountsFacts | undefined;
type Request<Verb extends keyof GrantStorage> = Parameters<GrantStorage[Verb]>[0];

/** Somebody who begins more sign-ins at once than this finishes none of the oldest. */
const PENDING_MAX = 20;

function grantIn(facts: Facts, accountId: number): StoredGrant | undefined {
  return facts?.accounts.find((one) => one.accountId === accountId)?.grant ?? undefined;
}

export function leaseGrant(
  facts: Facts,
  { ownerId, accountId, leaseMs }: Request<'leaseGrant'>,
  storeNowMs: number,
): Judged<{ readonly grant: StoredGrant; readonly isLeased: boolean } | undefined> {
  const stored = grantIn(facts, accountId);
  if (stored === undefined) return { answer: undefined, changes: [] };
  if (stored.leaseUntilMs > storeNowMs) return { answer: { grant: stored, isLeased: false }, changes: [] };
  const grant = { ...stored, fence: stored.fence + 1, leaseUntilMs: storeNowMs + leaseMs };
  return {
    answer: { grant, isLeased: true },
    changes: [{ type: 'save_grant', ownerId, accountId, grant }],
  };
}

export function saveGrant(
  facts: Facts,
  { ownerId, accountId, fence, sealed, withdrawnAt }: Request<'saveGrant'>,
): Judged<boolean> {
  if (grantIn(facts, accountId)?.fence !== fence) return { answer: false, changes: [] };
  const grant = { sealed, withdrawnAt, fence, leaseUntilMs: 0 };
  return { answer: true, changes: [{ type: 'save_grant', ownerId, accountId, grant }] };
}

export function replaceGrant(
  facts: Facts,
  { ownerId, accountId, sealed }: Request<'replaceGrant'>,
): Judged<boolean> {
  const stored = grantIn(facts, accountId);
  if (stored === undefined) return { answer: false, changes: [] };
  const grant = { sealed, withdrawnAt: null, fence: stored.fence + 1, leaseUntilMs: 0 };
  return { answer: true, changes: [{ type: 'save_grant', ownerId, accountId, grant }] };
}

/** Also removes those whose time is over, and the oldest of too many. @param stored  oldest first */
export function addPendingGrant(
  stored: readonly PendingGrant[] | undefined,
  { ownerId, pending, now }: Request<'addPendingGrant'>,
): Judged<void> {
  if (stored === undefined) return { answer: undefined, changes: [] };
  const live = stored.filter(({ expiresAt }) => expiresAt > now);
  const kept = new Set(live.slice(-(PENDING_MAX - 1)));
  const removed = stored.filter((one) => !kept.has(one));
  return {
    answer: undefined,
    changes: [
      ...removed.map(({ stateHash }): Change => ({ type: 'remove_pending_grant', ownerId, stateHash })),
      { type: 'add_pending_grant', ownerId, pending },
    ],
  };
}

export function takePendingGrant(
  stored: readonly PendingGrant[] | undefined,
  { ownerId, stateHash, now }: Request<'takePendingGrant'>,
): Judged<PendingGrant | undefined> {
  const found = stored?.find((one) => one.stateHash === stateHash);
  if (found === undefined) return { answer: undefined, changes: [] };
  return {
    answer: found.expiresAt > now ? found : undefined,
    changes: [{ type: 'remove_pending_grant', ownerId, stateHash }],
  };
}
