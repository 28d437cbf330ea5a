import { accountKey } from '../accounts/account-cache.ts';
import type { IndexedAccount } from '../ports/mail-index.ts';

/** Work on the index of an account, one after another. Accounts do not wait for each other. */
export interface AccountTurns {
  /** Runs the work when what was asked for before has ended, however that ended. */
  next<T>(account: IndexedAccount, work: () => Promise<T>): Promise<T>;
}

export function accountTurns(): AccountTurns {
  const last = new Map<string, Promise<unknown>>();
  return {
    next(account, work) {
      const key = accountKey(account);
      const result = (last.get(key) ?? Promise.resolve()).then(work);
      const ended = result
        .catch(() => undefined)
        .then(() => {
          if (last.get(key) === ended) last.delete(key);
        });
      last.set(key, ended);
      return result;
    },
  };
}
