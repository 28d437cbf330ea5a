import { describe, expect, it } from 'vitest';
import { accountCache } from '../../../core/accounts/account-cache.ts';

const ADA = { ownerId: 'ada', accountId: 1 };
const HOME = { ownerId: 'ada', accountId: 2 };
const BEN = { ownerId: 'ben', accountId: 1 };

describe('what is known of accounts', () => {
  it('is bounded: what was used last stays, and what is too large is not kept', () => {
    const cache = accountCache<number>(10, (size) => size);
    const names = () => ['a', 'b', 'c', 'd'].filter((name) => cache.get(ADA, name) !== undefined);
    cache.set(ADA, 'a', 5);
    cache.set(ADA, 'b', 5);
    cache.get(ADA, 'a');
    cache.set(ADA, 'c', 5);
    expect(names()).toEqual(['a', 'c']);
    cache.set(ADA, 'd', 11);
    expect(names()).toEqual(['a', 'c']);
    cache.set(ADA, 'c', 5);
    expect(names()).toEqual(['a', 'c']);
    cache.set(ADA, 'c', 6);
    expect(names()).toEqual(['c']);
  });

  it('is forgotten with its account, and only with it', () => {
    const cache = accountCache<number>(10, (size) => size);
    for (const account of [ADA, HOME, BEN]) cache.set(account, 'a', 3);
    cache.forget(ADA);
    expect([ADA, HOME, BEN].map((account) => cache.get(account, 'a'))).toEqual([undefined, 3, 3]);
    cache.set(ADA, 'b', 4);
    expect([HOME, BEN].map((account) => cache.get(account, 'a'))).toEqual([3, 3]);
  });

  it('does not keep an older value of a name whose new one is too large', () => {
    const cache = accountCache<number>(10, (size) => size);
    cache.set(ADA, 'a', 5);
    cache.set(ADA, 'a', 11);
    expect(cache.get(ADA, 'a')).toBeUndefined();
  });
});
