import fc from 'fast-check';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { documentText } from '../../../adapters/extract/document-text.ts';
import { compressedRtf } from '../../core/mime/encoders.ts';
import { outlookFile, type SavedMessage } from './outlook-files.ts';

async function textOf(bytes: Uint8Array, name = 'a.msg'): Promise<string> {
  const answer = await documentText(bytes, { name, mime: '' });
  return answer.kind === 'text' ? answer.text : `(${answer.reason})`;
}

const SUBJECT = 0x37;
const FROM_NAME = 0x0c1a;
const FROM_ADDRESS = 0x5d01;
const PLAIN = 0x1000;
const RTF = 0x1009;
const LOCALE = 0x3ff1;
const HTML = 0x1013;
const HEADERS = 0x7d;

const LETTER: SavedMessage = {
  texts: {
    [SUBJECT]: 'Größe – 大きさ',
    [FROM_NAME]: 'Ada Byron',
    [FROM_ADDRESS]: 'ada@example.org',
    [PLAIN]: 'The text.\r\nSecond line.',
  },
  times: { 57: Date.UTC(2026, 2, 3, 9, 5) },
  recipients: [
    { name: 'Bob', address: 'bob@example.org', kind: 1 },
    { name: 'carol@example.org', address: 'carol@example.org', kind: 1 },
    { name: 'Dan', address: 'dan@example.org', kind: 2 },
  ],
  files: [{ name: 'plan.pdf', mime: 'application/pdf', content: Buffer.from('%PDF') }],
};

const SHOWN = `From: Ada Byron <ada@example.org>
To: Bob <bob@example.org>, carol@example.org
Cc: Dan <dan@example.org>
Date: Tue, 03 Mar 2026 09:05:00 GMT
Subject: Größe – 大きさ

The text.
Second line.

[Attachment: plan.pdf, application/pdf]`;

describe('a message that Outlook saved', () => {
  it('shows its header, its text and the names of its attachments', async () => {
    expect(await textOf(outlookFile(LETTER))).toBe(SHOWN);
  });

  it('is read in the code page that it names', async () => {
    const texts = { [SUBJECT]: 'Встреча', [FROM_NAME]: 'Иван', [PLAIN]: 'Съешь ещё булок.' };
    const encode = (text: string) => iconv.encode(text, 'windows-1251');
    expect(await textOf(outlookFile({ texts, encode, codePage: 1251 }))).toBe(
      'From: Иван\nSubject: Встреча\n\nСъешь ещё булок.',
    );
  });

  it.each([
    ['Russian', 1049, 'windows-1251', 'Съешь ещё булок.'],
    ['Japanese', 1041, 'shift_jis', '会議は明日です。'],
    ['Chinese in Taiwan', 1028, 'big5', '會議在明天。'],
    ['Chinese in China', 2052, 'gbk', '会议在明天。'],
    ['Polish', 1045, 'windows-1250', 'Zażółć gęślą jaźń.'],
    ['Serbian in Cyrillic', 3098, 'windows-1251', 'Љубазни фењерџија.'],
    ['English', 1033, 'windows-1252', 'Größe – café'],
    ['no', undefined, 'windows-1252', 'Größe – café'],
  ])('is read in the code page of its locale if it names none: %s', async (_name, locale, charset, words) => {
    const encode = (text: string) => iconv.encode(text, charset);
    const numbers = locale === undefined ? {} : { [LOCALE]: locale };
    expect(await textOf(outlookFile({ texts: { [SUBJECT]: 'x', [PLAIN]: words }, encode, numbers }))).toBe(
      `Subject: x\n\n${words}`,
    );
  });

  it('shows the header that it came with, one field on each line', async () => {
    const headers =
      'From: =?utf-8?B?w4RkYQ==?= <ada@example.org>\r\nTo: bob@example.org\r\nDate: Tue, 3 Mar 2026 09:05:07 +0100\r\n';
    const texts = { [HEADERS]: headers, [SUBJECT]: 'One\nTo: eve@example.org', [PLAIN]: 'x' };
    expect(await textOf(outlookFile({ texts }))).toBe(
      'From: Äda <ada@example.org>\nTo: bob@example.org\nDate: Tue, 3 Mar 2026 09:05:07 +0100\nSubject: One To: eve@example.org\n\nx',
    );
  });

  it.each([
    ['HTML', { binary: { [HTML]: Buffer.from('<p>Größe</p><p style="display:none">hidden</p>') } }, 'Größe'],
    [
      'HTML in its code page',
      { binary: { [HTML]: Buffer.from('<p>Gr\xf6\xdfe</p>', 'latin1') }, numbers: { 16350: 1252 } },
      'Größe',
    ],
    ['HTML rather than plain text', { texts: { [PLAIN]: 'plain', [HTML]: '<b>Größe</b>' } }, 'Größe'],
    ['RTF', { binary: { [RTF]: compressedRtf("{\\rtf1\\ansi Gr\\'f6\\'dfe}") } }, 'Größe'],
    [
      'RTF made from HTML',
      {
        binary: {
          [RTF]: compressedRtf(
            "{\\rtf1\\ansi\\fromhtml1{\\*\\htmltag64 <p>}Gr\\'f6\\'dfe{\\*\\htmltag72 </p>}}",
          ),
        },
      },
      'Größe',
    ],
    ['nothing', {}, '(no_text)'],
  ])('shows its text: %s', async (_name, body, shown) => {
    expect(await textOf(outlookFile(body))).toBe(shown);
  });

  it('shows the messages attached to it, of both kinds, but not without end', async () => {
    const eml = Buffer.from('Subject: Inner\r\n\r\nText of the mail');
    const files = [
      { name: 'Größe – 大きさ', message: LETTER },
      { name: 'mail.eml', content: eml },
      { name: 'saved.msg', content: outlookFile({ texts: { [PLAIN]: 'Saved again' } }) },
      { name: 'broken.msg', content: Buffer.from('d0cf11e0', 'hex') },
      { name: 'last.txt', mime: 'text/plain', content: Buffer.from('x') },
    ];
    const text = await textOf(outlookFile({ texts: { [PLAIN]: 'Outer' }, files }));
    expect(text).toContain(`[Attachment: Größe – 大きさ, message/rfc822]\n${SHOWN}`);
    expect(text).toContain('Subject: Inner\n\nText of the mail');
    expect(text).toContain('Saved again');
    expect(text).toContain('[Attachment: last.txt, text/plain]');
    let deep: SavedMessage = { texts: { [PLAIN]: 'innermost' } };
    for (let level = 1; level <= 6; level++)
      deep = { texts: { [PLAIN]: `level ${level}` }, files: [{ name: 'm', message: deep }] };
    const shown = await textOf(outlookFile(deep));
    expect([shown.includes('level 2'), shown.includes('level 1')]).toEqual([true, false]);
  });

  it('is shown inside a mail', async () => {
    const eml = [
      'Content-Type: application/vnd.ms-outlook; name=a.msg',
      'Content-Transfer-Encoding: base64',
      '',
      outlookFile(LETTER).toString('base64'),
    ].join('\r\n');
    expect(await textOf(Buffer.from(eml), 'a.eml')).toContain(SHOWN);
  });

  it('that was damaged or cut off gets an answer', async () => {
    const sample = outlookFile({ ...LETTER, files: [{ name: 'inner', message: LETTER }] });
    const damage = fc.array(fc.tuple(fc.nat(sample.length - 1), fc.nat({ max: 255 })), {
      minLength: 1,
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(damage, fc.nat(), async (changes, cutAt) => {
        const bytes = Buffer.from(sample);
        for (const [at, value] of changes) bytes[at] = value;
        const part = cutAt % 3 === 0 ? bytes.subarray(0, cutAt % bytes.length) : bytes;
        const answer = await documentText(part, { name: 'a.msg', mime: '' });
        expect(['text', 'empty']).toContain(answer.kind);
      }),
      { numRuns: 500 },
    );
  });
});
