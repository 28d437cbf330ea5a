import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundedCache } from '../../../core/memory/bounded-cache.ts';
import { ownCopy } from '../../../core/memory/own-copy.ts';
import { anyCharacter } from '../../any-character.ts';

/** What an entry with a key of one letter takes, besides its value. */
const ONE = 202;

describe('a bounded cache', () => {
  it('keeps what was used last, and nothing that is too large', () => {
    const cache = boundedCache<number>(2 * ONE + 10, (size) => size);
    const names = () => ['a', 'b', 'c', 'd'].filter((name) => cache.get(name) !== undefined);
    cache.set('a', 5);
    cache.set('b', 5);
    cache.get('a');
    cache.set('c', 5);
    expect(names()).toEqual(['a', 'c']);
    cache.set('d', ONE + 11);
    expect(names()).toEqual(['a', 'c']);
    cache.set('c', 5);
    expect(names()).toEqual(['a', 'c']);
    cache.set('c', 6);
    expect(names()).toEqual(['c']);
  });

  it('does not keep an older value of a key whose new one is too large', () => {
    const cache = boundedCache<number>(1000, (size) => size);
    cache.set('a', 5);
    cache.set('a', 1000);
    expect(cache.get('a')).toBeUndefined();
  });

  it('counts each entry with its key', () => {
    const cache = boundedCache<null>(100 * ONE, () => 0);
    for (let index = 0; index < 1000; index += 1) cache.set(String.fromCharCode(0x4e00 + index), null);
    const kept = Array.from({ length: 1000 }, (_, index) => String.fromCharCode(0x4e00 + index));
    expect(kept.filter((key) => cache.get(key) === null)).toHaveLength(100);
    cache.set('k'.repeat(100 * ONE), null);
    expect(cache.get('k'.repeat(100 * ONE))).toBeUndefined();
  });

  it('forgets what starts with a text, and counts it no longer', () => {
    const cache = boundedCache<number>(3 * ONE, () => 0);
    for (const key of ['a', 'b', 'c']) cache.set(key, 1);
    cache.forget('a');
    cache.set('d', 1);
    expect(['a', 'b', 'c', 'd'].map((key) => cache.get(key))).toEqual([undefined, 1, 1, 1]);
    cache.forget('');
    expect(['b', 'c', 'd'].map((key) => cache.get(key))).toEqual([undefined, undefined, undefined]);
  });
});

it('a copy of a text is that text, whatever it contains', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.nat(), (text, at) => {
      const cut = text.slice(at % (text.length + 1));
      expect(ownCopy(cut)).toBe(cut);
    }),
  );
  expect(ownCopy('a\ud800b')).toBe('a\ud800b');
});
