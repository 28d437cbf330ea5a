import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { caldavCalendar } from '../../../adapters/caldav/calendar.ts';
import { decodedPath } from '../../../adapters/caldav/decoded.ts';
import { inlineReader } from '../../../adapters/reader/inline-reader.ts';
import type { CalendarAccess } from '../../../core/ports/calendar.ts';
import { type CalendarObjectsUnderTest, calendarObjectsContract } from '../../contracts/calendar-objects.ts';
import { casesOf } from '../../only-long.ts';
import { type CalendarUser, objectNamed, putObject } from '../../servers/calendar-user.ts';
import { CYRUS_CALENDAR_PROGRAMS, startCyrus } from '../../servers/cyrus.ts';
import { DAVICAL_PROGRAMS, startDavical } from '../../servers/davical.ts';
import { PASSWORD } from '../../servers/mail-users.ts';
import { missingPrograms, titledWithout } from '../../servers/missing-servers.ts';
import { missingOwnPostgres, missingPostgres } from '../../servers/postgres.ts';
import { RADICALE_PROGRAMS, startRadicale } from '../../servers/radicale.ts';
import { SOGO_PROGRAMS, startSogo } from '../../servers/sogo.ts';
import { startXandikos, XANDIKOS_PROGRAMS } from '../../servers/xandikos.ts';

interface Server {
  addUser(): Promise<CalendarUser>;
  stop(): Promise<void>;
}

interface ServerUnderTest extends Pick<CalendarObjectsUnderTest, 'knowsNoFloatingTimes'> {
  readonly name: string;
  readonly missing: readonly string[];
  readonly start: () => Promise<Server>;
  /** What it reports about a new calendar. */
  readonly access?: CalendarAccess;
}

function contractOn({ name, missing, start, access = 'own', ...quirks }: ServerUnderTest): void {
  describe.skipIf(missing.length > 0)(titledWithout(missing, `CalDAV on ${name}`), () => {
    let server: Server | undefined;
    beforeAll(async () => {
      server = await start();
    });
    afterAll(() => server?.stop());

    calendarObjectsContract(name, async () => {
      if (server === undefined) throw new Error(`${name} was not started`);
      return { ...underTest(await server.addUser()), ...quirks };
    });

    it(`reports that the access to a new calendar is ${access}`, async () => {
      if (server === undefined) throw new Error(`${name} was not started`);
      const { calendar, account, close } = underTest(await server.addUser());
      const call = { account, signal: new AbortController().signal, deadlineMs: 20_000 };
      expect(await calendar.target(call)).toMatchObject({ access });
      await close();
    });
  });
}

function underTest(user: CalendarUser): CalendarObjectsUnderTest {
  const calendar = caldavCalendar({ reader: inlineReader(), allowPrivateServers: true });
  const writeTo = decodedPath(new URL(user.calendarUrl));
  const caldav = { url: user.url, user: user.user, pass: PASSWORD, writeTo };
  return {
    calendar,
    account: {
      ownerId: 'owner-1',
      accountId: 1,
      email: user.user,
      settings: async () => ({ caldav }),
    },
    put: (name, ics) => putObject(user, name, ics),
    object: (name) => objectNamed(user, name),
    close: () => calendar.close(),
  };
}

/** The one that does least by itself, and the one that differs most from the others. */
const IN_GATE = new Set(['Radicale', 'SOGo']);

const SERVERS: readonly ServerUnderTest[] = [
  { name: 'Radicale', missing: missingPrograms(RADICALE_PROGRAMS), start: startRadicale },
  {
    name: 'Xandikos',
    missing: missingPrograms(XANDIKOS_PROGRAMS),
    async start() {
      const xandikos = await startXandikos();
      return { addUser: xandikos.addCalendar, stop: xandikos.stop };
    },
  },
  {
    name: 'Cyrus',
    missing: missingPrograms(CYRUS_CALENDAR_PROGRAMS),
    async start() {
      const cyrus = await startCyrus({ calendars: true });
      return { addUser: async () => cyrus.calendarOf(await cyrus.addUser()), stop: cyrus.stop };
    },
  },
  {
    name: 'SOGo',
    missing: [...missingPrograms(SOGO_PROGRAMS), ...missingPostgres()],
    start: startSogo,
    // Its access list lets everybody who has an account see the collection.
    access: 'shared',
    knowsNoFloatingTimes: true,
  },
  {
    name: 'DAViCal',
    missing: [...missingPrograms(DAVICAL_PROGRAMS), ...missingOwnPostgres()],
    start: startDavical,
  },
];

for (const server of casesOf('calendar contract: servers', SERVERS, ({ name }) => IN_GATE.has(name)))
  contractOn(server);
