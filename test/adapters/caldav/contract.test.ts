import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { caldavCalendar } from '../../../adapters/caldav/calendar.ts';
import { decodedPath } from '../../../adapters/caldav/decoded.ts';
import { inlineReader } from '../../../adapters/reader/inline-reader.ts';
import type { CalendarAccess } from '../../../core/ports/calendar.ts';
import { type CalendarObjectsUnderTest, calendarObjectsContract } from '../../contracts/calendar-objects.ts';
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

interface Quirks extends Pick<CalendarObjectsUnderTest, 'knowsNoFloatingTimes'> {
  /** What it reports about a new calendar. */
  readonly access?: CalendarAccess;
}

function contractOn(
  name: string,
  missing: readonly string[],
  start: () => Promise<Server>,
  { access = 'own', ...quirks }: Quirks = {},
): void {
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

contractOn('Radicale', missingPrograms(RADICALE_PROGRAMS), startRadicale);

contractOn('Xandikos', missingPrograms(XANDIKOS_PROGRAMS), async () => {
  const xandikos = await startXandikos();
  return { addUser: xandikos.addCalendar, stop: xandikos.stop };
});

contractOn('Cyrus', missingPrograms(CYRUS_CALENDAR_PROGRAMS), async () => {
  const cyrus = await startCyrus({ calendars: true });
  return { addUser: async () => cyrus.calendarOf(await cyrus.addUser()), stop: cyrus.stop };
});

// Its access list lets everybody who has an account see the collection.
contractOn('SOGo', [...missingPrograms(SOGO_PROGRAMS), ...missingPostgres()], startSogo, {
  access: 'shared',
  knowsNoFloatingTimes: true,
});

contractOn('DAViCal', [...missingPrograms(DAVICAL_PROGRAMS), ...missingOwnPostgres()], startDavical);
