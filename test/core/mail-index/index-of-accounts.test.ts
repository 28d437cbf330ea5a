import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { sandboxMail } from '../../../adapters/sandbox/mail.ts';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import { MailError } from '../../../core/ports/mail.ts';
import type { IndexChange, MailIndex } from '../../../core/ports/mail-index.ts';
import type { Service } from '../../../core/service/service.ts';
import { inlineIndex } from '../../inline-index.ts';
import { openTestService, type TestService, testClock } from '../../open-service.ts';
import { until } from '../../until.ts';

/** A service with an index, and another process on its database that has none. */
async function openTwo(given: Partial<Parameters<typeof openTestService>[0]> = {}): Promise<
  TestService & {
    readonly elsewhere: Service;
    readonly connect: (email: string) => Promise<number>;
  }
> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-index-'));
  const file = join(folder, 'mail.db');
  const secretKeys = [randomBytes(32)];
  const one = await openTestService({ storage: sqliteStorage({ file }), secretKeys, ...given });
  const other = await openTestService({
    ...{ storage: sqliteStorage({ file }), secretKeys, email: 'other@countersign.test' },
  });
  onTestFinished(async () => {
    await one.service.stop();
    await other.service.stop();
    rmSync(folder, { recursive: true });
  });
  const { ownerId, service } = one;
  return {
    ...one,
    elsewhere: other.service,
    connect: async (email) => (await service.accounts.connect({ ownerId, email, settings: {} })).accountId,
  };
}

it('what is indexed of an account that another process removed, or turned off, is swept at the start', async () => {
  const index = inlineIndex();
  const { service, ownerId, addKey, elsewhere, connect } = await openTwo({ mailIndex: index });
  const accountIds = [1, await connect('two@countersign.test'), await connect('three@countersign.test')];
  const key = await addKey('read');
  const messages = async (accountId: number) => (await index.size({ ownerId, accountId })).messages;
  for (const accountId of accountIds) {
    await service.accounts.activate(ownerId, accountId);
    await key.call('summarize_inbox', {});
    await until(async () => (await messages(accountId)) > 0);
  }
  await elsewhere.accounts.remove(ownerId, 2);
  await elsewhere.mailIndexes.turnOff(ownerId, 3);
  const kept = await messages(1);
  service.start();
  await until(async () => (await messages(2)) + (await messages(3)) === 0);
  expect(await index.accounts()).toEqual([{ ownerId, accountId: 1 }]);
  expect(await messages(1)).toBe(kept);
});

it.each(['removed', 'turned off'])(
  'an account that is %s elsewhere while it is filled is filled no more',
  async (done) => {
    const file = inlineIndex();
    const clock = testClock();
    let saves = 0;
    let afterFirst: () => Promise<unknown> = async () => undefined;
    const index: MailIndex = {
      ...file,
      async save(account, change: IndexChange) {
        await file.save(account, change);
        if (change.add.length === 0) return;
        // The part of filling ends after each batch.
        clock.shift(6000);
        saves += 1;
        if (saves === 1) await afterFirst();
      },
    };
    const mail = sandboxMail({ samples: () => [] });
    const { ownerId, addKey, elsewhere } = await openTwo({ mailIndex: index, clock, mail });
    const account = {
      ...{ ownerId, accountId: 1, email: 'demo@countersign.test' },
      settings: async () => ({}),
    };
    for (let at = 0; at < 100; at += 1)
      await mail.deliver(account, 'INBOX', Buffer.from(`Subject: ${at}\r\n\r\nx\r\n`));
    let sizeThen = 0;
    afterFirst = async () => {
      sizeThen = (await file.size(account)).messages;
      if (done === 'removed') await elsewhere.accounts.remove(ownerId, 1);
      else await elsewhere.mailIndexes.turnOff(ownerId, 1);
    };
    const key = await addKey('read');
    await key.call('summarize_inbox', {});
    await until(async () => saves > 0 && (await file.accounts()).length === 0);
    expect(sizeThen).toBeGreaterThan(0);
    expect(saves).toBe(1);
  },
);

it('of an account that its owner checks again is kept, and of one with other settings it is erased', async () => {
  const index = inlineIndex();
  const sandbox = sandboxMail();
  let isDown = false;
  const mail: typeof sandbox = {
    ...sandbox,
    async verify(...asked) {
      if (isDown) throw new MailError('unavailable', 'The server is down.', { trouble: 'no_answer' });
      await sandbox.verify(...asked);
    },
  };
  const { service, ownerId, addKey } = await openTwo({ mailIndex: index, mail });
  const account = { ownerId, accountId: 1 };
  const messages = async () => (await index.size(account)).messages;
  await (await addKey('read')).call('summarize_inbox', {});
  await until(async () => (await messages()) > 10);
  const all = await messages();
  isDown = true;
  for (let tries = 0; tries < 2; tries += 1) await service.accounts.check(ownerId, 1);
  expect((await service.accounts.health(ownerId)).map(({ state }) => state)).toContain('no_answer');
  expect(await messages()).toBe(all);
  isDown = false;
  await service.accounts.changeSettings({ ...account, settings: {} });
  expect(await messages()).toBe(0);
});
