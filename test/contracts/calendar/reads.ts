import { describe, expect, it } from 'vitest';
import {
  type CalendarScene,
  calendarOf,
  event,
  found,
  listed,
  object,
  readExisting,
  unfolded,
} from './scene.ts';

const UNKNOWN = ['X-ATLAS-TICKET;X-KIND="a:b;c":4711', 'LOCATION:Room 4'];

export function readPromises(scene: () => CalendarScene): void {
  describe('read', () => {
    it('returns the event as lists show it, and its whole object', async () => {
      const { box, target, calendar, call } = scene();
      const ics = object('one', 'DTSTART:20260310T090000Z', 'DTEND:20260310T103000Z', ...UNKNOWN);
      await box.put('named-so.ics', ics);
      const [event] = await listed(scene(), '2026-03-10T00:00:00Z', '2026-03-11T00:00:00Z');
      const stored = await readExisting(scene(), 'one');
      const { leftOut: _leftOut, calendar: _calendar, ...expected } = event ?? { leftOut: [], calendar: '' };
      expect(stored.event).toMatchObject(expected);
      expect(stored.place).toEqual({ calendar: target, name: 'named-so.ics' });
      expect(stored.calendar).toEqual(await calendar.target(call));
      expect(stored.etag).not.toBe('');
      expect(unfolded(stored.document)).toEqual(expect.arrayContaining(UNKNOWN));
    });

    it('returns a new ETag after a change, and the same one until then', async () => {
      const { box } = scene();
      await box.put('one.ics', object('one', 'DTSTART:20260310T090000Z', 'DURATION:PT1H'));
      const { etag } = await readExisting(scene(), 'one');
      expect((await readExisting(scene(), 'one')).etag).toBe(etag);
      await box.put('one.ics', object('one', 'DTSTART:20260310T100000Z', 'DURATION:PT1H'));
      const now = await readExisting(scene(), 'one');
      expect(now.etag).not.toBe(etag);
      expect(now.event.start).toEqual(new Date('2026-03-10T10:00:00Z'));
    });

    it('finds an instance of a series, changed or not, but none that does not exist', async () => {
      await scene().box.put(
        'series.ics',
        calendarOf(
          event(
            'series',
            'DTSTART:20260302T090000Z',
            'DTEND:20260302T100000Z',
            'RRULE:FREQ=WEEKLY;COUNT=5',
            'EXDATE:20260309T090000Z',
          ),
          event('series', 'RECURRENCE-ID:20260316T090000Z', 'DTSTART:20260616T140000Z', 'DURATION:PT1H'),
        ),
      );
      const start = async (recurrenceId: string | null) =>
        (await found(scene(), 'series', recurrenceId))?.event.start.toISOString();
      expect(await start('20260302T090000Z')).toBe('2026-03-02T09:00:00.000Z');
      expect(await start('20260316T090000Z')).toBe('2026-06-16T14:00:00.000Z');
      expect(await start('20260330T090000Z')).toBe('2026-03-30T09:00:00.000Z');
      expect(await start('20260309T090000Z')).toBeUndefined();
      expect(await start('20260406T090000Z')).toBeUndefined();
      expect(await start('20260303T090000Z')).toBeUndefined();
      const whole = await readExisting(scene(), 'series');
      expect(whole.event).toMatchObject({ recurrenceId: null, recurring: true });
      expect(whole.event.start).toEqual(new Date('2026-03-02T09:00:00Z'));
    });

    it.each(['a/b c%2F@ä', 'a\\,b\\;c', 'a\\\\b', 'a&amp;b<c>"d"', `long-${'x'.repeat(200)}`])(
      'finds an event with any UID: %s',
      async (uid) => {
        await scene().box.put('odd.ics', object(uid, 'DTSTART:20260310T090000Z', 'DURATION:PT1H'));
        const [listedEvent] = await listed(scene(), '2026-03-10T00:00:00Z', '2026-03-11T00:00:00Z');
        expect(listedEvent).toBeDefined();
        const { uid: listedUid = '', title, start } = listedEvent ?? {};
        expect((await found(scene(), listedUid))?.event).toMatchObject({ uid: listedUid, title, start });
      },
    );

    it('returns undefined if there is no such event', async () => {
      const { box, calendar, call, target } = scene();
      await box.put('one.ics', object('one', 'DTSTART:20260310T090000Z', 'DURATION:PT1H'));
      expect(await found(scene(), 'two')).toBeUndefined();
      expect(await found(scene(), 'one', '20260310T090000Z')).toBeUndefined();
      const elsewhere = { calendar: `${target}-not-there/`, uid: 'one', recurrenceId: null };
      expect(await calendar.read(call, elsewhere, 'UTC')).toBeUndefined();
    });
  });
}
