import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Log, LogFields } from '../../../core/ports/log.ts';
import type { Start } from '../../../core/ports/mail.ts';
import { object } from '../../contracts/calendar/scene.ts';
import { multistatus, type ScriptedObject } from '../../servers/caldav-answers.ts';
import { makeCertificate } from '../../servers/certificate.ts';
import { type Script, startScriptedCaldav } from '../../servers/scripted-caldav.ts';
import { eventually } from '../../until.ts';
import { accountOn } from './account-on.ts';

const CALENDAR = '/home/calendar/';
const query = { from: new Date('2026-03-01'), to: new Date('2026-04-01'), timezone: 'Europe/Zurich' };
const place = { calendar: CALENDAR, name: 'one.ics' };
const ics = object('one', 'DTSTART:20260310T090000Z');
const go: Start = async () => true;

const answering =
  (status: number, headers: Record<string, string> = {}, body = ''): Script =>
  (_asked, response) => {
    response.writeHead(status, headers).end(body);
    return 'answered';
  };

const only =
  (method: string, script: Script): Script =>
  (asked, response) =>
    asked.method === method ? script(asked, response) : 'usual';

describe('a response to a read', () => {
  it.each([
    [401, 'auth'],
    [403, 'refused'],
    [423, 'unavailable'],
    [429, 'unavailable'],
    [500, 'unavailable'],
    [503, 'unavailable'],
  ])('%d is %s, and never an empty list', async (status, code) => {
    const server = await startScriptedCaldav(only('REPORT', answering(status)));
    const { calendar, call } = accountOn(server.url);
    await expect(calendar.list(call, query)).rejects.toMatchObject({ name: 'MailError', code });
    await expect(
      calendar.read(call, { calendar: CALENDAR, uid: 'one', recurrenceId: null }, 'UTC'),
    ).rejects.toMatchObject({ code });
  });

  it.each([
    ['a page of HTML', answering(200, { 'content-type': 'text/html' }, '<html><body>Sign in</body></html>')],
    ['a page that says 207', answering(207, { 'content-type': 'text/html' }, '<html></html>')],
    ['nothing', answering(207, { 'content-type': 'application/xml' })],
    ['another document', answering(207, { 'content-type': 'application/xml' }, '<feed/>')],
    [
      'a response that was cut off',
      answering(
        207,
        { 'content-type': 'text/xml' },
        '<multistatus xmlns="DAV:"><response><href>/home/calendar/a.ics</href>',
      ),
    ],
  ])('%s is refused, and never an empty list', async (_what, script) => {
    for (const method of ['REPORT', 'PROPFIND']) {
      const server = await startScriptedCaldav(only(method, script));
      const { calendar, call } = accountOn(server.url);
      await expect(calendar.list(call, query)).rejects.toMatchObject({ code: 'refused' });
    }
  });

  it('a response that breaks off in the middle is unavailable', async () => {
    const server = await startScriptedCaldav(
      only('REPORT', (_asked, response) => {
        response.writeHead(207, { 'content-type': 'application/xml', 'content-length': '5000' });
        response.write('<multistatus xmlns="DAV:">', () => response.destroy());
        return 'answered';
      }),
    );
    const { calendar, call } = accountOn(server.url);
    await expect(calendar.list(call, query)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it.each([
    ['REPORT', 'unavailable'],
    ['PUT', 'outcome_unknown'],
  ])('a response to %s in a different protocol is %s', async (method, code) => {
    const server = await startScriptedCaldav(
      only(method, (_asked, response) => {
        response.writeHead(101, { connection: 'upgrade', upgrade: 'websocket' }).end();
        return 'answered';
      }),
    );
    const { calendar, call } = accountOn(server.url);
    const ended =
      method === 'PUT'
        ? calendar.write(call, { ...place, document: ics, ifMatch: null }, go)
        : calendar.list(call, query);
    await expect(ended).rejects.toMatchObject({ code });
  });

  it('an endless response is refused once it is too large', async () => {
    const server = await startScriptedCaldav(
      only('REPORT', (_asked, response) => {
        response.writeHead(207, { 'content-type': 'application/xml' });
        const more = () => {
          while (!response.destroyed && response.write('x'.repeat(1024 * 1024)));
        };
        response.on('drain', more);
        more();
        return 'answered';
      }),
    );
    const { calendar, call } = accountOn(server.url);
    await expect(calendar.list(call, query)).rejects.toMatchObject({ code: 'refused' });
  });

  it('no response is unavailable when the time is over', async () => {
    const server = await startScriptedCaldav(only('REPORT', () => 'answered'));
    const { calendar, call } = accountOn(server.url);
    const ended = new AbortController();
    const list = calendar.list({ ...call, signal: ended.signal }, query);
    list.catch(() => undefined);
    await expect.poll(() => server.asked.some(({ method }) => method === 'REPORT')).toBe(true);
    ended.abort();
    await expect(list).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('connections', () => {
  const endless: Script = (_asked, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.write('<html>We will be back soon.');
    return 'answered';
  };
  const compressed: Script = (_asked, response) => {
    response.writeHead(207, { 'content-type': 'application/xml', 'content-encoding': 'gzip' });
    response.write('compressed');
    return 'answered';
  };

  it.each([
    ['a page', endless],
    ['a compressed response', compressed],
  ])('are free again after %s that is refused by its head', async (_what, script) => {
    let isWell = false;
    const server = await startScriptedCaldav((asked, response) =>
      asked.method === 'REPORT' && !isWell ? script(asked, response) : 'usual',
    );
    const { calendar, call } = accountOn(server.url);
    for (let times = 0; times < 10; times += 1) {
      await expect(calendar.list(call, query)).rejects.toMatchObject({ code: 'refused' });
    }
    isWell = true;
    expect(await calendar.list(call, query)).toEqual({ events: [], unreadable: 0 });
  });

  it('that are all in use delay no call beyond its own end', async () => {
    const hanging: ServerResponse[] = [];
    let isWell = false;
    const server = await startScriptedCaldav(
      only('REPORT', (_asked, response) => {
        if (isWell) return 'usual';
        hanging.push(response);
        return 'answered';
      }),
    );
    const { calendar, call } = accountOn(server.url);
    const settled: unknown[] = [];
    const ends = new AbortController();
    const lists = Array.from({ length: 4 }, () =>
      calendar
        .list({ ...call, signal: ends.signal, deadlineMs: 600_000 }, query)
        .catch((error: unknown) => settled.push(error)),
    );
    await eventually(() => expect(hanging).toHaveLength(4));
    const abort = new AbortController();
    const waiting = calendar.list({ ...call, signal: abort.signal }, query);
    // Until it waits for a connection.
    await delay(100);
    abort.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'unavailable' });
    expect(settled).toEqual([]);
    ends.abort();
    await Promise.all(lists);
    // What waited longer than its call does not keep a connection either.
    isWell = true;
    expect(await calendar.list(call, query)).toEqual({ events: [], unreadable: 0 });
  });
});

describe('the password', () => {
  it.each(['http', 'https'])('does not follow a redirect to a different host (%s)', async (scheme) => {
    const other = await startScriptedCaldav();
    const target = other.url.replace('http:', `${scheme}:`).replace('127.0.0.1', 'localhost');
    const server = await startScriptedCaldav(answering(302, { location: target }));
    const { calendar, call } = accountOn(server.url);
    await expect(calendar.calendars(call)).rejects.toMatchObject({ code: 'refused' });
    expect(other.asked).toEqual([]);
  });

  it('does not go to a different port, or to a different host in the home address', async () => {
    const other = await startScriptedCaldav();
    const server = await startScriptedCaldav((asked, response) => {
      if (asked.path !== '/me/') return 'usual';
      const home = `<c:calendar-home-set><d:href>${other.url}home/</d:href></c:calendar-home-set>`;
      multistatus(
        response,
        `<d:response><d:href>/me/</d:href><d:propstat><d:prop>${home}</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`,
      );
      return 'answered';
    });
    const { calendar, call } = accountOn(server.url);
    await expect(calendar.calendars(call)).rejects.toMatchObject({ code: 'refused' });
    expect(other.asked).toEqual([]);
  });

  it('only goes over TLS to the pinned certificate, or to one that verifies', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cs-caldav-tls-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const { certFile, keyFile, fingerprint } = await makeCertificate(folder);
    const tls = { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8') };
    const server = await startScriptedCaldav(undefined, [], tls);
    const pinned = accountOn(server.url, { change: { tlsFingerprint: fingerprint } });
    expect(await pinned.calendar.calendars(pinned.call)).toHaveLength(1);
    await pinned.calendar.write(pinned.call, { ...place, document: ics, ifMatch: null }, go);
    const before = server.asked.length;
    for (const change of [{}, { tlsFingerprint: 'ab'.repeat(32) }]) {
      const { calendar, call } = accountOn(server.url, { change });
      await expect(calendar.calendars(call)).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('certificate') as unknown,
      });
    }
    expect(server.asked).toHaveLength(before);
  });

  it('receives all reads over one connection', async () => {
    const ports = new Set<number | undefined>();
    const server = await startScriptedCaldav((_asked, response) => {
      ports.add(response.socket?.remotePort);
      return 'usual';
    });
    const { calendar, call } = accountOn(server.url);
    for (let times = 0; times < 3; times += 1) await calendar.calendars(call);
    expect(server.asked.length).toBeGreaterThan(6);
    expect(ports.size).toBe(1);
  });

  it('follows redirects within the host, but only a few', async () => {
    const server = await startScriptedCaldav((asked, response) => {
      if (asked.path === '/dav/') return answering(301, { location: '/' })(asked, response);
      if (asked.path.startsWith('/round')) return answering(302, { location: '/round/' })(asked, response);
      return 'usual';
    });
    const found = accountOn(`${server.url}dav/`);
    expect(await found.calendar.calendars(found.call)).toMatchObject([{ calendar: CALENDAR, name: 'Mine' }]);
    const lost = accountOn(`${server.url}round/`);
    // The well-known address is tried next; this server has nothing there.
    await expect(lost.calendar.calendars(lost.call)).rejects.toMatchObject({ code: 'refused' });
    expect(server.asked.filter(({ path }) => path.startsWith('/round'))).toHaveLength(4);
  });
});

describe('a list', () => {
  it('leaves out unreadable and missing objects, shows the others, and reports how many are left out', async () => {
    const told: [string, LogFields | undefined][] = [];
    const log: Log = { info() {}, error() {}, warn: (message, fields) => void told.push([message, fields]) };
    const server = await startScriptedCaldav(undefined, [
      { name: 'good.ics', data: object('good', 'DTSTART:20260310T090000Z') },
      { name: 'broken.ics', data: 'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nnonsense' },
      { name: 'missing.ics', data: '', status: 404 },
      { name: 'also-good.ics', data: object('also-good', 'DTSTART:20260311T090000Z') },
    ]);
    const { calendar, call } = accountOn(server.url, { log });
    const { events, unreadable } = await calendar.list(call, query);
    expect(events.map(({ uid }) => uid)).toEqual(['good', 'also-good']);
    expect(unreadable).toBe(1);
    expect(told[0]).toEqual([
      'calendar objects were left out of a list',
      { account_id: 1, broken: 1, cut: 0 },
    ]);
  });

  it.each([
    [503, { code: 'unavailable', calendar: 2 }],
    [403, { missing: [{ name: 'Slow calendar', reason: 'refused' }] }],
    [500, { missing: [{ name: 'Slow calendar', reason: 'undeliverable' }] }],
  ])('that answers %d for the second calendar is reported with the calendar', async (status, says) => {
    const calendars = ['Mine', 'Slow'].map((name) => {
      const type = '<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>';
      const props = `${type}<d:displayname>${name} calendar</d:displayname>`;
      return `<d:response><d:href>/home/${name}/</d:href><d:propstat><d:prop>${props}</d:prop></d:propstat></d:response>`;
    });
    const server = await startScriptedCaldav((asked, response) => {
      if (asked.path === '/home/Slow/') return answering(status)(asked, response);
      if (asked.path !== '/home/') return 'usual';
      multistatus(response, calendars.join(''));
      return 'answered';
    });
    const { calendar, call } = accountOn(server.url);
    const listed = await calendar.list(call, query).catch((error: unknown) => error);
    expect(listed).toMatchObject(says);
  });

  it.each([1, 40])('of a server that always fails on one of %d objects shows the others', async (count) => {
    const names = Array.from({ length: count }, (_, index) => `good-${index}`);
    const objects = [...names, 'bad'].map((name) => ({
      name: `${name}.ics`,
      data: object(name, 'DTSTART:20260310T090000Z'),
    }));
    const server = await startScriptedCaldav((asked, response) => {
      if (asked.method !== 'REPORT') return 'usual';
      const isFailing = !asked.body.includes('calendar-multiget') || asked.body.includes('/bad.ics');
      if (isFailing) return answering(500)(asked, response);
      const wanted = objects.filter(({ name }) => asked.body.includes(`/${name}<`));
      const responses = wanted.map(
        ({ name, data }) =>
          `<d:response><d:href>${CALENDAR}${name}</d:href><d:propstat><d:prop><d:getetag>"1"</d:getetag><c:calendar-data>${data}</c:calendar-data></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`,
      );
      multistatus(response, responses.join(''));
      return 'answered';
    }, objects);
    const told: unknown[] = [];
    const log: Log = { info() {}, error() {}, warn: (...entry) => void told.push(entry) };
    const { calendar, call } = accountOn(server.url, { log });
    const { events, unreadable } = await calendar.list(call, query);
    expect(told[0]).toEqual([
      'a calendar server failed to filter a calendar; all of its objects were requested',
      { account_id: 1, calendar: 'calendar', missing: 1 },
    ]);
    expect([events.map(({ uid }) => uid).toSorted(), unreadable]).toEqual([names.toSorted(), 1]);
    const key = { calendar: CALENDAR, uid: 'good-0', recurrenceId: null };
    expect((await calendar.read(call, key, 'UTC'))?.event.uid).toBe('good-0');
  });

  it('requests series separately until the server has shown that it finds them', async () => {
    const series = object('series', 'DTSTART:20200310T090000Z', 'RRULE:FREQ=WEEKLY');
    const finds = await startScriptedCaldav(undefined, [{ name: 'series.ics', data: series }]);
    const good = accountOn(finds.url);
    for (let times = 0; times < 2; times += 1) await good.calendar.list(good.call, query);
    expect(finds.asked.filter(({ body }) => body.includes('RRULE'))).toHaveLength(1);

    const misses = await startScriptedCaldav(
      only('REPORT', (asked, response) => {
        if (!asked.body.includes('time-range')) return 'usual';
        multistatus(response, '');
        return 'answered';
      }),
      [{ name: 'series.ics', data: series }],
    );
    const poor = accountOn(misses.url);
    for (let times = 1; times <= 2; times += 1) {
      expect((await poor.calendar.list(poor.call, query)).events).toHaveLength(5);
      expect(misses.asked.filter(({ body }) => body.includes('RRULE'))).toHaveLength(times);
    }
  });
});

it('a read-only calendar marks its events as such, and is not written to', async () => {
  const privileges =
    '<d:current-user-privilege-set><d:privilege><d:read/></d:privilege></d:current-user-privilege-set>';
  const server = await startScriptedCaldav(
    (asked, response) => {
      if (asked.path !== '/home/') return 'usual';
      const props = `<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>${privileges}`;
      const propstat = `<d:propstat><d:prop>${props}</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat>`;
      multistatus(response, `<d:response><d:href>${CALENDAR}</d:href>${propstat}</d:response>`);
      return 'answered';
    },
    [{ name: 'one.ics', data: object('one', 'DTSTART:20260310T090000Z') }],
  );
  const { calendar, call } = accountOn(server.url);
  const stored = await calendar.read(call, { calendar: CALENDAR, uid: 'one', recurrenceId: null }, 'UTC');
  expect(stored).toMatchObject({ calendar: { writable: false }, event: { uid: 'one' } });
  expect(await calendar.target(call)).toBeUndefined();
});

describe('a response to a change', () => {
  it.each([
    [401, '', 'auth'],
    [403, '', 'refused'],
    [404, '', 'not_found'],
    [409, '', 'refused'],
    [412, '', 'conflict'],
    [423, '', 'unavailable'],
    [500, '', 'unavailable'],
    [502, '', 'outcome_unknown'],
    [504, '', 'outcome_unknown'],
    [
      207,
      '<multistatus xmlns="DAV:"><response><status>HTTP/1.1 412 Precondition Failed</status></response></multistatus>',
      'conflict',
    ],
    [302, '', 'refused'],
  ])('%d %s is %s', async (status, body, code) => {
    const change: Script = answering(status, { location: '/elsewhere/' }, body);
    const server = await startScriptedCaldav((asked, response) =>
      ['PUT', 'DELETE'].includes(asked.method) ? change(asked, response) : 'usual',
    );
    const { calendar, call } = accountOn(server.url);
    await expect(calendar.write(call, { ...place, document: ics, ifMatch: null }, go)).rejects.toMatchObject({
      code,
    });
    expect(server.asked.filter(({ method }) => method === 'PUT')).toHaveLength(1);
    expect(server.asked.some(({ path }) => path === '/elsewhere/')).toBe(false);
  });

  it.each([
    ['made', null, '"1"', 'outcome_unknown'],
    ['made', null, undefined, 'unavailable'],
    ['replaced', '"1"', '"2"', 'outcome_unknown'],
    ['replaced', '"1"', '"1"', 'unavailable'],
    ['replaced', '"1"', undefined, 'outcome_unknown'],
  ])('500 for an object that is %s over %s, and is then %s: %s', async (_what, ifMatch, now, code) => {
    let there: string | null = ifMatch;
    const server = await startScriptedCaldav((asked, response) => {
      if (asked.method === 'PUT') {
        there = now ?? null;
        return answering(500, {}, '')(asked, response);
      }
      if (asked.method !== 'PROPFIND' || !asked.path.endsWith('.ics')) return 'usual';
      if (there === null) return answering(404)(asked, response);
      const props = `<d:propstat><d:prop><d:getetag>${there}</d:getetag></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat>`;
      multistatus(response, `<d:response><d:href>${asked.path}</d:href>${props}</d:response>`);
      return 'answered';
    });
    const { calendar, call } = accountOn(server.url);
    await expect(calendar.write(call, { ...place, document: ics, ifMatch }, go)).rejects.toMatchObject({
      code,
    });
  });

  it('sends the bytes unchanged, with the condition, to the unchanged name', async () => {
    const [made, removed] = ['%C3%A4%20b%2F%2540@a:b;c.ics', 'a@b;c%3D.ics'];
    const server = await startScriptedCaldav(undefined, [{ name: removed, data: ics }]);
    const { calendar, call } = accountOn(server.url);
    await calendar.write(call, { calendar: CALENDAR, name: made, document: ics, ifMatch: null }, go);
    await calendar.remove(call, { calendar: CALENDAR, name: removed, ifMatch: '"1"' }, go);
    expect(server.asked.filter(({ method }) => method !== 'PROPFIND')).toMatchObject([
      { method: 'OPTIONS' },
      { method: 'PUT', path: CALENDAR + made, body: ics, headers: { 'if-none-match': '*' } },
      { method: 'DELETE', path: CALENDAR + removed, headers: { 'if-match': '"1"' } },
    ]);
  });

  it.each([
    ['stored in the meantime', 'there.ics', null, 'conflict'],
    ['changed in the meantime', 'there.ics', '"0"', 'conflict'],
    ['removed in the meantime', 'gone.ics', '"1"', 'not_found'],
  ])(
    'an object that was %s is not touched by a server that knows no conditions',
    async (_what, name, ifMatch, code) => {
      const server = await startScriptedCaldav(undefined, [{ name: 'there.ics', data: ics }]);
      const { calendar, call } = accountOn(server.url);
      const changed = calendar.write(call, { calendar: CALENDAR, name, document: ics, ifMatch }, go);
      await expect(changed).rejects.toMatchObject({ code });
      expect(server.asked.filter(({ method }) => method === 'PUT')).toEqual([]);
    },
  );

  it.each([
    ['/', 'a/b.ics'],
    ['..', '..'],
    ['?', 'a?b.ics'],
  ])('no object has a name with %s', async (_what, name) => {
    const server = await startScriptedCaldav();
    const { calendar, call } = accountOn(server.url);
    const changed = calendar.write(call, { calendar: CALENDAR, name, document: ics, ifMatch: null }, go);
    await expect(changed).rejects.toMatchObject({ code: 'not_found' });
    expect(server.asked.filter(({ method }) => method === 'PUT')).toEqual([]);
  });

  it('a connection that ends before everything was sent is unavailable: nothing can be stored', async () => {
    const server = await startBreaking('before the end of the request');
    const { calendar, call } = accountOn(server.url);
    const large = object('large', 'DTSTART:20260310T090000Z', `DESCRIPTION:${'x'.repeat(20_000_000)}`);
    await expect(
      calendar.write(call, { ...place, document: large, ifMatch: null }, go),
    ).rejects.toMatchObject({
      code: 'unavailable',
    });
  });

  it('a connection that ends after everything was sent is outcome_unknown', async () => {
    const making = accountOn((await startBreaking('behind the request')).url);
    const made = { ...place, document: ics, ifMatch: null };
    await expect(making.calendar.write(making.call, made, go)).rejects.toMatchObject({
      code: 'outcome_unknown',
    });
    const objects = [{ name: place.name, data: ics }];
    const removing = accountOn((await startBreaking('behind the request', objects)).url);
    const removed = { ...place, ifMatch: '"1"' };
    await expect(removing.calendar.remove(removing.call, removed, go)).rejects.toMatchObject({
      code: 'outcome_unknown',
    });
  });

  it('a stopped server is unavailable, and nothing was started', async () => {
    const server = await startBreaking('behind the request');
    const { calendar, call } = accountOn(server.url);
    await calendar.target(call);
    server.stop();
    let begun = 0;
    const start: Start = async () => {
      begun += 1;
      return true;
    };
    await expect(
      calendar.write(call, { ...place, document: ics, ifMatch: null }, start),
    ).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(begun).toBe(0);
  });

  /** A calendar server that closes the connection of the first change and all later ones. */
  async function startBreaking(
    when: 'before the end of the request' | 'behind the request',
    objects: readonly ScriptedObject[] = [],
  ) {
    const usual = await startScriptedCaldav(undefined, objects);
    const target = new URL(usual.url);
    let changing = false;
    const server = net.createServer((socket) => {
      socket.on('error', () => undefined);
      const onward = net.connect(Number(target.port), '127.0.0.1');
      onward.on('error', () => undefined);
      onward.pipe(socket);
      let read = '';
      socket.on('data', (chunk: Buffer) => {
        read += chunk.toString('latin1');
        changing ||= /^(PUT|DELETE) /.test(read);
        if (!changing) onward.write(chunk);
        else if (when !== 'behind the request' || /END:VCALENDAR\r\n$|^DELETE [\s\S]*\r\n\r\n$/.test(read)) {
          socket.destroy();
        }
      });
      socket.on('close', () => onward.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const stop = () => server.close();
    onTestFinished(() => void stop());
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    return { url: `http://127.0.0.1:${port}/`, stop };
  }
});
