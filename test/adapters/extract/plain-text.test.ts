import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { documentText } from '../../../adapters/extract/document-text.ts';

async function textOf(bytes: Uint8Array, mime = 'text/plain', name = 'a.txt'): Promise<string> {
  const answer = await documentText(bytes, { name, mime });
  return answer.kind === 'text' ? answer.text : `(${answer.reason})`;
}

describe('text', () => {
  const cases: readonly { text: string; charset: string; mark?: boolean; declared?: string }[] = [
    { text: 'Grüße, 東京 🎉', charset: 'utf-8' },
    { text: 'Grüße, 東京 🎉', charset: 'utf-8', mark: true },
    { text: 'Grüße, 東京 🎉', charset: 'utf-8', declared: 'iso-8859-1' },
    { text: 'Grüße, 東京 🎉', charset: 'utf-16le', mark: true },
    { text: 'Grüße, 東京 🎉', charset: 'utf-16be', mark: true, declared: 'utf-8' },
    { text: 'Name;Straße', charset: 'utf-16le' },
    { text: 'Name;Straße', charset: 'utf-16be' },
    { text: 'Grüße', charset: 'utf-32le', mark: true },
    { text: 'Grüße', charset: 'utf-32be', mark: true },
    { text: '“Preis” – 5 €', charset: 'windows-1252', declared: 'us-ascii' },
    { text: 'Привет', charset: 'koi8-r', declared: 'koi8-r' },
    { text: 'Привет', charset: 'windows-1251', declared: 'windows-1251' },
    { text: 'Zażółć', charset: 'iso-8859-2', declared: 'ISO-8859-2' },
    { text: '日本語', charset: 'shift_jis', declared: 'Shift_JIS' },
    { text: '日本語', charset: 'euc-jp', declared: 'euc-jp' },
    { text: '中文', charset: 'gb18030', declared: 'gb18030' },
    { text: '中文', charset: 'big5', declared: 'big5' },
    { text: '한국어', charset: 'euc-kr', declared: 'ks_c_5601-1987' },
    { text: 'Grüße', charset: 'utf-7', declared: 'utf-7' },
    { text: 'Grüße', charset: 'cp850', declared: 'cp850' },
  ];
  it.each(cases)(
    '$text in $charset, marked: $mark, declared: $declared',
    async ({ text, charset, mark, declared }) => {
      const bytes = iconv.encode(text, charset, { addBOM: mark === true });
      expect(
        await textOf(bytes, declared === undefined ? 'text/plain' : `text/plain; charset=${declared}`),
      ).toBe(text);
    },
  );

  it.each([
    ['Уважаемые коллеги, напоминаю, что собрание состоится в пятницу в десять часов.', 'koi8-r', 'KOI8-R'],
    ['Уважаемые коллеги, напоминаю, что собрание состоится в пятницу.', 'windows-1251', 'windows-1251'],
    ['お世話になっております。会議は金曜日の午前十時に行われます。', 'shift_jis', 'Shift_JIS'],
    ['お世話になっております。会議は金曜日の午前十時に行われます。', 'euc-jp', 'EUC-JP'],
    ['안녕하세요. 회의는 금요일 오전 열 시에 열립니다.', 'euc-kr', 'EUC-KR'],
    ['各位同事，会议将于星期五上午十点举行，请准备好相关资料。', 'gbk', 'GB18030'],
    ['Zażółć gęślą jaźń. Przypominam, że zebranie odbędzie się w piątek.', 'windows-1250', 'windows-1250'],
    ['Αγαπητοί συνάδελφοι, η συνάντηση θα γίνει την Παρασκευή.', 'windows-1253', 'ISO-8859-7'],
    ['الزملاء الأعزاء، أذكركم بأن الاجتماع سيعقد يوم الجمعة.', 'windows-1256', 'windows-1256'],
    ['“Preis” – 5 €', 'windows-1252', 'windows-1252'],
    ['ñåé', 'windows-1252', 'windows-1252'],
    ['Grüße aus Köln', 'iso-8859-1', 'windows-1252'],
  ])('%s in %s without a declaration is read as a guess, and says so', async (text, charset, named) => {
    expect(await textOf(iconv.encode(text, charset))).toBe(
      `${text}\n\n[This file does not say how its text is encoded. It was read as ${named}, which is a guess.]`,
    );
  });

  it.each(['utf-32le', 'utf-32be'])('in %s is recognised by its zero bytes', async (charset) => {
    expect(await textOf(iconv.encode('Grüße 東京 🎉', charset, { addBOM: false }))).toBe('Grüße 東京 🎉');
  });

  it('in ISO-2022-JP is recognised by its escapes', async () => {
    const bytes = Buffer.from('\x1b$B%F%9%H\x1b(B ok', 'latin1');
    expect(await textOf(bytes)).toBe('テスト ok');
  });

  it('in ISO-2022-KR is read although it shifts by control characters', async () => {
    const bytes = Buffer.from('\x1b$)C\x0eGQ19\x0f', 'latin1');
    expect(await textOf(bytes, 'text/plain; charset=iso-2022-kr')).toBe('한국');
    expect(await textOf(bytes)).toBe('한국');
  });

  it('has LF line ends and no control characters', async () => {
    expect(await textOf(Buffer.from('a\r\nb\rc\u2028d\fe\tf\x1b[31mg\x07h'.padEnd(200, '.')))).toBe(
      'a\nb\nc\nd\ne\tf[31mgh'.padEnd(197, '.'),
    );
  });

  it.each([
    ['nothing', Buffer.alloc(0), '(no_text)'],
    ['spaces', Buffer.from(' \r\n\t '), '(no_text)'],
    ['a program', Buffer.from('\x7fELF\x02\x01\x01'.padEnd(64, '\0')), '(unsupported_type)'],
    ['an archive', Buffer.from('PK\x05\x06'.padEnd(22, '\0'), 'latin1'), '(unsupported_type)'],
    ['gzip', Buffer.from('1f8b0800000000000003f3482d0201', 'hex'), '(unsupported_type)'],
    ['a damaged old office file', Buffer.from('d0cf11e0a1b11ae1'.padEnd(2048, '0'), 'hex'), '(broken)'],
    ['a JPEG', Buffer.from('ffd8ffe000104a464946', 'hex'), '(image)'],
  ])('is not made up from %s', async (_name, bytes, expected) => {
    expect(await textOf(bytes)).toBe(expected);
  });
});

describe('other texts', () => {
  it('of html are read as a page, by their type or their first words', async () => {
    const page =
      '<!DOCTYPE html><html><head><meta charset="koi8-r"></head><body><p>Привет</p><p>b</p></body></html>';
    const bytes = iconv.encode(page, 'koi8-r');
    expect(await textOf(bytes, 'text/html')).toBe('Привет\n\nb');
    expect(await textOf(bytes, 'application/octet-stream', 'x')).toBe('Привет\n\nb');
  });

  it('of html tables are lines of cells', async () => {
    const table = '<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>';
    expect(await textOf(Buffer.from(table), 'application/octet-stream', 'x.htm')).toBe('a\tb\n1\t2');
  });

  it('of csv, json and source code are unchanged', async () => {
    const csv = 'a;b\n"1";2\n';
    expect(await textOf(Buffer.from(csv), 'text/csv', 'x.csv')).toBe(csv);
  });

  it('of calendars and contacts are unfolded', async () => {
    const calendar =
      'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Board meet\r\n ing\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n';
    expect(await textOf(Buffer.from(calendar), 'application/octet-stream', 'x')).toContain(
      '\nSUMMARY:Board meeting\n',
    );
    const card = 'BEGIN:VCARD\nVERSION:4.0\nFN:Ada Love\n lace\nEND:VCARD\n';
    expect(await textOf(Buffer.from(card), 'text/vcard', 'x.vcf')).toContain('\nFN:Ada Lovelace\n');
  });

  it('of messages show their header, their text and their attachments', async () => {
    const message = [
      'From: Ada <ada@example.org>',
      'To: bob@example.com',
      'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=',
      'Date: Tue, 3 Mar 2026 09:05:07 +0100',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      '',
      'Hello',
      '--b',
      'Content-Type: application/pdf; name=offer.pdf',
      '',
      'x',
      '--b--',
    ].join('\r\n');
    expect(await textOf(Buffer.from(message), 'message/rfc822', '')).toBe(
      'From: Ada <ada@example.org>\nTo: bob@example.com\nDate: Tue, 3 Mar 2026 09:05:07 +0100\nSubject: Grüße\n\nHello\n\n[Attachment: offer.pdf, application/pdf]',
    );
  });

  it('of messages show the messages inside, up to a usual depth of forwarding', async () => {
    const within = (subject: string, inner: string) =>
      `Subject: ${subject}\r\nContent-Type: message/rfc822\r\n\r\n${inner}`;
    const source = within('outer', within('inner', 'Subject: innermost\r\n\r\nhello'));
    const attached = (subject: string) => `[Attachment: ${subject}, message/rfc822]`;
    expect(await textOf(Buffer.from(source), 'message/rfc822', '')).toBe(
      `Subject: outer\n\n\n\n${attached('inner')}\nSubject: inner\n\n\n\n${attached('innermost')}\nSubject: innermost\n\nhello\n`,
    );
    const endless = Array.from({ length: 300 }, (_, i) => `level ${i}`).reduceRight(
      (inner, subject) => within(subject, inner),
      'Subject: end\r\n\r\nend',
    );
    const text = await textOf(Buffer.from(endless), 'message/rfc822', '');
    expect(text).toMatch(/Subject: level 4\n\s*\[Attachment: level 5, message\/rfc822\]$/);
  });
});
