import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { imapMail } from '../../../adapters/imap/mail.ts';
import { sqliteIndex } from '../../../adapters/mail-index/sqlite-index.ts';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import { createService } from '../../../hosts/embedded/countersign.ts';
import type { Dovecot } from '../../servers/dovecot.ts';
import { addressOf } from '../../servers/mail-users.ts';
import { benchReader } from './bench-reader.ts';
import { conversation } from './conversation.ts';
import { settingsOf } from './mail-settings.ts';
import { manyLetters, seedFolder } from './maildir.ts';
import { NO_LIMITS } from './no-limits.ts';
import { medianMs, tookMs } from './rounds.ts';
import { toolOutcome } from './service-for.ts';
import type { Row } from './table.ts';

const FOLDERS = ['INBOX', 'Sent', 'Archive', 'Drafts', 'Junk', 'Trash', 'Projects', 'Receipts'];
const MESSAGES = 2500;
const THREAD = 50;
const CALLS = 31;
const MB = 1024 * 1024;

/** Each of the queries has so many hits. */
const SEARCHES: readonly (readonly [name: string, args: object, hits: number, mostMs: number])[] = [
  ['a word that is nowhere', { q: 'zanzibar' }, 0, 10],
  ['words with 8 hits', { q: '1777 für' }, 8, 10],
  ['a sender with 104 hits', { from: 'person77@' }, 104, 35],
  ['frequent words, 20,000 hits', { q: 'example office' }, 20_000, 300],
  ['unread, 8 candidates', { q: '1776 für', unread: true }, 8, 35],
];

/** Searches and conversations of a mailbox on Dovecot with an index beside it, through the tools. */
export async function indexed(dovecot: Dovecot): Promise<Row[]> {
  const user = dovecot.addUser();
  for (const path of FOLDERS) {
    const own = path === 'INBOX' ? conversation(user, THREAD) : [];
    seedFolder(dovecot, user, path, [...manyLetters(user, MESSAGES, path), ...own]);
  }
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  try {
    const rows: Row[] = [];
    const first = await opened(folder);
    await first.connect(addressOf(user), dovecot.port);
    const began = performance.now();
    const before = process.memoryUsage().rss;
    let most = before;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss);
    }, 100);
    await first.filled();
    clearInterval(watch);
    const messages = FOLDERS.length * MESSAGES + THREAD;
    const fillMs = (performance.now() - began) / messages;
    rows.push({ name: `index of ${messages} messages, filled, a message`, unit: 'ms', ours: fillMs });
    rows.push({ name: '  its file', unit: 'MB', ours: statSync(join(folder, 'index.db')).size / MB });
    const memory = { ours: (most - before) / MB, bound: { most: 60 } };
    rows.push({ name: '  memory meanwhile', unit: 'MB', ...memory });
    for (const [name, args, hits, mostMs] of SEARCHES) {
      const found = await first.search(args);
      if (found.total !== hits && found.total_exact !== false)
        throw new Error(`${name}: ${found.total} hits were found`);
      rows.push({
        name: `search by the index: ${name}`,
        unit: 'ms',
        ours: await medianMs(CALLS, () => first.search(args)),
        bound: { most: mostMs },
      });
    }
    const { messages: hits } = await first.search({ q: 'Part plan' });
    const ids = hits.map(({ id }) => id);
    rows.push({
      name: `conversation of ${THREAD} by the index`,
      unit: 'ms',
      ours: await medianMs(CALLS, (time) => first.thread(ids[time % ids.length])),
      bound: { most: 30 },
    });
    await first.close();
    const second = await opened(folder);
    rows.push({
      name: '  the first of a fresh process',
      unit: 'ms',
      ours: await tookMs(() => second.thread(ids[0])),
      bound: { most: 150 },
    });
    await second.close();
    return rows;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const found = z.looseObject({
  total: z.int(),
  total_exact: z.boolean().optional(),
  messages: z.array(z.looseObject({ id: z.string() })),
});
const thread = z.looseObject({ messages: z.array(z.unknown()) });

/** A service on the database and the index in the folder. */
async function opened(folder: string) {
  const mail = imapMail({ allowPrivateServers: true });
  const index = sqliteIndex({
    file: join(folder, 'index.db'),
    workerFile: join(import.meta.dirname, 'index-worker.mjs'),
  });
  let isAsked = false;
  const service = createService({
    storage: sqliteStorage({ file: join(folder, 'countersign.db') }),
    // Only an account with a sender can be connected; nothing is sent here.
    mail: { ...mail, verify: async () => undefined },
    mailIndex: {
      ...index,
      search(...asked) {
        isAsked = true;
        return index.search(...asked);
      },
    },
    reader: benchReader(),
    secretKeys: [new Uint8Array(32).fill(1)],
    baseUrl: 'http://127.0.0.1:1',
    dashboardUrl: 'http://127.0.0.1:2',
    limits: NO_LIMITS,
  });
  const email = 'owner@example.org';
  const owner = (await service.owners.byEmail(email)) ?? (await service.owners.create({ email }));
  const { apiKey } = await service.keys.create({ ownerId: owner.ownerId, name: 'bench', preset: 'full' });

  async function call(tool: string, args: object): Promise<unknown> {
    const outcome = await toolOutcome(service, apiKey, tool, args);
    if (outcome.status !== 'ok' && outcome.status !== 'empty')
      throw new Error(`${tool} answered ${outcome.status}`);
    return outcome.result;
  }

  const search = async (args: object) => found.parse(await call('search_inbox', { limit: 20, ...args }));

  return {
    search,
    /** Waits until a search asks the index: until then, the server answers. */
    async filled() {
      while (!isAsked) {
        await search({ q: 'zanzibar' });
        await new Promise<void>((resolve) => setTimeout(resolve, 1000));
      }
    },
    async connect(address: string, port: number) {
      const settings = settingsOf(address, port);
      await service.accounts.connect({ ownerId: owner.ownerId, email: address, settings });
    },
    async thread(id: string | undefined) {
      const { messages } = thread.parse(await call('get_thread', { id, limit: THREAD }));
      if (messages.length === 0) throw new Error('the conversation is empty');
    },
    close: () => service.stop(),
  };
}
