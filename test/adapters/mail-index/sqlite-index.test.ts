import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { sqliteIndex } from '../../../adapters/mail-index/sqlite-index.ts';
import type { IndexedAccount, MailIndex } from '../../../core/ports/mail-index.ts';
import { mailIndexContract } from '../../contracts/mail-index.ts';
import { bundleForChild } from '../../run-typescript.ts';
import { INDEX_KEY, indexFolder } from './indexed-mail.ts';

mailIndexContract('sqliteIndex', async () => {
  const workerFile = await bundleForChild(
    join(import.meta.dirname, '../../../adapters/mail-index/worker.ts'),
  );
  const folder = mkdtempSync(join(tmpdir(), 'countersign-index-'));
  const opened = () => sqliteIndex({ file: join(folder, 'index.db'), workerFile });
  let index = opened();
  return {
    index,
    async reopen() {
      await index.close();
      index = opened();
      return index;
    },
    async close() {
      await index.close();
      rmSync(folder, { recursive: true });
    },
  };
});

const FOLDER = { path: 'INBOX', uidValidity: '7', uidNext: 1, state: 'a' };
const ACCOUNTS = [1, 2].map((accountId) => ({ ownerId: 'owner-1', accountId }));

async function filled(index: MailIndex, account: IndexedAccount, messages: number): Promise<void> {
  for (let at = 0; at < messages; at += 100) {
    const add = Array.from({ length: 100 }, (_, one) => ({
      ...{ uid: at + one + 1, receivedMs: (at + one) * 1000, linkedIds: [`<${at + one}@x.example>`] },
      text: {
        sender: 'Bob',
        head: `Lunch ${at + one}`,
        body: `${(at + one) * 7919} `.repeat(20),
        isWhole: true,
      },
    }));
    await index.save(account, { ...FOLDER, add, remove: [] });
  }
}

it('erases many messages in parts, between which others are answered, and gives the disk back what they took', async () => {
  const { open, file } = await indexFolder();
  const index = open();
  onTestFinished(() => index.close());
  await index.open(INDEX_KEY);
  for (const account of ACCOUNTS) await filled(index, account, 3000);
  const [gone, kept] = ACCOUNTS as [IndexedAccount, IndexedAccount];
  const looked = new SqliteDatabase(file, { readonly: true });
  onTestFinished(() => void looked.close());
  const look = () => ({
    terms: Number(looked.prepare('SELECT sum(length(block)) FROM terms_data').pluck().get()),
    pages: Number(looked.pragma('page_count', { simple: true })),
    mergesAt: looked.prepare(`SELECT v FROM terms_config WHERE k = 'deletemerge'`).pluck().get(),
  });
  const before = look();
  let isErased = false;
  const erased = index.forgetAccount(gone).then(() => {
    isErased = true;
  });
  expect(await index.uids(kept, 'INBOX')).toHaveLength(3000);
  expect(isErased).toBe(false);
  await erased;
  const after = look();
  expect(after.terms).toBeLessThan(before.terms * 0.7);
  expect(after.pages).toBeLessThan(before.pages);
  expect(after.mergesAt).toBe(10);
  expect(await index.accounts()).toEqual([kept]);
  await index.forgetAccount(kept);
  expect(look().terms).toBeLessThan(1000);
  expect(look().pages).toBeLessThan(50);
});

it('goes on with what a process that died left of an account', async () => {
  const { open, file } = await indexFolder();
  const index = open();
  await index.open(INDEX_KEY);
  const [gone] = ACCOUNTS as [IndexedAccount];
  await filled(index, gone, 2000);
  const dying = index.forgetAccount(gone).catch((error: unknown) => error);
  await index.close();
  expect(await dying).toBeInstanceOf(Error);
  const looked = new SqliteDatabase(file, { readonly: true });
  onTestFinished(() => void looked.close());
  const mergesAt = () => looked.prepare(`SELECT v FROM terms_config WHERE k = 'deletemerge'`).pluck().get();
  expect(mergesAt()).toBe(0);
  const next = open();
  onTestFinished(() => next.close());
  await next.open(INDEX_KEY);
  const [left] = await next.folders(gone);
  expect(left).toMatchObject({ path: 'INBOX', state: null });
  expect((await next.uids(gone, 'INBOX')).length).toBeLessThan(2000);
  expect(mergesAt()).toBe(10);
  await next.forgetAccount(gone);
  expect(await next.accounts()).toEqual([]);
});
