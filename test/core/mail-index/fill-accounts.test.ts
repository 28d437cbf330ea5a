import { expect, it } from 'vitest';
import { createFilling, type Filling } from '../../../core/mail-index/fill-accounts.ts';
import { DAY_MS } from '../../../core/time/durations.ts';
import { inlineIndex } from '../../inline-index.ts';
import { until } from '../../until.ts';

const MB = 1024 * 1024;
const account = {
  ...{ ownerId: 'owner-1', accountId: 1, email: 'demo@countersign.test' },
  settings: () => Promise.reject(new Error('The sandbox has no settings')),
};

/** A mailbox whose server delivers 70 MB in each part of filling. */
function scene(mailboxBytes: number) {
  const index = inlineIndex();
  const filled = { bytes: 0 };
  let nowMs = 20_000 * DAY_MS;
  const open = (): Filling =>
    createFilling({
      clock: {
        now: () => new Date(nowMs),
        every: () => () => undefined,
        after(_ms, task) {
          setImmediate(task);
          return () => undefined;
        },
      },
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
      index,
      current: async (one) => one,
      async follow(_account, _signal, limit) {
        const part = Math.min(70 * MB, mailboxBytes - filled.bytes);
        limit.bytes -= part;
        filled.bytes += part;
        // It took its whole time.
        nowMs += 5000;
        return filled.bytes < mailboxBytes
          ? { kind: 'behind' }
          : { kind: 'current', folders: [], refused: [] };
      },
    });
  return {
    filled,
    open,
    tomorrow() {
      nowMs += DAY_MS;
    },
  };
}

async function ended(filling: Filling): Promise<void> {
  filling.begin(account);
  await until(async () => !filling.isUnderWay(account));
}

it('a mailbox is filled with 500 MB a day, also if the process is started anew', async () => {
  const { filled, open, tomorrow } = scene(1200 * MB);
  let filling = open();
  await ended(filling);
  // The part that reaches the limit is saved.
  expect(filled.bytes).toBe(560 * MB);
  expect(await filling.isOverForToday(account)).toBe(true);
  filling.stop();
  filling = open();
  await ended(filling);
  expect(filled.bytes).toBe(560 * MB);
  tomorrow();
  expect(await filling.isOverForToday(account)).toBe(false);
  await ended(filling);
  expect(filled.bytes).toBe(1120 * MB);
  tomorrow();
  await ended(filling);
  expect(filled.bytes).toBe(1200 * MB);
  expect(await filling.isOverForToday(account)).toBe(false);
});

it('another account does not wait for it', async () => {
  const { open } = scene(1200 * MB);
  const filling = open();
  await ended(filling);
  expect(await filling.isOverForToday({ ...account, accountId: 2 })).toBe(false);
});
