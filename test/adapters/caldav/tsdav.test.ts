import {
  calendarMultiGet,
  calendarQuery,
  createAccount,
  createCalendarObject,
  type DAVResponse,
  fetchCalendarObjects,
  fetchCalendars,
  fetchHomeUrl,
  isCollectionDirty,
  propfind,
  syncCollection,
  updateCalendarObject,
} from 'tsdav';
import { describe, expect, it, onTestFinished } from 'vitest';
import { caldavCalendar } from '../../../adapters/caldav/calendar.ts';
import { inlineReader } from '../../../adapters/reader/inline-reader.ts';
import type { MailCall } from '../../../core/ports/mail.ts';
import { object } from '../../contracts/calendar/scene.ts';
import { eventsOn } from '../../events-on.ts';
import { multistatus } from '../../servers/caldav-answers.ts';
import { type Script, startScriptedCaldav } from '../../servers/scripted-caldav.ts';

/** What tsdav alone loses. Each is a reason for code around it, which the second half of a test shows. */

const query = { from: new Date('2026-03-01'), to: new Date('2026-04-01'), timezone: 'Europe/Zurich' };
const authorization = `Basic ${Buffer.from('ada@example.org:secret').toString('base64')}`;
const PROPS = { 'd:getetag': {}, 'c:calendar-data': {} };
const ICS = object('one', 'DTSTART:20260310T090000Z');
const stored = (etag: string, ics: string, name = 'one.ics') =>
  `<d:response><d:href>/home/calendar/${name}</d:href><d:propstat><d:prop><d:getetag>${etag}</d:getetag>` +
  `<c:calendar-data>${ics}</c:calendar-data></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`;

function countersignOn(url: string, pass = 'secret') {
  const calendar = eventsOn(caldavCalendar({ reader: inlineReader(), allowPrivateServers: true }));
  onTestFinished(() => calendar.close());
  const caldav = { url, user: 'ada@example.org', pass };
  const account = {
    ...{ ownerId: 'o', accountId: 1, email: 'ada@example.org' },
    settings: async () => ({ caldav }),
  };
  const call: MailCall = { account, signal: new AbortController().signal, deadlineMs: 10_000 };
  return { calendar, call, list: () => calendar.list(call, query) };
}

/** A server that answers every REPORT with these responses. */
const reporting = (responses: string) =>
  startScriptedCaldav((asked, response) => {
    if (asked.method !== 'REPORT') return 'usual';
    multistatus(response, responses);
    return 'answered';
  });
const answering =
  (status: number, headers: Record<string, string>, body = ''): Script =>
  (_asked, response) => {
    response.writeHead(status, headers).end(body);
    return 'answered';
  };

describe('tsdav alone', () => {
  it('sends the password to any host that the calendar server names', async () => {
    const other = await startScriptedCaldav();
    const server = await startScriptedCaldav((asked, response) => {
      if (asked.path !== '/me/') return 'usual';
      const home = `<c:calendar-home-set><d:href>${other.url}home/</d:href></c:calendar-home-set>`;
      const propstat = `<d:propstat><d:prop>${home}</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat>`;
      multistatus(response, `<d:response><d:href>/me/</d:href>${propstat}</d:response>`);
      return 'answered';
    });
    const account = { accountType: 'caldav' as const, serverUrl: server.url };
    await createAccount({ account, headers: { authorization }, loadCollections: true });
    expect(other.asked.some(({ headers }) => headers.authorization === authorization)).toBe(true);
    const sent = other.asked.length;
    const { calendar, call } = countersignOn(server.url);
    await expect(calendar.calendars(call)).rejects.toMatchObject({ code: 'refused' });
    expect(other.asked).toHaveLength(sent);
  });

  it('tries a wrong password at several addresses', async () => {
    const refusing: Script = answering(401, {});
    const server = await startScriptedCaldav(refusing);
    const account = { accountType: 'caldav' as const, serverUrl: `${server.url}dav/` };
    await expect(createAccount({ account, headers: { authorization } })).rejects.toThrow();
    expect(server.asked.length).toBeGreaterThan(2);
    const other = await startScriptedCaldav(refusing);
    const { calendar, call } = countersignOn(`${other.url}dav/`);
    await expect(calendar.calendars(call)).rejects.toMatchObject({ code: 'auth' });
    expect(other.asked).toHaveLength(1);
  });

  it('does not find the home of a principal whose address the server encodes differently', async () => {
    const found: Readonly<Record<string, readonly [href: string, props: string]>> = {
      '/': ['/', '<d:current-user-principal><d:href>/ada@example.org/</d:href></d:current-user-principal>'],
      '/ada@example.org/': [
        '/ada%40example.org/',
        '<c:calendar-home-set><d:href>/home/</d:href></c:calendar-home-set>',
      ],
    };
    const server = await startScriptedCaldav((asked, response) => {
      const [href, props] = found[asked.path] ?? [];
      if (href === undefined) return 'usual';
      const propstat = `<d:propstat><d:prop>${props}</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat>`;
      multistatus(response, `<d:response><d:href>${href}</d:href>${propstat}</d:response>`);
      return 'answered';
    });
    const account = {
      ...{ accountType: 'caldav' as const, serverUrl: server.url, rootUrl: server.url },
      principalUrl: `${server.url}ada@example.org/`,
    };
    await expect(fetchHomeUrl({ account })).rejects.toThrow();
    const { calendar, call } = countersignOn(server.url);
    expect(await calendar.calendars(call)).toHaveLength(1);
  });

  it('sends a request for each calendar of a home', async () => {
    const calendars = Array.from({ length: 30 }, (_, index) => {
      const type = '<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>';
      return `<d:response><d:href>/home/c${index}/</d:href><d:propstat><d:prop>${type}</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`;
    });
    const server = await startScriptedCaldav((asked, response) => {
      if (asked.path !== '/home/') return 'usual';
      multistatus(response, calendars.join(''));
      return 'answered';
    });
    const account = {
      ...{ accountType: 'caldav' as const, serverUrl: server.url, rootUrl: server.url },
      homeUrl: `${server.url}home/`,
    };
    expect(await fetchCalendars({ account })).toHaveLength(30);
    expect(server.asked).toHaveLength(31);
    const before = server.asked.length;
    const { calendar, call } = countersignOn(server.url);
    expect(await calendar.calendars(call)).toHaveLength(30);
    expect(server.asked.length - before).toBeLessThan(6);
  });

  it.each([
    ['a page of HTML', answering(200, { 'content-type': 'text/html' }, '<html></html>')],
    ['half of a response', answering(207, { 'content-type': 'text/xml' }, '<multistatus xmlns="DAV:"><resp')],
  ])('reads %s as a good response', async (_what, script) => {
    const server = await startScriptedCaldav(script);
    const read = await propfind({ url: server.url, props: {}, depth: '1' });
    expect(read).toMatchObject([{ ok: true }]);
    await expect(countersignOn(server.url).list()).rejects.toMatchObject({ code: 'refused' });
  });

  it('throws a report away if one object of it has failed', async () => {
    const failed =
      '<d:response><d:href>/home/calendar/gone.ics</d:href><d:status>HTTP/1.1 404 Not Found</d:status></d:response>';
    const server = await reporting(failed + stored('"1"', ICS));
    const url = `${server.url}home/calendar/`;
    const objectUrls = ['/home/calendar/gone.ics', '/home/calendar/one.ics'];
    await expect(calendarMultiGet({ url, props: PROPS, objectUrls, depth: '1' })).rejects.toThrow('404');
    expect(await countersignOn(server.url).list()).toMatchObject({
      events: [{ uid: 'one' }],
      unreadable: 0,
    });
  });

  const queried = async (url: string): Promise<DAVResponse['props']> =>
    (await calendarQuery({ url: `${url}home/calendar/`, props: PROPS, depth: '1' }))[0]?.props;

  it('makes numbers of versions that look like numbers', async () => {
    const server = await reporting(stored('1.50', ICS));
    expect((await queried(server.url))?.getetag).toBe(1.5);
    const { calendar, call } = countersignOn(server.url);
    const key = { calendar: '/home/calendar/', uid: 'one', recurrenceId: null };
    expect((await calendar.read(call, key, 'UTC'))?.etag).toBe('1.50');
  });

  it('keeps only a part of a text that contains a comment or CDATA', async () => {
    const [begin = '', end = ''] = ICS.split('DTSTART');
    for (const text of [`${begin}<!-- x -->DTSTART${end}`, `${begin}<![CDATA[DTSTART]]>${end}`]) {
      const server = await reporting(stored('"1"', text));
      expect(JSON.stringify(await queried(server.url))).not.toContain('END:VEVENT');
      expect((await countersignOn(server.url).list()).events).toHaveLength(1);
    }
  });

  it('takes an element of any namespace for calendar data', async () => {
    const other = stored('"1"', ICS).replaceAll('c:calendar-data', 'x:calendar-data');
    const server = await reporting(other.replace('<d:response>', '<d:response xmlns:x="urn:x">'));
    expect((await queried(server.url))?.calendarData).toContain('BEGIN:VCALENDAR');
    expect(await countersignOn(server.url).list()).toMatchObject({ events: [], unreadable: 1 });
  });

  it('leaves out objects whose name does not contain .ics', async () => {
    const server = await reporting(stored('"1"', ICS, 'one'));
    const calendar = { url: `${server.url}home/calendar/` };
    expect(await fetchCalendarObjects({ calendar })).toEqual([]);
    expect((await countersignOn(server.url).list()).events).toHaveLength(1);
  });

  it('does not report a sync token that the server refuses, and compares tags as numbers', async () => {
    const server = await startScriptedCaldav((asked, response) => {
      if (asked.method === 'REPORT') return answering(403, {}, 'valid-sync-token')(asked, response);
      const prop = '<cs:getctag xmlns:cs="http://calendarserver.org/ns/">1.50</cs:getctag>';
      const propstat = `<d:propstat><d:prop>${prop}</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat>`;
      multistatus(response, `<d:response><d:href>${asked.path}</d:href>${propstat}</d:response>`);
      return 'answered';
    });
    const url = `${server.url}home/calendar/`;
    await expect(syncCollection({ url, props: {}, syncToken: 'old' })).resolves.toMatchObject([
      { status: 403 },
    ]);
    const unchanged = { collection: { url, ctag: '1.50' } };
    expect(await isCollectionDirty(unchanged)).toMatchObject({ isDirty: true });
  });

  it('stores without a condition if the version is empty, and takes any status for success', async () => {
    const server = await startScriptedCaldav((asked, response) =>
      asked.method === 'PUT' ? answering(412, {})(asked, response) : 'usual',
    );
    const url = `${server.url}home/calendar/one.ics`;
    const answer = await updateCalendarObject({ calendarObject: { url, data: ICS, etag: '' } });
    expect([answer.status, server.asked[0]?.headers['if-match']]).toEqual([412, undefined]);
    await createCalendarObject({
      calendar: { url: `${server.url}home/calendar/` },
      filename: 'one.ics',
      iCalString: ICS,
    });
    const { calendar, call } = countersignOn(server.url);
    const place = { calendar: '/home/calendar/', name: 'one.ics', document: ICS };
    const before = server.asked.filter(({ method }) => method === 'PUT').length;
    await expect(calendar.write(call, { ...place, ifMatch: '' }, async () => true)).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(server.asked.filter(({ method }) => method === 'PUT')).toHaveLength(before);
    await expect(calendar.write(call, { ...place, ifMatch: null }, async () => true)).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  it('writes text that looks escaped as if it were', async () => {
    const server = await reporting('');
    const uid = 'a&amp;b';
    const filters = { 'prop-filter': { _attributes: { name: 'UID' }, 'text-match': { _text: uid } } };
    await calendarQuery({ url: `${server.url}home/calendar/`, props: {}, filters, depth: '1' });
    expect(server.asked.at(-1)?.body).toContain('>a&amp;b<');
    const { calendar, call } = countersignOn(server.url);
    await calendar.read(call, { calendar: '/home/calendar/', uid, recurrenceId: null }, 'UTC');
    expect(server.asked.some(({ body }) => body.includes('>a&amp;amp;b<'))).toBe(true);
  });
});
