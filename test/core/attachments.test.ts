import { Buffer } from 'node:buffer';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { workerText } from '../../adapters/extract/attachment-text.ts';
import type { SampleMessage } from '../../adapters/sandbox/sample-message.ts';
import type { AttachmentText, ExtractedText } from '../../core/ports/attachment-text.ts';
import { MailError } from '../../core/ports/mail.ts';
import type { RawMessage } from '../../core/ports/mail-reading.ts';
import { testClock, wireBytes } from '../open-service.ts';
import { bundleForChild } from '../run-typescript.ts';
import { detailsOf, firstId, idsIn, letter, openScene, resultOf, type SceneOptions } from './scene.ts';

const anyText: unknown = expect.any(String);

const DESCRIBED = {
  name: 'large.bin',
  mime: 'application/octet-stream',
  charset: '',
  encoding: 'base64',
  encodedBytes: 50_000_000,
};

type Files = NonNullable<SampleMessage['attachments']>;

function file(name: string, content: string | Uint8Array = 'Text', mime = 'text/plain'): Files[number] {
  return { name, mime, content: Buffer.from(content) };
}

async function open(attachments: Files, options: SceneOptions = {}) {
  const scene = await openScene({ ...options, samples: () => [letter('1', { attachments })] });
  const key = await scene.addKey('read');
  return { scene, key, id: await firstId(key) };
}

/** Returns a prepared result and records its input. */
function fakeText(answer: ExtractedText | ((signal: AbortSignal) => Promise<ExtractedText>)) {
  const given: { bytes: string; name: string; mime: string }[] = [];
  const attachmentText: AttachmentText = {
    async extract({ bytes, name, mime, signal }) {
      given.push({ bytes: Buffer.from(bytes).toString('utf8'), name, mime });
      return typeof answer === 'function' ? answer(signal) : answer;
    },
    async close() {},
  };
  return { given, attachmentText };
}

/** The text of a result, without its fence. */
function textIn({ text }: Record<string, unknown>): string {
  return String(text).split('\n').slice(1, -1).join('\n');
}

describe('list_attachments', () => {
  it('shows index, name, type and size, and flags third-party text', async () => {
    const { key, id } = await open([file('a.txt', 'Hello'), file('Grüße.pdf', '%PDF', 'application/pdf')]);
    expect(resultOf(await key.call('list_attachments', { id }))).toEqual({
      id,
      attachments: [
        { index: 0, name: 'a.txt', mime: 'text/plain', size: 5 },
        { index: 1, name: 'Grüße.pdf', mime: 'application/pdf', size: 4 },
      ],
      total: 2,
      returned: 2,
      has_more: false,
      untrusted_fields: ['attachments[].name', 'attachments[].mime'],
      untrusted_notice: expect.any(String) as unknown,
    });
  });

  it('is not known of a large message that its server does not describe', async () => {
    const { key, id } = await open([file('a.txt')], {
      mailAs: (mail) => ({
        ...mail,
        read: async (...asked) => {
          const { row } = await mail.read(...asked);
          const beginning = Buffer.from('Subject: 1\r\n\r\nThe beginning');
          return { row, source: { kind: 'parts', texts: [beginning], isCut: true, attachments: null } };
        },
      }),
    });
    const listed = await key.call('list_attachments', { id });
    expect([listed.status, resultOf(listed)]).toMatchObject([
      'empty',
      { reason: 'undeliverable', attachments: [] },
    ]);
    const { body } = resultOf(await key.call('get_email', { id }));
    expect(body).toContain('The beginning');
    expect(body).toContain('Some of it cannot be shown.');
  });

  it('is empty if there are none', async () => {
    const { key, id } = await open([]);
    const outcome = await key.call('list_attachments', { id });
    expect(outcome.status).toBe('empty');
    expect(resultOf(outcome)).toMatchObject({ id, attachments: [], total: 0, reason: 'no_attachments' });
  });

  it('pages through very many attachments, each once', async () => {
    const { key, id } = await open(Array.from({ length: 200 }, (_, n) => file(`${n}${'é'.repeat(300)}`)));
    const shown = z.looseObject({
      attachments: z.array(
        z.strictObject({ index: z.int(), name: z.string(), mime: z.string(), size: z.int() }),
      ),
      next_cursor: z.string().optional(),
    });
    const seen: number[] = [];
    let cursor: string | undefined;
    do {
      const outcome = await key.call('list_attachments', { id, ...(cursor === undefined ? {} : { cursor }) });
      expect(wireBytes(outcome)).toBeLessThanOrEqual(65_536);
      const page: z.infer<typeof shown> = shown.parse(resultOf(outcome));
      for (const { name } of page.attachments) expect(Array.from(name).length).toBeLessThanOrEqual(100);
      seen.push(...page.attachments.map(({ index }) => index));
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(Array.from({ length: 200 }, (_, n) => n));
  });
});

describe('list_attachments of several messages', () => {
  const letters = (count: number, attachments: Files) =>
    Array.from({ length: count }, (_, n) => letter(String(n), { minutesAgo: n + 1, attachments }));

  it('fetches them together, and records each as listed', async () => {
    const fetched: number[] = [];
    const scene = await openScene({
      samples: () => letters(3, [file('a.txt')]),
      mailAs: (mail) => ({
        ...mail,
        readAll: (call, places) => {
          fetched.push(places.length);
          return mail.readAll(call, places);
        },
      }),
    });
    const key = await scene.addKey('read');
    const ids = await idsIn(key);
    const { messages } = resultOf(await key.call('list_attachments', { ids }));
    expect(messages).toMatchObject(ids.map((id) => ({ id, total: 1 })));
    expect(fetched).toEqual([3]);
    const { entries } = await scene.service.owners.activity(scene.ownerId, { limit: 1 });
    expect(entries).toMatchObject([{ tool: 'list_attachments', listed: ids.map(() => anyText) }]);
  });

  it('has the unknown attachments of a large message that its server does not describe as such', async () => {
    const beginning = Buffer.from('Subject: 1\r\n\r\nThe beginning');
    const source = { kind: 'parts', texts: [beginning], isCut: true, attachments: null } as const;
    const { key, id } = await open([file('a.txt')], {
      mailAs: (mail) => ({
        ...mail,
        readAll: async (...asked) =>
          (await mail.readAll(...asked)).map((message) => message && { ...message, source }),
      }),
    });
    expect(resultOf(await key.call('list_attachments', { ids: [id] })).messages).toEqual([
      { id, attachments: [], total: 0, reason: 'undeliverable', hint: expect.any(String) as unknown },
    ]);
  });

  it('says of what it has no time left for that it is not known', async () => {
    const clock = testClock();
    const { key, id } = await open([file('a.txt')], {
      clock,
      mailAs: (mail) => ({
        ...mail,
        row: async (...asked) => {
          clock.shift(11_000);
          return mail.row(...asked);
        },
      }),
    });
    expect(resultOf(await key.call('list_attachments', { ids: [id] })).messages).toMatchObject([
      { id, total: 0, reason: 'too_slow', hint: expect.stringContaining('not known') as unknown },
    ]);
  });

  it('fails if the server cannot be reached', async () => {
    let isDown = false;
    const { key, id } = await open([file('a.txt')], {
      mailAs: (mail) => ({
        ...mail,
        row: async (...asked) => {
          if (isDown) throw new MailError('unavailable', 'down');
          return mail.row(...asked);
        },
      }),
    });
    isDown = true;
    expect(detailsOf(await key.call('list_attachments', { ids: [id] }))).toMatchObject({
      code: 'upstream_mail_error',
      reason: 'unavailable',
    });
  });

  it('has the error of a message that is gone in its row, also if it goes in between', async () => {
    let areGone = false;
    const [unlisted, unread] = [1, 2];
    const uidOf = (one: RawMessage | undefined) => one?.row.place.uid;
    const scene = await openScene({
      samples: () => letters(3, [file('a.txt')]),
      mailAs: (mail) => ({
        ...mail,
        row: async (call, place) => (areGone && place.uid === unlisted ? undefined : mail.row(call, place)),
        find: async () => [],
        readAll: async (call, places) =>
          (await mail.readAll(call, places)).map((one) => (uidOf(one) === unread ? undefined : one)),
      }),
    });
    const key = await scene.addKey('read');
    const ids = await idsIn(key);
    areGone = true;
    const { messages } = resultOf(await key.call('list_attachments', { ids }));
    const rows = z.array(z.looseObject({ id: z.string(), error: z.unknown().optional() })).parse(messages);
    expect(rows.map(({ id }) => id)).toEqual(ids);
    const error = { code: 'not_found', message: 'There is no such item for this user.' };
    expect(rows.filter((row) => 'error' in row)).toEqual([1, 2].map(() => ({ id: anyText, error })));
  });
});

describe('read_attachment', () => {
  it('returns the text of the named attachment, fenced', async () => {
    const { given, attachmentText } = fakeText({ kind: 'text', text: 'What it says.\n', cut: false });
    const { key, id } = await open([file('a.txt'), file('b.csv', 'x,y', 'text/csv')], { attachmentText });
    const result = resultOf(await key.call('read_attachment', { id, index: 1 }));
    const nonce = String(result.untrusted_nonce);
    expect(result).toEqual({
      id,
      index: 1,
      name: 'b.csv',
      mime: 'text/csv',
      text: `<<<UNTRUSTED_CONTENT ${nonce}>>>\nWhat it says.\n\n<<<END_UNTRUSTED_CONTENT ${nonce}>>>`,
      text_chars: 14,
      text_offset: 0,
      text_truncated: false,
      untrusted_fields: ['name', 'mime', 'text'],
      untrusted_notice: expect.any(String) as unknown,
      untrusted_nonce: nonce,
    });
    expect(given).toEqual([{ bytes: 'x,y', name: 'b.csv', mime: 'text/csv' }]);
  });

  it('decodes it in the charset that the message names', async () => {
    const workerFile = await bundleForChild(join(import.meta.dirname, '../../adapters/extract/worker.ts'));
    const attachmentText = workerText({ workerFile });
    const content = Buffer.from('\xf1\xe5\xe9', 'latin1');
    const { scene, key, id } = await open(
      [
        { name: 'a.txt', mime: 'text/plain; charset=windows-1251', content },
        { name: 'b.txt', mime: 'text/plain; charset="none; such"', content },
      ],
      { attachmentText },
    );
    const text = async (index: number) =>
      String(resultOf(await key.call('read_attachment', { id, index })).text).split('\n')[1];
    expect(await text(0)).toBe('сей');
    expect(await text(1)).toBe('ñåé');
    await scene.service.stop();
  });

  it('reads a real document in the worker', async () => {
    const workerFile = await bundleForChild(join(import.meta.dirname, '../../adapters/extract/worker.ts'));
    const attachmentText = workerText({ workerFile });
    const { scene, key, id } = await open([file('a.html', '<p>One <b>two</b></p>', 'text/html')], {
      attachmentText,
    });
    const { text } = resultOf(await key.call('read_attachment', { id, index: 0 }));
    expect(String(text).split('\n')[1]).toBe('One two');
    await scene.service.stop();
  });

  it.each([
    ['unsupported_type', /type of file/],
    ['encrypted', /password/],
    ['broken', /damaged/],
    ['image', /picture/],
    ['no_text', /scan/],
    ['too_large', /too large/],
    ['too_slow', /too long/],
  ] as const)('without text says why: %s', async (reason, hint) => {
    const { attachmentText } = fakeText({ kind: 'empty', reason });
    const { key, id } = await open([file('a.pdf')], { attachmentText });
    const outcome = await key.call('read_attachment', { id, index: 0 });
    expect(outcome.status).toBe('empty');
    const result = resultOf(outcome);
    expect(result).toMatchObject({
      id,
      index: 0,
      name: 'a.pdf',
      text_chars: 0,
      text_offset: 0,
      text_truncated: false,
      reason,
    });
    expect(result.hint).toMatch(hint);
    expect(result).not.toHaveProperty('text');
    expect(result.untrusted_fields).toEqual(['name', 'mime']);
  });

  it('reports the size of a picture and the number of pages of a scan', async () => {
    const picture = { format: 'PNG', width: 320, height: 240 };
    const one = fakeText({ kind: 'empty', reason: 'image', picture });
    const shown = await open([file('a.png')], { attachmentText: one.attachmentText });
    const image = resultOf(await shown.key.call('read_attachment', { id: shown.id, index: 0 }));
    expect(image).toMatchObject({ reason: 'image', image: picture });
    expect(image).not.toHaveProperty('pages');
    const other = fakeText({ kind: 'empty', reason: 'no_text', pages: 3 });
    const scanned = await open([file('a.pdf')], { attachmentText: other.attachmentText });
    const scan = resultOf(await scanned.key.call('read_attachment', { id: scanned.id, index: 0 }));
    expect(scan).toMatchObject({ reason: 'no_text', pages: 3 });
    expect(scan).not.toHaveProperty('image');
  });

  it('reads one inside an attached message, under the subject of that message', async () => {
    const { given, attachmentText } = fakeText({ kind: 'text', text: 'lamp,12', cut: false });
    const inner = [
      ...['From: Ida <ida@kuhl.example>', 'Subject: The offer', 'MIME-Version: 1.0'],
      ...['Content-Type: multipart/mixed; boundary=nn', '', '--nn', '', 'Inner words', '--nn'],
      ...['Content-Type: text/csv; name=prices.csv', '', 'lamp,12', '--nn--', ''],
    ].join('\r\n');
    const { key, id } = await open([file('', inner, 'message/rfc822')], { attachmentText });
    const listed = resultOf(await key.call('list_attachments', { id })).attachments;
    expect(listed).toMatchObject([
      { index: 0, name: 'The offer', mime: 'message/rfc822' },
      { index: 1, name: 'The offer: prices.csv', mime: 'text/csv' },
    ]);
    const read = resultOf(await key.call('read_attachment', { id, index: 1 }));
    expect(read).toMatchObject({
      name: 'The offer: prices.csv',
      text: expect.stringContaining('lamp,12') as unknown,
    });
    expect(given.map(({ bytes }) => bytes.trim())).toEqual(['lamp,12']);
  });

  it('reports an attachment that is too large to fetch, and does not read it', async () => {
    const { given, attachmentText } = fakeText({ kind: 'text', text: '', cut: false });
    const { key, id } = await open([file('a.txt')], {
      attachmentText,
      mailAs: (mail) => ({
        ...mail,
        attachment: async () => ({ kind: 'part', described: DESCRIBED, bytes: 'tooLarge' }),
      }),
    });
    const outcome = await key.call('read_attachment', { id, index: 0 });
    expect([outcome.status, resultOf(outcome).reason]).toEqual(['empty', 'too_large']);
    expect(given).toEqual([]);
  });

  it('is empty with a reason if there is no document reader', async () => {
    const { key, id } = await open([file('a.txt')]);
    expect(resultOf(await key.call('read_attachment', { id, index: 0 }))).toMatchObject({
      reason: 'unsupported_type',
    });
  });

  it('reports a cut, whoever made it', async () => {
    const text = `${'\u{1f4dc}" '.repeat(30_000)}`;
    const whole = fakeText({ kind: 'text', text, cut: false });
    const { key, id } = await open([file('a.txt')], { attachmentText: whole.attachmentText });
    const outcome = await key.call('read_attachment', { id, index: 0 });
    expect(wireBytes(outcome)).toBeLessThanOrEqual(65_536);
    expect(resultOf(outcome)).toMatchObject({
      text_chars: 90_000,
      text_truncated: true,
      text_next_offset: expect.any(Number) as unknown,
    });
    const cut = fakeText({ kind: 'text', text: 'short', cut: true });
    const second = await open([file('a.txt')], { attachmentText: cut.attachmentText });
    const last = resultOf(await second.key.call('read_attachment', { id: second.id, index: 0 }));
    expect(last).toMatchObject({ text_chars: 5, text_truncated: true });
    expect(last).not.toHaveProperty('text_next_offset');
  });

  it('returns a part from an offset, in code points, and says where the next one starts', async () => {
    const { attachmentText } = fakeText({ kind: 'text', text: '\u{1f4dc}one two three', cut: false });
    const { key, id } = await open([file('a.txt')], { attachmentText });
    const part = async (asked: object) => {
      const result = resultOf(await key.call('read_attachment', { id, index: 0, ...asked }));
      const { text_offset, text_truncated, text_next_offset, text_chars } = result;
      const text = textIn(result);
      return { text, text_chars, text_offset, text_truncated, text_next_offset };
    };
    expect(await part({ max_chars: 7 })).toEqual({
      ...{ text: '\u{1f4dc}one ', text_chars: 14, text_offset: 0 },
      ...{ text_truncated: true, text_next_offset: 5 },
    });
    expect(await part({ max_chars: 9, offset: 5 })).toEqual({
      ...{ text: 'two three', text_chars: 14, text_offset: 5 },
      ...{ text_truncated: false, text_next_offset: undefined },
    });
    for (const offset of [14, 15, 100_000_000]) {
      expect(await part({ offset })).toEqual({
        ...{ text: '', text_chars: 14, text_offset: offset },
        ...{ text_truncated: false, text_next_offset: undefined },
      });
    }
  });

  it('in parts of any size gives the whole text', async () => {
    const characters = fc.constantFrom(
      'a',
      'é',
      'e\u0301',
      '\u{1f4dc}',
      '\u05d0',
      '"',
      ' ',
      '\n',
      '\t',
      ' '.repeat(250),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(characters, { maxLength: 400 }).map((all) => all.join('')),
        fc.array(fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 50_000 })), {
          minLength: 1,
        }),
        fc.boolean(),
        async (text, sizes, cut) => {
          const { attachmentText } = fakeText({ kind: 'text', text, cut });
          const { scene, key, id } = await open([file('a.txt')], { attachmentText });
          const parts: string[] = [];
          let offset: number | undefined = 0;
          while (offset !== undefined) {
            const most: number = sizes[parts.length % sizes.length] ?? 1;
            const asked = { id, index: 0, max_chars: most, offset };
            const result = resultOf(await key.call('read_attachment', asked));
            parts.push(textIn(result));
            const shown = Array.from(parts.at(-1) ?? '').length;
            expect(shown).toBeLessThanOrEqual(most);
            const next = z.int().optional().parse(result.text_next_offset);
            expect(next).toBe(offset + shown < Array.from(text).length ? offset + shown : undefined);
            expect(result.text_truncated).toBe(next !== undefined || cut);
            offset = next;
          }
          expect(parts.join('')).toBe(text);
          await scene.service.stop();
        },
      ),
      { numRuns: 25 },
    );
  });

  it('does not find an unknown index', async () => {
    const { key, id } = await open([file('a.txt')]);
    for (const index of [1, 500]) {
      expect(detailsOf(await key.call('read_attachment', { id, index }))).toEqual({
        code: 'not_found',
        reason: 'attachment',
      });
    }
  });

  it('is too slow if it outlasts its caller, and fails if the reader fails', async () => {
    const waits: (() => void)[] = [];
    const clock = {
      now: () => new Date(),
      shift: () => undefined,
      every: () => () => {},
      after(_ms: number, task: () => void) {
        waits.push(task);
        return () => {};
      },
    };
    const slow = fakeText(
      (signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
          for (const end of waits.splice(0)) end();
        }),
    );
    const { key, id } = await open([file('a.txt')], { attachmentText: slow.attachmentText, clock });
    expect(resultOf(await key.call('read_attachment', { id, index: 0 })).reason).toBe('too_slow');
    const broken = fakeText(async () => {
      throw new Error('the worker cannot be started');
    });
    const second = await open([file('a.txt')], { attachmentText: broken.attachmentText });
    const outcome = await second.key.call('read_attachment', { id: second.id, index: 0 });
    expect(detailsOf(outcome)).toEqual({ code: 'internal_error' });
  });
});
