import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { SampleMessage } from '../../adapters/sandbox/sample-message.ts';
import type { Outcome } from '../../core/call/outcome.ts';
import type { ListedMessage } from '../../core/mail/listed-message.ts';
import { seenText } from '../../core/text/seen-text.ts';
import { type TestKey, wireBytes } from '../open-service.ts';
import {
  approvalOf,
  approve,
  FRIEND,
  idsIn,
  letter,
  openScene,
  pageSchema,
  resultOf,
  type Scene,
  sendTo,
} from './scene.ts';

// No response is larger than 64 KB as its door writes it, for any untrusted content. All content stays reachable.

const LIMIT_BYTES = 65_536;

/** How the doors write an outcome: REST once, MCP once as data and once as text. */
const DOORS: [name: string, sizeBytes: (outcome: Outcome) => number][] = [
  ['REST', wireBytes],
  [
    'the tool protocol',
    (outcome) => {
      const content = [{ type: 'text', text: JSON.stringify(outcome) }];
      return Buffer.byteLength(JSON.stringify({ content, structuredContent: outcome, isError: false }));
    },
  ],
];

/** Characters that take more bytes in UTF-8, in JSON, in JSON within JSON, or after marking. */
const growing = fc.constantFrom(
  'x',
  'é',
  '\u{1f4dc}',
  '"',
  '\\',
  '\u0001',
  '\n',
  '\u2028',
  '<',
  '<<<END_UNTRUSTED_CONTENT',
);
const long = (max: number) =>
  fc
    .tuple(growing, fc.integer({ min: 0, max }), growing)
    .map(([char, count, end]) => char.repeat(Math.ceil(count / char.length)) + end);

function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a header holds none
  return text.replace(/[\n\u0001\u2028]/g, ' ');
}

/** The text without the effect of marking, in one part or cut in two. */
function unmarked(text: string): string {
  // Brackets in front of the words of a fence become three, and signs between them are left out.
  return text.replaceAll('‹', '<').replace(/<[^\p{L}\p{N}<]*(?=<)/gu, '');
}

const sample = fc.record({
  subject: long(1000).map(oneLine),
  from: long(600).map((text) => `"${oneLine(text).replace(/["\\<>]/g, '_')}" <a@example.org>`),
  minutesAgo: fc.integer({ min: 1, max: 5 }),
});
const attachments = fc.record({
  count: fc.constantFrom(0, 1, 30, 500),
  name: long(300).map(oneLine),
  mime: fc.constantFrom('text/plain', `application/${'x'.repeat(75)}`),
});
const body = fc.array(long(40_000), { minLength: 1, maxLength: 3 }).map((parts) => `${parts.join('')}.`);

async function callWithin(
  { service }: Scene,
  { apiKey }: TestKey,
  sizeBytes: (outcome: Outcome) => number,
  tool: string,
  args: object,
): Promise<Record<string, unknown>> {
  const admission = await service.calls.admitCaller({ token: apiKey, address: '192.0.2.1' });
  if (admission.kind !== 'admitted') throw new Error(admission.failure.code);
  const { outcome } = await service.calls.runTool(admission.caller, {
    tool,
    args,
    idempotencyKey: undefined,
    sizeBytes,
  });
  expect(sizeBytes(outcome)).toBeLessThanOrEqual(LIMIT_BYTES);
  return resultOf(outcome);
}

async function open(samples: readonly Partial<SampleMessage>[]) {
  const scene = await openScene({ samples: () => samples.map((one, n) => letter(String(n), one)) });
  return { scene, key: await scene.addKey('full', { 'mail:organize': 'approval' }) };
}

describe.each(DOORS)('through %s', (_name, sizeBytes) => {
  it('a list of messages stays within it, and its pages show every message once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(sample, { minLength: 1, maxLength: 60 }), async (samples) => {
        const { scene, key } = await open(samples);
        const seen: string[] = [];
        let cursor: string | undefined;
        do {
          const args = { limit: 50, ...(cursor === undefined ? {} : { cursor }) };
          const page = pageSchema.parse(await callWithin(scene, key, sizeBytes, 'summarize_inbox', args));
          expect(page.messages.length).toBeGreaterThan(0);
          seen.push(...page.messages.map(({ id }) => id));
          cursor = page.next_cursor;
        } while (cursor !== undefined);
        expect(seen).toHaveLength(samples.length);
        expect(new Set(seen).size).toBe(samples.length);
        await scene.service.stop();
      }),
      { numRuns: 8 },
    );
  });

  it('a message stays within it, and its parts contain the whole text', async () => {
    const part = z.looseObject({
      body: z.string(),
      body_chars: z.int(),
      body_next_offset: z.int().optional(),
      untrusted_nonce: z.string(),
    });
    await fc.assert(
      fc.asyncProperty(sample, body, attachments, async (one, text, { count, name, mime }) => {
        const files = Array.from({ length: count }, () => ({ name, mime, content: Buffer.from('x') }));
        const { scene, key } = await open([{ ...one, text, attachments: files }]);
        const [id = ''] = await idsIn(key);
        let whole = '';
        let chars = 0;
        let offset: number | undefined = 0;
        while (offset !== undefined) {
          const args = { id, body_offset: offset };
          const shown: z.infer<typeof part> = part.parse(
            await callWithin(scene, key, sizeBytes, 'get_email', args),
          );
          whole += shown.body.split('\n').slice(1, -1).join('\n');
          chars = shown.body_chars;
          offset = shown.body_next_offset;
        }
        expect(unmarked(whole)).toBe(unmarked(seenText(text)));
        expect(chars).toBe(Array.from(seenText(text)).length);
        await scene.service.stop();
      }),
      { numRuns: 8 },
    );
  });

  it('a conversation stays within it, and its pages show every message once', async () => {
    const page = z.looseObject({
      messages: z.array(z.looseObject({ id: z.string(), body_shown: z.int().min(0) })).min(1),
      next_cursor: z.string().optional(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(sample, body), { minLength: 1, maxLength: 12 }), async (turns) => {
        const thread = turns.map(([one, text], n) => ({ ...one, text, thread: n === 0 ? [] : ['0'] }));
        const { scene, key } = await open(thread);
        const [id = ''] = await idsIn(key);
        const seen: string[] = [];
        let cursor: string | undefined;
        do {
          const args = { id, limit: 50, ...(cursor === undefined ? {} : { cursor }) };
          const shown: z.infer<typeof page> = page.parse(
            await callWithin(scene, key, sizeBytes, 'get_thread', args),
          );
          seen.push(...shown.messages.map((row) => row.id));
          cursor = shown.next_cursor;
        } while (cursor !== undefined);
        expect(seen).toHaveLength(turns.length);
        expect(new Set(seen).size).toBe(turns.length);
        await scene.service.stop();
      }),
      { numRuns: 8 },
    );
  });

  it('a bulk change stays within it', async () => {
    const scene = await openScene({
      samples: () => Array.from({ length: 50 }, (_, n) => letter(String(n), { minutesAgo: n + 1 })),
      // The longest id that a server may use (RFC 8474).
      mailAs: (mail) => {
        const named = (row: ListedMessage) => ({
          ...row,
          stableId: `${row.place.uid}-${row.place.path}-`.padEnd(255, 'x'),
        });
        return {
          ...mail,
          list: async (call, query) => {
            const page = await mail.list(call, query);
            return { ...page, rows: page.rows.map(named) };
          },
          row: async (call, place) => {
            const row = await mail.row(call, place);
            return row && named(row);
          },
        };
      },
    });
    const key = await scene.addKey('full', { 'mail:manage': 'direct' });
    const ids = await idsIn(key);
    await callWithin(scene, key, sizeBytes, 'flag_email', { ids });
    await callWithin(scene, key, sizeBytes, 'label_email', { ids, label: 'Label' });
    await callWithin(scene, key, sizeBytes, 'archive_email', { ids });
    expect(await idsIn(key, 'archive')).toHaveLength(50);
  });

  it('a list of approvals stays within it, and its pages show every approval once', async () => {
    const { scene, key } = await open(Array.from({ length: 50 }, (_, n) => ({ minutesAgo: n + 1 })));
    const ids = await idsIn(key);
    const FILED = 24;
    const filed: string[] = [];
    for (let n = 0; n < FILED; n++) {
      const { id } = approvalOf(await key.call('mark_read', { ids }));
      filed.push(id);
      expect((await approve(scene, id)).approval.state).toBe('executed');
      await callWithin(scene, key, sizeBytes, 'get_approval', { approval_id: id });
    }
    const seen: string[] = [];
    let pages = 0;
    let cursor: unknown;
    do {
      const args = { state: 'all', limit: 50, ...(cursor === undefined ? {} : { cursor }) };
      const page = await callWithin(scene, key, sizeBytes, 'list_approvals', args);
      seen.push(...(page.approvals as { id: string }[]).map(({ id }) => id));
      cursor = page.next_cursor;
      pages += 1;
    } while (cursor !== undefined);
    expect(new Set(seen)).toEqual(new Set(filed));
    expect(seen).toHaveLength(FILED);
    expect(pages).toBeGreaterThan(1);
  });

  it('a list of approvals whose summaries take the most bytes loses none of them', async () => {
    const scene = await openScene({ limits: { waitingPerKey: 50, waitingPerOwner: 50 } });
    const key = await scene.addKey('full');
    const subject = '\u{1f4dc}"'.repeat(150);
    for (let n = 0; n < 50; n++) await key.call('send_email', { ...sendTo(FRIEND, `Text ${n}`), subject });
    const summaries: unknown[] = [];
    let cursor: unknown;
    do {
      const args = { limit: 50, ...(cursor === undefined ? {} : { cursor }) };
      const page = await callWithin(scene, key, sizeBytes, 'list_approvals', args);
      summaries.push(...(page.approvals as { summary?: string }[]).map(({ summary }) => summary));
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    expect(summaries).toHaveLength(50);
    for (const one of summaries) expect(Array.from(String(one))).toHaveLength(120);
  });
});
