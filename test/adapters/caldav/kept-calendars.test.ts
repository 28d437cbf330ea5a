import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { caldavCalendar } from '../../../adapters/caldav/calendar.ts';
import { inlineReader } from '../../../adapters/reader/inline-reader.ts';
import type { MailCall } from '../../../core/ports/mail.ts';
import { object } from '../../contracts/calendar/scene.ts';
import { eventsOn } from '../../events-on.ts';
import { multistatus } from '../../servers/caldav-answers.ts';
import { asUser, type CalendarUser, putObject } from '../../servers/calendar-user.ts';
import { startCountingProxy } from '../../servers/counting-proxy.ts';
import { PASSWORD } from '../../servers/mail-users.ts';
import { missingPrograms, titledWithout } from '../../servers/missing-servers.ts';
import { RADICALE_PROGRAMS, startRadicale } from '../../servers/radicale.ts';
import { startScriptedCaldav } from '../../servers/scripted-caldav.ts';
import { startXandikos, XANDIKOS_PROGRAMS } from '../../servers/xandikos.ts';

// A second list of a calendar requests only what changed.

const MARCH = { from: new Date('2026-03-01'), to: new Date('2026-04-01'), timezone: 'UTC' };
const SPRING = { ...MARCH, to: new Date('2026-05-01') };
const on = (uid: string, day: string, ...lines: string[]) =>
  object(uid, `DTSTART:2026${day}T090000Z`, `DTEND:2026${day}T100000Z`, ...lines);

function calendarAt(url: string, user: string, change: { revision?: number } = {}) {
  const calendar = eventsOn(caldavCalendar({ reader: inlineReader(), allowPrivateServers: true }));
  onTestFinished(() => calendar.close());
  const caldav = { url, user, pass: PASSWORD };
  const account = { ownerId: 'o', accountId: 1, email: user, settings: async () => ({ caldav }), ...change };
  const call: MailCall = { account, signal: new AbortController().signal, deadlineMs: 20_000 };
  const uids = async (query = MARCH) =>
    (await calendar.list(call, query)).events.map(({ uid }) => uid).toSorted();
  return { calendar, call, uids };
}

interface Server {
  addUser(): Promise<CalendarUser>;
  stop(): Promise<void>;
}

function keptOn(name: string, programs: readonly string[], start: () => Promise<Server>): void {
  const missing = missingPrograms(programs);
  describe.skipIf(missing.length > 0)(titledWithout(missing, `a calendar on ${name}`), () => {
    let server: Server;
    beforeAll(async () => {
      server = await start();
    });
    afterAll(() => server?.stop());

    it('that has not changed is listed again with one short request', async () => {
      const user = await server.addUser();
      for (let index = 10; index < 30; index += 1) {
        await putObject(
          user,
          `${index}.ics`,
          on(`e${index}`, `03${index}`, `DESCRIPTION:${'x'.repeat(5000)}`),
        );
      }
      const proxy = await startCountingProxy(user.url);
      const { uids } = calendarAt(proxy.url, user.user);
      const first = await uids();
      expect(first).toHaveLength(20);
      const before = proxy.passed.splice(0);
      expect(before.some(({ responseBytes }) => responseBytes > 100_000)).toBe(true);
      expect(await uids()).toEqual(first);
      expect(proxy.passed.map(({ method }) => method)).toEqual(['PROPFIND']);
      expect(proxy.passed[0]?.responseBytes).toBeLessThan(5000);
    });

    it('that has changed is listed with its changes, which are all that is requested', async () => {
      const user = await server.addUser();
      for (const day of ['10', '11', '12', '13']) await putObject(user, `${day}.ics`, on(day, `03${day}`));
      await putObject(user, 'april.ics', on('april', '0410'));
      const proxy = await startCountingProxy(user.url);
      const { uids } = calendarAt(proxy.url, user.user);
      expect(await uids()).toEqual(['10', '11', '12', '13']);
      await asUser(user, 'DELETE', `${user.calendarUrl}10.ics`);
      await putObject(user, '11.ics', on('11', '0601'));
      await putObject(user, '12.ics', on('12', '0312', 'SUMMARY:Changed'));
      await putObject(user, 'new.ics', on('new', '0320'));
      proxy.passed.splice(0);
      expect(await uids()).toEqual(['12', '13', 'new']);
      const requested = proxy.passed.filter(({ body }) => body.includes('calendar-data'));
      expect(requested.map(({ body }) => body.match(/[\w]+\.ics/g)?.toSorted())).toEqual([
        ['12.ics', 'new.ics'],
      ]);
      proxy.passed.splice(0);
      expect(await uids(SPRING)).toEqual(['12', '13', 'april', 'new']);
      const more = proxy.passed.filter(({ body }) => body.includes('calendar-data'));
      expect(more.map(({ body }) => body.match(/[\w]+\.ics/g))).toEqual([['april.ics']]);
      // Both ranges are kept now.
      proxy.passed.splice(0);
      expect([await uids(), await uids(SPRING)].flat()).toHaveLength(7);
      expect(proxy.passed.map(({ method }) => method)).toEqual(['PROPFIND', 'PROPFIND']);
    });
  });
}

keptOn('Radicale', RADICALE_PROGRAMS, startRadicale);
keptOn('Xandikos', XANDIKOS_PROGRAMS, async () => {
  const xandikos = await startXandikos();
  return { addUser: xandikos.addCalendar, stop: xandikos.stop };
});

describe('a calendar', () => {
  const objects = [{ name: 'one.ics', data: on('one', '0310') }];
  const dataRequests = ({ asked }: Awaited<ReturnType<typeof startScriptedCaldav>>) =>
    asked.filter(({ body }) => body.includes('calendar-data')).length;

  it('on a server without tags is asked for its versions each time, but not for the objects', async () => {
    const server = await startScriptedCaldav(undefined, objects);
    const { uids } = calendarAt(server.url, 'ada@example.org');
    expect(await uids()).toEqual(['one']);
    const before = [dataRequests(server), server.asked.length];
    expect(await uids()).toEqual(['one']);
    expect(dataRequests(server)).toBe(before[0]);
    expect(server.asked.length).toBeGreaterThan(before[1] ?? 0);
  });

  it.each([403, 404, 500])(
    'is listed on a server that answers %d to the request for tags',
    async (status) => {
      const server = await startScriptedCaldav((asked, response) => {
        if (!asked.body.includes('getctag')) return 'usual';
        response.writeHead(status).end();
        return 'answered';
      }, objects);
      const { uids } = calendarAt(server.url, 'ada@example.org');
      expect([await uids(), await uids()]).toEqual([['one'], ['one']]);
    },
  );

  it('whose tag is a time in seconds is believed to be unchanged only once that second is over', async () => {
    const now = vi.spyOn(performance, 'now');
    onTestFinished(() => now.mockRestore());
    const at = (seconds: number) => now.mockReturnValue(1000 * seconds);
    let uid = 'one';
    const server = await startScriptedCaldav((asked, response) => {
      const etag = `<d:getetag>"${uid}"</d:getetag>`;
      const resource = (href: string, prop: string) =>
        `<d:response><d:href>${href}</d:href><d:propstat><d:prop>${prop}</d:prop></d:propstat></d:response>`;
      if (asked.body.includes('getctag')) {
        const tag = '<cs:getctag xmlns:cs="http://calendarserver.org/ns/">1764200000</cs:getctag>';
        multistatus(response, resource('/home/calendar/', tag));
      } else if (asked.method === 'REPORT') {
        const data = `<c:calendar-data>${on(uid, '0310')}</c:calendar-data>`;
        multistatus(response, resource('/home/calendar/a.ics', etag + data));
      } else return 'usual';
      return 'answered';
    });
    const { uids } = calendarAt(server.url, 'ada@example.org');
    at(10);
    expect(await uids()).toEqual(['one']);
    // In the same second: the tag stays.
    uid = 'two';
    at(11.9);
    expect(await uids()).toEqual(['two']);
    at(12);
    expect(await uids()).toEqual(['two']);
    const before = server.asked.length;
    at(13);
    expect(await uids()).toEqual(['two']);
    expect(server.asked.slice(before).map(({ method }) => method)).toEqual(['PROPFIND']);
  });

  it('whose server encodes names differently each time, or leaves objects out, is shown and counted', async () => {
    const response = (href: string, props: string) =>
      `<d:response><d:href>/home/calendar/${href}</d:href><d:propstat><d:prop><d:getetag>"1"</d:getetag>${props}</d:prop></d:propstat></d:response>`;
    const data = (uid: string) => `<c:calendar-data>${on(uid, '0310')}</c:calendar-data>`;
    const names = ['a%40b.ics', 'gone.ics', 'omitted.ics'].map((href) => response(href, '')).join('');
    const gone =
      '<d:response><d:href>/home/calendar/gone.ics</d:href><d:status>HTTP/1.1 404 No</d:status></d:response>';
    const server = await startScriptedCaldav((asked, answer) => {
      if (asked.method !== 'REPORT') return 'usual';
      const isMultiget = asked.body.includes('calendar-multiget');
      multistatus(answer, isMultiget ? `${response('a@b.ics', data('a'))}${gone}` : names);
      return 'answered';
    });
    const { calendar, call } = calendarAt(server.url, 'ada@example.org');
    for (let times = 0; times < 2; times += 1) {
      expect(await calendar.list(call, MARCH)).toMatchObject({ events: [{ uid: 'a' }], unreadable: 1 });
    }
  });

  it('is not kept for an account that is removed, or has other settings', async () => {
    const server = await startScriptedCaldav(undefined, objects);
    const { calendar, call } = calendarAt(server.url, 'ada@example.org');
    const requests: number[] = [];
    const list = async (revision: number) => {
      const account = { ...call.account, revision };
      expect((await calendar.list({ ...call, account }, MARCH)).events).toHaveLength(1);
      requests.push(dataRequests(server));
    };
    await list(0);
    await list(0);
    await calendar.forget('o', 1);
    await list(0);
    await list(1);
    const [first = 0] = requests;
    expect(requests).toEqual([first, first, 2 * first, 3 * first]);
  });
});

describe('what is kept', () => {
  it('takes no more memory than is counted: nothing of the answers that the objects were cut from', async () => {
    // 10 answers of 2 MB, each with one event that the list keeps.
    const large = (path: string) =>
      `<d:response><d:href>/home/calendar/${path}.ics</d:href><d:propstat><d:prop><d:getetag>"1"</d:getetag>` +
      `<c:calendar-data>${on(path, '0310')}${' '.repeat(2_000_000)}</c:calendar-data></d:prop></d:propstat></d:response>`;
    const server = await startScriptedCaldav((asked, response) => {
      if (asked.method !== 'REPORT') return 'usual';
      multistatus(response, large('one'));
      return 'answered';
    });
    const calendar = eventsOn(caldavCalendar({ reader: inlineReader(), allowPrivateServers: true }));
    onTestFinished(() => calendar.close());
    const caldav = { url: server.url, user: 'ada@example.org', pass: PASSWORD };
    const list = async (accountId: number) => {
      const account = {
        ownerId: 'o',
        accountId,
        email: 'ada@example.org',
        settings: async () => ({ caldav }),
      };
      const call: MailCall = { account, signal: new AbortController().signal, deadlineMs: 20_000 };
      expect((await calendar.list(call, MARCH)).events).toHaveLength(1);
    };
    await list(0);
    const before = heapBytes();
    for (let accountId = 1; accountId <= 10; accountId += 1) await list(accountId);
    expect(heapBytes() - before).toBeLessThan(6_000_000);
  });
});

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heapBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}
