import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ListedMessage } from '../../../core/mail/listed-message.ts';
import { isMessage, isMessageInPlace, messageRow } from '../../../core/mail/message-row.ts';

const FIELDS = [
  'From: =?utf-8?Q?Zo=C3=AB_Lab?= <zoe@other.example>',
  'Subject: =?utf-8?B?R3LDvMOfZQ==?=',
  'Date: Mon, 6 May 2024 09:00:00 +0200',
  'Message-ID: <quarter@other.example>',
];

function listed(header: string | Uint8Array): ListedMessage {
  return {
    place: { path: 'INBOX', uidValidity: '7', uid: 3 },
    stableId: null,
    header: typeof header === 'string' ? Buffer.from(header) : header,
    internalDate: new Date('2024-05-06T07:08:09Z'),
    sizeBytes: 1000,
    flags: new Set(),
  };
}

describe('the row of a message', () => {
  const read = messageRow(listed(FIELDS.join('\r\n')));

  it('is read from its header', () => {
    expect(read).toMatchObject({
      messageId: '<quarter@other.example>',
      from: 'Zoë Lab <zoe@other.example>',
      subject: 'Grüße',
      date: '2024-05-06T09:00:00+02:00',
    });
  });

  it('is recognised in its place by its header, and elsewhere only with its size and date', () => {
    const known = { ...read, fingerprint: read.fingerprint.slice(0, 32) };
    expect([isMessageInPlace(read, known), isMessage(read, known)]).toEqual([true, true]);
    const header = FIELDS.join('\r\n');
    for (const other of [{ sizeBytes: 1001 }, { internalDate: new Date(0) }]) {
      const row = messageRow({ ...listed(header), ...other });
      expect([isMessageInPlace(row, known), isMessage(row, known)]).toEqual([true, false]);
    }
    for (const field of FIELDS) {
      const row = messageRow(listed(header.replace(field, field.replace(/: .*/, ': other'))));
      expect([isMessageInPlace(row, known), isMessage(row, known)]).toEqual([false, false]);
    }
    const renamed = { ...read, stableId: 'other' };
    expect([isMessageInPlace(renamed, known), isMessage(renamed, known)]).toEqual([false, false]);
  });

  it('is the same for the whole header and for only its fields', () => {
    const filler = Array.from({ length: 2000 }, (_, n) => `X-Filler-${n}: From: eve@other.example`);
    for (const others of [filler.slice(0, 5), filler]) {
      const header = [...others, ...FIELDS.map((field) => field.replace(': ', ':\r\n\t')), ...others];
      expect(messageRow(listed(header.join('\r\n')))).toEqual(read);
      expect(messageRow(listed(`${header.join('\n')}\n\n`))).toEqual(read);
    }
  });

  it.each(['From', 'Subject', 'Date', 'Message-ID', 'X-Other'])(
    'keeps its other fields if %s is very long',
    (name) => {
      const isSame = (field: string) => field.startsWith(name);
      const long = (isSame(FIELDS.find(isSame) ?? '') ? FIELDS.find(isSame) : `${name}: x`) ?? '';
      const many = [`${long} ${'y'.repeat(30_000)}`, `${long}${'\r\n y'.repeat(10_000)}`];
      for (const one of many) {
        const fields = FIELDS.map((field) => (isSame(field) ? one : field));
        const row = messageRow(listed([...(name === 'X-Other' ? [one] : []), ...fields, ''].join('\r\n')));
        if (name !== 'From') expect(row.from).toBe(read.from);
        else expect(row.from).toMatch(/^Zoë Lab .*<zoe@other\.example>/);
        if (name !== 'Subject') expect(row.subject).toBe(read.subject);
        else expect(row.subject).toMatch(/^Grüße y/);
        if (name !== 'Message-ID') expect(row.messageId).toBe(read.messageId);
      }
    },
  );

  it('reads the first of several fields of one name', () => {
    const again = FIELDS.map((field) => field.replace(/: .*/, ': other'));
    const header = [...FIELDS, ...again, `X-Long: ${'y'.repeat(20_000)}`, ''].join('\r\n');
    expect(messageRow(listed(header))).toEqual(read);
  });

  it('shows a sender who pretends to be somebody else', () => {
    const { from } = messageRow(listed('From: "ceo@bank.example" <eve@evil.example>\r\n'));
    expect(from).toBe('eve@evil.example (named "ceo@bank.example")');
  });

  it('exists for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 0, max: 400 }), (bytes, times) => {
        const row = messageRow(listed(Buffer.concat([Buffer.from('From: '), ...Array(times).fill(bytes)])));
        expect(row.date).toMatch(/^\d{4}-/);
      }),
    );
  });
});
