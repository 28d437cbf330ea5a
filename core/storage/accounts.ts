import { invalidArgument, normalAddress } from '../contract/schema.ts';
import { changedRoles, type FolderRoles } from '../folders/roles.ts';
import type { Account } from '../ports/account.ts';
import type { Storage } from '../ports/storage.ts';
import type { AccountsFacts, AnyChange, Judged } from '../ports/store.ts';
import type { Random } from '../secrets/random.ts';
import { cancelWaiting } from './moved.ts';

type Facts = AccountsFacts | undefined;
type Request<
  Verb extends 'addAccount' | 'changeFolderRoles' | 'changeSettings' | 'editAccount' | 'removeAccount',
> = Parameters<Storage[Verb]>[0];

/**
 * Refuses an address that is connected already: two accounts of one mailbox would show everything twice.
 * @throws ServiceError invalid_arguments, naming the account
 */
export function refuseConnected(
  accounts: readonly Pick<Account, 'accountId' | 'email' | 'label'>[],
  email: string,
): void {
  const same = accounts.find((one) => normalAddress(one.email) === normalAddress(email));
  if (same === undefined) return;
  const name = same.label === same.email ? '' : ` (${same.label})`;
  const message = `is connected already, as account ${same.accountId}${name}`;
  throw invalidArgument('email', 'connected', message);
}

/**
 * Adds an account. An owner's first account is the active one.
 * @throws ServiceError invalid_arguments if its address is connected already
 */
export function addAccount(
  facts: Facts,
  {
    ownerId,
    label,
    email,
    displayName = '',
    signature,
    seal,
    sealGrant,
    folderRoles,
    now,
  }: Request<'addAccount'>,
): Judged<Account> {
  if (facts === undefined) throw new Error('There is no such owner to add an account to.');
  refuseConnected(facts.accounts, email);
  const accountId = facts.lastAccountId + 1;
  const account = {
    ownerId,
    accountId,
    label,
    email,
    displayName,
    signature,
    sealedSettings: seal(accountId),
    revision: 1,
    folderRoles,
    authservId: null,
    grant:
      sealGrant === undefined
        ? null
        : { sealed: sealGrant(accountId), withdrawnAt: null, fence: 1, leaseUntilMs: 0 },
  };
  return {
    answer: { ...account, isPrimary: facts.accounts.length === 0 },
    changes: [
      { type: 'add_account', account, now },
      ...activation(ownerId, facts, [...facts.accounts.map((one) => one.accountId), accountId]),
    ],
  };
}

/** Keeps the active account while it exists; otherwise activates the oldest. */
function activation(
  ownerId: string,
  { activeAccountId }: AccountsFacts,
  accountIds: readonly number[],
): readonly AnyChange[] {
  if (activeAccountId !== null && accountIds.includes(activeAccountId)) return [];
  return [{ type: 'activate_account', ownerId, accountId: accountIds[0] ?? null }];
}

/** @returns the roles after the change; undefined: no such account */
export function changeFolderRoles(
  facts: Facts,
  { ownerId, accountId, change }: Request<'changeFolderRoles'>,
): Judged<FolderRoles | undefined> {
  const before = facts?.accounts.find((one) => one.accountId === accountId)?.folderRoles;
  if (before === undefined) return { answer: undefined, changes: [] };
  const roles = changedRoles(before, change);
  return {
    answer: roles,
    changes: roles === before ? [] : [{ type: 'save_folder_roles', ownerId, accountId, roles }],
  };
}

export function editAccount(
  facts: Facts,
  { ownerId: _ownerId, accountId, ...fields }: Request<'editAccount'>,
): Judged<boolean> {
  const account = facts?.accounts.find((one) => one.accountId === accountId);
  if (account === undefined) return { answer: false, changes: [] };
  return { answer: true, changes: [{ type: 'save_account', account: { ...account, ...fields } }] };
}

export function changeSettings(
  facts: Facts,
  { ownerId, accountId, sealedSettings }: Request<'changeSettings'>,
): Judged<Account | undefined> {
  const before = facts?.accounts.find((one) => one.accountId === accountId);
  if (before === undefined) return { answer: undefined, changes: [] };
  const account = { ...before, sealedSettings, revision: before.revision + 1 };
  return {
    answer: account,
    changes: [
      { type: 'save_account', account },
      { type: 'forget_health', ownerId, accountId },
    ],
  };
}

export function activateAccount(facts: Facts, ownerId: string, accountId: number): Judged<boolean> {
  const isThere = facts?.accounts.some((one) => one.accountId === accountId) === true;
  return {
    answer: isThere,
    changes: isThere ? [{ type: 'activate_account', ownerId, accountId }] : [],
  };
}

/** Removes an account. Cancels its pending approvals and activates the oldest remaining account. */
export function removeAccount(
  facts: Facts,
  { ownerId, accountId, targetsBegin, now }: Request<'removeAccount'>,
  random: Random,
): Judged<boolean> {
  if (facts?.accounts.some((one) => one.accountId === accountId) !== true) {
    return { answer: false, changes: [] };
  }
  const waiting = facts.pending
    .filter(
      ({ approval, targets }) =>
        approval.accountId === accountId || targets.some((target) => target.startsWith(targetsBegin)),
    )
    .map(({ approval }) => approval);
  const left = facts.accounts.map((one) => one.accountId).filter((id) => id !== accountId);
  return {
    answer: true,
    changes: [
      { type: 'remove_account', ownerId, accountId },
      ...activation(ownerId, facts, left),
      ...cancelWaiting(waiting, 'account_removed', now, random),
    ],
  };
}
