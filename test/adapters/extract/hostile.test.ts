import fc from 'fast-check';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { documentText } from '../../../adapters/extract/document-text.ts';
import {
  openDocumentFile,
  paragraph,
  run,
  sheetFile,
  slidesFile,
  wordFile,
  wordFileOf,
} from './office-files.ts';

const MAX_CHARS = 2_000_000;
const claims = { name: '', mime: 'application/octet-stream' };

describe('bombs', () => {
  it('that unpack to many megabytes are too large', async () => {
    expect(await documentText(wordFileOf(zeros(101)), claims)).toEqual({
      kind: 'empty',
      reason: 'too_large',
    });
  });

  it('keep the text read before', async () => {
    const file = wordFileOf(
      Buffer.concat([Buffer.from(`<w:document>${paragraph(run('before'))}`), zeros(101)]),
    );
    expect(await documentText(file, claims)).toEqual({ kind: 'text', text: 'before', cut: true });
  });

  it('of archives in an archive stay closed', async () => {
    const inner = zipSync({ 'a.txt': zeros(10) });
    const files = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`${i}.zip`, inner]));
    expect(await documentText(zipSync(files, { level: 0 }), claims)).toEqual({
      kind: 'empty',
      reason: 'unsupported_type',
    });
  });

  it('of more files than an office document has are too large', async () => {
    const files = Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`${i}`, new Uint8Array(0)]));
    expect(await documentText(zipSync(files), claims)).toEqual({ kind: 'empty', reason: 'too_large' });
  });

  it('of entities are not expanded', async () => {
    const entities = Array.from(
      { length: 20 },
      (_, i) => `<!ENTITY e${i + 1} "${`&e${i};`.repeat(10)}">`,
    ).join('');
    const prolog = `<!DOCTYPE x [<!ENTITY e0 "lol">${entities}<!ENTITY f SYSTEM "file:///etc/passwd">]>`;
    expect(await documentText(wordFile(paragraph(run('&e20;&f;')), prolog), claims)).toEqual({
      kind: 'text',
      text: '&e20;&f;',
      cut: false,
    });
  });

  it.each([
    ['a word document', () => wordFile(paragraph(run('x'.repeat(1000))).repeat(5000))],
    [
      'a sheet of one string',
      () =>
        sheetFile(`<x:row>${'<x:c t="s"><x:v>0</x:v></x:c>'.repeat(5000)}</x:row>`, {
          strings: `<si><t>${'x'.repeat(30_000)}</t></si>`,
        }),
    ],
    [
      'a sheet of wide gaps',
      () => sheetFile('<x:row><x:c r="XFD1"><x:v>1</x:v></x:c></x:row>'.repeat(100_000)),
    ],
    ['slides', () => slidesFile([{ text: 'x'.repeat(3_000_000) }])],
    [
      'an open document with repeated cells',
      () =>
        openDocumentFile(
          `<table:table><table:table-row table:number-rows-repeated="999999999"><table:table-cell table:number-columns-repeated="999999999"><text:p>x</text:p></table:table-cell></table:table-row></table:table>`,
        ),
    ],
    [
      'counted spaces',
      () => openDocumentFile(`<text:p>a${'<text:s text:c="999999999"/>'.repeat(50)}b</text:p>`),
    ],
    ['rtf', () => Buffer.from(`{\\rtf1 ${'x\\par '.repeat(1_500_000)}}`)],
    ['text', () => Buffer.from('x'.repeat(3_000_000))],
  ])('%s: text ends at the limit and is marked as cut', async (_name, file) => {
    const answer = await documentText(file(), claims);
    expect(answer).toMatchObject({ kind: 'text', cut: true });
    expect(answer.kind === 'text' && answer.text.length).toBeLessThanOrEqual(MAX_CHARS + 50);
  });
});

describe('endless structures', () => {
  const MANY = 1_000_000;
  it.each([
    ['xml nested without end', () => wordFile('<w:tc>'.repeat(MANY) + paragraph(run('deep'))), 'deep'],
    [
      'xml closed without end',
      () => wordFile('</w:tc></mc:Fallback></w:p>'.repeat(MANY / 10) + paragraph(run('deep'))),
      'deep',
    ],
    [
      'a tag of quotation marks',
      () => wordFile(`<w:p ${'a="'.repeat(MANY)}>${paragraph(run('deep'))}`),
      'deep',
    ],
    ['deeply nested rtf', () => Buffer.from(`{\\rtf1 ${'{'.repeat(9000)}deep${'}'.repeat(9000)}`), 'deep'],
    ['rtf with long runs of spaces', () => Buffer.from(`{\\rtf1 a${' '.repeat(MANY)}}`), 'a'],
    ['html nested without end', () => Buffer.from(`<html><p>deep</p>${'<div>'.repeat(MANY)}`), 'deep'],
    ['a name of dots', () => Buffer.from('deep'), 'deep'],
  ])('%s', async (_name, file, text) => {
    const answer = await documentText(file(), { name: '.'.repeat(MANY), mime: ' '.repeat(MANY) });
    expect(answer).toMatchObject({ kind: 'text', text: expect.stringContaining(text) });
  });

  it.each([
    ['a value', () => wordFile(`<w:p a="${'<'.repeat(2 * MANY)}`)],
    ['a comment', () => wordFile(`<!-- ${'-'.repeat(2 * MANY)}`)],
    ['a document type', () => wordFile('', `<!DOCTYPE x [${'<!ENTITY a "b">'.repeat(MANY / 10)}`)],
    ['groups of rtf', () => Buffer.from(`{\\rtf1 ${'{'.repeat(MANY)}deep`)],
  ])('%s is broken', async (_name, file) => {
    expect(await documentText(file(), claims)).toEqual({ kind: 'empty', reason: 'broken' });
  });
});

describe('broken archives', () => {
  const whole = wordFile(paragraph(run('text')).repeat(2000));

  it.each([0.1, 0.5, 0.9, 0.999])('cut off at %d of their length are broken', async (part) => {
    const answer = await documentText(whole.subarray(0, Math.floor(whole.length * part)), claims);
    expect(answer).toEqual({ kind: 'empty', reason: 'broken' });
  });

  it('with encrypted entries are reported as encrypted', async () => {
    const bytes = Buffer.from(whole);
    for (let at = bytes.indexOf('PK\x01\x02'); at !== -1; at = bytes.indexOf('PK\x01\x02', at + 1))
      bytes[at + 8] = 1;
    expect(await documentText(bytes, claims)).toEqual({ kind: 'empty', reason: 'encrypted' });
  });

  it('with a missing part are broken', async () => {
    const type = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';
    const types = strToU8(`<Types><Override PartName="/word/document.xml" ContentType="${type}"/></Types>`);
    expect(await documentText(zipSync({ '[Content_Types].xml': types }), claims)).toEqual({
      kind: 'empty',
      reason: 'broken',
    });
  });
});

describe('any bytes', () => {
  const samples: readonly Uint8Array[] = [
    wordFile(paragraph(run('a &amp; b'), run('c', '<w:vanish/>'))),
    sheetFile('<x:row><x:c r="B2" t="s"><x:v>0</x:v></x:c></x:row>', { strings: '<si><t>s</t></si>' }),
    slidesFile([{ text: 'slide' }]),
    openDocumentFile('<text:p>a<text:s text:c="3"/>b</text:p>'),
    Buffer.from("{\\rtf1\\ansi{\\fonttbl{\\f1\\fcharset128 x;}}\\f1 \\'83e\\u8364?{\\v x}\\cell\\row}"),
    Buffer.from('BEGIN:VCALENDAR\r\nSUMMARY:a\r\n b\r\n'),
    Buffer.from('<html><table><tr><td>a</td></tr></table>'),
  ];
  const mimes = ['text/plain; charset=utf-7', 'text/html', 'message/rfc822', 'text/csv; charset=nothing', ''];

  async function isAnswered(bytes: Uint8Array, mime: string): Promise<void> {
    const answer = await documentText(bytes, { name: '', mime });
    if (answer.kind === 'empty') return;
    expect(answer.text.length).toBeLessThanOrEqual(MAX_CHARS + 50);
    expect(answer.text).not.toMatch(/[^\P{Cc}\t\n]|\p{Surrogate}/u);
  }

  it('get an answer', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), fc.constantFrom(...mimes), isAnswered),
      { numRuns: 1000 },
    );
  });

  it('get an answer after the signature of each format', async () => {
    const beginnings = ['PK\x03\x04', '{\\rtf1 ', '<html>', 'BEGIN:VCARD\n', '\xff\xfe', '\xfe\xff'];
    const bytes = fc
      .tuple(fc.constantFrom(...beginnings), fc.uint8Array({ maxLength: 1000 }))
      .map(([beginning, rest]) => Buffer.concat([Buffer.from(beginning, 'latin1'), rest]));
    await fc.assert(fc.asyncProperty(bytes, fc.constantFrom(...mimes), isAnswered), { numRuns: 1000 });
  });

  it('get an answer where a document was damaged', async () => {
    const damage = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...samples), damage, fc.nat(), async (sample, changes, cutAt) => {
        const bytes = Buffer.from(sample);
        for (const [at, value] of changes) bytes[at % bytes.length] = value;
        await isAnswered(cutAt % 3 === 0 ? bytes.subarray(0, cutAt % bytes.length) : bytes, '');
      }),
      { numRuns: 2000 },
    );
  });

  it('get an answer where the XML inside was damaged', async () => {
    const words = [
      '<',
      '>',
      '/',
      '"',
      "'",
      '&',
      ';',
      '<![CDATA[',
      ']]>',
      '<!--',
      '-->',
      '<?',
      '<!',
      '[',
      ']>',
    ];
    const tags = [
      '<w:t>',
      '</w:t>',
      '<w:tc',
      'w:val="0"',
      '<table-cell ',
      'number-rows-repeated="9"',
      '&#x',
      'x',
    ];
    const xml = fc
      .array(fc.constantFrom(...words, ...tags), { maxLength: 60 })
      .map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(xml, fc.constantFrom(wordFile, sheetFile, openDocumentFile), async (body, fileOf) => {
        await isAnswered(fileOf(body), '');
      }),
      { numRuns: 1000 },
    );
  });
});

function zeros(megabytes: number): Uint8Array {
  return new Uint8Array(megabytes * 1024 * 1024);
}
