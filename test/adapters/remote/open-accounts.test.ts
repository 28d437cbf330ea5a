import { describe, expect, it, vi } from 'vitest';
import { openAccounts } from '../../../adapters/remote/open-accounts.ts';
import type { MailAccount } from '../../../core/ports/mail.ts';

const account = (accountId: number, revision = 1): MailAccount => ({
  ownerId: 'o',
  accountId,
  revision,
  email: 'ada@example.org',
  settings: async () => ({}),
});

function open() {
  let nowMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const closed: string[] = [];
  const busy = new Set<number>();
  const accounts = openAccounts(({ accountId, revision }) => ({
    isIdle: () => !busy.has(accountId),
    close: () => closed.push(`${accountId}/${revision}`),
  }));
  return {
    accounts,
    closed,
    busy,
    has: (...ids: number[]) => ids.map((id) => accounts.has(account(id))),
    pass: (minutes: number) => {
      nowMs += minutes * 60_000;
    },
  };
}

describe('the accounts in use', () => {
  it('are opened once, and again with new settings', () => {
    const { accounts, closed } = open();
    const first = accounts.of(account(1));
    expect(accounts.of(account(1))).toBe(first);
    const changed = accounts.of(account(1, 2));
    expect(closed).toEqual(['1/1']);
    expect(changed).not.toBe(first);
    expect(accounts.of(account(1))).toBe(changed);
  });

  it('are dropped when they were idle for 10 minutes, however many there were', () => {
    const { accounts, busy, has, pass } = open();
    for (let id = 1; id <= 1000; id += 1) accounts.of(account(id));
    busy.add(7);
    pass(9);
    accounts.of(account(5));
    expect(has(1, 5, 7, 1000)).toEqual([true, true, true, true]);
    pass(2);
    accounts.of(account(2000));
    expect(has(1, 5, 7, 1000)).toEqual([false, true, true, false]);
    pass(11);
    accounts.of(account(2001));
    expect(has(5, 7, 2000)).toEqual([false, true, false]);
    busy.clear();
    pass(11);
    accounts.of(account(2002));
    expect(has(7)).toEqual([false]);
  });

  it('are closed when they are forgotten', () => {
    const { accounts, closed, has } = open();
    accounts.of(account(1));
    accounts.of(account(2));
    accounts.forget('o', 1);
    expect(closed).toEqual(['1/1']);
    expect(has(1, 2)).toEqual([false, true]);
    accounts.close();
    expect(closed).toEqual(['1/1', '2/1']);
    expect(has(2)).toEqual([false]);
  });
});
