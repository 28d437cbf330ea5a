import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { calendarReport } from '../../../adapters/caldav/report.ts';
import { inlineReader } from '../../../adapters/reader/inline-reader.ts';
import { object } from '../../contracts/calendar/scene.ts';
import { multistatus } from '../../servers/caldav-answers.ts';
import { makeCertificate } from '../../servers/certificate.ts';
import { type Script, startScriptedCaldav } from '../../servers/scripted-caldav.ts';
import { accountOn } from './account-on.ts';

// How the calendars of an account are found, on servers that differ from the usual one in what public reports describe.

const MARCH = { from: new Date('2026-03-01'), to: new Date('2026-04-01'), timezone: 'UTC' };

async function namesOn(url: string, change: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const { calendar, call } = accountOn(url, { change });
  return (await calendar.calendars(call)).map((one) => one.calendar);
}

const resource = (href: string, ...props: readonly string[]) =>
  `<d:response><d:href>${href}</d:href><d:propstat><d:prop>${props.join('')}</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`;
const principal = (href: string) =>
  `<d:current-user-principal><d:href>${href}</d:href></d:current-user-principal>`;
const homes = (...hrefs: readonly string[]) =>
  `<c:calendar-home-set>${hrefs.map((href) => `<d:href>${href}</d:href>`).join('')}</c:calendar-home-set>`;
const CALENDAR = '<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>';
const calendar = (href: string, name = 'Mine', ...props: readonly string[]) =>
  resource(href, CALENDAR, `<d:displayname>${name}</d:displayname>`, ...props);
const event = (href: string, uid: string) =>
  resource(
    href,
    '<d:getetag>"1"</d:getetag>',
    `<c:calendar-data>${object(uid, 'DTSTART:20260310T090000Z')}</c:calendar-data>`,
  );

/** Answers by path; a number is a status. Other paths are left to the usual server. */
function answers(byPath: Readonly<Record<string, string | number>>): Script {
  return ({ path }, response) => {
    const answer = byPath[path];
    if (answer === undefined) return 'usual';
    if (typeof answer === 'number') response.writeHead(answer).end();
    else multistatus(response, answer);
    return 'answered';
  };
}

const html: Script = (_asked, response) => {
  response.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>Sign in</body></html>');
  return 'answered';
};
const toLogin: Script = (_asked, response) => {
  response.writeHead(302, { location: 'https://login.example.org/' }).end();
  return 'answered';
};
const status =
  (code: number): Script =>
  (_asked, response) => {
    response.writeHead(code).end();
    return 'answered';
  };

describe('the owner', () => {
  it('is known by all addresses that the principal names, as events write them', async () => {
    const server = await startScriptedCaldav(
      answers({
        '/me/': resource(
          '/me/',
          homes('/home/'),
          '<c:calendar-user-address-set><d:href>mailto:ada@example.org</d:href>' +
            '<d:href>MAILTO:Ada%2BWork@Example.org</d:href><d:href>/aMTIz/principal/</d:href>' +
            '<d:href>urn:uuid:1-2-3</d:href></c:calendar-user-address-set>',
        ),
      }),
    );
    const { calendar, call } = accountOn(server.url);
    const [found] = await calendar.calendars(call);
    expect(found?.ownAddresses).toEqual([
      'ada+work@example.org',
      '/amtiz/principal/',
      `${server.url}amtiz/principal/`.toLowerCase(),
      'urn:uuid:1-2-3',
    ]);
  });

  it('has at most twenty of them', async () => {
    const many = Array.from({ length: 500 }, (_, index) => `<d:href>mailto:a${index}@example.org</d:href>`);
    const set = `<c:calendar-user-address-set>${many.join('')}</c:calendar-user-address-set>`;
    const server = await startScriptedCaldav(answers({ '/me/': resource('/me/', homes('/home/'), set) }));
    const { calendar, call } = accountOn(server.url);
    expect((await calendar.calendars(call))[0]?.ownAddresses).toHaveLength(20);
  });
});

describe('a root that is not a calendar server', () => {
  it.each<readonly [what: string, script: Script]>([
    ['answers 500', status(500)],
    ['answers 501', status(501)],
    ['answers 503', status(503)],
    ['answers 405', status(405)],
    ['answers a page', html],
    ['leads to a login at another host', toLogin],
    ['names no principal', answers({ '/': resource('/', '<d:resourcetype/>') })],
  ])('and %s leads to the well-known address', async (_what, script) => {
    const server = await startScriptedCaldav((asked, response) => {
      if (asked.path === '/') return script(asked, response);
      return answers({ '/.well-known/caldav': resource('/', principal('/me/')) })(asked, response);
    });
    expect(await namesOn(server.url)).toEqual(['/home/calendar/']);
  });

  it('is named in the error, with what it answered at each address', async () => {
    const server = await startScriptedCaldav((asked, response) =>
      answers({ '/dav/': 405, '/.well-known/caldav': 404 })(asked, response),
    );
    await expect(namesOn(`${server.url}dav/`)).rejects.toMatchObject({
      code: 'refused',
      message: 'there is no calendar server at this address; tried /dav/ (405) and /.well-known/caldav (404)',
    });
  });

  it('is reported as unavailable if it failed, and may be a calendar server later', async () => {
    const server = await startScriptedCaldav(answers({ '/': 503, '/.well-known/caldav': 404 }));
    await expect(namesOn(server.url)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('tried / (503) and /.well-known/caldav (404)') as string,
    });
  });

  it('gets no other request once it has refused the password', async () => {
    const server = await startScriptedCaldav(answers({ '/': 401 }));
    await expect(namesOn(server.url)).rejects.toMatchObject({ code: 'auth' });
    expect(server.asked).toHaveLength(1);
  });
});

describe('an address', () => {
  // Zoho's groups, and links to one shared calendar, have no principal.
  it('of a single calendar is enough', async () => {
    const server = await startScriptedCaldav(
      answers({
        '/shared/team@x;1/': calendar(
          '/shared/team@x;1/',
          'Team',
          '<cs:getctag xmlns:cs="http://calendarserver.org/ns/">1</cs:getctag>',
        ),
      }),
    );
    const url = `${server.url}shared/team@x;1/`;
    const { calendar: port, call } = accountOn(url);
    expect(await namesOn(url)).toEqual(['/shared/team@x;1/']);
    expect(await port.target(call)).toMatchObject({ name: 'Team', access: 'unknown', writable: true });
  });

  it('of a calendar home without a principal is enough', async () => {
    const server = await startScriptedCaldav(
      answers({
        '/group/':
          resource('/group/', '<d:resourcetype><d:collection/></d:resourcetype>') + calendar('/group/a/'),
      }),
    );
    expect(await namesOn(`${server.url}group/`)).toEqual(['/group/a/']);
  });

  it('of a principal is enough', async () => {
    const server = await startScriptedCaldav(
      answers({ '/users/ada/': resource('/users/ada/', homes('/home/')) }),
    );
    expect(await namesOn(`${server.url}users/ada/`)).toEqual(['/home/calendar/']);
  });

  it('that the server writes with http:// behind a proxy that ends TLS means its path', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'caldav-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const { certFile, keyFile, fingerprint: tlsFingerprint } = await makeCertificate(folder);
    const tls = { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8') };
    const paths = answers({
      '/': 405,
      '/dav/': resource('/dav/', principal('http://127.0.0.1:8008/me/')),
      '/me/': resource('http://127.0.0.1:8008/me/', homes('http://127.0.0.1:8008/home/')),
    });
    const script: Script = (asked, response) => {
      if (asked.path !== '/.well-known/caldav') return paths(asked, response);
      response.writeHead(301, { location: 'http://127.0.0.1:8008/dav/' }).end();
      return 'answered';
    };
    const server = await startScriptedCaldav(script, [], tls);
    expect(await namesOn(server.url, { tlsFingerprint })).toEqual(['/home/calendar/']);
  });
});

describe('a principal with several homes', () => {
  const two = {
    '/me/': resource('/me/', homes('/home/', '/team/')),
    '/team/': calendar('/team/a/', 'Team') + calendar('/home/calendar/'),
    '/team/a/': event('/team/a/one.ics', 'of the team'),
  };

  it('has the calendars of all of them, each once', async () => {
    const server = await startScriptedCaldav(answers(two), [
      { name: 'mine.ics', data: object('mine', 'DTSTART:20260310T090000Z') },
    ]);
    const { calendar: port, call } = accountOn(server.url);
    expect(await namesOn(server.url)).toEqual(['/home/calendar/', '/team/a/']);
    const { events } = await port.list(call, MARCH);
    expect(events.map(({ uid }) => uid).toSorted()).toEqual(['mine', 'of the team']);
  });

  it.each([403, 404])(
    'of which one answers %d has those of the other, and the list names it',
    async (code) => {
      const server = await startScriptedCaldav(answers({ ...two, '/team/': code }), [
        { name: 'mine.ics', data: object('mine', 'DTSTART:20260310T090000Z') },
      ]);
      const { calendar: port, call } = accountOn(server.url);
      expect(await namesOn(server.url)).toEqual(['/home/calendar/']);
      expect(await port.list(call, MARCH)).toMatchObject({
        events: [{ uid: 'mine' }],
        missing: [{ name: 'team', reason: 'refused' }],
      });
    },
  );

  it('that all refuse is an error', async () => {
    const server = await startScriptedCaldav(answers({ ...two, '/team/': 403, '/home/': 403 }));
    await expect(namesOn(server.url)).rejects.toMatchObject({ code: 'refused' });
  });

  it('of which one fails for a moment is an error', async () => {
    const server = await startScriptedCaldav(answers({ ...two, '/team/': 503 }));
    await expect(namesOn(server.url)).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('a calendar that refuses', () => {
  const two = {
    '/home/': calendar('/home/a/', 'A') + calendar('/home/b/', 'B'),
    '/home/b/': event('/home/b/one.ics', 'one'),
  };

  it('is named beside the events of the others, and receives no new events', async () => {
    const server = await startScriptedCaldav(answers({ ...two, '/home/a/': 403 }));
    const { calendar: port, call } = accountOn(server.url);
    expect(await port.list(call, MARCH)).toMatchObject({
      events: [{ uid: 'one' }],
      missing: [{ name: 'A', reason: 'refused' }],
    });
    expect(await port.target(call)).toMatchObject({ calendar: '/home/b/' });
    expect(await port.unusable?.(call)).toEqual([{ name: 'A', reason: 'refused' }]);
  });

  it('is an error if there is no other', async () => {
    const server = await startScriptedCaldav(answers({ '/home/calendar/': 403 }));
    const { calendar: port, call } = accountOn(server.url);
    await expect(port.list(call, MARCH)).rejects.toMatchObject({ code: 'refused' });
  });
});

describe('a calendar on which its server fails', () => {
  const two = {
    '/home/': calendar('/home/a/', 'A') + calendar('/home/b/', 'B'),
    '/home/b/': event('/home/b/one.ics', 'one'),
  };

  it('is named beside the events of the others, and is asked again the next time', async () => {
    const content: Record<string, string | number> = { ...two, '/home/a/': 500 };
    const server = await startScriptedCaldav((asked, response) => answers(content)(asked, response));
    const { calendar: port, call } = accountOn(server.url);
    expect(await port.list(call, MARCH)).toMatchObject({
      events: [{ uid: 'one' }],
      missing: [{ name: 'A', reason: 'undeliverable' }],
    });
    // Nothing is wrong with the account, and new events go where they went.
    expect(await port.unusable?.(call)).toEqual([]);
    expect(await port.target(call)).toMatchObject({ calendar: '/home/a/' });
    content['/home/a/'] = event('/home/a/two.ics', 'two');
    const { events, missing } = await port.list(call, MARCH);
    expect(events.map(({ uid }) => uid).toSorted()).toEqual(['one', 'two']);
    expect(missing).toBeUndefined();
  });

  it('is an error if it fails on all, or asks to try again later', async () => {
    for (const [a, b] of [
      [500, 500],
      [503, two['/home/b/']],
    ]) {
      const server = await startScriptedCaldav(answers({ ...two, '/home/a/': a ?? 0, '/home/b/': b ?? 0 }));
      const { calendar: port, call } = accountOn(server.url);
      await expect(port.list(call, MARCH)).rejects.toMatchObject({ code: 'unavailable' });
    }
  });
});

describe('what cannot be used', () => {
  it('is reported with its reason', async () => {
    const subscribed =
      '<d:resourcetype><d:collection/><cs:subscribed xmlns:cs="http://calendarserver.org/ns/"/></d:resourcetype>';
    const tasks =
      '<c:supported-calendar-component-set><c:comp name="VTODO"/></c:supported-calendar-component-set>';
    const server = await startScriptedCaldav(
      answers({
        '/home/':
          calendar('/home/calendar/') +
          calendar('/home/tasks/', 'To do', tasks) +
          resource('/home/holidays/', subscribed, '<d:displayname>Holidays</d:displayname>') +
          resource('/home/inbox/', '<d:resourcetype><d:collection/><c:schedule-inbox/></d:resourcetype>'),
      }),
    );
    const { caldav } = accountOn(server.url);
    expect(await namesOn(server.url)).toEqual(['/home/calendar/']);
    const { calendar: port, call } = accountOn(server.url);
    expect(await port.unusable?.(call)).toEqual([
      { name: 'To do', reason: 'no_events' },
      { name: 'Holidays', reason: 'subscribed' },
    ]);
    const limit = new AbortController().signal;
    const found = await calendarReport(
      caldav,
      caldav.user,
      { allowPrivateServers: true },
      { reader: inlineReader(), ownerId: 'o' },
      limit,
    );
    expect(found.filter(({ check }) => check === 'unusable').map(({ text }) => text)).toEqual([
      '“To do” cannot hold events.',
      '“Holidays” is subscribed. Countersign reads the calendars that the server keeps itself.',
    ]);
  });
});
