import { describe, expect, it } from 'vitest';
import { createAddressBudget } from '../../../core/keys/address-budget.ts';

const noon = new Date('2026-03-03T12:00:00Z');
const later = (ms: number) => new Date(noon.getTime() + ms);

describe('the budget of an address', () => {
  it('is separate, counts down, and starts again a minute after its first call', () => {
    const budget = createAddressBudget(2);
    expect(budget.take('a', noon)).toEqual({ within: true, rate: { limit: 2, remaining: 1, resetS: 60 } });
    expect(budget.take('a', later(20_500))).toEqual({
      within: true,
      rate: { limit: 2, remaining: 0, resetS: 40 },
    });
    expect(budget.take('a', later(59_999))).toEqual({
      within: false,
      rate: { limit: 2, remaining: 0, resetS: 1 },
    });
    expect(budget.take('b', later(59_999)).within).toBe(true);
    expect(budget.take('a', later(60_000)).rate).toEqual({ limit: 2, remaining: 1, resetS: 60 });
  });

  it('does not stretch when the clock goes back', () => {
    const budget = createAddressBudget(1);
    budget.take('a', noon);
    expect(budget.take('a', later(-3_600_000)).rate.resetS).toBe(60);
  });

  it('forgets the oldest windows instead of filling the memory', () => {
    const budget = createAddressBudget(1);
    budget.take('first', noon);
    for (let n = 0; n < 9_999; n++) budget.take(`address-${n}`, later(1));
    expect(budget.take('first', later(2)).within).toBe(false);
    budget.take('one more', later(2));
    expect(budget.take('first', later(3)).within).toBe(true);
    expect(budget.take('address-9998', later(3)).within).toBe(false);
  });

  it('keeps a window that started again when it forgets older ones', () => {
    const budget = createAddressBudget(1);
    budget.take('kept', noon);
    for (let n = 0; n < 9_999; n++) budget.take(`address-${n}`, later(30_000));
    budget.take('kept', later(60_000));
    budget.take('one more', later(60_001));
    expect(budget.take('kept', later(60_002)).within).toBe(false);
    expect(budget.take('address-0', later(60_003)).within).toBe(true);
  });

  it('is the same for all addresses of an IPv6 /64', () => {
    const budget = createAddressBudget(1);
    expect(budget.take('2001:db8::1', noon).within).toBe(true);
    expect(budget.take('2001:db8::2', noon).within).toBe(false);
    expect(budget.take('2001:db8:0:1::1', noon).within).toBe(true);
  });
});
