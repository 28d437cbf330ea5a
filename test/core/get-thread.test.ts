import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { inlineReader } from '../../adapters/reader/inline-reader.ts';
import type { SandboxMail } from '../../adapters/sandbox/mail.ts';
import type { SampleMessage } from '../../adapters/sandbox/sample-message.ts';
import { messageRow } from '../../core/mail/message-row.ts';
import type { Mail } from '../../core/ports/ports.ts';
import type { Reader } from '../../core/ports/reader.ts';
import { type TestKey, wireBytes } from '../open-service.ts';
import { detailsOf, letter, OWN, openScene, resultOf } from './scene.ts';

const threadSchema = z.looseObject({
  messages: z.array(
    z.looseObject({
      id: z.string(),
      subject: z.string(),
      folder: z.string(),
      body: z.string(),
      body_shown: z.int(),
      body_chars: z.int(),
      body_truncated: z.boolean(),
    }),
  ),
  total: z.int(),
  returned: z.int(),
  has_more: z.boolean(),
  next_cursor: z.string().optional(),
});

/** A conversation of `count` messages, oldest first, one minute apart, alternately in Sent and in the inbox. */
function conversation(count: number, textOf = (n: number) => `Text ${n}\n`): SampleMessage[] {
  return Array.from({ length: count }, (_, n) =>
    letter(`t${n}`, {
      subject: `Turn ${n}`,
      minutesAgo: 500 - n,
      folder: n % 2 === 0 ? 'INBOX' : 'Sent',
      thread: Array.from({ length: n }, (_, before) => `t${before}`),
      text: textOf(n),
    }),
  );
}

async function open(samples: readonly SampleMessage[], mailAs?: (mail: SandboxMail) => Mail) {
  const scene = await openScene({ samples: () => samples, ...(mailAs === undefined ? {} : { mailAs }) });
  const key = await scene.addKey('read');
  return { scene, key };
}

async function idOf(key: TestKey, subject: string): Promise<string> {
  const found = resultOf(await key.call('search_inbox', { q: subject }));
  const rows = z.array(z.looseObject({ id: z.string(), subject: z.string() })).parse(found.messages);
  const row = rows.find((one) => one.subject === subject);
  if (row === undefined) throw new Error(`there is no ${subject}`);
  return row.id;
}

async function thread(key: TestKey, args: object) {
  return threadSchema.parse(resultOf(await key.call('get_thread', args)));
}

function inside(body: string): string {
  return body.split('\n').slice(1, -1).join('\n');
}

describe('get_thread', () => {
  it('shows the conversation across all folders, oldest first, whichever of its messages is named', async () => {
    const { key } = await open([...conversation(4), letter('other', { subject: 'Turn 9' })]);
    for (const subject of ['Turn 0', 'Turn 3']) {
      const page = await thread(key, { id: await idOf(key, subject) });
      expect(page.messages.map((row) => [row.subject, row.folder])).toEqual([
        ['Turn 0', 'INBOX'],
        ['Turn 1', 'Sent'],
        ['Turn 2', 'INBOX'],
        ['Turn 3', 'Sent'],
      ]);
      expect(page).toMatchObject({ total: 4, returned: 4, has_more: false });
    }
  });

  it('fences each text and flags third-party text', async () => {
    const { key } = await open(conversation(2));
    const page = await thread(key, { id: await idOf(key, 'Turn 0') });
    const nonce = String(page.untrusted_nonce);
    expect(page.messages[1]).toEqual({
      id: await idOf(key, 'Turn 1'),
      account_id: 1,
      folder: 'Sent',
      from: 'Maya Okafor <maya@atlas.example>',
      subject: 'Turn 1',
      date: expect.any(String) as unknown,
      to: [OWN],
      flags: ['unread'],
      authentication: 'none',
      body: `<<<UNTRUSTED_CONTENT ${nonce}>>>\nText 1\n<<<END_UNTRUSTED_CONTENT ${nonce}>>>`,
      body_shown: 6,
      body_chars: 6,
      body_truncated: false,
    });
    expect(page.untrusted_fields).toEqual([
      'messages[].from',
      'messages[].subject',
      'messages[].to[]',
      'messages[].body',
    ]);
  });

  it('takes one job of the reader, and so does each of its messages', async () => {
    const jobs: string[] = [];
    const reader = inlineReader();
    const counting: Reader = {
      ...reader,
      read: (job, input, options) => {
        jobs.push(job);
        return reader.read(job, input, options);
      },
    };
    const scene = await openScene({ samples: () => conversation(9), reader: counting });
    const key = await scene.addKey('read');
    const id = await idOf(key, 'Turn 3');
    jobs.length = 0;
    expect((await thread(key, { id })).messages).toHaveLength(9);
    expect(jobs).toEqual(['messages']);
    await key.call('get_email', { id });
    expect(jobs).toEqual(['messages', 'message']);
  });

  it('of a single message is that message', async () => {
    const { key } = await open([letter('1'), letter('2')]);
    expect(await thread(key, { id: await idOf(key, 'Subject 1') })).toMatchObject({
      total: 1,
      messages: [{ subject: 'Subject 1' }],
    });
  });

  it('shows the beginning of a long text, which get_email continues', async () => {
    const text = `${'word '.repeat(1000)}end`;
    const { key } = await open([letter('1', { text })]);
    const id = await idOf(key, 'Subject 1');
    const [row] = (await thread(key, { id })).messages;
    if (row === undefined) throw new Error('the thread is empty');
    expect(row).toMatchObject({ body_chars: text.length, body_shown: 4000, body_truncated: true });
    expect(inside(row.body)).toBe(text.slice(0, row.body_shown));
    const rest = resultOf(await key.call('get_email', { id, body_offset: row.body_shown }));
    expect(inside(row.body) + inside(String(rest.body))).toBe(text);
  });

  it('that does not fit into one response comes in pages, each message once', async () => {
    const { key } = await open(conversation(30, (n) => `${n} ${'"'.repeat(3900)}\n`));
    const id = await idOf(key, 'Turn 3');
    for (const limit of [7, 50]) {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const outcome = await key.call('get_thread', {
          id,
          limit,
          ...(cursor === undefined ? {} : { cursor }),
        });
        expect(wireBytes(outcome)).toBeLessThanOrEqual(65_536);
        const page = threadSchema.parse(resultOf(outcome));
        expect(page.total).toBe(30);
        expect(page.returned).toBe(page.messages.length);
        seen.push(...page.messages.map(({ subject }) => subject));
        cursor = page.next_cursor;
      } while (cursor !== undefined);
      expect(seen).toEqual(Array.from({ length: 30 }, (_, n) => `Turn ${n}`));
    }
  });

  it('leaves out messages removed in the meantime, and loses and repeats nothing else', async () => {
    const { key } = await open(
      conversation(6, (n) => `${n} ${'\u{1f4dc}'.repeat(3900)}\n`),
      (mail) => ({
        ...mail,
        async readAll(call, places) {
          const contents = await mail.readAll(call, places);
          return contents.map((content) =>
            /Turn [12]/.test(content === undefined ? '' : messageRow(content.row).subject)
              ? undefined
              : content,
          );
        },
      }),
    );
    const id = await idOf(key, 'Turn 0');
    for (const limit of [1, 2, 50]) {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await thread(key, { id, limit, ...(cursor === undefined ? {} : { cursor }) });
        seen.push(...page.messages.map(({ subject }) => subject));
        cursor = page.next_cursor;
      } while (cursor !== undefined);
      expect(seen).toEqual(['Turn 0', 'Turn 3', 'Turn 4', 'Turn 5']);
    }
  });

  it('shows as much as fits of a message that does not fit into one row', async () => {
    const { scene, key } = await open([letter('1', { text: '\u2028"'.repeat(3000) })]);
    const id = await idOf(key, 'Subject 1');
    const admission = await scene.service.calls.admitCaller({ token: key.apiKey, address: '192.0.2.1' });
    if (admission.kind !== 'admitted') throw new Error(admission.failure.code);
    const { outcome } = await scene.service.calls.runTool(admission.caller, {
      tool: 'get_thread',
      args: { id },
      idempotencyKey: undefined,
      // A door that writes everything twenty times.
      sizeBytes: (one) => 20 * Buffer.byteLength(JSON.stringify(one)),
    });
    const [row] = threadSchema.parse(resultOf(outcome)).messages;
    expect(row?.body_truncated).toBe(true);
    expect(row?.body_shown).toBeGreaterThan(100);
    expect(20 * wireBytes(outcome)).toBeLessThanOrEqual(65_536);
  });

  it('requires an existing message, and a cursor requires its own arguments', async () => {
    const { key } = await open(conversation(3));
    const id = await idOf(key, 'Turn 0');
    const { next_cursor: cursor } = await thread(key, { id, limit: 1 });
    for (const args of [
      { id, limit: 2, cursor },
      { id: await idOf(key, 'Turn 1'), limit: 1, cursor },
    ]) {
      expect(detailsOf(await key.call('get_thread', args)).code).toBe('invalid_arguments');
    }
  });
});
