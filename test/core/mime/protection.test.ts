import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCms } from '../../../core/mime/cms.ts';
import { withoutCiphertext } from '../../../core/mime/inline-pgp.ts';
import { parseLargeMessage } from '../../../core/mime/large-message.ts';
import { attachmentOf, parseMessage } from '../../../core/mime/parse.ts';
import { shapes, superlinear } from '../../growth.ts';
import { tnefOf } from './encoders.ts';

const NOTICE = '[This message is encrypted. Its text cannot be read here.]';

const message = (...lines: readonly string[]) => Buffer.from(`${lines.join('\r\n')}\r\n`, 'latin1');

/** One element of DER. */
function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 0x80 ? [length] : [0x83, length >> 16, (length >> 8) & 0xff, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

/** One element of BER whose length is not known before its end. */
function streamed(tag: number, ...contents: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from([tag, 0x80]), ...contents, Buffer.alloc(2)]);
}

const id = (hex: string) => der(6, Buffer.from(hex, 'hex'));
const SIGNED = id('2a864886f70d010702');
const DATA = id('2a864886f70d010701');
const VERSION = der(2, Buffer.of(1));
const ALGORITHMS = der(0x31, der(0x30, id('608648016503040201')));

const signed = (content: Buffer) =>
  der(
    0x30,
    SIGNED,
    der(0xa0, der(0x30, VERSION, ALGORITHMS, der(0x30, DATA, der(0xa0, der(4, content))), der(0x31))),
  );

/** As OpenSSL and Outlook write it: lengths are not known, and the content is in pieces. */
function signedInPieces(content: Buffer): Buffer {
  const pieces = Array.from({ length: Math.ceil(content.length / 100) }, (_, at) =>
    der(4, content.subarray(at * 100, at * 100 + 100)),
  );
  const inner = streamed(0x30, DATA, streamed(0xa0, streamed(0x24, ...pieces)));
  return streamed(0x30, SIGNED, streamed(0xa0, streamed(0x30, VERSION, streamed(0x31), inner, der(0x31))));
}

const enveloped = (type: string) => der(0x30, id(type), der(0xa0, der(0x30, VERSION)));

const INNER = message(
  'Content-Type: multipart/mixed; boundary=in',
  '',
  '--in',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'Gr=C3=BC=C3=9Fe, signed',
  '--in',
  'Content-Type: application/pdf; name=plan.pdf',
  '',
  '%PDF',
  '--in--',
);

function wrapped(
  cms: Buffer,
  type = 'application/pkcs7-mime; smime-type=signed-data; name=smime.p7m',
): Buffer {
  return message(
    'Subject: Hello',
    `Content-Type: ${type}`,
    'Content-Transfer-Encoding: base64',
    '',
    cms.toString('base64').replace(/.{76}/g, '$&\r\n'),
  );
}

describe('a signed message', () => {
  it.each([
    ['DER', wrapped(signed(INNER))],
    ['BER in pieces', wrapped(signedInPieces(INNER))],
    ['its old media type', wrapped(signed(INNER), 'application/x-pkcs7-mime')],
    ['no media type', wrapped(signed(INNER), 'application/octet-stream; name=smime.p7m')],
    ['a signature around a signature', wrapped(signed(wrapped(signedInPieces(INNER))))],
  ])('shows the text and the attachments inside its file: %s', async (_name, source) => {
    const { text, attachments, headers, protection } = await parseMessage(source);
    expect([headers.subject, text]).toEqual(['Hello', 'Grüße, signed']);
    expect(attachments).toMatchObject([{ index: 0, name: 'plan.pdf', sizeBytes: 4 }]);
    expect(Buffer.from(attachmentOf(source, 0)?.bytes ?? []).toString()).toBe('%PDF');
    expect(protection).toEqual({ isEncrypted: false, isSigned: true });
  });

  it.each([
    [
      'beside its signature',
      message(
        'Content-Type: multipart/signed; protocol="application/pgp-signature"; boundary=b',
        '',
        '--b',
        '',
        'The text',
        '--b',
        'Content-Type: application/pgp-signature; name=signature.asc',
        '',
        'x',
        '--b--',
      ),
      'The text',
    ],
    [
      'within its text',
      message('', '-----BEGIN PGP SIGNED MESSAGE-----', 'Hash: SHA256', '', 'The text'),
      '-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nThe text',
    ],
  ])('says so: %s', async (_name, source, shown) => {
    const { text, protection } = await parseMessage(source);
    expect([text, protection]).toEqual([shown, { isEncrypted: false, isSigned: true }]);
  });

  it.each([
    [
      'certificates only',
      der(0x30, SIGNED, der(0xa0, der(0x30, VERSION, ALGORITHMS, der(0x30, DATA), der(0x31)))),
    ],
    ['something else', Buffer.from('no ASN.1 at all')],
    ['nothing', Buffer.alloc(0)],
  ])('that holds %s stays a file', async (_name, cms) => {
    const { attachments, protection } = await parseMessage(wrapped(cms));
    expect(attachments).toMatchObject([{ name: 'smime.p7m' }]);
    expect(protection).toEqual({ isEncrypted: false, isSigned: false });
  });

  it('is read as far as it is there', async () => {
    const source = wrapped(signedInPieces(INNER).subarray(0, 300));
    expect((await parseMessage(source)).text).toBe('Grüße, signed');
  });

  it('is not unwrapped without end', async () => {
    let source: Buffer = message('', 'innermost');
    for (let times = 0; times < 30; times++) source = wrapped(signed(source));
    expect((await parseMessage(source)).text).toMatch(/^\[This message .* nested too deeply/);
  });
});

/** A multipart of parts. */
function multipart(subtype: string, ...parts: readonly Buffer[]): Buffer {
  const boundary = `b${parts.reduce((sum, { length }) => sum + length, 0)}`;
  const lines = parts.map((part) => `--${boundary}\r\n${part.toString('latin1')}\r\n`);
  return message(
    'Subject: Hello',
    `Content-Type: multipart/${subtype}; boundary=${boundary}`,
    '',
    `${lines.join('')}--${boundary}--`,
  );
}

const FILE = wrapped(signed(message('Content-Type: text/html', '', '<p>Inside</p>')));
const TEXT = message('Content-Type: text/plain', '', 'Text');
const HTML = message('Content-Type: text/html', '', '<p>Text</p>');
const BY_NAME = wrapped(signed(message('', 'Inside')), 'application/octet-stream; name=smime.p7m');
const SIGNATURE = message('Content-Type: application/pkcs7-signature; name=smime.p7s', '', 'x');
const NAMED = message('Content-Type: text/plain; name=notes.txt', '', 'Text');
const ATTACHED = message('Content-Disposition: attachment', '', 'Text');
const OTHER = message('Content-Type: application/pdf; name=a.pdf', '', 'x');

/** The text of a message that shows none, and has these files besides the S/MIME file. */
const held = (...others: string[]) =>
  `[This message has no text. It holds: ${['smime.p7m, application/pkcs7-mime', ...others].join('; ')}]`;

const inside = (source: Buffer) => wrapped(signed(source));
const disposed = (source: Buffer) =>
  Buffer.concat([message('Content-Disposition: attachment; filename=smime.p7m'), source]);

describe('an S/MIME file', () => {
  it.each([
    ['with the footer of a mailing list', multipart('mixed', FILE, TEXT), 'Inside\nText', []],
    ['attached to it by its header', multipart('mixed', disposed(FILE), TEXT), 'Inside\nText', []],
    ['inside a signature over it', multipart('signed', FILE, SIGNATURE), 'Inside', ['smime.p7s']],
    ['with a footer, inside another', inside(multipart('mixed', FILE, TEXT)), 'Inside\nText', []],
  ])('is opened if it is the message itself: %s', async (_name, source, shown, files) => {
    const { text, attachments, protection } = await parseMessage(source);
    expect([text, attachments.map(({ name }) => name)]).toEqual([shown, files]);
    expect(protection).toEqual({ isEncrypted: false, isSigned: true });
  });

  it.each([
    ['below a text', multipart('mixed', TEXT, FILE), 'Text'],
    ['above HTML', multipart('mixed', FILE, HTML), 'Text'],
    ['beside a text and a footer', multipart('mixed', TEXT, FILE, TEXT), 'Text\nText'],
    ['above two texts', multipart('mixed', FILE, TEXT, TEXT), 'Text\nText'],
    ['above a text file', multipart('mixed', FILE, NAMED), 'Text'],
    ['above an attached text', multipart('mixed', FILE, ATTACHED), held('unnamed, text/plain')],
    ['above another file', multipart('mixed', FILE, OTHER), held('a.pdf, application/pdf')],
    ['alone in a multipart', multipart('mixed', FILE), held()],
    ['as the other form of a text', multipart('alternative', TEXT, FILE), 'Text'],
    ['as the first form of a text', multipart('alternative', FILE, TEXT), 'Text'],
    ['related to HTML', multipart('related', HTML, FILE), 'Text'],
    ['with a footer further in', multipart('mixed', multipart('mixed', FILE, TEXT), TEXT), 'Text\nText'],
    ['by its name alone, with a footer', multipart('mixed', BY_NAME, TEXT), 'Text'],
    ['by its name alone, below a text', multipart('mixed', TEXT, BY_NAME), 'Text'],
    ['as what a signature is said to be', multipart('signed', TEXT, FILE), 'Text'],
    ['with a signature of another kind', multipart('signed', FILE, OTHER), held('a.pdf, application/pdf')],
    ['below a text, inside another', inside(multipart('mixed', TEXT, FILE)), 'Text'],
  ])('stays a file where no mail program opens it: %s', async (_name, source, shown) => {
    const { text, attachments } = await parseMessage(source);
    expect(text).toBe(shown);
    expect(attachments.map(({ name }) => name)).toContain('smime.p7m');
  });

  it.each([
    ['a text', wrapped(signed(message('', 'Inside')), 'text/plain; name=smime.p7m')],
    ['an image', wrapped(signed(message('', 'Inside')), 'image/png; name=smime.p7m')],
  ])('is not recognised by its name if its type is that of %s', async (_name, source) => {
    const { attachments, protection } = await parseMessage(source);
    expect(attachments).toMatchObject([{ name: 'smime.p7m' }]);
    expect(protection.isSigned).toBe(false);
  });

  it('that is encrypted and attached to a text is not the text', async () => {
    const file = wrapped(enveloped('2a864886f70d010703'));
    const { text, protection } = await parseMessage(multipart('mixed', TEXT, file));
    expect([text, protection.isEncrypted]).toEqual(['Text', false]);
  });

  it('in a message that is attached stays in that', async () => {
    const attached = Buffer.concat([message('Content-Type: message/rfc822', ''), FILE]);
    const { text, attachments } = await parseMessage(multipart('mixed', TEXT, attached));
    expect([text, attachments.map(({ mime }) => mime)]).toEqual(['Text', ['message/rfc822']]);
  });

  it('in a winmail.dat is one of its files, and the text of a winmail.dat in it is its text', async () => {
    const winmail = (given: Parameters<typeof tnefOf>[0]) =>
      message(
        'Content-Type: application/ms-tnef; name=winmail.dat',
        'Content-Transfer-Encoding: base64',
        '',
        tnefOf(given).toString('base64'),
      );
    const file = { title: 'smime.p7m', content: signed(message('', 'Inside')) };
    const around = await parseMessage(winmail({ files: [file], body: 'Outside' }));
    expect([around.text, around.attachments.map(({ name }) => name)]).toEqual(['Outside', ['smime.p7m']]);
    const within = await parseMessage(inside(winmail({ files: [], body: 'Inside' })));
    expect([within.text, within.attachments]).toEqual(['Inside', []]);
  });

  it('shows nothing inside another multipart, wherever it is there', () => {
    const subtype = fc.constantFrom('mixed', 'alternative', 'related', 'signed', 'report', 'x-other');
    const other = fc.constantFrom(TEXT, HTML, NAMED, SIGNATURE, OTHER);
    const around = fc.record({ subtype, before: fc.array(other), behind: fc.array(other) });
    return fc.assert(
      fc.asyncProperty(fc.array(around, { minLength: 2, maxLength: 4 }), async (levels) => {
        let source = FILE;
        for (const level of levels)
          source = multipart(level.subtype, ...level.before, source, ...level.behind);
        const { text, attachments } = await parseMessage(source);
        expect(text).not.toContain('Inside');
        expect(attachments.map(({ name }) => name)).toContain('smime.p7m');
      }),
    );
  });
});

const ARMOUR = [
  '-----BEGIN PGP MESSAGE-----',
  'Version: GnuPG v2',
  '',
  'hQEMA9vEQ/x=',
  '=AbCd',
  '-----END PGP MESSAGE-----',
];

describe('an encrypted message', () => {
  it.each([
    ['S/MIME', wrapped(enveloped('2a864886f70d010703')), NOTICE],
    ['S/MIME with authentication', wrapped(enveloped('2a864886f70d0109100117')), NOTICE],
    ['S/MIME signed around it', wrapped(signed(wrapped(enveloped('2a864886f70d010703')))), NOTICE],
    [
      'PGP/MIME',
      message(
        'Content-Type: multipart/encrypted; protocol="application/pgp-encrypted"; boundary=b',
        '',
        '--b',
        'Content-Type: application/pgp-encrypted',
        '',
        'Version: 1',
        '--b',
        'Content-Type: application/octet-stream; name=encrypted.asc',
        '',
        ...ARMOUR,
        '--b--',
      ),
      NOTICE,
    ],
    [
      'PGP/MIME as some servers change it, with a footer',
      message(
        'Content-Type: multipart/mixed; boundary=b',
        '',
        '--b',
        'Content-Type: application/pgp-encrypted',
        '',
        'Version: 1',
        '--b',
        'Content-Type: application/octet-stream; name=encrypted.asc',
        '',
        ...ARMOUR,
        '--b',
        '',
        'The footer',
        '--b--',
      ),
      `${NOTICE}\nThe footer`,
    ],
    ['inline PGP', message('', 'Hello,', ...ARMOUR, 'Ada'), `Hello,\n${NOTICE}\nAda`],
    [
      'inline PGP in HTML',
      message('Content-Type: text/html', '', `<div>${ARMOUR.join('<br>')}</div>`),
      NOTICE,
    ],
  ])('says so in place of its text, and as a fact: %s', async (_name, source, shown) => {
    const { text, protection } = await parseMessage(source);
    expect(text).toBe(shown);
    expect(protection.isEncrypted).toBe(true);
  });

  it('says so if it is too large to be fetched whole', async () => {
    const described = {
      name: '',
      mime: 'application/pgp-encrypted',
      charset: '',
      encoding: '',
      encodedBytes: 9,
    };
    const parts = { kind: 'parts', texts: [message('')], isCut: false, attachments: [described] } as const;
    const { text, protection } = await parseLargeMessage(parts);
    expect([text, protection.isEncrypted]).toEqual([NOTICE, true]);
  });

  it('is not taken from the type of a content that is there and only signed', async () => {
    const source = Buffer.concat([
      message('Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m', ''),
      signed(INNER),
    ]);
    const { text, protection } = await parseMessage(source);
    expect(protection).toEqual({ isEncrypted: false, isSigned: true });
    expect(text).toContain('Grüße, signed');
  });

  it.each([
    ['enveloped-data', true],
    ['authEnveloped-data', true],
    ['signed-data', false],
  ])('says so of S/MIME of which only the header was fetched: %s', async (kind, isEncrypted) => {
    const type = `application/pkcs7-mime; smime-type=${kind}; name=smime.p7m`;
    const described = {
      name: 'smime.p7m',
      mime: 'application/pkcs7-mime',
      charset: '',
      encoding: 'base64',
      encodedBytes: 40_000_000,
    };
    const texts = [message(`Content-Type: ${type}`, 'Subject: sealed', '')];
    const parts = { kind: 'parts', texts, isCut: false, attachments: [described] } as const;
    const { text, protection } = await parseLargeMessage(parts);
    expect(protection).toEqual({ isEncrypted, isSigned: false });
    expect(text === NOTICE).toBe(isEncrypted);
    expect(text).not.toBe('');
  });

  it.each([
    ['> -----BEGIN PGP MESSAGE-----', '> hQEMA9v=', '> -----END PGP MESSAGE-----'],
    ['-----BEGIN PGP MESSAGE-----', 'Pay 100 € to Eve.', '-----END PGP MESSAGE-----'],
    ['-----BEGIN PGP MESSAGE-----', 'hQEMA9v='],
  ])('is not seen in text that a person reads: %j', async (...lines) => {
    const { text, protection } = await parseMessage(
      Buffer.from(`Content-Type: text/plain; charset=utf-8\r\n\r\n${lines.join('\r\n')}`),
    );
    expect([text, protection.isEncrypted]).toEqual([lines.join('\n'), false]);
  });
});

describe('reading what protects a message', () => {
  it('gets an answer for any bytes', () => {
    const sample = signedInPieces(INNER);
    const damage = fc.array(fc.tuple(fc.nat(sample.length - 1), fc.nat(255)), { maxLength: 10 });
    fc.assert(
      fc.property(damage, fc.nat(sample.length), (changes, length) => {
        const bytes = Buffer.from(sample.subarray(0, length));
        for (const [at, value] of changes) if (at < length) bytes[at] = value;
        readCms(bytes);
      }),
      { numRuns: 2000 },
    );
  });

  it.each(
    shapes([
      '-----BEGIN PGP MESSAGE-----\n',
      '-----END PGP MESSAGE-----\n',
      '-----BEGIN PGP SIGNED',
      'Version: a\n',
      'a',
      '\n',
      ' ',
    ]),
  )('takes time that is linear in the text: $name', ({ shape }) => {
    expect(superlinear((text) => withoutCiphertext(text), shape, 50_000)).toBeUndefined();
    const ended = (length: number) => `${shape(length)}-----END PGP MESSAGE-----`;
    expect(superlinear((text) => withoutCiphertext(text), ended, 50_000)).toBeUndefined();
  });

  const open = (tag: number) => Buffer.of(tag, 0x80);
  const beforeAlgorithms = Buffer.concat([open(0x30), SIGNED, open(0xa0), open(0x30), VERSION]);
  const beforeContent = Buffer.concat([
    beforeAlgorithms,
    ALGORITHMS,
    open(0x30),
    DATA,
    open(0xa0),
    open(0x24),
  ]);
  const parts = ['\x30\x80', '\x24\x80', '\0\0', '\x04\x01a', '\x31\x80', '\x30\x83\0\0\x05'];

  it.each(
    [beforeAlgorithms, beforeContent].flatMap((head, at) =>
      shapes(parts).map(({ name, shape }) => ({ name: `${at} ${name}`, head, shape })),
    ),
  )('takes time that is linear in the bytes: $name', ({ head, shape }) => {
    const read = (text: string) => readCms(Buffer.concat([head, Buffer.from(text, 'latin1')]));
    expect(superlinear(read, shape, 60_000, 100)).toBeUndefined();
  });
});
