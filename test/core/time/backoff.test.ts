import { describe, expect, it } from 'vitest';
import { createBackoff } from '../../../core/time/backoff.ts';

const at = (ms: number) => new Date(1_000_000 + ms);

describe('a failed task', () => {
  it('waits twice as long after each failure, up to a limit', () => {
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

  it('is forgotten once it succeeds, and delays nothing else', () => {
    const backoff = createBackoff(100, 400);
    backoff.failed('a', at(0));
    expect([backoff.isDue('a', at(1)), backoff.isDue('b', at(1))]).toEqual([false, true]);
    backoff.succeeded('a');
    expect([backoff.isDue('a', at(1)), backoff.failures('a')]).toEqual([true, 0]);
    backoff.failed('a', at(1));
    expect(backoff.isDue('a', at(101))).toBe(true);
  });

  it('stays within its limit after any number of failures', () => {
    const backoff = createBackoff(100, 400);
    for (let n = 0; n < 5000; n++) backoff.failed('a', at(0));
    expect(backoff.isDue('a', at(400))).toBe(true);
  });

  it('is forgotten if it failed longest ago and too many others failed', () => {
    const backoff = createBackoff(100, 400);
    for (const key of ['a', 'b', 'a']) backoff.failed(key, at(0));
    for (let n = 0; n < 9_999; n++) backoff.failed(`key ${n}`, at(0));
    expect([backoff.failures('a'), backoff.failures('b'), backoff.failures('key 0')]).toEqual([2, 0, 1]);
  });
});
