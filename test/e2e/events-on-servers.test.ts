import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { caldavCalendar } from '../../adapters/caldav/calendar.ts';
import { decodedPath } from '../../adapters/caldav/decoded.ts';
import { inlineReader } from '../../adapters/reader/inline-reader.ts';
import type { AnyApproval } from '../contracts/any-approval.ts';
import { digestOf } from '../core/scene.ts';
import { ownRestServer, type RestServer } from '../hosts/rest/rest-server.ts';
import type { CalendarUser } from '../servers/calendar-user.ts';
import { CYRUS_CALENDAR_PROGRAMS, startCyrus } from '../servers/cyrus.ts';
import { DAVICAL_PROGRAMS, startDavical } from '../servers/davical.ts';
import { PASSWORD } from '../servers/mail-users.ts';
import { missingPrograms, titledWithout } from '../servers/missing-servers.ts';
import { missingOwnPostgres, missingPostgres } from '../servers/postgres.ts';
import { RADICALE_PROGRAMS, startRadicale } from '../servers/radicale.ts';
import { SOGO_PROGRAMS, startSogo } from '../servers/sogo.ts';
import { startXandikos, XANDIKOS_PROGRAMS } from '../servers/xandikos.ts';
import { filedIn, restClient } from './rest-client.ts';

// A program asks for events through each door, and the owner approves them, on real calendar servers.

interface Server {
  addUser(): Promise<CalendarUser>;
  stop(): Promise<void>;
}

interface Case {
  readonly name: string;
  readonly missing: readonly string[];
  readonly start: () => Promise<Server>;
  /** The server notifies attendees itself, and says so afterwards, or says nothing. Default: Countersign notifies them. */
  readonly tells?: 'confirmed' | 'not_confirmed';
  /** The account's address. Default: the address that the server has for the user. */
  readonly email?: string;
}

const SERVERS: readonly Case[] = [
  { name: 'Radicale', missing: missingPrograms(RADICALE_PROGRAMS), start: startRadicale },
  {
    name: 'Xandikos',
    missing: missingPrograms(XANDIKOS_PROGRAMS),
    start: async () => {
      const { addCalendar, stop } = await startXandikos();
      return { addUser: addCalendar, stop };
    },
  },
  {
    name: 'Cyrus',
    missing: missingPrograms(CYRUS_CALENDAR_PROGRAMS),
    start: startCyrusCalendars,
    tells: 'confirmed',
  },
  {
    name: 'Cyrus, for a mailbox elsewhere',
    missing: missingPrograms(CYRUS_CALENDAR_PROGRAMS),
    start: startCyrusCalendars,
    email: 'mine@elsewhere.example',
  },
  {
    name: 'DAViCal',
    missing: [...missingPrograms(DAVICAL_PROGRAMS), ...missingOwnPostgres()],
    start: startDavical,
  },
  {
    name: 'SOGo',
    missing: [...missingPrograms(SOGO_PROGRAMS), ...missingPostgres()],
    start: startSogo,
    // It advertises that it invites, and its notifications are off.
    tells: 'not_confirmed',
  },
];

async function startCyrusCalendars(): Promise<Server> {
  const cyrus = await startCyrus({ calendars: true });
  return { addUser: async () => cyrus.calendarOf(await cyrus.addUser()), stop: cyrus.stop };
}

const listed = z.object({
  result: z.object({
    events: z.array(z.object({ event_id: z.number(), title: z.string(), status: z.string() })),
  }),
});
const filed = z.object({ approval: z.object({ id: z.string() }) });

/** The event tools, through one door. */
interface Door {
  list(): Promise<z.infer<typeof listed>['result']['events']>;
  /** @returns the id of the approval */
  ask(tool: string, args: Readonly<Record<string, unknown>>): Promise<string>;
}

async function restDoor({ port, apiKey }: RestServer): Promise<Door> {
  const { get, post, send } = restClient(`http://127.0.0.1:${port}`, apiKey);
  return {
    list: async () => listed.parse((await get('/v1/events?days=30')).body).result.events,
    async ask(tool, { event_id, ...fields }) {
      const path = event_id === undefined ? '/v1/events' : `/v1/events/${String(event_id)}`;
      const answers: Partial<Record<string, () => ReturnType<typeof post>>> = {
        create_event: () => post(path, fields),
        propose_event: () => post(path, { ...fields, proposed: true }),
        update_event: () => send('PATCH', path, fields),
        confirm_event: () => post(`${path}/confirm`),
        cancel_event: () => send('DELETE', path),
      };
      const answer = await answers[tool]?.();
      if (answer === undefined) throw new Error(`the API has no ${tool}`);
      return filedIn(answer);
    },
  };
}

async function toolDoor({ port, apiKey }: RestServer): Promise<Door> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const requestInit = { headers: { authorization: `Bearer ${apiKey}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), { requestInit }),
  );
  onTestFinished(() => client.close());
  const call = async (name: string, args: Readonly<Record<string, unknown>>) =>
    (await client.callTool({ name, arguments: { ...args } })).structuredContent;
  return {
    list: async () => listed.parse(await call('list_events', { days: 30 })).result.events,
    ask: async (tool, args) => filed.parse(await call(tool, args)).approval.id,
  };
}

const DOORS = [
  ['the API', restDoor],
  ['the tools', toolDoor],
] as const;

describe.each(SERVERS)('$name', ({ name, missing, start, tells, email: own }) => {
  describe.skipIf(missing.length > 0)(
    titledWithout(missing, `events that a program asks for, on ${name}`),
    () => {
      let server: Server | undefined;
      beforeAll(async () => {
        server = await start();
      });
      afterAll(() => server?.stop());

      it.each(DOORS)(
        'through %s are created, changed, confirmed and cancelled once the owner approves; attendees are notified once',
        async (_door, open) => {
          if (server === undefined) throw new Error(`${name} was not started`);
          const user = await server.addUser();
          const email = own ?? user.user;
          const writeTo = decodedPath(new URL(user.calendarUrl));
          const settings = { caldav: { url: user.url, user: user.user, pass: PASSWORD, writeTo } };
          const host = await ownRestServer({
            account: { email, settings },
            given: { calendar: caldavCalendar({ reader: inlineReader(), allowPrivateServers: true }) },
          });
          const { service, ownerId, mail } = host;
          const door = await open(host);
          const approved = async (tool: string, args: Record<string, unknown>) => {
            const id = await door.ask(tool, args);
            const decided = await service.approvals.approve(
              ownerId,
              id,
              await digestOf(service, ownerId, id),
            );
            const { state, error, result }: Partial<AnyApproval> = decided?.approval ?? {};
            return [state, error, result?.invitations];
          };
          const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
          const done = ['executed', null, undefined];
          const told = ['executed', null, tells === 'not_confirmed' ? tells : undefined];

          const attendee = 'maya@example.net';
          expect(
            await approved('create_event', { title: 'Planning, äöü; 🗓', start: `${day}T09:00`, attendee }),
          ).toEqual(told);
          const [event] = await door.list();
          expect(event).toMatchObject({ title: 'Planning, äöü; 🗓', status: 'confirmed' });
          const event_id = event?.event_id;
          expect(await approved('update_event', { event_id, title: 'Other', start: `${day}T10:30` })).toEqual(
            told,
          );
          expect(await door.list()).toMatchObject([{ event_id, title: 'Other' }]);
          expect(await approved('cancel_event', { event_id })).toEqual(done);
          expect(await door.list()).toEqual([]);
          // Invited, notified of the change, and of the end: by the server, or by mail from Countersign.
          expect(mail.transmitted().map(({ to }) => to)).toEqual(
            tells === undefined ? Array(3).fill([attendee]) : [],
          );

          expect(await approved('propose_event', { title: 'Lunch', start: `${day}T12:00` })).toEqual(done);
          const [lunch] = await door.list();
          expect(lunch?.status).toBe('tentative');
          expect(await approved('confirm_event', { event_id: lunch?.event_id })).toEqual(done);
          expect(await door.list()).toMatchObject([{ event_id: lunch?.event_id, status: 'confirmed' }]);
        },
      );
    },
  );
});
