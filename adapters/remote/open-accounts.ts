import { accountKey } from '../../core/accounts/account-cache.ts';
import type { MailAccount } from '../../core/ports/mail.ts';

/** The accounts that an adapter is using, with what it has open for each. */
export interface OpenAccounts<Opened> {
  /** A call that began before a change of the settings gets what was opened with the new ones. */
  of(account: MailAccount): Opened;
  /** False once the account is forgotten. */
  has(account: Pick<MailAccount, 'ownerId' | 'accountId'>): boolean;
  forget(ownerId: string, accountId: number): void;
  close(): void;
}

interface Closable {
  /** Nothing is open or opening, and nobody waits for it. */
  isIdle(): boolean;
  close(): void;
}

/** An idle account is dropped if it was not used for this time. It is longer than any call. */
const UNUSED_MS = 10 * 60_000;

export function openAccounts<Opened extends Closable>(
  open: (account: MailAccount) => Opened,
): OpenAccounts<Opened> {
  /** In the order of their use. */
  const accounts = new Map<string, { opened: Opened; revision: number; usedAtMs: number }>();

  function dropUnused(nowMs: number): void {
    for (const [key, known] of accounts) {
      if (nowMs - known.usedAtMs < UNUSED_MS) return;
      accounts.delete(key);
      if (!known.opened.isIdle()) accounts.set(key, { ...known, usedAtMs: nowMs });
    }
  }

  return {
    of(account) {
      const key = accountKey(account);
      const { revision = 0 } = account;
      const usedAtMs = performance.now();
      const known = accounts.get(key);
      accounts.delete(key);
      dropUnused(usedAtMs);
      if (known !== undefined && known.revision >= revision) {
        accounts.set(key, { ...known, usedAtMs });
        return known.opened;
      }
      known?.opened.close();
      const opened = open(account);
      accounts.set(key, { opened, revision, usedAtMs });
      return opened;
    },
    has: (account) => accounts.has(accountKey(account)),
    forget(ownerId, accountId) {
      const key = accountKey({ ownerId, accountId });
      accounts.get(key)?.opened.close();
      accounts.delete(key);
    },
    close() {
      for (const { opened } of accounts.values()) opened.close();
      accounts.clear();
    },
  };
}
