import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { composeMessage, type Draft, withDate } from '../../../core/mail/compose.ts';
import { parseMessage } from '../../../core/mime/parse.ts';
import { readSentMessage } from '../../../core/mime/read-sent-message.ts';
import { anyCharacter } from '../../any-character.ts';

const draft: Draft = {
  from: { name: 'Ada Lovelace', address: 'ada@example.org' },
  to: ['bob@example.com', 'carol+list@mail.example.net'],
  subject: 'Notes',
  text: 'Hello Bob,\n\nsee you at 10.\n',
  messageId: '<1@example.org>',
  inReplyTo: null,
  references: [],
  requestId: 'apr_1234567890123456789012',
};

const lines = (raw: Uint8Array) => Buffer.from(raw).toString('latin1').split('\r\n');
const read = (raw: Uint8Array) => parseMessage(raw);

/** Any text without carriage returns; the other reader takes a leading U+FEFF for a byte order mark. */
const text = fc
  .string({ unit: anyCharacter, maxLength: 400 })
  .filter((t) => !t.includes('\r') && !t.startsWith('\ufeff'));
const awkward = fc
  .array(
    fc.constantFrom(
      '.',
      '..',
      'From ',
      'From: x',
      ' ',
      '\t',
      '   ',
      '=',
      '=20',
      '=\n',
      '\n',
      '\n\n',
      '-- \n',
      '> ',
      'x'.repeat(1100),
      '😀',
      '👩‍👩‍👧‍👦',
      '\u2028',
      '\u0301',
      'שלום',
      '\u202e',
      '\u0000',
      '\u0085',
      'é',
      '𝕏',
      '\u{e0041}',
      'word ',
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''));
const headerText = fc
  .oneof(
    fc.string({ unit: anyCharacter, maxLength: 200 }),
    fc.string({ unit: 'grapheme-ascii', maxLength: 300 }),
    fc
      .array(
        fc.constantFrom(
          '=?utf-8?Q?x?=',
          '=?',
          '?=',
          ' ',
          '  ',
          '"',
          '\\',
          ',',
          '<',
          '>',
          '@',
          ';',
          ':',
          '(',
          ')',
          'Ada',
          'ä',
          '😀',
          'x'.repeat(99),
          '\u0085',
          '\u2028',
        ),
        {
          maxLength: 20,
        },
      )
      .map((parts) => parts.join('')),
  )
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a header field cannot contain them
  .filter((t) => !/[\u0000-\u001f\u007f\ufeff]/.test(t));
/** A header field as the reader shows it: other line separators become spaces. */
const onOneLine = (field: string) => field.replace(/[\u0080-\u009f\u2028\u2029]/g, ' ');
const address = fc
  .tuple(
    fc.stringMatching(/^[A-Za-z0-9!#$%&'*+/=^_`{|}~.-]{1,64}$/),
    fc.stringMatching(/^[a-z0-9-]{1,30}(\.[a-z0-9-]{1,20}){1,4}$/),
  )
  .map(([local, domain]) => `${local}@${domain}`);
const messageId = fc.stringMatching(/^<[!-;=?-~]{1,200}>$/);

const threadIndex = fc
  .uint8Array({ minLength: 16, maxLength: 16 })
  .map((guid) => Buffer.concat([Buffer.from('01dc4d5f3a10', 'hex'), guid]).toString('base64'));

const drafts: fc.Arbitrary<Draft> = fc.record({
  from: fc.record({ name: headerText, address }),
  to: fc.array(address, { minLength: 1, maxLength: 30 }),
  subject: headerText,
  text: fc.oneof(text, awkward),
  messageId,
  inReplyTo: fc.option(messageId),
  references: fc.array(messageId, { maxLength: 30 }),
  threadIndex: fc.option(threadIndex, { nil: undefined }),
  requestId: fc.stringMatching(/^apr_[A-Za-z0-9]{22}$/),
});

describe('composeMessage', () => {
  it('reads back as the draft', async () => {
    await fc.assert(
      fc.asyncProperty(drafts, async (any) => {
        const raw = composeMessage(any);
        const email = await PostalMime.parse(raw);
        const { text, attachments, headers } = await read(raw);
        // Line ends of text are CRLF inside base64, RFC 2049 4.
        expect(email.text?.replaceAll('\r\n', '\n')).toBe(
          any.text.endsWith('\n') ? any.text : `${any.text}\n`,
        );
        expect(text).toBe(any.text.replace(/\n$/, ''));
        expect(attachments).toEqual([]);
        const name = any.from.name === any.from.address ? '' : any.from.name;
        expect(headers.from).toEqual([{ name: onOneLine(name), address: any.from.address }]);
        expect(headers.to.map((to) => to.address)).toEqual(any.to);
        expect(headers.subject).toBe(onOneLine(any.subject));
        expect(email.subject ?? '').toBe(any.subject);
        expect(headers.messageId).toBe(any.messageId);
        expect(email.inReplyTo ?? null).toBe(any.inReplyTo);
        const references =
          any.references.length > 0 || any.inReplyTo === null ? any.references : [any.inReplyTo];
        expect(headers.references).toEqual(references);
        expect(headers.threadIndex).toBe(any.threadIndex);
        expect(email.headers.find((header) => header.key === 'x-countersign-request')?.value).toBe(
          any.requestId,
        );
      }),
      { numRuns: 1000 },
    );
  });

  it('writes nothing that a server on the way would change', () => {
    fc.assert(
      fc.property(drafts, (any) => {
        const all = lines(composeMessage(any));
        const body = all.slice(all.indexOf('') + 1);
        for (const line of all) {
          expect(line).toMatch(/^[\t -~]*$/);
          expect(line.length).toBeLessThanOrEqual(998);
        }
        for (const line of body) {
          expect(line.length).toBeLessThanOrEqual(76);
          expect(line).not.toMatch(/^\.|^From |[\t ]$/);
        }
      }),
    );
  });

  it('writes the same bytes for the same draft, and no Date', () => {
    expect(composeMessage(draft)).toEqual(composeMessage(structuredClone(draft)));
    expect(lines(composeMessage(draft)).some((line) => /^date:/i.test(line))).toBe(false);
  });

  it('leaves plain text readable', () => {
    expect(lines(composeMessage(draft))).toEqual([
      'From: Ada Lovelace <ada@example.org>',
      'To: bob@example.com, carol+list@mail.example.net',
      'Subject: Notes',
      'Message-ID: <1@example.org>',
      'X-Countersign-Request: apr_1234567890123456789012',
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'Hello Bob,',
      '',
      'see you at 10.',
      '',
    ]);
  });

  it('encodes mostly non-ASCII text as base64, which is shorter', () => {
    expect(lines(composeMessage({ ...draft, text: 'Привет, как дела?' }))).toContain(
      'Content-Transfer-Encoding: base64',
    );
  });

  it('keeps a subject that looks encoded unchanged', async () => {
    const subject = '=?utf-8?Q?forged?= invoice';
    expect((await read(composeMessage({ ...draft, subject }))).headers.subject).toBe(subject);
  });

  it.each(['\r', '\n', '\r\nBcc: eve@example.org', '\0', '\u0007', '\t', '\u007f'])(
    'refuses the control character in %j instead of dropping it',
    (bad) => {
      const fields: Partial<Draft>[] = [
        { subject: `a${bad}b` },
        { from: { name: `a${bad}b`, address: 'ada@example.org' } },
        { from: { name: 'Ada', address: `ada${bad}@example.org` } },
        { to: [`bob@example.com${bad}`] },
        { messageId: `<1${bad}@example.org>` },
        { inReplyTo: `<1@example.org>${bad}` },
        { references: ['<1@example.org>', `<2@example.org${bad}>`] },
        { requestId: `apr_1${bad}` },
      ];
      for (const field of fields) expect(() => composeMessage({ ...draft, ...field })).toThrow(TypeError);
    },
  );

  it.each([
    'bob@example.com, eve@example.org',
    'bob',
    '<bob@example.com>',
    '"b o b@example.com',
    '"b"o"b"@example.com',
    '"b\\"@example.com',
    'jürgen@example.com',
    'bob@münchen.example',
    '=?utf-8?q?bob?=@example.com',
    'bob@example.com (Bob)',
    '',
  ])('refuses %j as an address', (address) => {
    expect(() => composeMessage({ ...draft, to: [address] })).toThrow(TypeError);
    expect(() => composeMessage({ ...draft, from: { name: 'A', address } })).toThrow(TypeError);
  });

  it.each(['"b o b"@example.com', '"b,\\"o"@example.com', 'b..o.b.@example.com'])(
    'writes %s so that it reads back',
    async (address) => {
      const raw = composeMessage({
        ...draft,
        from: { name: 'Ada, B.', address },
        to: [address, 'eve@example.org'],
      });
      const { from, to } = await readSentMessage(raw);
      expect([from.address, ...to]).toEqual([address, address, 'eve@example.org']);
      expect((await parseMessage(raw)).headers.to.map((one) => one.address)).toEqual(to);
    },
  );

  it('refuses a carriage return in the text', () => {
    expect(() => composeMessage({ ...draft, text: 'a\r\nb' })).toThrow(TypeError);
  });

  it('adds an invitation as an alternative to the text, with its method', async () => {
    const ics = 'BEGIN:VCALENDAR\r\nSUMMARY:Café\r\nEND:VCALENDAR\r\n';
    const raw = composeMessage({ ...draft, requestId: 'r1', invitation: { method: 'CANCEL', ics } });
    expect(lines(raw)).toEqual(
      expect.arrayContaining([
        'Content-Type: multipart/alternative; boundary="=_r1"',
        'Content-Type: text/plain; charset=utf-8',
        'Content-Type: text/calendar; charset=utf-8; method=CANCEL',
      ]),
    );
    const { text, attachments } = await PostalMime.parse(raw);
    expect(text?.trimEnd()).toBe(draft.text.trimEnd());
    expect(attachments.map(({ mimeType, method }) => [mimeType, method])).toEqual([
      ['text/calendar', 'CANCEL'],
    ]);
    for (const requestId of ['a"b', 'a b', `${'x'.repeat(61)}`]) {
      const invited = { ...draft, requestId, invitation: { method: 'CANCEL', ics } } as const;
      expect(() => composeMessage(invited)).toThrow(TypeError);
    }
  });

  it('names the header in an error, not its value', () => {
    expect(() => composeMessage({ ...draft, to: ['not an address'] })).toThrow(/^The To header contains/);
  });
});

describe('withDate', () => {
  it('puts the Date header on top, in UTC, and leaves every other byte', () => {
    const raw = composeMessage(draft);
    const dated = withDate(raw, new Date('2026-03-01T09:05:07.900Z'));
    const line = 'Date: Sun, 01 Mar 2026 09:05:07 +0000\r\n';
    expect(Buffer.from(dated).subarray(0, line.length).toString('latin1')).toBe(line);
    expect(Buffer.from(dated).subarray(line.length)).toEqual(Buffer.from(raw));
  });
});
