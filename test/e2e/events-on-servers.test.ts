import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { caldavCalendar } from '../../adapters/caldav/calendar.ts';
import { decodedPath } from '../../adapters/caldav/decoded.ts';
import { sandboxMail } from '../../adapters/sandbox/mail.ts';
import { approvalOf, digestOf, resultOf } from '../core/scene.ts';
import { openTestService } from '../open-service.ts';
import type { CalendarUser } from '../servers/calendar-user.ts';
import { CYRUS_CALENDAR_PROGRAMS, startCyrus } from '../servers/cyrus.ts';
import { PASSWORD } from '../servers/mail-users.ts';
import { missingPrograms, titledWithout } from '../servers/missing-servers.ts';
import { RADICALE_PROGRAMS, startRadicale } from '../servers/radicale.ts';
import { startXandikos, XANDIKOS_PROGRAMS } from '../servers/xandikos.ts';

interface Server {
  addUser(): Promise<CalendarUser>;
  stop(): Promise<void>;
}

const SERVERS: readonly {
  name: string;
  programs: readonly string[];
  start: () => Promise<Server>;
  /** The server notifies attendees itself. */
  tells: boolean;
  /** The account's address. Default: the address that the server has for the user. */
  email?: string;
}[] = [
  { name: 'Radicale', programs: RADICALE_PROGRAMS, start: startRadicale, tells: false },
  {
    name: 'Xandikos',
    programs: XANDIKOS_PROGRAMS,
    start: async () => {
      const { addCalendar, stop } = await startXandikos();
      return { addUser: addCalendar, stop };
    },
    tells: false,
  },
  {
    name: 'Cyrus',
    programs: CYRUS_CALENDAR_PROGRAMS,
    start: startCyrusCalendars,
    tells: true,
  },
  {
    name: 'Cyrus, for a mailbox elsewhere',
    programs: CYRUS_CALENDAR_PROGRAMS,
    start: startCyrusCalendars,
    tells: false,
    email: 'mine@elsewhere.example',
  },
];

async function startCyrusCalendars(): Promise<Server> {
  const cyrus = await startCyrus({ calendars: true });
  return { addUser: async () => cyrus.calendarOf(await cyrus.addUser()), stop: cyrus.stop };
}

describe.each(SERVERS)('$name', ({ name, programs, start, tells, email: own }) => {
  const missing = missingPrograms(programs);
  describe.skipIf(missing.length > 0)(
    titledWithout(missing, `events that a program asks for, on ${name}`),
    () => {
      let server: Server | undefined;
      beforeAll(async () => {
        server = await start();
      });
      afterAll(() => server?.stop());

      it('are created, changed, confirmed and cancelled once the owner approves; attendees are notified once', async () => {
        if (server === undefined) throw new Error(`${name} was not started`);
        const user = await server.addUser();
        const email = own ?? user.user;
        const mail = sandboxMail();
        const { service, ownerId, addKey } = await openTestService({
          mail,
          calendar: caldavCalendar({ allowPrivateServers: true }),
        });
        onTestFinished(() => service.stop());
        const writeTo = decodedPath(new URL(user.calendarUrl));
        const settings = { caldav: { url: user.url, user: user.user, pass: PASSWORD, writeTo } };
        const { accountId } = await service.accounts.connect({ ownerId, email, settings });
        await service.accounts.activate(ownerId, accountId);
        const key = await addKey('full');
        const approved = async (tool: string, args: Record<string, unknown>) => {
          const { id } = approvalOf(await key.call(tool, args));
          const decided = await service.approvals.approve(ownerId, id, await digestOf(service, ownerId, id));
          return [decided?.approval.state, decided?.approval.error];
        };
        const events = async () => {
          const { events } = resultOf(await key.call('list_events', { days: 30 }));
          return events as { event_id: number; title: string; status: string }[];
        };
        const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
        const done = ['executed', null];

        const attendee = 'maya@example.net';
        expect(
          await approved('create_event', { title: 'Planning, äöü; 🗓', start: `${day}T09:00`, attendee }),
        ).toEqual(done);
        const [event] = await events();
        expect(event).toMatchObject({ title: 'Planning, äöü; 🗓', status: 'confirmed' });
        const event_id = event?.event_id;
        expect(await approved('update_event', { event_id, title: 'Other', start: `${day}T10:30` })).toEqual(
          done,
        );
        expect(await events()).toMatchObject([{ event_id, title: 'Other' }]);
        expect(await approved('cancel_event', { event_id })).toEqual(done);
        expect(await events()).toEqual([]);
        // Invited, notified of the change, and of the end: by the server, or by mail from Countersign.
        expect(mail.transmitted().map(({ to }) => to)).toEqual(tells ? [] : Array(3).fill([attendee]));

        expect(await approved('propose_event', { title: 'Lunch', start: `${day}T12:00` })).toEqual(done);
        const [lunch] = await events();
        expect(lunch?.status).toBe('tentative');
        expect(await approved('confirm_event', { event_id: lunch?.event_id })).toEqual(done);
        expect(await events()).toMatchObject([{ event_id: lunch?.event_id, status: 'confirmed' }]);
      });
    },
  );
});
