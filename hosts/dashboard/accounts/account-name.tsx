import type { Owner } from '../../../core/owners/owner-state.ts';
import type { Account } from '../../../core/ports/account.ts';
import type { Service } from '../../../core/service/service.ts';
import { Quoted } from '../third-party-text.tsx';

export function AccountName(props: { accounts: readonly Account[]; accountId: number }) {
  const account = props.accounts.find(({ accountId }) => accountId === props.accountId);
  return account === undefined ? <>removed account {props.accountId}</> : <Quoted text={account.email} />;
}

/** @param param  the account's id, from the path. @returns undefined if the owner has no such account */
export async function accountNamed(
  service: Service,
  { ownerId }: Owner,
  param: string,
): Promise<Account | undefined> {
  return (await service.accounts.list(ownerId)).find(({ accountId }) => String(accountId) === param);
}

/** The same. Undefined also if the account signs in at its provider, so that there is no password. */
export async function passwordAccount(
  service: Service,
  owner: Owner,
  param: string,
): Promise<Account | undefined> {
  const account = await accountNamed(service, owner, param);
  return account?.grant === null ? account : undefined;
}
