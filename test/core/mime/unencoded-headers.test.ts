import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { messageRow } from '../../../core/mail/message-row.ts';
import { parseMessage } from '../../../core/mime/parse.ts';

const ROW = {
  place: { path: 'INBOX', uidValidity: '1', uid: 1 },
  stableId: null,
  internalDate: new Date(0),
  sizeBytes: 100,
  flags: new Set<never>(),
};

describe('header fields that are not encoded', () => {
  const header = [
    'From: Боб <bob@example.test>',
    'Subject: Привет',
    'Content-Type: text/plain; charset=windows-1251',
    'Content-Transfer-Encoding: 8bit',
  ].join('\n');

  it('are read in the charset of the text, in the message and in a list', async () => {
    const source = iconv.encode(`${header}\n\nПривет, Борис`, 'windows-1251');
    const { headers, text } = await parseMessage(source);
    expect([headers.subject, headers.from, text]).toEqual([
      'Привет',
      [{ name: 'Боб', address: 'bob@example.test' }],
      'Привет, Борис',
    ]);
    const row = messageRow({ ...ROW, header: iconv.encode(header, 'windows-1251') });
    expect([row.subject, row.from]).toEqual(['Привет', 'Боб <bob@example.test>']);
  });

  it('are UTF-8 if they can be, whatever the text is', async () => {
    const utf8 = Buffer.from('Subject: Grüße €\nContent-Type: text/plain; charset=windows-1251\n\n');
    const { headers } = await parseMessage(Buffer.concat([utf8, iconv.encode('Привет', 'windows-1251')]));
    expect(headers.subject).toBe('Grüße €');
  });

  it('of a part are read in the charset that another part names', async () => {
    const lines = [
      'Subject: Raw file name',
      'Content-Type: multipart/mixed; boundary=mm',
      '',
      '--mm',
      'Content-Type: text/plain; charset=gbk',
      '',
      '看',
      '--mm',
      'Content-Type: application/pdf',
      'Content-Disposition: attachment; filename="发票.pdf"',
      '',
      'x',
      '--mm--',
    ];
    const { attachments, text } = await parseMessage(iconv.encode(lines.join('\n'), 'gbk'));
    expect([attachments.map(({ name }) => name), text]).toEqual([['发票.pdf'], '看']);
  });
});
