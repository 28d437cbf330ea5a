import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { caldavCalendar } from '../../adapters/caldav/calendar.ts';
import { inlineReader } from '../../adapters/reader/inline-reader.ts';
import { PASSWORD } from '../servers/mail-users.ts';
import { missingPrograms, titledWithout } from '../servers/missing-servers.ts';
import { RADICALE_PROGRAMS, type Radicale, startRadicale } from '../servers/radicale.ts';
import { approvalIn, type Door, expectFailure, FRIEND, OWNER, openDoor, resultIn } from './door.ts';
import { AUTUMN, newEvent, proposed } from './own-things.ts';
import { section } from './sections.ts';

// The checks of calendar events again, with a real calendar behind the door: Radicale.

const missing = missingPrograms(RADICALE_PROGRAMS);

section('Endpoints: Calendar events', () => {
  describe.skipIf(missing.length > 0)(titledWithout(missing, 'on Radicale'), () => {
    let radicale: Radicale;
    let door: Door;
    beforeAll(async () => {
      radicale = await startRadicale();
      const { url, user } = await radicale.addUser();
      const settings = { caldav: { url, user, pass: PASSWORD } };
      door = await openDoor({
        account: { email: OWNER, settings },
        given: { calendar: caldavCalendar({ reader: inlineReader(), allowPrivateServers: true }) },
        opensAt: AUTUMN,
      });
    });
    afterAll(async () => {
      await door?.server.stop();
      await radicale?.stop();
    });

    const row = async (event_id: number) => {
      const { events = [] } = resultIn(await door.call('GET', '/v1/events?days=365'));
      return (events as { event_id: number }[]).find((event) => event.event_id === event_id);
    };

    it('an empty list is empty with a reason', async () => {
      const { json } = await door.call('GET', '/v1/events');
      expect(json).toMatchObject({ status: 'empty', result: { events: [], total: 0, reason: 'no_events' } });
    });

    it('created, changed and deleted, each once approved', async () => {
      const event_id = await newEvent(door, { title: 'Boat', start: '2027-01-04T09:00', duration_min: 45 });
      expect(await row(event_id)).toEqual({
        event_id,
        title: 'Boat',
        start: '2027-01-04T09:00:00+00:00',
        end: '2027-01-04T09:45:00+00:00',
        status: 'confirmed',
        past: false,
        recurring: false,
      });
      const changed = await door.call('PATCH', `/v1/events/${event_id}`, { body: { title: 'Regatta' } });
      await door.approve(approvalIn(changed).id);
      expect(await row(event_id)).toMatchObject({ title: 'Regatta', start: '2027-01-04T09:00:00+00:00' });
      const deleted = await door.call('DELETE', `/v1/events/${event_id}`);
      await door.approve(approvalIn(deleted).id);
      expect(approvalIn(await door.call('GET', `/v1/approvals/${approvalIn(deleted).id}`))).toMatchObject({
        state: 'executed',
        result: { done: true, action: 'cancel', object_kind: 'event', object_id: event_id },
      });
      expect(await row(event_id)).toBeUndefined();
      expectFailure(await door.call('DELETE', `/v1/events/${event_id}`), 404, 'not_found', {
        reason: 'event',
      });
    });

    it('proposed is tentative until confirmed', async () => {
      const event_id = await proposed(door);
      expect(await row(event_id)).toMatchObject({ status: 'tentative' });
      const asked = await door.call('POST', `/v1/events/${event_id}/confirm`);
      await door.approve(approvalIn(asked).id);
      expect(await row(event_id)).toMatchObject({ status: 'confirmed' });
    });

    it('an attendee is invited once', async () => {
      const sent = () => door.server.mail.transmitted().filter(({ to }) => to.includes(FRIEND)).length;
      const before = sent();
      await newEvent(door, { attendee: FRIEND });
      expect(sent()).toBe(before + 1);
    });
  });
});
