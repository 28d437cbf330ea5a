import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type CalendarUser, makeCalendar, putObject, removeCalendar } from '../../servers/calendar-user.ts';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { addressOf, PASSWORD } from '../../servers/mail-users.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import { type Postfix, startPostfix } from '../../servers/postfix.ts';
import { RADICALE_PROGRAMS, type Radicale, startRadicale } from '../../servers/radicale.ts';
import { buildCli, type Cli, printedBy } from './cli-process.ts';

const OWNER = 'grace@example.org';

describe.skipIf(missingServers(RADICALE_PROGRAMS).length > 0)(
  titled('account add with a calendar', RADICALE_PROGRAMS),
  () => {
    let dovecot: Dovecot;
    let postfix: Postfix;
    let radicale: Radicale;
    let cli: Cli;
    let user: string;
    let calendar: CalendarUser;

    beforeAll(async () => {
      cli = await buildCli();
      dovecot = await startDovecot({ tls: false });
      postfix = await startPostfix(dovecot, { tls: false });
      radicale = await startRadicale();
      user = dovecot.addUser();
      calendar = await radicale.addUser(user);
      await makeCalendar({ ...calendar, calendarUrl: work() }, 'Work');
      await cli.run(['owner', 'add', OWNER], 'correct horse battery staple');
    });
    afterAll(async () => {
      await radicale?.stop();
      await postfix?.stop();
      await dovecot?.stop();
      cli?.remove();
    });

    const work = () => calendar.calendarUrl.replace('calendar', 'work');
    const adding = () => {
      const servers = [
        '--imap',
        `imap://127.0.0.1:${dovecot.port}`,
        '--smtp',
        `smtp://127.0.0.1:${postfix.port}`,
      ];
      return ['account', 'add', '--owner', OWNER, '--email', addressOf(user), ...servers, '--json'];
    };
    const add = (...calendarArgs: string[]) => cli.run([...adding(), ...calendarArgs], PASSWORD);
    const accounts = async () =>
      printedBy(await cli.run(['account', 'list', '--owner', OWNER, '--json'])).accounts;
    const named = () => calendar.url.replace('//', `//${encodeURIComponent(calendar.user)}@`);

    it.each([
      ['a missing calendar', () => ['--caldav', named(), '--calendar', 'Leisure'], 1, 'Calendar.*Work'],
      [
        'a URL with a password',
        () => ['--caldav', 'https://a:b@dav.example.org/'],
        2,
        '^--caldav: the password',
      ],
      ['plain http to another machine', () => ['--caldav', 'http://dav.example.org/'], 2, 'loopback'],
      ['a name without a server', () => ['--calendar', 'Work'], 2, '--caldav'],
    ])('saves nothing with %s', async (_what, args, code, told) => {
      const refused = await add(...args());
      expect(refused).toMatchObject({ code, stdout: '' });
      expect(refused.stderr).toMatch(new RegExp(told));
      expect(refused.stderr).not.toContain(PASSWORD);
      expect(await accounts()).toEqual([]);
    });

    it.each([
      ['an unknown user', () => named().replace('@', 'x@'), /does not accept/],
      ['no server at all', () => 'http://127.0.0.1:1/', /nothing listens/],
      ['a server without CalDAV', () => `http://127.0.0.1:${postfix.port}/`, /calendar server|CalDAV/],
    ])(
      'connects the mailbox with %s, and says how to connect the calendar later',
      async (_what, url, why) => {
        const added = await cli.run(
          [...adding().filter((one) => one !== '--json'), '--caldav', url()],
          PASSWORD,
        );
        expect(added).toMatchObject({ code: 0, stderr: '' });
        expect(added.stdout).toMatch(why);
        const [account] = z
          .array(
            z.looseObject({ account_id: z.int(), health: z.array(z.looseObject({ server: z.string() })) }),
          )
          .parse(await accounts());
        const id = String(account?.account_id);
        expect(added.stdout).toContain(
          `Account ${id} (${addressOf(user)}) is connected. But its calendar is not: `,
        );
        expect(added.stdout).toContain(
          `Connect it later: countersign account servers ${id} --owner ${OWNER} --caldav URL`,
        );
        expect(account?.health.find(({ server }) => server === 'calendar')?.reason).toMatch(why);
        const later = await cli.run(
          ['account', 'servers', id, '--owner', OWNER, '--caldav', named()],
          PASSWORD,
        );
        expect(later).toMatchObject({ code: 0, stderr: '' });
        expect(JSON.stringify(await accounts())).toContain('"server":"calendar","state":"working"');
        await cli.run(['account', 'remove', id, '--owner', OWNER]);
      },
    );

    it('connects a mailbox whose server has no calendar yet, and says what to do', async () => {
      await removeCalendar(calendar);
      await removeCalendar({ ...calendar, calendarUrl: work() });
      try {
        const connected = await cli.run(
          [...adding().filter((one) => one !== '--json'), '--caldav', named()],
          PASSWORD,
        );
        expect(connected).toMatchObject({ code: 0, stderr: '' });
        expect(connected.stdout).toMatch(
          /is connected\. But the calendar server has no calendar for events yet; create one/,
        );
        const [account] = z.array(z.looseObject({ account_id: z.int() })).parse(await accounts());
        expect(JSON.stringify(account)).toContain('no_calendar');
        await cli.run(['account', 'remove', String(account?.account_id), '--owner', OWNER]);
      } finally {
        await makeCalendar(calendar);
        await makeCalendar({ ...calendar, calendarUrl: work() }, 'Work');
      }
    });

    it('connects both, and doctor and API show the calendar', async () => {
      expect(await add('--caldav', named(), '--calendar', 'Work')).toMatchObject({ code: 0, stderr: '' });
      const report = await cli.run(['doctor', '--owner', OWNER]);
      expect(report).toMatchObject({ code: 0, stderr: '' });
      expect(report.stdout).toContain(`CalDAV, ${new URL(calendar.url).host}\n`);
      expect(report.stdout).toContain('  ok      New events go to “Work”.\n');
      expect(report.stdout).toContain('  note    It does not invite attendees');

      const start = new Date(Date.now() + 3_600_000).toISOString().replace(/[-:]|\.\d+/g, '');
      const event = [
        'BEGIN:VEVENT',
        'UID:soon',
        'DTSTAMP:20260101T000000Z',
        `DTSTART:${start}`,
        'SUMMARY:Soon',
      ];
      const head = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//EN'];
      const ics = [...head, ...event, 'END:VEVENT', 'END:VCALENDAR', ''].join('\r\n');
      await putObject(calendar, 'soon.ics', ics);
      const key = ['key', 'add', '--owner', OWNER, '--name', 'agent', '--preset', 'read', '--json'];
      const headers = { authorization: `Bearer ${printedBy(await cli.run(key)).api_key}` };
      const server = await cli.serve(['serve', '--json']);
      const list = await fetch(`${server.base_url}/v1/events`, { headers });
      expect(await list.json()).toMatchObject({ result: { events: [{ title: 'Soon' }] } });
      await server.stop('SIGTERM');
    });
  },
);
