import type { Account } from '../ports/account.ts';
import type { Storage } from '../ports/storage.ts';

/** @returns undefined if the owner has no such account */
export async function findAccount(
  storage: Pick<Storage, 'accounts'>,
  ownerId: string,
  accountId: number,
): Promise<Account | undefined> {
  return (await storage.accounts(ownerId)).find((one) => one.accountId === accountId);
}
