import type { Account } from '../../core/ports/account.ts';
import { Quoted } from './third-party-text.tsx';

export function AccountName(props: { accounts: readonly Account[]; accountId: number }) {
  const account = props.accounts.find(({ accountId }) => accountId === props.accountId);
  return account === undefined ? <>removed account {props.accountId}</> : <Quoted text={account.email} />;
}
