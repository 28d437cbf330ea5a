import type { Approval } from '../approvals/approval.ts';
import { approvalOf, approvalStatements, targetsOfOwner } from '../approvals/approval-state.ts';
import { cancelWaiting } from '../approvals/move-storage.ts';
import { invalidArgument, normalAddress } from '../contract/schema.ts';
import { changedRoles, type FolderRoles, type FolderRolesChange } from '../folders/roles.ts';
import { ownerById, owners } from '../owners/owner-state.ts';
import type { Account } from '../ports/account.ts';
import type { Random } from '../secrets/random.ts';
import { insert, type RowChange, remove, update } from '../state/change.ts';
import { all, first } from '../state/query.ts';
import { type StateStore, unchanged, type Verdict } from '../state/store.ts';
import { movedIntoInbox } from '../watching/inbox-state.ts';
import { accounts, accountsOf, accountsOfOwner, grantColumns, lastAccountOfOwner } from './account-state.ts';
import { accountHealth } from './health-state.ts';
import { knownDomainKeys, knownDomains, knownRecipients } from './known-state.ts';
import { messageHandles } from './message-handle-storage.ts';

interface Added {
  ownerId: string;
  label: string;
  email: string;
  /** Default: none. */
  displayName?: string;
  signature: string;
  /** Gets the new account's id. */
  seal: (accountId: number) => string;
  /** Undefined: the account signs in with a password. */
  sealGrant?: ((accountId: number) => string) | undefined;
  folderRoles: FolderRoles;
  now: Date;
}

interface AccountRef {
  ownerId: string;
  accountId: number;
}

/** The connected mailboxes of an owner. */
export type AccountStorage = ReturnType<typeof accountStorage>;

/** @param random  source of the ids of events */
export function accountStorage({ unit, look }: StateStore, random: Random) {
  return {
    /**
     * The first account of an owner becomes the active one.
     * @throws ServiceError invalid_arguments if the owner has an account with this address
     */
    addAccount: (request: Added): Promise<Account> => {
      const { ownerId } = request;
      const facts = {
        last: first(lastAccountOfOwner, { ownerId }),
        found: all(accountsOfOwner, { ownerId }),
      };
      return unit('durable', { ownerId }, facts, ({ last, found }) => {
        if (last === undefined) throw new Error('There is no such owner to add an account to.');
        return addAccount(accountsOf(found), last, request);
      });
    },

    /** Oldest first. */
    async accounts(ownerId: string): Promise<readonly Account[]> {
      return accountsOf((await look({ found: all(accountsOfOwner, { ownerId }) })).found);
    },

    /**
     * Changes the roles of folders. `changedRoles` decides inside the write.
     * @returns the roles as they are now; undefined: no such account
     */
    changeFolderRoles: (
      request: AccountRef & { change: FolderRolesChange },
    ): Promise<FolderRoles | undefined> =>
      onAccount(request, (account) => {
        if (account === undefined) return unchanged(undefined);
        const { folderRoles: before } = account;
        const folderRoles = changedRoles(before, request.change);
        return {
          answer: folderRoles,
          changes: folderRoles === before ? [] : [update(accounts, keyOf(request), { folderRoles })],
        };
      }),

    /** Changes what the owner decides about the account. False: no such account. */
    editAccount: (
      request: AccountRef &
        Partial<Pick<Account, 'label' | 'displayName' | 'signature' | 'authservId' | 'isIndexed'>>,
    ): Promise<boolean> =>
      onAccount(request, (account) => {
        if (account === undefined) return unchanged(false);
        const { label = account.label, displayName = account.displayName } = request;
        const { signature = account.signature, authservId = account.authservId } = request;
        const { isIndexed = account.isIndexed } = request;
        const columns = { label, displayName, signature, authservId, isIndexed };
        return { answer: true, changes: [update(accounts, keyOf(request), columns)] };
      }),

    /**
     * Replaces the settings, and raises their revision. What is known about the health of the account is removed.
     * @returns the account as it is now; undefined: no such account
     */
    changeSettings: (request: AccountRef & { sealedSettings: string }): Promise<Account | undefined> =>
      onAccount(request, (before) => {
        if (before === undefined) return unchanged(undefined);
        const { sealedSettings } = request;
        const revision = before.revision + 1;
        return {
          answer: { ...before, sealedSettings, revision },
          changes: [
            update(accounts, keyOf(request), { sealedSettings, settingsRevision: revision }),
            remove(accountHealth, keyOf(request)),
          ],
        };
      }),

    /** False: no such account. */
    activateAccount: (ownerId: string, accountId: number): Promise<boolean> =>
      onAccount({ ownerId, accountId }, (account) =>
        account === undefined ? unchanged(false) : { answer: true, changes: [activated(ownerId, accountId)] },
      ),

    /**
     * Deletes the account and its settings, cancels its pending requests (`account_removed`), and activates the oldest
     * remaining account. A request of several accounts belongs to it if one of its target names starts with
     * `targetsBegin`.
     */
    removeAccount: (request: Removed): Promise<boolean> => {
      const { ownerId } = request;
      const facts = {
        owner: first(ownerById, { ownerId }),
        found: all(accountsOfOwner, { ownerId }),
        pending: all(approvalStatements.pending_of_owner, { ownerId }),
        targets: all(targetsOfOwner, { ownerId }),
      };
      return unit('durable', { ownerId }, facts, ({ owner, found, pending, targets }) =>
        removeAccount(
          {
            activeAccountId: owner?.activeAccountId ?? null,
            accountIds: found.map(({ accountId }) => accountId),
            pending: pending.map(approvalOf),
            targets,
          },
          request,
          random,
        ),
      );
    },
  };

  function onAccount<Answer>(
    { ownerId, accountId }: AccountRef,
    judge: (account: Account | undefined) => Verdict<Answer>,
  ): Promise<Answer> {
    return unit('durable', { ownerId }, { found: all(accountsOfOwner, { ownerId }) }, ({ found }) =>
      judge(accountsOf(found).find((one) => one.accountId === accountId)),
    );
  }
}

interface Removed extends AccountRef {
  targetsBegin: string;
  now: Date;
}

function keyOf({ ownerId, accountId }: AccountRef): AccountRef {
  return { ownerId, accountId };
}

/**
 * Refuses an address that is connected already: two accounts of one mailbox would show everything twice.
 * @throws ServiceError invalid_arguments, naming the account
 */
export function refuseConnected(
  connected: readonly Pick<Account, 'accountId' | 'email' | 'label'>[],
  email: string,
): void {
  const same = connected.find((one) => normalAddress(one.email) === normalAddress(email));
  if (same === undefined) return;
  const name = same.label === same.email ? '' : ` (${same.label})`;
  const message = `is connected already, as account ${same.accountId}${name}`;
  throw invalidArgument('email', 'connected', message);
}

function addAccount(
  connected: readonly Account[],
  last: { readonly lastAccountId: number; readonly activeAccountId: number | null },
  request: Added,
): Verdict<Account> {
  const { ownerId, label, email, displayName = '', signature, seal, sealGrant, folderRoles, now } = request;
  refuseConnected(connected, email);
  const accountId = last.lastAccountId + 1;
  const sealedSettings = seal(accountId);
  const grant =
    sealGrant === undefined
      ? null
      : { sealed: sealGrant(accountId), withdrawnAt: null, fence: 1, leaseUntilMs: 0 };
  const decided = { ownerId, accountId, label, email, displayName, signature, sealedSettings, folderRoles };
  const row = {
    ...{ ...decided, authservId: null, isIndexed: true, settingsRevision: 1, createdAt: now },
    nextCheck: new Date(0),
    ...grantColumns(grant),
  };
  const accountIds = [...connected.map((one) => one.accountId), accountId];
  return {
    answer: {
      ...{ ...decided, revision: 1, authservId: null, isIndexed: true, grant },
      isPrimary: connected.length === 0,
    },
    changes: [
      insert(accounts, row),
      update(owners, { ownerId }, { lastAccountId: accountId }),
      ...activation(ownerId, last.activeAccountId, accountIds),
    ],
  };
}

/** Keeps the active account while it exists; otherwise activates the oldest. */
function activation(
  ownerId: string,
  activeAccountId: number | null,
  accountIds: readonly number[],
): readonly RowChange[] {
  if (activeAccountId !== null && accountIds.includes(activeAccountId)) return [];
  return [activated(ownerId, accountIds[0] ?? null)];
}

function activated(ownerId: string, activeAccountId: number | null): RowChange {
  return update(owners, { ownerId }, { activeAccountId });
}

/** Removes an account. Cancels its pending approvals and activates the oldest remaining account. */
function removeAccount(
  facts: {
    readonly activeAccountId: number | null;
    /** Oldest first. */
    readonly accountIds: readonly number[];
    readonly pending: readonly Approval[];
    readonly targets: readonly { readonly approvalId: string; readonly target: string }[];
  },
  { ownerId, accountId, targetsBegin, now }: Removed,
  random: Random,
): Verdict<boolean> {
  if (!facts.accountIds.includes(accountId)) return unchanged(false);
  const concerned = new Set(
    facts.targets.filter(({ target }) => target.startsWith(targetsBegin)).map(({ approvalId }) => approvalId),
  );
  const waiting = facts.pending.filter((one) => one.accountId === accountId || concerned.has(one.id));
  const left = facts.accountIds.filter((id) => id !== accountId);
  const key = { ownerId, accountId };
  return {
    answer: true,
    changes: [
      remove(accountHealth, key),
      remove(messageHandles, key),
      remove(accounts, key),
      remove(knownRecipients, key),
      remove(knownDomains, key),
      remove(knownDomainKeys, key),
      remove(movedIntoInbox, key),
      ...activation(ownerId, facts.activeAccountId, left),
      ...cancelWaiting(waiting, 'account_removed', now, random),
    ],
  };
}
