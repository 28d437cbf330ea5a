import type { TokenPorts } from '../accounts/access-token.ts';
import { findAccount } from '../accounts/find-account.ts';
import { mailAccount } from '../accounts/mail-call.ts';
import { notFound } from '../contract/not-found.ts';
import type { Account } from '../ports/account.ts';
import { errorName } from '../ports/log.ts';
import type { Keyring } from '../secrets/keyring.ts';
import type { IndexState, MailIndexing } from './kept-index.ts';

/** The index beside each account, for its owner. */
export interface MailIndexes {
  /** False: this service has no index, and the mail servers are asked. */
  readonly isThere: boolean;
  stateOf(account: Pick<Account, 'ownerId' | 'accountId' | 'isIndexed'>): Promise<AccountIndex>;
  /**
   * Erases the index of an account, and keeps none from now on. `failed`: it is not used any more, but could not be erased.
   * @throws ServiceError not_found
   */
  turnOff(ownerId: string, accountId: number): Promise<'done' | 'failed'>;
  /**
   * Erases what there is of an account's index, and begins to fill it anew. Also turns it on.
   * @throws ServiceError not_found
   */
  buildAgain(ownerId: string, accountId: number): Promise<'done' | 'failed'>;
}

export interface AccountIndex {
  /** False: the owner turned it off. */
  readonly isOn: boolean;
  /** Undefined: the index fails, and the mail server is asked. Of one that is off: what could not be erased. */
  readonly indexed: IndexState | undefined;
}

/** @param indexing  undefined: there is no index */
export function createMailIndexes(
  ports: TokenPorts,
  keyring: Keyring,
  indexing: MailIndexing | undefined,
): MailIndexes {
  const { storage, log } = ports;

  /** @returns `failed` if the index fails */
  async function tried<T>(accountId: number, use: () => Promise<T>): Promise<T | 'failed'> {
    try {
      return await use();
    } catch (error) {
      log.warn('the index of an account does not answer', { account: accountId, ...errorName(error) });
      return 'failed';
    }
  }

  return {
    isThere: indexing !== undefined,
    async stateOf({ ownerId, accountId, isIndexed }) {
      const indexed = await tried(accountId, async () => indexing?.indexState({ ownerId, accountId }));
      return {
        isOn: isIndexed && indexing !== undefined,
        indexed: indexed === 'failed' ? undefined : indexed,
      };
    },
    async turnOff(ownerId, accountId) {
      if (!(await storage.editAccount({ ownerId, accountId, isIndexed: false }))) throw notFound('account');
      return (await tried(accountId, async () => indexing?.turnIndexOff({ ownerId, accountId }))) ?? 'done';
    },
    async buildAgain(ownerId, accountId) {
      await storage.editAccount({ ownerId, accountId, isIndexed: true });
      const account = await findAccount(storage, ownerId, accountId);
      if (account === undefined) throw notFound('account');
      const wanted = mailAccount(ports, keyring, account);
      return (await tried(accountId, async () => indexing?.buildIndexAgain(wanted))) ?? 'done';
    },
  };
}
