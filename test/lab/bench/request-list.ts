import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { sandboxMail } from '../../../adapters/sandbox/mail.ts';
import type { SampleMessage } from '../../../adapters/sandbox/sample-message.ts';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import type { ToolArguments, ToolName } from '../../../core/tools/catalogue.ts';
import { ownerPages } from '../../../hosts/dashboard/handler.ts';
import { createService } from '../../../hosts/embedded/countersign.ts';
import { sessionToken } from '../../session-token.ts';
import { benchReader } from './bench-reader.ts';
import { NO_LIMITS } from './no-limits.ts';
import type { Row } from './table.ts';

const REQUESTS = 500;
const LOADS = 30;
const PASSWORD = 'correct horse battery';
const DASHBOARD = 'http://127.0.0.1:1';
const BOUNDS = { cpuMs: 50, sizeKb: 200 };

/** CPU time and size of the owner's list with 500 requests, on SQLite: of sends with findings, and of moves. */
export async function requestList(): Promise<Row[]> {
  const service = createService({
    storage: sqliteStorage({ file: ':memory:' }),
    mail: sandboxMail({ samples }),
    reader: benchReader(),
    secretKeys: [randomBytes(32)],
    baseUrl: 'http://127.0.0.1:2',
    dashboardUrl: DASHBOARD,
    limits: NO_LIMITS,
  });
  const answer = ownerPages(service);

  /** An owner who is signed in, with a key. */
  async function owner(email: string) {
    const { ownerId } = await service.owners.create({ email, password: PASSWORD });
    await service.accounts.connect({ ownerId, email, settings: {} });
    const { keyId } = await service.keys.create({ ownerId, name: 'bench', preset: 'full' });
    const from = { address: '192.0.2.1', device: undefined, browser: 'bench', proofKey: null };
    const signedIn = await service.sessions.signIn({ email, password: PASSWORD, ...from });
    const cookie = `countersign-1=${sessionToken(signedIn)}`;
    async function call<Name extends ToolName>(tool: Name, args: ToolArguments<Name>) {
      const outcome = await service.as({ ownerId, keyId }).call(tool, args);
      if (outcome.status === 'error') throw new Error(`${tool}: ${outcome.code}`);
      return outcome;
    }
    async function load(target: string): Promise<string> {
      const headers = { host: '127.0.0.1:1', cookie };
      const head = { method: 'GET', target, headers, peer: '192.0.2.1' };
      const reply = await answer(head, async () => new Uint8Array(), new AbortController().signal);
      if (reply?.status !== 200) throw new Error(`${target}: ${reply?.status}`);
      return String(reply.body);
    }
    async function measured(name: string, target: string): Promise<Row[]> {
      const body = await load(target);
      for (let n = 0; n < LOADS / 3; n++) await load(target);
      const before = process.cpuUsage();
      for (let n = 0; n < LOADS; n++) await load(target);
      const { user, system } = process.cpuUsage(before);
      const rows = body.match(/<li id="/g)?.length ?? 0;
      return [
        {
          name: `  ${name}, ${rows} rows: CPU`,
          unit: 'ms',
          ours: (user + system) / 1000 / LOADS,
          bound: { most: BOUNDS.cpuMs },
        },
        {
          name: '    size',
          unit: 'KB',
          ours: Buffer.byteLength(body) / 1024,
          bound: { most: BOUNDS.sizeKb },
        },
      ];
    }
    return { call, load, measured };
  }

  try {
    const sender = await owner('sender@example.org');
    for (let n = 0; n < REQUESTS; n++) {
      const body = 'See https://bank.example@evil.example/ for the details.';
      await sender.call('send_email', {
        to: [`ada-${n}@example.net`],
        subject: `Letter ${n} ${'x'.repeat(80)}`,
        body,
      });
    }
    const mover = await owner('mover@example.org');
    let cursor: string | undefined;
    do {
      const listed = await mover.call('summarize_inbox', {
        limit: 50,
        ...(cursor !== undefined && { cursor }),
      });
      const { messages, next_cursor } = pageSchema.parse('result' in listed ? listed.result : undefined);
      for (const { id } of messages) await mover.call('archive_email', { id });
      cursor = next_cursor;
    } while (cursor !== undefined);
    const together = /\/approvals\/together\/[\w-]+/.exec(await mover.load('/approvals'))?.[0] ?? '';
    return [
      { name: `the list with ${REQUESTS} requests`, unit: '' },
      ...(await sender.measured('sends with findings', '/approvals')),
      ...(await mover.measured('moves', '/approvals')),
      ...(await mover.measured('the page to decide moves together', together)),
    ];
  } finally {
    await service.stop();
  }
}

const pageSchema = z.looseObject({
  messages: z.array(z.looseObject({ id: z.string() })),
  next_cursor: z.string().optional(),
});

function samples(owner: string): SampleMessage[] {
  if (!owner.startsWith('mover')) return [];
  return Array.from({ length: REQUESTS }, (_, n) => ({
    folder: 'INBOX',
    minutesAgo: n + 1,
    id: `message-${n}`,
    from: `Sender ${n} <sender-${n}@example.net>`,
    to: owner,
    subject: `Message ${n}`,
    text: 'A text of usual length. '.repeat(20),
  }));
}
