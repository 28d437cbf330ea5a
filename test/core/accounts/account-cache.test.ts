import { describe, expect, it } from 'vitest';
import { accountCache } from '../../../core/accounts/account-cache.ts';

const ADA = { ownerId: 'ada', accountId: 1 };
const HOME = { ownerId: 'ada', accountId: 2 };
const BEN = { ownerId: 'ben', accountId: 1 };

describe('what is known of accounts', () => {
  it('is forgotten with its account, and only with it', () => {
    const cache = accountCache<number>(1000, (size) => size);
    for (const account of [ADA, HOME, BEN]) cache.set(account, 'a', 3);
    cache.forget(ADA);
    expect([ADA, HOME, BEN].map((account) => cache.get(account, 'a'))).toEqual([undefined, 3, 3]);
    const other = { ownerId: 'ada', accountId: 11 };
    cache.set(other, 'a', 4);
    cache.forget(ADA);
    expect(cache.get(other, 'a')).toBe(4);
  });
});
