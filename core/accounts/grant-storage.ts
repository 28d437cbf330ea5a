import { ownerById } from '../owners/owner-state.ts';
import type { StoredGrant } from '../ports/account.ts';
import { insert, type RowChange, remove, update } from '../state/change.ts';
import { all, first } from '../state/query.ts';
import { type Commit, type StateStore, unchanged, type Verdict } from '../state/store.ts';
import type { RowOf } from '../state/table.ts';
import { accounts, accountsOf, accountsOfOwner, grantColumns } from './account-state.ts';
import { pendingGrants, pendingGrantsOfOwner } from './grant-state.ts';

/** A sign-in at a provider that the owner has begun. */
export type PendingGrant = Omit<RowOf<typeof pendingGrants>, 'ownerId'>;

/** A grant as it is now. */
export interface GrantLease {
  readonly grant: StoredGrant;
  /** The caller leased it. */
  readonly isLeased: boolean;
}

/** Somebody who begins more sign-ins at once than this finishes none of the oldest. */
const PENDING_MAX = 20;

/** Grants of providers, and the sign-ins that owners have begun there. */
export type GrantStorage = ReturnType<typeof grantStorage>;

export function grantStorage({ unit }: StateStore) {
  return {
    /**
     * Leases the grant of an account to get new tokens, unless somebody else has it.
     * @returns the grant as it is now; undefined: no such account, or it has a password
     */
    leaseGrant: (request: AccountRef & { leaseMs: number }): Promise<GrantLease | undefined> =>
      onGrant<GrantLease | undefined>('relaxed', request, (stored, storeNowMs) => {
        if (stored === undefined) return unchanged(undefined);
        const isFree = stored.leaseUntilMs <= storeNowMs;
        if (!isFree) return unchanged({ grant: stored, isLeased: false });
        const grant = {
          ...stored,
          fence: stored.fence + 1,
          leaseUntilMs: storeNowMs + request.leaseMs,
        };
        return { answer: { grant, isLeased: true }, changes: [saved(request, grant)] };
      }),

    /** Saves new tokens and ends the lease. False: another lease or sign-in came meanwhile, and nothing is saved. */
    saveGrant: (
      request: AccountRef & { fence: number; sealed: string; withdrawnAt: Date | null },
    ): Promise<boolean> =>
      onGrant('durable', request, (stored) => {
        const { fence, sealed, withdrawnAt } = request;
        if (stored?.fence !== fence) return unchanged(false);
        return { answer: true, changes: [saved(request, { sealed, withdrawnAt, fence, leaseUntilMs: 0 })] };
      }),

    /** Saves the grant of a new sign-in in place of the old one. False: no such account, or it has a password. */
    replaceGrant: (request: AccountRef & { sealed: string }): Promise<boolean> =>
      onGrant('durable', request, (stored) => {
        if (stored === undefined) return unchanged(false);
        const { sealed } = request;
        const grant = { sealed, withdrawnAt: null, fence: stored.fence + 1, leaseUntilMs: 0 };
        return { answer: true, changes: [saved(request, grant)] };
      }),

    /** Keeps a sign-in that the owner has begun. Of each owner, only the newest few that have not ended are kept. */
    addPendingGrant: (request: { ownerId: string; pending: PendingGrant; now: Date }): Promise<void> => {
      const { ownerId, pending, now } = request;
      return onPending('relaxed', ownerId, (stored) => {
        const live = stored.filter(({ expiresAt }) => expiresAt > now);
        const kept = new Set(live.slice(-(PENDING_MAX - 1)));
        const ended = stored.filter((one) => !kept.has(one));
        return {
          answer: undefined,
          changes: [
            ...ended.map(({ stateHash }) => remove(pendingGrants, { ownerId, stateHash })),
            insert(pendingGrants, { ownerId, ...pending }),
          ],
        };
      });
    },

    /** Takes a sign-in out, so that it ends once. Undefined: there is none, or its time is over. */
    takePendingGrant: (request: {
      ownerId: string;
      stateHash: string;
      now: Date;
    }): Promise<PendingGrant | undefined> => {
      const { ownerId, stateHash, now } = request;
      return onPending('durable', ownerId, (stored) => {
        const found = stored.find((one) => one.stateHash === stateHash);
        if (found === undefined) return unchanged(undefined);
        return {
          answer: found.expiresAt > now ? found : undefined,
          changes: [remove(pendingGrants, { ownerId, stateHash })],
        };
      });
    },
  };

  function onGrant<Answer>(
    commit: Commit,
    { ownerId, accountId }: AccountRef,
    judge: (stored: StoredGrant | undefined, storeNowMs: number) => Verdict<Answer>,
  ): Promise<Answer> {
    return unit(
      commit,
      { ownerId },
      { found: all(accountsOfOwner, { ownerId }) },
      ({ found }, storeNowMs) => {
        const account = accountsOf(found).find((one) => one.accountId === accountId);
        return judge(account?.grant ?? undefined, storeNowMs);
      },
    );
  }

  /** @param judge  gets those of the owner, oldest first; it is not asked if there is no such owner */
  function onPending<Answer>(
    commit: Commit,
    ownerId: string,
    judge: (stored: readonly PendingGrant[]) => Verdict<Answer | undefined>,
  ): Promise<Answer | undefined> {
    const facts = { owner: first(ownerById, { ownerId }), stored: all(pendingGrantsOfOwner, { ownerId }) };
    return unit(commit, { ownerId }, facts, ({ owner, stored }) =>
      owner === undefined ? unchanged(undefined) : judge(stored),
    );
  }
}

interface AccountRef {
  ownerId: string;
  accountId: number;
}

function saved({ ownerId, accountId }: AccountRef, grant: StoredGrant): RowChange {
  return update(accounts, { ownerId, accountId }, grantColumns(grant));
}
