import { describe, expect, it } from 'vitest';
import { object } from '../../contracts/calendar/scene.ts';
import { type Dialect, resource, startReportedCaldav } from '../../servers/reported-caldav.ts';
import { accountOn } from './account-on.ts';

// Calendar servers that cannot be started here, as public reports describe them, each behaviour with its report.

const MARCH = { from: new Date('2026-03-01'), to: new Date('2026-04-01'), timezone: 'UTC' };
const YES = async () => true;

const TYPE = '<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>';
const EVENTS =
  '<c:supported-calendar-component-set><c:comp name="VEVENT"/></c:supported-calendar-component-set>';
const href = (name: string, path: string) => `<${name}><d:href>${path}</d:href></${name}>`;

interface Reported extends Dialect {
  readonly name: string;
  /** What the owner enters, below the host. */
  readonly address: string;
}

const SERVERS: readonly Reported[] = [
  {
    // Tags are URLs with a number (python-caldav/caldav#234); a calendar home answers a REPORT with 415 (owncloud/core#24420),
    // and the address of the web interface is a page (lfos/calcurse#133).
    name: 'sabre/dav',
    address: '',
    calendar: '/remote.php/dav/calendars/ada/personal/',
    properties: `${TYPE}${EVENTS}<d:displayname>Personal</d:displayname>`,
    discovery: {
      '/': 405,
      '/.well-known/caldav': resource(
        '/',
        href('d:current-user-principal', '/remote.php/dav/principals/ada/'),
      ),
      '/remote.php/dav/principals/ada/': resource(
        '/remote.php/dav/principals/ada/',
        href('c:calendar-home-set', '/remote.php/dav/calendars/ada/'),
      ),
      // A subscription is not a calendar (nextcloud/calendar#63).
      '/remote.php/dav/calendars/ada/':
        resource('/remote.php/dav/calendars/ada/', '<d:resourcetype><d:collection/></d:resourcetype>') +
        resource('/remote.php/dav/calendars/ada/personal/', TYPE + EVENTS) +
        resource(
          '/remote.php/dav/calendars/ada/soccer/',
          '<d:resourcetype><d:collection/><cs:subscribed xmlns:cs="http://calendarserver.org/ns/"/></d:resourcetype>',
        ),
    },
    ctag: (changes) => `http://sabre.io/ns/sync/${changes}`,
    etag: (version) => `"ouemwjcqzznrthfzsyurptpidioylggt-${version}"`,
  },
  {
    // A wrong address answers 400 with a page (dengste/org-caldav#151). Lists contain the calendar itself, and a query needs
    // a filter for VEVENT (lfos/calcurse#60). A search by UID fails (home-assistant/core#176565).
    name: 'iCloud',
    address: '',
    calendar: '/17112341234/calendars/home/',
    properties: `${TYPE}${EVENTS}<d:displayname>Home</d:displayname>`,
    discovery: {
      '/': resource('/', href('d:current-user-principal', '/17112341234/principal/')),
      '/17112341234/principal/': resource(
        '/17112341234/principal/',
        href('c:calendar-home-set', '/17112341234/calendars/') +
          '<c:calendar-user-address-set><d:href>mailto:ada@example.org</d:href><d:href>/aMTcx/principal/</d:href></c:calendar-user-address-set>',
      ),
      '/17112341234/calendars/': resource('/17112341234/calendars/home/', TYPE + EVENTS),
    },
    search: 400,
    ctag: (changes) => `HwoQEgwAAAAB${changes}=`,
    etag: (version) => `C=${version}@U=a5f2`,
    listsItself: true,
  },
  {
    // Only below this address, with @ in its paths; ETags are numbers, and PUT returns none
    // (pimutils/vdirsyncer#692, gggard/AndroidCaldavSyncAdapater#101). DTSTAMP is the time of the answer
    // (nextcloud/server#58193).
    name: 'Google',
    address: 'caldav/v2/ada@example.org/user',
    calendar: '/caldav/v2/ada@example.org/events/',
    properties: `${TYPE}${EVENTS}<d:displayname>ada@example.org</d:displayname>`,
    discovery: {
      '/caldav/v2/ada@example.org/user': resource(
        '/caldav/v2/ada%40example.org/user/',
        href('d:current-user-principal', '/caldav/v2/ada%40example.org/user/'),
      ),
      '/caldav/v2/ada%40example.org/user/': resource(
        '/caldav/v2/ada%40example.org/user/',
        href('c:calendar-home-set', '/caldav/v2/ada%40example.org/'),
      ),
      '/caldav/v2/ada%40example.org/': resource('/caldav/v2/ada@example.org/events/', TYPE + EVENTS),
    },
    search: 'nothing',
    ctag: (changes) => `"${63_647_421_014 + changes}"`,
    etag: (version) => `"${63_647_421_014 + version}"`,
    answered: (ics, answers) =>
      ics.replace(/^DTSTAMP:.*$/m, `DTSTAMP:20261126T${String(100_000 + (answers % 60))}Z`),
  },
  {
    // The root answers 501 (stalwartlabs/vandelay#35); a calendar names no principal (home-assistant/core#175916), and its
    // parts are listed with no properties (dengste/org-caldav#239).
    name: 'Zoho',
    address: 'caldav/0123abcd/events/',
    calendar: '/caldav/0123abcd/events/',
    properties: TYPE,
    discovery: { '/': 501, '/.well-known/caldav': 501 },
    search: 'nothing',
  },
  {
    // A query that it cannot answer is a 503 (pycalendar/plann#26). ETags without quotes
    // (forwardemail/caldav-adapter#3 shows the same).
    name: 'Exchange behind DavMail',
    address: 'users/ada@example.org/calendar/',
    calendar: '/users/ada@example.org/calendar/',
    properties: `${TYPE}<d:displayname>calendar</d:displayname>`,
    discovery: { '/': 405, '/.well-known/caldav': 404 },
    search: 503,
    etag: (version) => `DwAAABYAAAB${version}`,
  },
  {
    // No supported-calendar-component-set (Purelymail/purelymail-issues#421).
    name: 'Purelymail',
    address: 'webdav/1/caldav/',
    calendar: '/webdav/1/caldav/default/',
    properties: TYPE,
    discovery: {
      '/webdav/1/caldav/':
        resource('/webdav/1/caldav/', '<d:resourcetype><d:collection/></d:resourcetype>') +
        resource('/webdav/1/caldav/default/', TYPE),
    },
  },
];

describe.each(SERVERS)('$name', ({ address, ...dialect }) => {
  const { calendar: path } = dialect;
  const key = (uid: string) => ({ calendar: path, uid, recurrenceId: null });

  async function open() {
    const server = await startReportedCaldav(dialect);
    server.put('old.ics', object('old', 'DTSTART:20260310T090000Z', 'DURATION:PT1H', 'SUMMARY:Old'));
    server.put(
      'weekly.ics',
      object('weekly', 'DTSTART:20260105T090000Z', 'RRULE:FREQ=WEEKLY;COUNT=12', 'SUMMARY:Weekly'),
    );
    const { calendar, call } = accountOn(server.url + address);
    const titles = async () => (await calendar.list(call, MARCH)).events.map(({ title }) => title);
    return { server, calendar, call, titles };
  }

  it('has its calendar found and listed', async () => {
    const { calendar, call, titles } = await open();
    expect((await calendar.calendars(call)).map((one) => one.calendar)).toEqual([path]);
    expect(await calendar.target(call)).toMatchObject({ calendar: path, writable: true });
    const first = ['Old', 'Weekly', 'Weekly', 'Weekly', 'Weekly'];
    expect((await titles()).toSorted()).toEqual(first);
    expect((await titles()).toSorted()).toEqual(first);
  });

  it('stores a new event, changes it, and removes it', async () => {
    const { server, calendar, call, titles } = await open();
    await titles();
    const place = { calendar: path, name: 'new.ics' };
    const document = object('new', 'DTSTART:20260311T090000Z', 'DURATION:PT1H', 'SUMMARY:New');
    await calendar.write(call, { ...place, document, ifMatch: null }, YES);
    expect(await titles()).toContain('New');
    const stored = await calendar.read(call, key('new'), 'UTC');
    expect(stored).toMatchObject({ place, locked: null, event: { title: 'New' } });
    const changed = document.replace('SUMMARY:New', 'SUMMARY:Newer');
    await calendar.write(call, { ...place, document: changed, ifMatch: stored?.etag ?? '' }, YES);
    expect(server.stored.get(`${path}new.ics`)).toContain('SUMMARY:Newer');
    expect(await titles()).toContain('Newer');
    // The earlier version is no longer the one on the server.
    const late = { ...place, ifMatch: stored?.etag ?? '' };
    await expect(calendar.remove(call, late, YES)).rejects.toMatchObject({ code: 'conflict' });
    const now = await calendar.read(call, key('new'), 'UTC');
    await calendar.remove(call, { ...place, ifMatch: now?.etag ?? '' }, YES);
    expect([...server.stored.keys()]).toEqual([`${path}old.ics`, `${path}weekly.ics`]);
    expect(await calendar.read(call, key('new'), 'UTC')).toBeUndefined();
  });

  it('has an event that another program stored, and that no list has seen', async () => {
    const { server, calendar, call } = await open();
    server.put('other%20name.ics', object('other', 'DTSTART:20260312T090000Z', 'SUMMARY:Other'));
    expect(await calendar.read(call, key('other'), 'UTC')).toMatchObject({
      place: { name: 'other%20name.ics' },
      event: { title: 'Other' },
    });
    expect(await calendar.read(call, key('none'), 'UTC')).toBeUndefined();
  });

  it('shows the changes of other programs, at once', async () => {
    const { server, titles } = await open();
    await titles();
    await titles();
    server.put('old.ics', object('old', 'DTSTART:20260310T090000Z', 'DURATION:PT1H', 'SUMMARY:Changed'));
    expect(await titles()).toContain('Changed');
    server.put('old.ics', object('old', 'DTSTART:20260310T090000Z', 'DURATION:PT1H', 'SUMMARY:Again'));
    expect(await titles()).toContain('Again');
  });
});
