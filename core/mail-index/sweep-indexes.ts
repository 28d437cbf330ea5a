import { findAccount } from '../accounts/find-account.ts';
import type { Storage } from '../ports/storage.ts';
import type { MailIndexing } from './kept-index.ts';

/**
 * Erases what is indexed of accounts that another process removed or whose index it turned off, and of those whose index
 * failed when that was to be erased.
 * @throws Error if the index fails
 */
export async function sweepIndexes(
  storage: Pick<Storage, 'accounts'>,
  indexing: Pick<MailIndexing, 'eraseIndex' | 'indexedAccounts'>,
  isStopping: () => boolean,
): Promise<void> {
  for (const indexed of await indexing.indexedAccounts()) {
    if (isStopping()) return;
    // Asked for after what is indexed: an account that was added meanwhile is not swept.
    const account = await findAccount(storage, indexed.ownerId, indexed.accountId);
    if (account?.isIndexed !== true) await indexing.eraseIndex(indexed);
  }
}
