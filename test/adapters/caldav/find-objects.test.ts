import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodedPath } from '../../../adapters/caldav/decoded.ts';
import { object } from '../../contracts/calendar/scene.ts';
import { multistatus } from '../../servers/caldav-answers.ts';
import { objectNamed, putObject } from '../../servers/calendar-user.ts';
import { DAVICAL_PROGRAMS, type Davical, startDavical } from '../../servers/davical.ts';
import { missingPrograms, titledWithout } from '../../servers/missing-servers.ts';
import { missingOwnPostgres } from '../../servers/postgres.ts';
import { startScriptedCaldav } from '../../servers/scripted-caldav.ts';
import { accountOn } from './account-on.ts';

// The object of an event that was listed, before it is changed.

const CALENDAR = '/home/calendar/';
const MARCH = { from: new Date('2026-03-01'), to: new Date('2026-04-01'), timezone: 'UTC' };
const on = (uid: string, ...lines: string[]) => object(uid, 'DTSTART:20260310T090000Z', ...lines);

function readerOn(url: string, user?: string) {
  const { calendar, call } = accountOn(url, user === undefined ? {} : { user });
  const read = (uid: string, key: { calendar?: string; documentName?: string } = {}) =>
    calendar.read(call, { calendar: CALENDAR, uid, recurrenceId: null, ...key }, 'UTC');
  return { calendar, call, read, list: () => calendar.list(call, MARCH) };
}

/** A server whose search by UID finds nothing, or answers with this status. */
async function startWithoutSearch(search: number | 'finds nothing', stored: Map<string, string>) {
  const row = (path: string, ics: string) =>
    `<d:response><d:href>${path}</d:href><d:propstat><d:prop><d:getetag>"1"</d:getetag>` +
    `<c:calendar-data>${ics}</c:calendar-data></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`;
  const gone = (path: string) =>
    `<d:response><d:href>${path}</d:href><d:status>HTTP/1.1 404 Gone</d:status></d:response>`;
  return startScriptedCaldav(({ method, body }, response) => {
    if (method !== 'REPORT') return 'usual';
    const hrefs = [...body.matchAll(/<\w+:href>([^<]*)<\/\w+:href>/g)].map(([, href = '']) => href);
    if (body.includes('calendar-multiget')) {
      const rows = hrefs.map((href) => {
        const ics = stored.get(href);
        return ics === undefined ? gone(href) : row(href, ics);
      });
      multistatus(response, rows.join(''));
    } else if (!body.includes('name="UID"')) {
      multistatus(response, [...stored].map(([path, ics]) => row(path, ics)).join(''));
    } else if (search === 'finds nothing') multistatus(response, '');
    else response.writeHead(search).end();
    return 'answered';
  });
}

// Google, Yandex and iCloud, as public reports describe them.
describe.each([['finds nothing' as const], [400], [403], [501], [500]])(
  'on a server whose search by UID: %s',
  (search) => {
    const path = `${CALENDAR}a@b;c%3D.ics`;

    it('an event that was listed is read at its address, as the server writes it', async () => {
      const server = await startWithoutSearch(search, new Map([[path, on('one')]]));
      const { read, list } = readerOn(server.url);
      await list();
      const before = server.asked.length;
      expect(await read('one')).toMatchObject({ event: { uid: 'one' }, place: { name: 'a@b;c%3D.ics' } });
      expect(server.asked.slice(before).map(({ method }) => method)).toEqual(['REPORT']);
      expect(server.asked.at(-1)?.body).toContain(`>${path}<`);
    });

    it('an event that was never listed is found among all', async () => {
      const stored = new Map([...'abc'].map((uid) => [`${CALENDAR}${uid}.ics`, on(uid)] as const));
      const server = await startWithoutSearch(search, stored);
      const { read } = readerOn(server.url);
      expect(await read('b')).toMatchObject({ event: { uid: 'b' }, place: { name: 'b.ics' } });
      expect(await read('d')).toBeUndefined();
    });

    it('an event that has moved since is found again', async () => {
      const stored = new Map([[path, on('one')]]);
      const server = await startWithoutSearch(search, stored);
      const { read, list } = readerOn(server.url);
      await list();
      stored.clear();
      stored.set(`${CALENDAR}moved.ics`, on('one'));
      expect(await read('one')).toMatchObject({ place: { name: 'moved.ics' } });
    });
  },
);

it('a server that finds events by UID is not asked for all of them when one is gone', async () => {
  const server = await startScriptedCaldav(
    ({ method, body }, response) => {
      if (method !== 'REPORT' || !body.includes('>gone<')) return 'usual';
      multistatus(response, '');
      return 'answered';
    },
    [{ name: 'one.ics', data: on('one') }],
  );
  const { read } = readerOn(server.url);
  expect(await read('one')).toBeDefined();
  const before = server.asked.length;
  expect(await read('gone')).toBeUndefined();
  expect(server.asked.length - before).toBe(1);
});

const missing = [...missingPrograms(DAVICAL_PROGRAMS), ...missingOwnPostgres()];
describe.skipIf(missing.length > 0)(titledWithout(missing, 'two objects with one UID on DAViCal'), () => {
  let davical: Davical;
  beforeAll(async () => {
    davical = await startDavical();
  });
  afterAll(() => davical?.stop());

  it('are two events, and a change to one never touches the other', async () => {
    const user = await davical.addUser();
    for (const name of ['cleo', 'dora'])
      await putObject(user, `${name}.ics`, on('birthday', `SUMMARY:Birthday of ${name}`));
    const { calendar, call, read, list } = readerOn(user.url, user.user);
    const key = { calendar: decodedPath(new URL(user.calendarUrl)) };
    const { events } = await list();
    expect(events.map(({ title, documentName }) => [title, documentName]).toSorted()).toEqual([
      ['Birthday of cleo', 'cleo.ics'],
      ['Birthday of dora', 'dora.ics'],
    ]);
    expect(await read('birthday', key)).toMatchObject({ locked: 'not_unique' });
    const dora = await read('birthday', { ...key, documentName: 'dora.ics' });
    expect(dora).toMatchObject({ locked: null, event: { title: 'Birthday of dora' } });
    const place = { ...key, name: 'dora.ics' };
    const document = on('birthday', 'SUMMARY:Party of dora');
    await calendar.write(call, { ...place, document, ifMatch: dora?.etag ?? '' }, async () => true);
    expect(await objectNamed(user, 'cleo.ics')).toContain('Birthday of cleo');
    expect(await objectNamed(user, 'dora.ics')).toContain('Party of dora');
    const cleo = await read('birthday', { ...key, documentName: 'cleo.ics' });
    await calendar.remove(call, { ...key, name: 'cleo.ics', ifMatch: cleo?.etag ?? '' }, async () => true);
    expect(await objectNamed(user, 'dora.ics')).toContain('Party of dora');
    expect(await read('birthday', key)).toMatchObject({ locked: null });
  });
});
