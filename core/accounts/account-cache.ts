import { type BoundedCache, boundedCache } from '../memory/bounded-cache.ts';
import type { MailAccount } from '../ports/mail.ts';

/**
 * What is known of accounts, in memory. Bounded for all accounts together, as a `boundedCache` is. Values that were
 * stored with other settings of the account are not found.
 */
export interface AccountCache<V> {
  /** @param name of the value within the account */
  get(account: KnownAccount, name: string): V | undefined;
  set(account: KnownAccount, name: string, value: V): void;
  /** Drops all values of an account. */
  forget(account: Omit<KnownAccount, 'revision'>): void;
}

/** The part of an `AccountCache` that belongs to one account. */
export type KeptOfAccount<V> = Pick<BoundedCache<V>, 'get' | 'set'>;

export type KnownAccount = Pick<MailAccount, 'ownerId' | 'accountId' | 'revision'>;

/** @param mostBytes, bytesOf  as for `boundedCache` */
export function accountCache<V>(mostBytes: number, bytesOf: (value: V) => number): AccountCache<V> {
  const cache = boundedCache(mostBytes, bytesOf);
  return {
    get: (account, name) => cache.get(keyOf(account, name)),
    set: (account, name, value) => cache.set(keyOf(account, name), value),
    forget: (account) => cache.forget(accountKey(account)),
  };
}

function keyOf(account: KnownAccount, name: string): string {
  return `${accountKey(account)}${account.revision ?? 0} ${name}`;
}

/** The account's key. It does not start with the key of any other account. */
export function accountKey({ ownerId, accountId }: Omit<KnownAccount, 'revision'>): string {
  return JSON.stringify([ownerId, accountId]);
}
