import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { caldavCalendar } from '../../../adapters/caldav/calendar.ts';
import { decodedPath } from '../../../adapters/caldav/decoded.ts';
import { type CalendarObjectsUnderTest, calendarObjectsContract } from '../../contracts/calendar-objects.ts';
import { type CalendarUser, objectNamed, putObject } from '../../servers/calendar-user.ts';
import { CYRUS_CALENDAR_PROGRAMS, startCyrus } from '../../servers/cyrus.ts';
import { PASSWORD } from '../../servers/mail-users.ts';
import { missingPrograms, titledWithout } from '../../servers/missing-servers.ts';
import { RADICALE_PROGRAMS, startRadicale } from '../../servers/radicale.ts';
import { startXandikos, XANDIKOS_PROGRAMS } from '../../servers/xandikos.ts';

interface Server {
  addUser(): Promise<CalendarUser>;
  stop(): Promise<void>;
}

function contractOn(name: string, programs: readonly string[], start: () => Promise<Server>): void {
  const missing = missingPrograms(programs);
  describe.skipIf(missing.length > 0)(titledWithout(missing, `CalDAV on ${name}`), () => {
    let server: Server | undefined;
    beforeAll(async () => {
      server = await start();
    });
    afterAll(() => server?.stop());

    calendarObjectsContract(name, async () => {
      if (server === undefined) throw new Error(`${name} was not started`);
      return underTest(await server.addUser());
    });

    it('reports that only the owner can access the calendar', async () => {
      if (server === undefined) throw new Error(`${name} was not started`);
      const { calendar, account, close } = underTest(await server.addUser());
      const call = { account, signal: new AbortController().signal, deadlineMs: 20_000 };
      expect(await calendar.target(call)).toMatchObject({ access: 'own' });
      await close();
    });
  });
}

function underTest(user: CalendarUser): CalendarObjectsUnderTest {
  const calendar = caldavCalendar({ allowPrivateServers: true });
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

contractOn('Radicale', RADICALE_PROGRAMS, startRadicale);

contractOn('Xandikos', XANDIKOS_PROGRAMS, async () => {
  const xandikos = await startXandikos();
  return { addUser: xandikos.addCalendar, stop: xandikos.stop };
});

contractOn('Cyrus', CYRUS_CALENDAR_PROGRAMS, async () => {
  const cyrus = await startCyrus({ calendars: true });
  return { addUser: async () => cyrus.calendarOf(await cyrus.addUser()), stop: cyrus.stop };
});
