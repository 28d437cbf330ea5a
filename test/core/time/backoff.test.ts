import { describe, expect, it } from 'vitest';
import { createBackoff } from '../../../core/time/backoff.ts';

const at = (ms: number) => new Date(1_000_000 + ms);

describe('what failed', () => {
  it('is left alone for twice as long after each failure, and no longer than it may be', () => {
    const backoff = createBackoff(100, 450);
    let now = 0;
    for (const waitMs of [100, 200, 400, 450, 450]) {
      expect(backoff.isDue('a', at(now))).toBe(true);
      backoff.failed('a', at(now));
      expect(backoff.isDue('a', at(now + waitMs - 1))).toBe(false);
      now += waitMs;
    }
    expect(backoff.failures('a')).toBe(5);
  });

  it('is forgotten once it succeeds, and holds up nothing else', () => {
    const backoff = createBackoff(100, 400);
    backoff.failed('a', at(0));
    expect([backoff.isDue('a', at(1)), backoff.isDue('b', at(1))]).toEqual([false, true]);
    backoff.succeeded('a');
    expect([backoff.isDue('a', at(1)), backoff.failures('a')]).toEqual([true, 0]);
    backoff.failed('a', at(1));
    expect(backoff.isDue('a', at(101))).toBe(true);
  });

  it('stays within its bound however often it fails', () => {
    const backoff = createBackoff(100, 400);
    for (let n = 0; n < 5000; n++) backoff.failed('a', at(0));
    expect(backoff.isDue('a', at(400))).toBe(true);
  });

  it('forgets what failed longest ago rather than fill the memory', () => {
    const backoff = createBackoff(100, 400);
    for (const key of ['a', 'b', 'a']) backoff.failed(key, at(0));
    for (let n = 0; n < 9_999; n++) backoff.failed(`key ${n}`, at(0));
    expect([backoff.failures('a'), backoff.failures('b'), backoff.failures('key 0')]).toEqual([2, 0, 1]);
  });
});
