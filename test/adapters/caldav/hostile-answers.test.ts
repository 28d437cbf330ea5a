import type { ServerResponse } from 'node:http';
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { caldavCalendar } from '../../../adapters/caldav/calendar.ts';
import { processReader } from '../../../adapters/reader/process-reader.ts';
import type { Calendar } from '../../../core/ports/calendar.ts';
import type { MailCall } from '../../../core/ports/mail.ts';
import type { Reader } from '../../../core/ports/reader.ts';
import { object } from '../../contracts/calendar/scene.ts';
import { eventsOn } from '../../events-on.ts';
import { sizeOf } from '../../only-long.ts';
import { bundleForChild } from '../../run-typescript.ts';
import { startScriptedCaldav } from '../../servers/scripted-caldav.ts';

/** Responses of a calendar server that try to cost time or memory, or to hide missing objects. */

const query = { from: new Date('2026-03-01'), to: new Date('2026-04-01'), timezone: 'Europe/Zurich' };
const XML = { 'content-type': 'application/xml; charset=utf-8' };
const BEGIN = '<?xml version="1.0"?><d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav">';
const END = '</d:multistatus>';

let reader: Reader;
beforeAll(async () => {
  const worker = resolve(import.meta.dirname, '../../../adapters/reader/worker.ts');
  reader = processReader({ workerFile: await bundleForChild(worker) });
});
afterAll(() => reader?.close());

/** A calendar on a server that answers every REPORT with this response. */
async function answering(
  answer: (response: ServerResponse) => void,
): Promise<{ calendar: Calendar; call: MailCall }> {
  const server = await startScriptedCaldav((asked, response) => {
    if (asked.method !== 'REPORT') return 'usual';
    answer(response);
    return 'answered';
  });
  const calendar = eventsOn(caldavCalendar({ reader, allowPrivateServers: true }));
  onTestFinished(() => calendar.close());
  const caldav = { url: server.url, user: 'ada@example.org', pass: 'secret' };
  const account = {
    ownerId: 'o',
    accountId: 1,
    email: 'ada@example.org',
    settings: async () => ({ caldav }),
  };
  return { calendar, call: { account, signal: new AbortController().signal, deadlineMs: 60_000 } };
}

/** Writes pieces as long as the other end accepts them. */
function pour(response: ServerResponse, begin: string, piece: string, times: number, end: string): void {
  response.writeHead(207, XML);
  response.write(begin);
  let left = times;
  const more = () => {
    while (left > 0 && !response.destroyed) {
      left -= 1;
      if (!response.write(piece)) return void response.once('drain', more);
    }
    if (!response.destroyed) response.end(end);
  };
  more();
}

const resource = (name: string, props: string, status = 'HTTP/1.1 200 OK') =>
  `<d:response><d:href>/home/calendar/${name}</d:href><d:propstat><d:prop>${props}</d:prop>` +
  `<d:status>${status}</d:status></d:propstat></d:response>`;
const stored = (name: string, ics: string) =>
  resource(name, `<d:getetag>"1"</d:getetag><c:calendar-data>${ics}</c:calendar-data>`);
const GOOD = stored('good.ics', object('good', 'DTSTART:20260310T090000Z'));

const MB = 1024 * 1024;

/** 100 MB that a few bytes unpack to. */
const COMPRESSED = gzipSync(`${BEGIN}${' '.repeat(100 * MB)}${END}`, { level: 1 });

describe('a hostile response', () => {
  it.each<readonly [what: string, begin: string, piece: string, bytes: number, end: string]>([
    ['of deeply nested elements', BEGIN, '<d:x>', 31 * MB, ''],
    ['of many attributes', `${BEGIN}<d:response `, 'a="1" ', 31 * MB, `/>${END}`],
    ['of many elements', BEGIN, '<d:x/>', 31 * MB, END],
    ['of many elements in one resource', `${BEGIN}<d:response>`, '<d:x/>', 31 * MB, `</d:response>${END}`],
    ['of many resources', BEGIN, resource('a.ics', '<d:getetag>"1"</d:getetag>'), 31 * MB, END],
    ['of one long text', `${BEGIN}<d:response><d:href>`, 'x'.repeat(1024), 33 * MB, ''],
    ['of one long comment', `${BEGIN}<!--`, ' comment '.repeat(100), 33 * MB, ''],
    ['of one long name', `${BEGIN}<d:`, 'x'.repeat(1024), 33 * MB, ''],
    [
      'with a document type',
      '<!DOCTYPE multistatus [<!ENTITY a "aaaaaaaaaa">',
      '<!ENTITY b "&a;&a;&a;">',
      MB,
      ']>',
    ],
    ['with an unknown entity', `${BEGIN}<d:response><d:href>&a;`, 'x', 1, `</d:href></d:response>${END}`],
    ['that continues after its end', `${BEGIN}${END}`, '<d:response/>', MB, ''],
    ['that is larger than any calendar', BEGIN, GOOD, 33 * MB, END],
  ])('%s is refused, with little memory and time', async (_what, begin, piece, bytes, end) => {
    const { calendar, call } = await answering((response) => {
      const pieces = piece.repeat(Math.max(1, Math.floor((64 * 1024) / piece.length)));
      pour(response, begin, bytes < pieces.length ? piece : pieces, Math.max(1, bytes / pieces.length), end);
    });
    const before = process.memoryUsage().rss;
    const began = process.cpuUsage();
    await expect(calendar.list(call, query)).rejects.toMatchObject({ name: 'MailError', code: 'refused' });
    const { user, system } = process.cpuUsage(began);
    // This includes the server of the test.
    expect((user + system) / 1e6).toBeLessThan(60);
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * MB);
  });

  it.each(['gzip', 'deflate', 'br', 'GZIP, identity'])(
    'in %s is refused, and not decompressed',
    async (encoding) => {
      const { calendar, call } = await answering((response) => {
        response.writeHead(207, { ...XML, 'content-encoding': encoding });
        response.end(COMPRESSED);
      });
      await expect(calendar.list(call, query)).rejects.toMatchObject({
        code: 'refused',
        message: expect.stringContaining('compresses') as unknown,
      });
    },
  );

  it('that drips is given up when the time of the call is over', async () => {
    const { calendar, call } = await answering((response) => {
      response.writeHead(207, XML);
      response.write(BEGIN);
      const drip = setInterval(() => response.write(' '), 20);
      response.once('close', () => clearInterval(drip));
    });
    await expect(calendar.list({ ...call, deadlineMs: 500 }, query)).rejects.toMatchObject({
      code: 'unavailable',
    });
  });

  it('to a change is not read to its end', async () => {
    const server = await startScriptedCaldav((asked, response) => {
      if (asked.method !== 'PUT') return 'usual';
      response.writeHead(403, { 'content-type': 'text/plain' });
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(MB)));
      };
      response.on('drain', more);
      more();
      return 'answered';
    });
    const calendar = eventsOn(caldavCalendar({ reader, allowPrivateServers: true }));
    onTestFinished(() => calendar.close());
    const caldav = { url: server.url, user: 'ada@example.org', pass: 'secret' };
    const account = {
      ownerId: 'o',
      accountId: 1,
      email: 'ada@example.org',
      settings: async () => ({ caldav }),
    };
    const call = { account, signal: new AbortController().signal, deadlineMs: 60_000 };
    const change = { calendar: '/home/calendar/', name: 'a.ics', document: object('a'), ifMatch: null };
    await expect(calendar.write(call, change, async () => true)).rejects.toMatchObject({ code: 'refused' });
  });
});

describe('a list', () => {
  const listOf = async (...responses: string[]) => {
    const { calendar, call } = await answering((response) => {
      response.writeHead(207, XML).end(`${BEGIN}${responses.join('')}${END}`);
    });
    return calendar.list(call, query);
  };

  const objects = sizeOf('calendar answers: size', 20_000, 1500);
  it(`of ${objects} KB is read while other work gets its turn`, async () => {
    const lines = Array.from({ length: 10 }, (_, index) => `X-A${index}:${'x'.repeat(60)}`);
    const ordinary = stored('NAME.ics', object('NAME', 'DTSTART:20260310T090000Z', ...lines));
    const all = Array.from({ length: objects }, (_, index) => ordinary.replaceAll('NAME', `n${index}`)).join(
      '',
    );
    const { calendar, call } = await answering((response) => {
      response.writeHead(207, XML).end(`${BEGIN}${all}${END}`);
    });
    let turns = 0;
    const turn = setInterval(() => (turns += 1), 1);
    onTestFinished(() => clearInterval(turn));
    const { events, unreadable } = await calendar.list(call, query);
    expect([events.length + unreadable, turns > 20]).toEqual([objects, true]);
  });

  it('counts what is too large or too much to be read, and shows the others', async () => {
    const large = stored('large.ics', object('large', `DESCRIPTION:${'x'.repeat(5 * MB)}`));
    const many = stored('many.ics', object('many', `X-A:1\r\n`.repeat(200_000).trimEnd()));
    const { events, unreadable } = await listOf(large, many, GOOD);
    expect(events.map(({ uid }) => uid)).toEqual(['good']);
    expect(unreadable).toBe(2);
  });

  it('counts objects that the server fails to return, but not objects that no longer exist', async () => {
    const status = (name: string, code: string) =>
      `<d:response><d:href>/home/calendar/${name}</d:href><d:status>HTTP/1.1 ${code}</d:status></d:response>`;
    const { events, unreadable } = await listOf(
      status('a.ics', '500 Oops'),
      status('b.ics', '404 Not Found'),
      GOOD,
    );
    expect([events.length, unreadable]).toEqual([1, 1]);
    await expect(listOf(GOOD, status('', '507 Insufficient Storage'))).rejects.toMatchObject({
      code: 'refused',
    });
  });

  it.each([
    ['other prefixes', (xml: string) => xml.replaceAll('d:', 'dav:').replaceAll('xmlns:d=', 'xmlns:dav=')],
    [
      'the namespace as the default',
      (xml: string) => xml.replaceAll('d:', '').replaceAll('xmlns:d=', 'xmlns='),
    ],
    ['an empty line in front', (xml: string) => `\r\n${xml}`],
    ['CDATA', (xml: string) => xml.replace(/(BEGIN:VCALENDAR[^<]*)/, '<![CDATA[$1]]>')],
  ])('is read with %s', async (_what, written) => {
    const { calendar, call } = await answering((response) => {
      const xml = `${BEGIN}${GOOD}${END}`;
      response.writeHead(207, XML).end(written(xml));
    });
    expect((await calendar.list(call, query)).events.map(({ uid }) => uid)).toEqual(['good']);
  });

  it('ignores elements of other namespaces', async () => {
    const other = GOOD.replace('<c:calendar-data>', '<x:calendar-data xmlns:x="urn:x">').replace(
      '</c:calendar-data>',
      '</x:calendar-data>',
    );
    expect(await listOf(other)).toEqual({ events: [], unreadable: 1 });
  });
});
