import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { parseLargeMessage } from '../../../core/mime/large-message.ts';
import { attachmentOf, parseMessage } from '../../../core/mime/parse.ts';

const message = (...lines: string[]) => Buffer.from(lines.join('\r\n'), 'utf8');
const textOf = async (...lines: string[]) => (await parseMessage(message(...lines))).text;
const namesIn = async (source: Uint8Array) =>
  (await parseMessage(source)).attachments.map(({ name }) => name);

const mixed = (...parts: string[][]) => [
  'Content-Type: multipart/mixed; boundary=m',
  '',
  ...parts.flatMap((part) => ['--m', ...part]),
  '--m--',
];

const event = (...lines: string[]) => [
  'BEGIN:VEVENT',
  'UID:boiler@example.org',
  'DTSTAMP:20251101T080000Z',
  ...lines,
  'END:VEVENT',
];
const calendar = (method: string, ...lines: string[]) => [
  `Content-Type: text/calendar; charset=utf-8; method=${method}`,
  '',
  'BEGIN:VCALENDAR',
  'PRODID:-//test//EN',
  'VERSION:2.0',
  `METHOD:${method}`,
  ...lines,
  'END:VCALENDAR',
];
const BOILER = [
  'DTSTART:20251210T090000Z',
  'DTEND:20251210T093000Z',
  'SUMMARY:Boiler check',
  'LOCATION:Cellar',
  'DESCRIPTION:Please clear the stairs.\\nRing twice.',
  'ORGANIZER;CN=Bob Kuhl:mailto:bob@example.org',
  'ATTENDEE;PARTSTAT=ACCEPTED:mailto:ada@example.org',
];
const SHOWN = [
  'Boiler check',
  'Wednesday, 10 December 2025, 09:00 to 09:30 (UTC+00:00)',
  'Where: Cellar',
  'Organizer: Bob Kuhl <bob@example.org>',
  '',
  'Please clear the stairs.',
  'Ring twice.',
].join('\n');

describe('the text of a message whose only text is a calendar', () => {
  it('is what the event says', async () => {
    expect(await textOf(...calendar('REQUEST', ...event(...BOILER)))).toBe(SHOWN);
  });

  it('is the same beside a plain text that is empty, or invisible', async () => {
    for (const empty of ['', ' ', '\u200b\ufeff']) {
      const plain = ['Content-Type: text/plain; charset=utf-8', '', empty];
      const invitation = calendar('REQUEST', ...event(...BOILER));
      expect((await textOf(...mixed(plain, invitation))).trim()).toBe(SHOWN);
      const [, ...rest] = mixed(plain, invitation);
      expect(await textOf('Content-Type: multipart/alternative; boundary=m', ...rest)).toBe(SHOWN);
    }
  });

  it.each([
    ['a whole day', ['DTSTART;VALUE=DATE:20251210'], 'Wednesday, 10 December 2025, all day'],
    [
      'several days',
      ['DTSTART;VALUE=DATE:20251210', 'DTEND;VALUE=DATE:20251212'],
      'Wednesday, 10 December 2025 to Thursday, 11 December 2025',
    ],
    [
      'a time of a zone',
      ['DTSTART;TZID=Europe/Zurich:20251210T230000', 'DURATION:PT2H'],
      'Wednesday, 10 December 2025, 23:00 to Thursday, 11 December 2025, 01:00 (UTC+01:00)',
    ],
    [
      'a night in which the clocks change',
      ['DTSTART;TZID=Europe/Zurich:20251026T010000', 'DURATION:PT4H'],
      'Sunday, 26 October 2025, 01:00 (UTC+02:00) to 04:00 (UTC+01:00)',
    ],
    [
      'a time without a zone',
      ['DTSTART:20251210T090000'],
      'Wednesday, 10 December 2025, 09:00 (no time zone)',
    ],
    [
      'a series',
      ['DTSTART:20251210T090000Z', 'RRULE:FREQ=WEEKLY;COUNT=3'],
      'Wednesday, 10 December 2025, 09:00 (UTC+00:00)\nRepeats: FREQ=WEEKLY;COUNT=3',
    ],
  ])('says when it is: %s', async (_name, times, shown) => {
    expect(await textOf(...calendar('REQUEST', ...event('SUMMARY:Boiler', ...times)))).toBe(
      `Boiler\n${shown}`,
    );
  });

  it('says that an event is cancelled, and what somebody answered', async () => {
    const times = 'DTSTART;VALUE=DATE:20251210';
    expect(await textOf(...calendar('CANCEL', ...event('SUMMARY:Boiler', times)))).toBe(
      'Cancelled: Boiler\nWednesday, 10 December 2025, all day',
    );
    const answer = ['SUMMARY:Boiler', times, 'ATTENDEE;CN=Ada;PARTSTAT=DECLINED:mailto:ada@example.org'];
    expect(await textOf(...calendar('REPLY', ...event(...answer)))).toBe(
      'Boiler\nWednesday, 10 December 2025, all day\nAnswer: Ada <ada@example.org>, DECLINED',
    );
  });

  it('has every event, up to twenty', async () => {
    const events = Array.from({ length: 25 }, (_, n) =>
      event(`SUMMARY:No. ${n}`, 'DTSTART:20251210T090000Z'),
    );
    const text = await textOf(...calendar('PUBLISH', ...events.flat()));
    expect(text.match(/^No\. \d+$/gm)).toHaveLength(20);
    expect(text).toContain('[5 more events are not shown here.]');
  });

  it('is its lines if it cannot be read', async () => {
    expect(await textOf(...calendar('PUBLISH', 'BEGIN:VTODO', 'SUMMARY:Boiler', 'END:VTODO'))).toContain(
      'SUMMARY:Boiler',
    );
  });

  it('is the text of the message if there is one', async () => {
    const parts = mixed(['', 'Please come'], calendar('REQUEST', ...event(...BOILER)));
    expect(await textOf(...parts)).toBe('Please come');
  });
});

describe('the text of a message without text/plain and text/html', () => {
  it.each(['text/markdown', 'text/x-unknown', 'text/enriched'])('is %s as it is', async (type) => {
    expect(await textOf(`Content-Type: ${type}; charset=utf-8`, '', '# Agenda', '', '* Röof')).toBe(
      '# Agenda\n\n* Röof',
    );
  });

  it('is what a report says', async () => {
    const report = ['Content-Type: message/delivery-status', '', 'Reporting-MTA: dns; mx.example.org', ''];
    const about = ['Final-Recipient: rfc822; gone@example.org', 'Action: failed', 'Status: 5.1.1'];
    const [, ...rest] = mixed([...report, ...about]);
    const type = 'Content-Type: multipart/report; report-type=delivery-status; boundary=m';
    expect(await textOf(type, ...rest)).toBe(['Reporting-MTA: dns; mx.example.org', '', ...about].join('\n'));
  });

  it.each([
    ['text/plain', 'one, two', 'one, two'],
    ['text/html', '<p>one, <b>two</b></p>', 'one, two'],
  ])('is the one %s that is marked as an attachment', async (type, content, shown) => {
    const file = [`Content-Type: ${type}`, 'Content-Disposition: attachment; filename=notes', '', content];
    for (const lines of [file, mixed(file), mixed(['', ''], file)]) {
      expect(await textOf(...lines)).toBe(shown);
      expect(await namesIn(message(...lines))).toEqual(['notes']);
    }
  });

  it('is that of the message that it carries', async () => {
    const inner = ['From: Ida <ida@example.org>', 'Subject: The offer', '', 'Inner words'];
    const lines = ['Subject: Fwd', 'Content-Type: message/rfc822', '', ...inner];
    expect(await textOf(...lines)).toBe('From: Ida <ida@example.org>\nSubject: The offer\n\nInner words');
    expect(await textOf(...mixed(['Content-Type: message/rfc822', '', ...lines]))).toBe(
      'Subject: Fwd\n\nFrom: Ida <ida@example.org>\nSubject: The offer\n\nInner words',
    );
  });

  it('names what the message holds if it holds no text', async () => {
    const file = (name: string, type: string) => [
      `Content-Type: ${type}; name="${name}"`,
      'Content-Disposition: attachment',
      '',
      'x',
    ];
    const held = mixed(file('scan.pdf', 'application/pdf'), file('list.csv', 'text/csv'));
    const note = '[This message has no text. It holds: scan.pdf, application/pdf; list.csv, text/csv]';
    expect(await textOf(...held)).toBe(note);
    const many = mixed(...Array.from({ length: 23 }, (_, n) => file(`${n}.png`, 'image/png')));
    expect(await textOf(...many)).toMatch(/^\[This message .*; 19\.png, image\/png; and 3 more\]$/);
    const picture = ['Content-Type: text/html', '', '<img src="https://example.org/a.png">'];
    expect(await textOf(...picture)).toBe('[This message has no text that a person would see.]');
    expect(await textOf('Subject: nothing', '', '')).toBe('');
    const attachments = [
      { name: 'scan.pdf', mime: 'application/pdf', charset: '', encoding: 'base64', encodedBytes: 1 },
      { name: 'list.csv', mime: 'text/csv', charset: '', encoding: 'base64', encodedBytes: 1 },
    ];
    const texts = [message('Subject: large', '', '')];
    expect((await parseLargeMessage({ kind: 'parts', texts, isCut: false, attachments })).text).toBe(note);
  });
});

describe('an attachment inside an attached message', () => {
  const inner = [
    'From: Ida <ida@example.org>',
    'Subject: =?utf-8?Q?The_offer?=',
    ...mixed(
      ['', 'Inner words'],
      ['Content-Type: text/csv', 'Content-Disposition: attachment; filename=prices.csv', '', 'lamp,12'],
    ).map((line) => line.replace(/^(--|.*boundary=)m/, '$1n')),
  ];
  const carried = ['Content-Type: message/rfc822', '', ...inner];
  const plain = ['Content-Type: application/pdf; name=last.pdf', '', 'x'];

  it('is listed behind it and can be read, under its subject', async () => {
    const source = message(...mixed(['', 'see the offer'], carried, plain));
    expect(await namesIn(source)).toEqual(['The offer', 'The offer: prices.csv', 'last.pdf']);
    expect(Buffer.from(attachmentOf(source, 1)?.bytes ?? []).toString()).toBe('lamp,12');
    expect(attachmentOf(source, 1)?.info).toMatchObject({ index: 1, mime: 'text/csv', sizeBytes: 7 });
    expect(attachmentOf(source, 2)?.info).toMatchObject({ index: 2, name: 'last.pdf' });
  });

  it('is found in messages inside messages, up to five', async () => {
    const boxes = Array.from({ length: 6 }, (_, n) => [
      'Content-Type: message/rfc822',
      '',
      `Subject: Box ${5 - n}`,
    ]);
    const nested = [...boxes.flat(), ...carried];
    const names = await namesIn(message(...nested));
    expect(names).toEqual([
      'Box 5',
      'Box 5: Box 4',
      'Box 5: Box 4: Box 3',
      'Box 5: Box 4: Box 3: Box 2',
      'Box 5: Box 4: Box 3: Box 2: Box 1',
      'Box 5: Box 4: Box 3: Box 2: Box 1: Box 0',
    ]);
  });

  it('has the file name of a message without a subject, and none of one that has neither', async () => {
    const bare = ['From: Ida <ida@example.org>', ...plain];
    const named = ['Content-Type: message/rfc822; name=offer.eml', '', ...bare];
    const unnamed = ['Content-Type: message/rfc822', '', ...bare];
    expect(await namesIn(message(...mixed(named, unnamed)))).toEqual([
      'offer.eml',
      'offer.eml: last.pdf',
      'unnamed',
      'unnamed: last.pdf',
    ]);
  });
});
