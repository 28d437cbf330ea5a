import { Buffer } from 'node:buffer';
import { mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mailReader } from '../../../core/accounts/mail-reader.ts';
import type { SearchPosition } from '../../../core/ports/mail-reading.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import { systemClock } from '../../../hosts/embedded/system-clock.ts';
import { until } from '../../until.ts';
import { newestOf, searchFor } from '../imap/mailbox-on.ts';
import { INDEX_KEY, indexed } from './indexed-mail.ts';
import { account, call, deliver, openIndexed } from './indexed-scene.ts';

const total = async (mail: Mail, word: string) => (await mail.search(call, searchFor(word))).total;

describe('a search beside an index', () => {
  it('asks the server while there is much to index, and the index once that is done', async () => {
    const { open, searches } = await openIndexed({ messages: 100 });
    const mail = open();
    expect(await total(mail, 'needle')).toBe(100);
    expect(searches()).toBe(1);
    await until(async () => (await mail.search(call, searchFor('needle'))).by === 'index');
    const before = searches();
    expect(await total(mail, '77')).toBe(1);
    expect(searches()).toBe(before);
  });

  it('goes on with whoever answered the page before', async () => {
    const { folder, open, searches, sandbox } = await openIndexed({ messages: 10 });
    const down: { is: boolean } = { is: false };
    const index = folder.open();
    const mail = open({
      ...index,
      search: (...asked) =>
        down.is ? Promise.reject(new Error('The disk is full.')) : index.search(...asked),
    });
    const page = (after: SearchPosition | undefined) =>
      mail.search(call, { ...searchFor('needle'), limit: 4, after });
    const last = async (of: ReturnType<typeof page>): Promise<SearchPosition> => {
      const { rows, by = 'server' } = await of;
      const { place, internalDate } = rows.at(-1) ?? { place: { uid: 0 }, internalDate: new Date(0) };
      return { internalDateMs: internalDate.getTime(), folderKey: '', uid: place.uid, by };
    };
    const ofIndex = await last(page(undefined));
    expect(ofIndex.by).toBe('index');
    down.is = true;
    // What an index found is not continued by a server, which may find something else.
    await expect(page(ofIndex)).rejects.toMatchObject({ code: 'unavailable' });
    const ofServer = await last(page(undefined));
    expect(ofServer.by).toBe('server');
    down.is = false;
    const before = searches();
    await page(ofServer);
    expect(searches()).toBe(before + 1);
    expect((await page(ofIndex)).by).toBe('index');
    await deliver(sandbox, 'another needle');
    expect(await total(mail, 'needle')).toBe(11);
  });

  it('names the messages that could not be read', async () => {
    const { folder, sandbox } = await openIndexed({ messages: 1 });
    const unread: Mail = {
      ...sandbox,
      async readTexts(...asked) {
        const messages = await sandbox.readTexts(...asked);
        return messages.map((one) => one && { ...one, row: { ...one.row, undeliverable: true as const } });
      },
    };
    const mail = indexed(unread, folder.open());
    onTestFinished(() => mail.close());
    const page = await mail.search(call, searchFor('haystack'));
    expect(page).toMatchObject({
      ...{ rows: [], total: 0, by: 'index' },
      missing: [{ path: 'INBOX', reason: 'undeliverable', messages: 1 }],
    });
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 17, 20])(
    'finds everything after its process died at call %i of the index, and the next one went on',
    async (dies) => {
      const { open, sandbox, folder } = await openIndexed({ messages: 60 });
      await deliver(sandbox, 'needle in Sent', 'Sent');
      let calls = 0;
      const dying = folder.open();
      const mortal = async <T>(work: () => Promise<T>): Promise<T> => {
        calls += 1;
        if (calls < dies) return work();
        // In the middle of the call: what it did may be done.
        if (calls === dies && dies % 2 === 0) await work();
        return new Promise<T>(() => undefined);
      };
      const mail = open({
        open: (key) => dying.open(key),
        accounts: () => mortal(() => dying.accounts()),
        folders: (one) => mortal(() => dying.folders(one)),
        uids: (...asked) => mortal(() => dying.uids(...asked)),
        save: (...asked) => mortal(() => dying.save(...asked)),
        forgetFolder: (...asked) => mortal(() => dying.forgetFolder(...asked)),
        forgetAccount: (one) => mortal(() => dying.forgetAccount(one)),
        fetched: (...asked) => mortal(() => dying.fetched(...asked)),
        addFetched: (...asked) => mortal(() => dying.addFetched(...asked)),
        size: (one) => mortal(() => dying.size(one)),
        search: (...asked) => mortal(() => dying.search(...asked)),
        conversation: (...asked) => mortal(() => dying.conversation(...asked)),
        close: () => dying.close(),
      });
      await until(() => {
        mail.search(call, searchFor('needle')).catch(() => undefined);
        return calls >= dies;
      });
      await dying.close();
      const next = open();
      await until(async () => (await next.search(call, searchFor('needle'))).by === 'index');
      for (const word of ['needle', '42', 'Sent', 'nowhere'])
        expect(await total(next, word)).toBe((await sandbox.search(call, searchFor(word))).total);
      const { place } = await newestOf(sandbox, call);
      const { rows } = await mailReader(next, systemClock).thread(call, place);
      expect(rows.map((row) => row.place)).toEqual([place]);
    },
  );
});

describe('the file of an index', () => {
  const damages: Readonly<Record<string, (file: string) => void>> = {
    'is not a database': (file) =>
      writeFileSync(file, 'This is not a database, and longer than its header.'.repeat(99)),
    'is cut': (file) => truncateSync(file, 5000),
    'is empty': (file) => truncateSync(file, 0),
    'has noise in its middle': (file) => {
      const bytes = readFileSync(file);
      bytes.fill(0xa5, 4096, bytes.length - 100);
      writeFileSync(file, bytes);
    },
  };
  for (const [damage, damageFile] of Object.entries(damages)) {
    it(`is built again if it ${damage}`, async () => {
      const { open, folder } = await openIndexed({ messages: 20 });
      const first = open();
      expect((await first.search(call, searchFor('needle'))).by).toBe('index');
      await first.close();
      damageFile(folder.file);
      const second = open();
      // The first search may find the damage.
      expect(await total(second, 'needle')).toBe(20);
      await until(async () => (await second.search(call, searchFor('needle'))).by === 'index');
      expect(await total(second, '17')).toBe(1);
    });
  }

  it('leaves searches to the server where it cannot be created, and says so once', async () => {
    const { open, folder, warnings } = await openIndexed({ messages: 3 });
    mkdirSync(folder.file);
    const mail = open();
    for (let tries = 0; tries < 3; tries += 1) expect(await total(mail, 'needle')).toBe(3);
    expect(warnings).toEqual(['the index beside the mailboxes fails, and searches ask the mail servers']);
  });

  it('says nothing to those who have no key', async () => {
    const { open, folder, sandbox } = await openIndexed();
    await deliver(sandbox, 'Confidential zebra\r\nMessage-ID: <walrus@example.test>');
    await sandbox.createFolder(call, 'Projects of the ostrich');
    const mail = open();
    expect((await mail.search(call, searchFor('zebra'))).by).toBe('index');
    await mail.close();
    const files = readdirSync(dirname(folder.file)).map((name) =>
      readFileSync(join(dirname(folder.file), name)),
    );
    const bytes = Buffer.concat(files);
    expect(bytes.length).toBeGreaterThan(4096);
    for (const said of [
      'zebra',
      'onfidential',
      'ostrich',
      'owner-1',
      'bob@example',
      'walrus',
      Buffer.from(INDEX_KEY).toString('latin1'),
    ])
      for (const encoding of ['latin1', 'utf16le'] as const)
        expect(bytes.includes(Buffer.from(said, encoding))).toBe(false);
  });

  it('can be read by its owner alone', async () => {
    const { open, folder } = await openIndexed({ messages: 1 });
    await total(open(), 'needle');
    expect(statSync(folder.file).mode & 0o077).toBe(0);
  });

  it('forgets an account', async () => {
    const { open, folder } = await openIndexed({ messages: 5 });
    const mail = open();
    expect((await mail.search(call, searchFor('needle'))).by).toBe('index');
    await mail.eraseIndex(account);
    await mail.close();
    const index = folder.open();
    await index.open(INDEX_KEY);
    expect(await index.folders(account)).toEqual([]);
    await index.close();
  });
});
