import type { MailAccount } from '../ports/mail.ts';

/**
 * What is known of accounts, in memory. Bounded for all accounts together: what was not used for the longest time is
 * dropped.
 */
export interface AccountCache<V> {
  /** @param name of the value within the account */
  get(account: AccountKey, name: string): V | undefined;
  set(account: AccountKey, name: string, value: V): void;
  /** Drops all values of an account. */
  forget(account: AccountKey): void;
}

type AccountKey = Pick<MailAccount, 'ownerId' | 'accountId'>;

/** @param bytesOf the memory of a value; one that is larger than all of `mostBytes` is not kept */
export function accountCache<V>(mostBytes: number, bytesOf: (value: V) => number): AccountCache<V> {
  // In the order of their use.
  const entries = new Map<string, { account: AccountKey; value: V; bytes: number }>();
  let bytes = 0;

  function drop(key: string): void {
    bytes -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  }

  return {
    get(account, name) {
      const key = keyOf(account, name);
      const found = entries.get(key);
      if (found === undefined) return undefined;
      entries.delete(key);
      entries.set(key, found);
      return found.value;
    },
    set(account, name, value) {
      const key = keyOf(account, name);
      drop(key);
      const size = bytesOf(value);
      if (size > mostBytes) return;
      entries.set(key, { account, value, bytes: size });
      bytes += size;
      for (const oldest of entries.keys()) {
        if (bytes <= mostBytes) break;
        drop(oldest);
      }
    },
    forget({ ownerId, accountId }) {
      for (const [key, { account }] of entries) {
        if (account.ownerId === ownerId && account.accountId === accountId) drop(key);
      }
    },
  };
}

function keyOf({ ownerId, accountId }: AccountKey, name: string): string {
  return JSON.stringify([ownerId, accountId, name]);
}
