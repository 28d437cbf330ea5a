import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { object } from '../../contracts/calendar/scene.ts';
import { startScriptedCaldav } from '../../servers/scripted-caldav.ts';
import { accountOn } from './account-on.ts';

// RFC 7303 3.2: the charset of an answer.

const MARCH = { from: new Date('2026-03-01'), to: new Date('2026-04-01'), timezone: 'UTC' };

/** The title of the one event of a calendar whose server answers in these bytes. */
async function titleFrom(contentType: string, bytesOf: (xml: string) => Buffer, declaration = '') {
  const server = await startScriptedCaldav((asked, response) => {
    if (asked.method !== 'REPORT') return 'usual';
    const ics = object('one', 'DTSTART:20260310T090000Z', 'SUMMARY:Füße, Žluť, Дом');
    response.writeHead(207, { 'content-type': contentType });
    response.end(
      bytesOf(
        `${declaration}<d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:response><d:href>/home/calendar/one.ics</d:href><d:propstat><d:prop><d:getetag>"1"</d:getetag><c:calendar-data>${ics}</c:calendar-data></d:prop></d:propstat></d:response></d:multistatus>`,
      ),
    );
    return 'answered';
  });
  const { calendar, call } = accountOn(server.url);
  return (await calendar.list(call, MARCH)).events[0]?.title;
}

const encoded = (charset: string) => (text: string) => iconv.encode(text, charset);
const LATIN = 'Füße, ?lu?, ???';

describe('an answer of a calendar server', () => {
  it.each([
    ['its Content-Type names', 'text/xml; charset=ISO-8859-1', encoded('latin1'), '', LATIN],
    [
      'its Content-Type names in quotes',
      'text/xml;charset="windows-1251"',
      encoded('win1251'),
      '',
      'F??e, ?lu?, Дом',
    ],
    [
      'its declaration names',
      'application/xml',
      encoded('gb18030'),
      '<?xml version="1.0" encoding="GBK"?>',
      'Füße, Žluť, Дом',
    ],
    [
      'its Content-Type names, and not its declaration',
      'text/xml; charset=utf-8',
      encoded('utf8'),
      '<?xml version="1.0" encoding="ISO-8859-1"?>',
      'Füße, Žluť, Дом',
    ],
    [
      'its byte order mark shows',
      'text/xml; charset=ISO-8859-1',
      (text: string) => iconv.encode(text, 'utf-16be', { addBOM: true }),
      '',
      'Füße, Žluť, Дом',
    ],
    ['nobody knows is UTF-8', 'text/xml; charset=utf8mb4', encoded('utf8'), '', 'Füße, Žluť, Дом'],
    ['nobody names is UTF-8', 'text/xml', encoded('utf8'), '', 'Füße, Žluť, Дом'],
  ])('is read in its own charset: that %s', async (_what, contentType, bytesOf, declaration, title) => {
    expect(await titleFrom(contentType, bytesOf, declaration)).toBe(title);
  });
});
