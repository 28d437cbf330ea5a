import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { caldavCalendar } from '../../adapters/caldav/calendar.ts';
import { inlineReader } from '../../adapters/reader/inline-reader.ts';
import { sandboxMail } from '../../adapters/sandbox/mail.ts';
import { object, unfolded } from '../contracts/calendar/scene.ts';
import { approvalOf, digestOf, resultOf, shownOf } from '../core/scene.ts';
import { openTestService } from '../open-service.ts';
import { asUser, type CalendarUser, putObject } from '../servers/calendar-user.ts';
import { CYRUS_CALENDAR_PROGRAMS, type Cyrus, startCyrus } from '../servers/cyrus.ts';
import { PASSWORD } from '../servers/mail-users.ts';
import { missingPrograms, titledWithout } from '../servers/missing-servers.ts';

const missing = missingPrograms(CYRUS_CALENDAR_PROGRAMS);

describe.skipIf(missing.length > 0)(
  titledWithout(missing, 'what a calendar server does by itself about the events of others'),
  () => {
    let cyrus: Cyrus;
    beforeAll(async () => {
      cyrus = await startCyrus({ calendars: true });
    });
    afterAll(() => cyrus?.stop());

    const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
    const start = `DTSTART:${day.replaceAll('-', '')}T090000Z`;

    /** A key that may change the calendar of this user without asking. */
    async function opened(user: CalendarUser, email = user.user) {
      const { service, ownerId, addKey } = await openTestService({
        mail: sandboxMail(),
        calendar: caldavCalendar({ reader: inlineReader(), allowPrivateServers: true }),
      });
      onTestFinished(() => service.stop());
      const settings = { caldav: { url: user.url, user: user.user, pass: PASSWORD } };
      const { accountId } = await service.accounts.connect({ ownerId, email, settings });
      await service.accounts.activate(ownerId, accountId);
      const key = await addKey('full', { 'calendar:write': 'direct' });
      const eventNamed = async (title: string) => {
        const { events } = resultOf(await key.call('list_events', { days: 30 })) as {
          events: { event_id: number; title: string }[];
        };
        return events.find((one) => one.title === title)?.event_id;
      };
      const notesOf = async (id: string) => (await service.approvals.show(ownerId, id))?.approval.reasons;
      const approve = async (id: string) =>
        service.approvals.approve(ownerId, id, await digestOf(service, ownerId, id));
      const alongsideOf = async (id: string) =>
        (await shownOf({ service, ownerId }, id)).event?.alongside ?? '';
      return { key, eventNamed, notesOf, alongsideOf, approve };
    }

    it.each([
      ['of the address that the server knows', undefined],
      ['of a mailbox elsewhere', 'mine@elsewhere.example'],
    ])(
      'an account %s: cancelling somebody else’s event sends them a reply, so it waits',
      async (_what, email) => {
        const me = cyrus.calendarOf(await cyrus.addUser());
        const boss = `boss-of-${me.user.replace('@', '.')}@corp.example`;
        const invited = [`ORGANIZER:mailto:${boss}`, `ATTENDEE;PARTSTAT=ACCEPTED:mailto:${me.user}`];
        await putObject(
          me,
          'review.ics',
          object('review', 'SUMMARY:Review', start, 'DURATION:PT1H', ...invited),
        );
        const { key, eventNamed, notesOf, approve } = await opened(me, email);

        const outcome = await key.call('cancel_event', { event_id: await eventNamed('Review') });
        expect(outcome.status).toBe('pending_approval');
        const { id } = approvalOf(outcome);
        expect(await notesOf(id)).toEqual(['first_time_recipient', 'server_may_write']);
        const answers = () =>
          unfolded(cyrus.sent()).filter((line) => /^RCPT TO|^ATTENDEE.*DECLINED/.test(line));
        const before = answers();

        expect((await approve(id))?.approval.state).toBe('executed');
        // The reason: only the server has written to them.
        const sent = [expect.stringContaining(`<${boss}>`), expect.stringContaining(me.user)];
        await expect.poll(() => answers().slice(before.length)).toEqual(sent);
      },
    );

    it('an event of the owner that the server announces: the page shows everything that it passes on', async () => {
      const me = cyrus.calendarOf(await cyrus.addUser());
      const guest = `guest-of-${me.user.replace('@', '.')}@corp.example`;
      const hidden = [
        'X-UNSEEN-1:UNSEEN-2',
        'CATEGORIES:UNSEEN-3',
        'COMMENT:UNSEEN-4',
        'X-ALT-DESC;FMTTYPE=text/html:<p>UNSEEN-5</p>',
        'ATTACH:http://a.example/UNSEEN-6',
      ];
      const people = [`ORGANIZER;X-A=UNSEEN-7:mailto:${me.user}`, `ATTENDEE;X-B=UNSEEN-8:mailto:${guest}`];
      await putObject(
        me,
        'mine.ics',
        object('mine', 'SUMMARY:Mine', start, 'DURATION:PT1H', ...people, ...hidden),
      );
      const { key, eventNamed, alongsideOf, approve } = await opened(me);
      const outcome = await key.call('update_event', { event_id: await eventNamed('Mine'), title: 'Ours' });
      const { id } = approvalOf(outcome);
      const alongside = await alongsideOf(id);
      const marks = (text: string) => [...new Set(text.match(/UNSEEN-\d/g))].toSorted();
      const before = cyrus.sent().length;

      expect((await approve(id))?.approval.state).toBe('executed');
      const announced = () => unfolded(cyrus.sent().slice(before)).join('\n');
      await expect.poll(announced).toContain('SUMMARY:Ours');
      // The server passes on what the page would otherwise not have shown.
      expect(marks(announced())).not.toEqual([]);
      expect(marks(alongside)).toEqual(expect.arrayContaining(marks(announced())));
    });

    it('a change of a calendar that is shared waits; of one that is not, it runs', async () => {
      const me = cyrus.calendarOf(await cyrus.addUser());
      const alone = await opened(me);
      const ran = await alone.key.call('create_event', { title: 'Alone', start: `${day}T09:00` });
      expect(ran).toMatchObject({ status: 'ok', executed: true });

      await shareWithEveryUser(me);
      const { key, eventNamed, notesOf } = await opened(me);
      const created = await key.call('create_event', { title: 'Seen', start: `${day}T10:00` });
      const event_id = await eventNamed('Alone');
      const changed = await key.call('update_event', { event_id, title: 'Other' });
      for (const outcome of [created, changed]) {
        expect(outcome.status).toBe('pending_approval');
        expect(await notesOf(approvalOf(outcome).id)).toEqual(['shared_calendar']);
      }
      expect(await eventNamed('Seen')).toBeUndefined();
    });

    /** By the access list of the calendar (RFC 3744 8.1). */
    async function shareWithEveryUser(user: CalendarUser): Promise<void> {
      const ace = (principal: string, privilege: string) =>
        `<d:ace><d:principal><d:${principal}/></d:principal><d:grant><d:privilege><d:${privilege}/></d:privilege></d:grant></d:ace>`;
      const aces = ace('self', 'all') + ace('authenticated', 'read');
      const body = `<?xml version="1.0" encoding="utf-8"?><d:acl xmlns:d="DAV:">${aces}</d:acl>`;
      const answer = await asUser(user, 'ACL', user.calendarUrl, { body, 'content-type': 'application/xml' });
      if (!answer.ok) throw new Error(`not shared: ${answer.status} ${await answer.text()}`);
    }
  },
);
