import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bodyText, line, text } from '../../../core/contract/schema.ts';
import { composeMessage, type Draft } from '../../../core/mail/compose.ts';
import { readSentMessage } from '../../../core/mime/read-sent-message.ts';
import { anyCharacter } from '../../any-character.ts';

const draft: Draft = {
  from: { name: '', address: 'ada@example.org' },
  to: ['bob@example.org', 'eve@example.org'],
  subject: 'Subject',
  text: 'Text',
  messageId: '<1@example.org>',
  inReplyTo: null,
  references: [],
  requestId: 'r1',
};

const subject = fc
  .string({ unit: anyCharacter, minLength: 1, maxLength: 300 })
  .filter((value) => line({ min: 1, max: 300, description: '' }).safeParse(value).success);
const body = fc
  .oneof(
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 300 }),
    fc
      .array(
        fc.constantFrom(
          '\n',
          '\t',
          ' ',
          '.',
          'From ',
          '=20',
          '--',
          'x'.repeat(80),
          '\u{1f600}',
          '\ufeff',
          'é',
        ),
      )
      .map((parts) => parts.join('')),
  )
  .filter((value) => text({ min: 1, max: 10_000, description: '' }).safeParse(value).success)
  .map(bodyText);

describe('a composed message', () => {
  it('reads back as its text and its invitation, if it has one', async () => {
    const invitation = {
      method: 'REQUEST',
      ics: `BEGIN:VCALENDAR\r\nSUMMARY:é ${'x'.repeat(90)}\r\nEND:VCALENDAR\r\n`,
    } as const;
    await fc.assert(
      fc.asyncProperty(body, async (words) => {
        const says = await readSentMessage(composeMessage({ ...draft, text: `${words}\n`, invitation }));
        expect([says.text, says.invitation]).toEqual([
          words,
          { method: 'REQUEST', ics: invitation.ics.replaceAll('\r\n', '\n') },
        ]);
      }),
    );
  });

  it.each([
    ['another method', 'method=REQUEST', 'method=PUBLISH'],
    ['no method', '; method=REQUEST', ''],
    ['another type', 'text/calendar', 'application/pdf'],
    ['a name', 'method=REQUEST', 'method=REQUEST; name="a.ics"'],
    [
      'a second part',
      '--=_r1--',
      '--=_r1\r\nContent-Type: text/calendar; method=REQUEST\r\n\r\nx\r\n--=_r1--',
    ],
  ])('is not read with an invitation of %s', async (_what, from, to) => {
    const invitation = { method: 'REQUEST', ics: 'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n' } as const;
    const raw = Buffer.from(composeMessage({ ...draft, invitation })).toString('latin1');
    expect(raw).toContain(from);
    await expect(readSentMessage(Buffer.from(raw.replace(from, to), 'latin1'))).rejects.toThrow(Error);
  });

  it('reads back unchanged, for any subject and text that a call may contain', async () => {
    await fc.assert(
      fc.asyncProperty(subject, body, async (line, words) => {
        const says = await readSentMessage(composeMessage({ ...draft, subject: line, text: `${words}\n` }));
        expect(says).toEqual({
          from: draft.from,
          to: draft.to,
          subject: line,
          messageId: draft.messageId,
          inReplyTo: null,
          text: words,
          invitation: null,
        });
      }),
      { numRuns: 300 },
    );
  });

  it('names the message that it answers', async () => {
    const references = ['<a@example.org>', '<b@example.org>'];
    const says = await readSentMessage(
      composeMessage({ ...draft, inReplyTo: '<b@example.org>', references }),
    );
    expect(says.inReplyTo).toBe('<b@example.org>');
  });
});

const HEADERS = [
  ...['From: ada@example.org', 'To: bob@example.org', 'Subject: Subject', 'Message-ID: <1@example.org>'],
  ...['X-Countersign-Request: r1', 'MIME-Version: 1.0', 'Content-Type: text/plain; charset=utf-8'],
  'Content-Transfer-Encoding: quoted-printable',
];
const raw = (headers: readonly string[], words = 'Text\r\n') =>
  Buffer.from(`${headers.join('\r\n')}\r\n\r\n${words}`);
const without = (name: string) => HEADERS.filter((header) => !header.startsWith(`${name}:`));

describe('bytes with effects that the page would not show', () => {
  it('are not those of an ordinary message', async () => {
    expect((await readSentMessage(raw(HEADERS))).text).toBe('Text');
  });

  const mixed = 'Content-Type: multipart/mixed; boundary="b"';
  const part = (type: string) => `--b\r\nContent-Type: ${type}\r\n\r\nText\r\n--b--\r\n`;
  it.each<[string, Uint8Array]>([
    ['a Bcc', raw([...HEADERS, 'Bcc: eve@example.org'])],
    ['a Cc', raw([...HEADERS, 'Cc: eve@example.org'])],
    ['a Reply-To', raw([...HEADERS, 'Reply-To: eve@example.org'])],
    ['a Date, which is added when it is sent', raw([...HEADERS, 'Date: Tue, 03 Mar 2026 12:00:00 +0000'])],
    ['an unknown header', raw([...HEADERS, 'X-Anything: x'])],
    ['a second To', raw([...HEADERS, 'To: eve@example.org'])],
    ['a second Subject', raw([...HEADERS, 'Subject: Another'])],
    ['no From', raw(without('From'))],
    ['no Message-ID', raw(without('Message-ID'))],
    ['HTML', raw([...without('Content-Type'), 'Content-Type: text/html; charset=utf-8'])],
    ['an attachment', raw([...without('Content-Type'), mixed], part('application/pdf'))],
    ['an HTML part', raw([...without('Content-Type'), mixed], part('text/html'))],
    ['a group of addresses', raw([...without('To'), 'To: friends: bob@example.org, eve@example.org;'])],
  ])('are refused: %s', async (_name, bytes) => {
    await expect(readSentMessage(bytes)).rejects.toThrow(/^the message/);
  });
});
