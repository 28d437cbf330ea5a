import type { TokenPorts } from '../accounts/access-token.ts';
import { mailAccount } from '../accounts/mail-call.ts';
import { notFound } from '../contract/not-found.ts';
import type { Account } from '../ports/account.ts';
import { errorName } from '../ports/log.ts';
import type { Keyring } from '../secrets/keyring.ts';
import type { IndexState, MailIndexing } from './indexed-mail.ts';

/** The index beside each account, for its owner. */
export interface MailIndexes {
  /** False: this service has no index, and the mail servers are asked. */
  readonly isThere: boolean;
  /** @throws ServiceError not_found */
  state(ownerId: string, accountId: number): Promise<AccountIndex>;
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

  async function accountOf(ownerId: string, accountId: number): Promise<Account> {
    const account = (await storage.accounts(ownerId)).find((one) => one.accountId === accountId);
    if (account === undefined) throw notFound('account');
    return account;
  }

  /** @returns undefined if the index fails */
  async function tried<T>(accountId: number, use: () => Promise<T>): Promise<T | undefined> {
    try {
      return await use();
    } catch (error) {
      log.warn('the index of an account does not answer', { account: accountId, ...errorName(error) });
      return undefined;
    }
  }

  async function turn(ownerId: string, accountId: number, isIndexed: boolean): Promise<Account> {
    if (!(await storage.editAccount({ ownerId, accountId, isIndexed }))) throw notFound('account');
    return accountOf(ownerId, accountId);
  }

  return {
    isThere: indexing !== undefined,
    async state(ownerId, accountId) {
      const { isIndexed } = await accountOf(ownerId, accountId);
      const indexed = await tried(accountId, async () => indexing?.indexState({ ownerId, accountId }));
      return { isOn: isIndexed && indexing !== undefined, indexed };
    },
    async turnOff(ownerId, accountId) {
      await turn(ownerId, accountId, false);
      const done = await tried(accountId, async () => {
        await indexing?.turnIndexOff({ ownerId, accountId });
        return 'done' as const;
      });
      return done ?? 'failed';
    },
    async buildAgain(ownerId, accountId) {
      const account = mailAccount(ports, keyring, await turn(ownerId, accountId, true));
      const done = await tried(accountId, async () => {
        await indexing?.buildIndexAgain(account);
        return 'done' as const;
      });
      return done ?? 'failed';
    },
  };
}
