import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseLargeMessage, partBytes } from '../../../core/mime/large-message.ts';
import { attachmentOf, parseMessage } from '../../../core/mime/parse.ts';
import { readTnef } from '../../../core/mime/tnef.ts';
import { compressedRtf, tnefOf, uuencoded } from './encoders.ts';

const message = (...lines: readonly string[]) =>
  Buffer.concat(lines.flatMap((line) => [Buffer.from(line, 'latin1'), Buffer.from('\r\n')]));

const TYPED = ['From: Ada <ada@example.org>', 'Subject: Files'];
const BYTES = Buffer.from(Array.from({ length: 1000 }, (_, at) => at % 256));

async function read(source: Buffer) {
  const { text, attachments } = await parseMessage(source);
  return { text, files: attachments.map(({ name, mime }) => ({ name, mime, bytes: bytesOf(source, name) })) };
  function bytesOf(source: Buffer, name: string) {
    const index = attachments.findIndex((one) => one.name === name);
    return Buffer.from(attachmentOf(source, index)?.bytes ?? []);
  }
}

const FILE = { name: 'plan.bin', mime: 'application/octet-stream', bytes: BYTES };

describe('files inside a text', () => {
  it('are attachments', async () => {
    const encoded = uuencoded('plan.bin', BYTES).trimEnd();
    const source = message(...TYPED, '', 'Here it is.', '', encoded, '', 'Regards');
    const { text, files } = await read(source);
    expect(text.split(/\s+/).join(' ')).toBe('Here it is. Regards');
    expect(files).toEqual([FILE]);
  });

  it('are decoded if a part has their encoding', async () => {
    const type = [
      'Content-Type: application/octet-stream; name=plan.bin',
      'Content-Transfer-Encoding: x-uuencode',
    ];
    const source = message(...TYPED, ...type, '', uuencoded('other', BYTES));
    expect((await read(source)).files).toEqual([FILE]);
  });

  it.each([
    'We begin 644 days later.',
    'begin 644 with care\r\nand end well',
    'begin 644 x\r\nThis is a sentence, and no file.\r\nend',
    'begin 644 x\r\n#86)C\r\n`',
  ])('are not found in ordinary text: %j', async (text) => {
    expect(await read(message(...TYPED, '', text))).toEqual({
      text: text.replaceAll('\r\n', '\n').trimEnd(),
      files: [],
    });
  });

  it('come back complete, for any bytes and any number', async () => {
    const any = fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(any, async (all) => {
        const files = all.map((bytes, at) => ({ name: `file${at}`, bytes: Buffer.from(bytes) }));
        const encoded = files.map(({ name, bytes }) => uuencoded(name, bytes).trimEnd());
        const found = (await read(message(...TYPED, '', 'text', ...encoded))).files;
        expect(found.map(({ name, bytes }) => ({ name, bytes }))).toEqual(files);
      }),
      { numRuns: 100 },
    );
  });
});

/** With a hidden word, and a text for a program that does not know Unicode. */
const RTF =
  "{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0 Arial;}}\\pard Gr\\'fc\\'dfe{\\v hidden}\\par from \\u8220?Ada\\u8221?\\par}";
/** MS-OXRTFEX: HTML in `htmltag` groups, beside what only RTF programs show. */
const RTF_OF_HTML =
  '{\\rtf1\\ansi\\ansicpg1252\\fromhtml1 \\deff0{\\fonttbl{\\f0\\fswiss Arial;}}{\\*\\htmltag19 <html>}' +
  '{\\*\\htmltag34 <style>.x\\{display:none\\}</style>}{\\*\\htmltag50 <body>}\\htmlrtf \\lang1033 for RTF\\par\\htmlrtf0 ' +
  "{\\*\\htmltag64 <p>}{\\*\\mhtmltag64 <p style='display:none'>}Gr\\'fc\\'dfe \\htmlrtf {\\b \\htmlrtf0 {\\*\\htmltag84 <b>}\\u8364?5" +
  '{\\*\\htmltag92 </b>}\\htmlrtf }\\htmlrtf0  {\\*\\htmltag84 &amp;} more{\\*\\htmltag84 <i class=x>}hidden{\\*\\htmltag92 </i>}' +
  '{\\*\\htmltag72 </p>\\par }{\\*\\htmltag64 <p>}{\\v Second} \\emdash  line{\\*\\htmltag72 </p>}{\\*\\htmltag58 </body>}}';

describe('a winmail.dat', () => {
  const files = [
    { title: 'PLAN~1.BIN', longName: 'plan.bin', content: BYTES },
    { title: 'short.txt', content: Buffer.from('words') },
  ];

  it.each(['application/ms-tnef', 'application/octet-stream'])(
    'is replaced by its files: %s',
    async (type) => {
      const source = message(
        ...TYPED,
        'Content-Type: multipart/mixed; boundary=b',
        '',
        '--b',
        '',
        'The text.',
        '--b',
        `Content-Type: ${type}; name=winmail.dat`,
        'Content-Transfer-Encoding: base64',
        '',
        tnefOf({ files, body: 'The text again.' }).toString('base64'),
        '--b--',
      );
      const found = await read(source);
      expect(found.text).toBe('The text.');
      expect(found.files).toEqual([FILE, { ...FILE, name: 'short.txt', bytes: Buffer.from('words') }]);
    },
  );

  it.each([
    ['plain', { body: 'Gr\xfc\xdfe' }, 'Gr\xfc\xdfe'],
    ['HTML', { html: '<p>Gr\xfc\xdfe</p><p style="display:none">hidden</p>' }, 'Gr\xfc\xdfe'],
    ['RTF', { body: ' ', rtf: compressedRtf(RTF) }, 'Grüße\nfrom “Ada”'],
    ['RTF made from HTML', { rtf: compressedRtf(RTF_OF_HTML) }, 'Grüße €5 & more\n\nSecond — line'],
    ['plain text rather than its RTF', { body: 'plain', rtf: compressedRtf(RTF) }, 'plain'],
  ])('shows its %s text if it is the whole message', async (_name, body, text) => {
    const tnef = tnefOf({ files, ...body }).toString('base64');
    const source = message(
      ...TYPED,
      'Content-Type: application/ms-tnef',
      'Content-Transfer-Encoding: base64',
      '',
      tnef,
    );
    expect(await read(source)).toMatchObject({ text, files: [FILE, { name: 'short.txt' }] });
  });

  it('that is invalid stays a file', async () => {
    const source = message(...TYPED, 'Content-Type: application/ms-tnef; name=winmail.dat', '', 'no TNEF');
    expect((await read(source)).files).toMatchObject([{ name: 'winmail.dat' }]);
  });

  it('stays one file if the server lists it', async () => {
    const tnef = tnefOf({ files }).toString('base64');
    const part = message('Content-Type: application/ms-tnef', 'Content-Transfer-Encoding: base64', '', tnef);
    const described = {
      name: 'winmail.dat',
      mime: 'application/ms-tnef',
      charset: '',
      encoding: '',
      encodedBytes: 9,
    };
    const bytes = partBytes({ kind: 'part', described, bytes: part });
    expect(Buffer.from(bytes as Uint8Array).equals(tnefOf({ files }))).toBe(true);
    const text = message('', 'text', uuencoded('plan.bin', BYTES));
    const source = { kind: 'parts', texts: [text], isCut: false, attachments: [] } as const;
    expect((await parseLargeMessage(source)).text).toContain('begin 644 plan.bin');
  });

  it('is read despite any damage', () => {
    const whole = tnefOf({ files, rtf: compressedRtf(RTF_OF_HTML) });
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), fc.nat(whole.length), (at, byte, end) => {
        const bytes = Buffer.from(whole);
        bytes[at] = byte;
        const read = readTnef(bytes.subarray(0, end));
        expect(read?.files.length ?? 0).toBeLessThanOrEqual(1000);
        expect(read?.body()?.content.length ?? 0).toBeLessThanOrEqual(9 * whole.length);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('rare MIME', () => {
  it.each([
    ['in two pieces', 'boundary*0="bo"; boundary*1="und"'],
    ['with a charset', "boundary*=us-ascii''bound"],
    ['encoded', "boundary*=us-ascii'en'b%6Fund"],
    ['encoded and in pieces', "boundary*0*=us-ascii''b%6F; boundary*1=und"],
  ])('a boundary %s (RFC 2231)', async (_name, parameter) => {
    const source = message(
      ...TYPED,
      `Content-Type: multipart/mixed; ${parameter}`,
      '',
      '--bound',
      "Content-Type: text/plain; charset*=us-ascii''iso-8859-1",
      '',
      'Gr\xfc\xdfe',
      '--bound',
      'Content-Type: application/octet-stream; name=plan.bin',
      'Content-Transfer-Encoding: base64',
      '',
      BYTES.toString('base64'),
      '--bound--',
    );
    expect(await read(source)).toEqual({ text: 'Gr\xfc\xdfe', files: [FILE] });
  });

  it('parts of a digest are messages by default', async () => {
    const source = message(
      ...TYPED,
      'Content-Type: multipart/digest; boundary=b',
      '',
      '--b',
      '',
      'Subject: one',
      '',
      'The first.',
      '--b',
      'Content-Type: text/plain',
      '',
      'A note.',
      '--b--',
    );
    const { text, attachments } = await parseMessage(source);
    expect(text).toBe('A note.');
    expect(attachments).toMatchObject([{ mime: 'message/rfc822' }]);
    expect(Buffer.from(attachmentOf(source, 0)?.bytes ?? []).toString()).toBe(
      'Subject: one\r\n\r\nThe first.',
    );
  });

  it('a header without an empty line ends at the first line that is not a field', async () => {
    const source = message('Subject: x', 'X-Long: a', ' b', 'Hello there,', 'this is: text');
    const { text, headers } = await parseMessage(source);
    expect([headers.subject, text]).toEqual(['x', 'Hello there,\nthis is: text']);
  });

  it.each([
    ['=?utf-8?q?Fr\xf6sche?=', 'Frösche'],
    ['=?iso-8859-1?q?Fr\xf6sche_=F6?=', 'Frösche ö'],
    ['=?utf-7?q?Fr+APY-sche?=', 'Frösche'],
    ['=?UTF-7?B?RnIrQVBZLXNjaGU=?=', 'Frösche'],
    ['=?windows-1252?q?=80_5?= and =?us-ascii?q?=93x=94?=', '€ 5 and “x”'],
    ['=?utf-8?B?R3LD?= =?utf-8?B?vMOfZQ==?=', 'Grüße'],
    ['=?utf-8*de?q?x?= y', 'x y'],
    ['=?nonsense?q?x?= =?', 'x =?'],
  ])('a subject %j', async (subject, text) => {
    const source = Buffer.from(`Subject: ${subject}\r\n\r\ntext`);
    expect((await parseMessage(source)).headers.subject).toBe(text);
  });

  it.each([
    ['a@local>', [['', 'a@local']]],
    [
      'a@b.c>, Bob <d@e.f>',
      [
        ['', 'a@b.c'],
        ['Bob', 'd@e.f'],
      ],
    ],
    ['Ada <<a@b.c>>', [['Ada', 'a@b.c']]],
    ['Ada <a@b.c', [['Ada', 'a@b.c']]],
    [
      'Ada <a@b.c, Bob <d@e.f>',
      [
        ['Ada', 'a@b.c'],
        ['Bob', 'd@e.f'],
      ],
    ],
    ['Ada <a(x)@b.c (y)>', [['Ada', 'a@b.c']]],
    ['Ada (the (first) one) <a@b.c>', [['Ada', 'a@b.c']]],
    ['a@b.c (Ada)', [['Ada', 'a@b.c']]],
    ['Ada (unclosed <a@b.c>', [['Ada unclosed', 'a@b.c']]],
    ['"Ada (x) > y" <a@b.c>', [['Ada (x) > y', 'a@b.c']]],
    ['=?utf-8?q?Ada_=28x=29_=3Cb=40c=3E?= <a@b.c>', [['Ada (x) <b@c>', 'a@b.c']]],
    ['=?iso-8859-1?q?Fr\xf6sche?= <a@b.c>', [['Frösche', 'a@b.c']]],
  ])('addresses %j', async (from, expected) => {
    const { headers } = await parseMessage(Buffer.from(`From: ${from}\r\n\r\ntext`));
    expect(headers.from.map(({ name, address }) => [name, address])).toEqual(expected);
  });
});
