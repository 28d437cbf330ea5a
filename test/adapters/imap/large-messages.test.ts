import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { imapMail } from '../../../adapters/imap/mail.ts';
import { mailReader } from '../../../core/accounts/mail-reader.ts';
import type { MailCall } from '../../../core/ports/mail.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import { systemClock } from '../../../hosts/embedded/system-clock.ts';
import { attachmentAt, readAt } from '../../contracts/mail/read.ts';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import { callOn, newestOf } from './mailbox-on.ts';
import { callThrough } from './through-proxy.ts';

const MAX_BYTES = 1024 * 1024;
/** No reader shows what stands before the first part. A message of this length is not fetched with its row. */
const PREAMBLE = 'not shown\r\n'.repeat(30_000);

const lines = (...all: string[]) => all.join('\r\n');
const mixed = (boundary: string, ...parts: string[]) =>
  lines(
    'MIME-Version: 1.0',
    `Content-Type: multipart/mixed; boundary=${boundary}`,
    '',
    ...parts.flatMap((part) => [`--${boundary}`, part]),
    `--${boundary}--`,
    '',
  );
const PLAIN = lines('Content-Type: text/plain', '', 'the text');
const EMPTY = lines('Content-Type: text/plain', '', '');
const PDF = lines('Content-Type: application/pdf; name=last.pdf', '', 'pdf');
const CALENDAR = lines(
  'Content-Type: text/calendar; charset=utf-8; method=REQUEST',
  '',
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'METHOD:REQUEST',
  'BEGIN:VEVENT',
  'UID:boiler@example.org',
  'DTSTART:20251210T090000Z',
  'SUMMARY:Boiler check',
  'END:VEVENT',
  'END:VCALENDAR',
);
const REPORT = lines(
  'Content-Type: message/delivery-status',
  '',
  'Reporting-MTA: dns; mail.example.org',
  '',
  'Action: failed',
);
const OFFER = lines(
  'Content-Type: message/rfc822',
  '',
  'Subject: The offer',
  mixed('n', lines('', 'inner words'), lines('Content-Type: text/csv; name=prices.csv', '', 'lamp,12')),
);
const SCAN = lines(
  'Content-Type: message/rfc822',
  '',
  'Subject: A scan',
  'MIME-Version: 1.0',
  'Content-Type: image/png; name=scan.png',
  'Content-Transfer-Encoding: base64',
  '',
  'cG5n',
);
const BOXED = lines('Content-Type: message/rfc822', '', 'Subject: Boxed', 'MIME-Version: 1.0', OFFER);

const MESSAGES: readonly (readonly [string, string])[] = [
  ['a text and a file', mixed('m', PLAIN, PDF)],
  ['a calendar only', mixed('m', CALENDAR, PDF)],
  ['an empty text beside a calendar', mixed('m', EMPTY, CALENDAR)],
  ['a text beside a calendar', mixed('m', PLAIN, CALENDAR)],
  ['a report without a text', mixed('m', REPORT, PDF)],
  ['a text of another kind', mixed('m', lines('Content-Type: text/markdown', '', '# Title'))],
  [
    'a text that is marked as an attachment',
    mixed('m', lines('Content-Type: text/plain', 'Content-Disposition: attachment', '', 'words')),
  ],
  ['files only', mixed('m', PDF)],
  ['an attached message that has a file', mixed('m', PLAIN, OFFER, PDF)],
  ['an attached message that is a file', mixed('m', PLAIN, SCAN)],
  ['a message in an attached message', mixed('m', PLAIN, BOXED, PDF)],
];

describe.skipIf(missingServers().length > 0)(titled('a message that is too large to fetch whole'), () => {
  let dovecot: Dovecot;
  let mail: Mail;
  beforeAll(async () => {
    dovecot = await startDovecot();
    mail = imapMail({ allowPrivateServers: true });
  });
  afterEach(() => mail.close());
  afterAll(() => dovecot?.stop());

  async function readIn(call: MailCall) {
    const { place } = await newestOf(mail, call);
    const { text, attachments } = await readAt(mailReader(mail, systemClock), call, place);
    const files: unknown[] = [];
    for (const { index, name, mime } of attachments) {
      const found = await attachmentAt(mail, call, place, index, MAX_BYTES);
      const bytes = found?.bytes;
      files.push([
        name,
        mime,
        typeof bytes === 'string'
          ? bytes
          : Buffer.from(bytes ?? [])
              .toString()
              .trim(),
      ]);
    }
    return { text: text.trim(), files };
  }

  it.each(MESSAGES)('reads as a small one does: %s', async (_what, raw) => {
    const user = dovecot.addUser();
    await dovecot.deliver(user, `Subject: large\r\n${raw.replace('\r\n\r\n', `\r\n\r\n${PREAMBLE}`)}`);
    const small = await readIn(callOn(dovecot.port, user));
    await mail.close();
    mail = imapMail({ allowPrivateServers: true });
    const reply = (line: string) => line.replace(/RFC822\.SIZE \d+/, 'RFC822.SIZE 30000000');
    const large = await readIn(await callThrough(dovecot, user, { reply }));
    expect(large).toEqual(small);
  });

  it.each([
    ['NIL'],
    ['("multipart" "mixed" ("boundary" "m") NIL NIL "7BIT" -1 NIL NIL NIL NIL)'],
    ['("mixed" ("boundary" "m") NIL NIL NIL)'],
    ['(("text" "plain" NIL NIL NIL "7bit" 23 1 NIL NIL NIL NIL) "mixed" ("boundary" "m") NIL NIL NIL'],
    ['()'],
    ['"odd"'],
  ])('reads what came with its row if the server does not describe its parts: %s', async (structure) => {
    const user = dovecot.addUser();
    const raw = `${mixed('m', PLAIN, PDF).trimEnd()}\r\n${'-'.repeat(70)}\r\n`;
    await dovecot.deliver(user, `Subject: large\r\n${raw}${'x\r\n'.repeat(200_000)}`);
    const reply = (line: string) =>
      line
        .replace(/RFC822\.SIZE \d+/, 'RFC822.SIZE 30000000')
        .replace(/BODYSTRUCTURE .*(?= BODY\[|\)\r\n$)/, `BODYSTRUCTURE ${structure}`);
    const call = await callThrough(dovecot, user, { reply });
    const { place } = await newestOf(mail, call);
    const read = await readAt(mailReader(mail, systemClock), call, place);
    expect(read.text).toContain('the text');
    expect(read.text).toContain('[The rest of this message is too large to show.]');
    expect(read.text).toContain('Some of it cannot be shown.');
    expect(read).toMatchObject({ attachments: [], hasUnlisted: true });
    await expect(attachmentAt(mail, call, place, 0, MAX_BYTES)).rejects.toMatchObject({ code: 'refused' });
  });
});
