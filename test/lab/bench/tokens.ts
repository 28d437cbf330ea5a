import { randomBytes } from 'node:crypto';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import * as z from 'zod';
import { sandboxCalendar } from '../../../adapters/sandbox/calendar.ts';
import { sandboxMail } from '../../../adapters/sandbox/mail.ts';
import type { SampleMessage } from '../../../adapters/sandbox/sample-message.ts';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import type { AttachmentText } from '../../../core/ports/attachment-text.ts';
import { createService } from '../../../hosts/embedded/countersign.ts';
import { fetchHandler } from '../../../hosts/fetch/fetch-handler.ts';
import { benchReader } from './bench-reader.ts';
import { NO_LIMITS } from './no-limits.ts';
import type { Row } from './table.ts';

const EMAIL = 'owner@example.org';
const ORIGIN = 'http://127.0.0.1:2';
const INBOX = 150;
const CONVERSATION = 12;
const PENDING = 20;
const TRACKERS = 5;

/** What a model reads: the tokens (o200k) of the tools, and of answers at the tool door to typical calls. */
export async function tokens(): Promise<Row[]> {
  const service = createService({
    storage: sqliteStorage({ file: ':memory:' }),
    mail: sandboxMail({ samples }),
    calendar: sandboxCalendar(),
    reader: benchReader(),
    attachmentText: plainText,
    secretKeys: [randomBytes(32)],
    baseUrl: ORIGIN,
    dashboardUrl: 'http://127.0.0.1:1',
    limits: NO_LIMITS,
  });
  try {
    const { ownerId } = await service.owners.create({ email: EMAIL, plan: 'paid' });
    await service.accounts.connect({ ownerId, email: EMAIL, settings: {} });
    const mcp = fetchHandler(service, { doors: ['mcp'], address: () => '192.0.2.1' });

    async function keyOf(preset: 'full' | 'organise', modes = {}) {
      const { apiKey } = await service.keys.create({ ownerId, name: 'bench', preset, modes });
      return (method: string, params: object) => asked(mcp, apiKey, method, params);
    }
    const [asks, runs, organises] = [
      await keyOf('full'),
      await keyOf('full', { 'mail:manage': 'direct' }),
      await keyOf('organise'),
    ];

    const call = async (tool: string, args: object = {}, key = asks) => {
      const { content } = called.parse(await key('tools/call', { name: tool, arguments: args }));
      return content[0].text;
    };
    const row = (name: string, text: string, most?: number): Row => ({
      name,
      unit: 'tokens',
      ours: countTokens(text),
      ...(most !== undefined && { bound: { most } }),
    });

    for (let n = 0; n < TRACKERS; n++) {
      await call('create_tracker', { title: TOPICS[n], keywords: `topic-${n}, ${TOPICS[n]}` });
    }
    const inbox = await call('summarize_inbox', { limit: 50 });
    const ids = idsIn(inbox);
    expectRows(ids, 50);
    const [short, withFiles, ofThread] = ids;
    const archived = await call('archive_email', { ids, items: 'failed' }, runs);
    const { approval } = resultOf(archived, z.looseObject({ approval: z.looseObject({ id: z.string() }) }));
    const [one, ...others] = idsIn(await call('summarize_inbox', { limit: PENDING }));
    const waiting = await call('archive_email', { id: one });
    for (const id of others) await call('archive_email', { id });
    const thread = await call('get_thread', { id: ofThread });
    const approvals = await call('list_approvals', { limit: PENDING });
    expectRows(idsIn(thread), CONVERSATION);
    expectRows(resultOf(approvals, z.looseObject({ approvals: z.array(z.unknown()) })).approvals, PENDING);
    return [
      { name: 'what a model reads, in tokens', unit: '' },
      row('  tools/list and instructions, of a key with everything', await toolsOf(asks), 9000),
      row('  tools/list and instructions, of Read and organise', await toolsOf(organises), 5500),
      row('  get_me', await call('get_me')),
      row('  list_folders', await call('list_folders')),
      row('  summarize_inbox of 50', inbox, 3500),
      row('  search_inbox of 20', await call('search_inbox', { q: 'order', limit: 20 })),
      row('  get_email of a short message', await call('get_email', { id: short }), 260),
      row('  list_attachments', await call('list_attachments', { id: withFiles })),
      row(
        '  read_attachment, 2000 characters',
        await call('read_attachment', { id: withFiles, index: 0, max_chars: 2000 }),
      ),
      row(`  get_thread of ${CONVERSATION}`, thread),
      row('  archive_email of one: it waits', waiting),
      row('  archive_email of 50, items: failed: executed', archived, 160),
      row(
        '  get_approval of it, items: failed',
        await call('get_approval', { approval_id: approval.id, items: 'failed' }, runs),
      ),
      row(`  list_approvals of ${PENDING}`, approvals, 1500),
      row('  list_events', await call('list_events')),
      row('  list_trackers', await call('list_trackers')),
    ];
  } finally {
    await service.stop();
  }
}

type Ask = (method: string, params: object) => Promise<unknown>;

/** What a client receives once it is connected. */
async function toolsOf(ask: Ask): Promise<string> {
  const { tools } = z.looseObject({ tools: z.array(z.unknown()) }).parse(await ask('tools/list', {}));
  const { instructions } = z.looseObject({ instructions: z.string() }).parse(await ask('initialize', CLIENT));
  return `${instructions}\n${JSON.stringify(tools)}`;
}

const CLIENT = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1.0.0' },
};

async function asked(
  mcp: (request: Request) => Promise<Response>,
  key: string,
  method: string,
  params: object,
): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    accept: 'application/json, text/event-stream',
  };
  const response = await mcp(new Request(`${ORIGIN}/mcp`, { method: 'POST', headers, body }));
  const text = await response.text();
  const answered = withResult.safeParse(JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text));
  if (!answered.success) throw new Error(`${method}: ${text}`);
  return answered.data.result;
}

const withResult = z.looseObject({ result: z.looseObject({}) });
const called = z.looseObject({
  content: z.tuple([z.looseObject({ text: z.string() })]),
  isError: z.literal(false),
});

function resultOf<T>(text: string, shape: z.ZodType<T>): T {
  return z.looseObject({ result: shape }).parse(JSON.parse(text)).result;
}

function idsIn(text: string): string[] {
  const listed = z.looseObject({ messages: z.array(z.looseObject({ id: z.string() })) });
  return resultOf(text, listed).messages.map(({ id }) => id);
}

/** Fewer would cost fewer tokens. */
function expectRows(rows: readonly unknown[], count: number): void {
  if (rows.length !== count) throw new Error(`an answer has ${rows.length} rows in place of ${count}`);
}

const plainText: AttachmentText = {
  extract: async ({ bytes }) => ({ kind: 'text', text: Buffer.from(bytes).toString(), cut: false }),
  close: async () => undefined,
};

const TOPICS = ['Office move', 'Lisbon offsite', 'Invoices of spring', 'New website', 'Insurance'];
const PEOPLE = ['Maya Okafor', 'Jonas Lindqvist', 'Ada Byron', 'Priya Raman', 'Tomás Oliveira'];
const SENTENCES = [
  'Thank you for the quick answer, that helps a lot.',
  'The order leaves our warehouse on Thursday and should reach you before the weekend.',
  'Could you look at the second paragraph again before I pass it on to the lawyers?',
  'We would need the signed copy by the end of the month at the latest.',
  'I have attached the figures of the last quarter, as we discussed on the phone.',
];

/** Newest first: a short message, one with attachments, a conversation, and ordinary mail. */
function samples(owner: string): SampleMessage[] {
  return Array.from({ length: INBOX }, (_, n) => {
    const person = PEOPLE[n % PEOPLE.length] ?? '';
    const address = `${person.split(' ')[0]?.toLowerCase()}@company-${n % 7}.example`;
    const inThread = n >= 2 && n < 2 + CONVERSATION;
    // Replies come after what they answer.
    const before = Array.from({ length: 1 + CONVERSATION - n }, (_, at) => `mail-${1 + CONVERSATION - at}`);
    return {
      folder: 'INBOX',
      minutesAgo: 60 * n + 1,
      id: `mail-${n}`,
      from: `${person} <${address}>`,
      to: owner,
      subject: inThread ? 'Re: Lease of the second floor' : `${TOPICS[n % TOPICS.length]}: order ${4100 + n}`,
      text: `${n === 0 ? 'Could we meet at ten instead of eleven tomorrow?' : textOf(n)}\n\nBest regards\n${person}\n`,
      ...(inThread && { thread: before }),
      ...(n === 1 && { attachments: FILES }),
    };
  });
}

function textOf(n: number): string {
  return Array.from({ length: 8 }, (_, at) => SENTENCES[(n + at) % SENTENCES.length]).join(' ');
}

const FILES = ['figures.csv', 'contract-draft.txt', 'minutes of the meeting.txt'].map((name, n) => ({
  name,
  mime: name.endsWith('csv') ? 'text/csv' : 'text/plain',
  content: Buffer.from(Array.from({ length: 20 }, () => textOf(n)).join('\n')),
}));
