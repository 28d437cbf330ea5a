import { describe, expect, it } from 'vitest';
import { readEvent } from '../../../core/ical/event-facts.ts';
import { calendarOf, event, ZURICH } from '../../contracts/calendar/scene.ts';
import { approved, numberOf, onlyObject, openCalendar, put } from '../calendar-scene.ts';
import { approvalOf, FRIEND, shownOf } from '../scene.ts';

// An object that describes a zone of a known name differently.

/** The zone without its summer time. */
const CUT = ZURICH.filter((_line, index) => index < 2 || index > 7);
const SUMMER = event(
  'one',
  'DTSTART;TZID=Europe/Zurich:20270615T090000',
  'DURATION:PT1H',
  `ATTENDEE:mailto:${FRIEND}`,
);

function disputed(...components: readonly (readonly string[])[]): boolean | undefined {
  const says = readEvent(calendarOf(...components), { uid: 'one', recurrenceId: null }, 'UTC');
  return says.kind === 'event' ? says.isZoneDisputed : undefined;
}

describe('a zone of a known name', () => {
  it('is disputed only if the object’s own rules give a different time for the event', () => {
    const winter = event('one', 'DTSTART;TZID=Europe/Zurich:20270115T090000');
    const nothing = ['BEGIN:VTIMEZONE', 'TZID:Europe/Zurich', 'END:VTIMEZONE'];
    expect([
      disputed(ZURICH, SUMMER),
      disputed(CUT, SUMMER),
      disputed(CUT, winter),
      disputed(nothing, winter),
      disputed(SUMMER),
    ]).toEqual([false, true, false, true, false]);
  });

  it('is shown as disputed on the owner’s page, and a new time is written in UTC', async () => {
    const scene = await openCalendar();
    await put(scene, 'one.ics', calendarOf(CUT, SUMMER));
    const event_id = await numberOf(scene, 'one');
    const { id } = approvalOf(await scene.key.call('update_event', { event_id, title: 'Other' }));
    const shown = (await shownOf(scene, id)).event;
    expect([shown?.isZoneDisputed, shown?.after?.start]).toEqual([true, new Date('2027-06-15T07:00:00Z')]);
    await scene.service.approvals.reject(scene.ownerId, id);

    await approved(scene, 'update_event', { event_id, start: '2027-06-16T09:00' });
    expect(await onlyObject(scene)).toContain('DTSTART:20270616T070000Z');
  });
});
