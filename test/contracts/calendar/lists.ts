import { describe, expect, it } from 'vitest';
import { type CalendarScene, calendarOf, event, ISLAND, listed, object, times, ZURICH } from './scene.ts';

const MARCH = ['2026-03-01T00:00:00Z', '2026-04-01T00:00:00Z'] as const;

export function listPromises(scene: () => CalendarScene): void {
  const put = (name: string, ics: string) => scene().box.put(name, ics);
  const inMarch = () => times(scene(), ...MARCH);

  describe('list', () => {
    it('is empty for an empty calendar', async () => {
      expect(await listed(scene(), ...MARCH)).toEqual([]);
    });

    it('contains everything that a list shows of an event', async () => {
      await put(
        'one.ics',
        object(
          'one',
          'DTSTART:20260310T090000Z',
          'DTEND:20260310T103000Z',
          'SUMMARY:Planning\\, part one\\; and ✨',
          'STATUS:TENTATIVE',
        ),
      );
      expect(await listed(scene(), ...MARCH)).toEqual([
        {
          calendar: scene().target,
          uid: 'one',
          recurrenceId: null,
          title: 'Planning, part one; and ✨',
          organizer: null,
          start: new Date('2026-03-10T09:00:00Z'),
          end: new Date('2026-03-10T10:30:00Z'),
          allDay: false,
          status: 'tentative',
          recurring: false,
          leftOut: [],
        },
      ]);
    });

    it('returns the earliest first, includes events that overlap the range, and treats ends as exclusive', async () => {
      await put('b.ics', object('b', 'DTSTART:20260311T090000Z', 'DURATION:PT2H'));
      await put('a.ics', object('a', 'DTSTART:20260310T220000Z', 'DTEND:20260311T020000Z'));
      await put('c.ics', object('c', 'DTSTART:20260311T120000Z', 'DTEND:20260311T130000Z'));
      await put('d.ics', object('d', 'DTSTART:20260310T200000Z', 'DTEND:20260311T000000Z'));
      expect(await times(scene(), '2026-03-11T00:00:00Z', '2026-03-11T12:00:00Z')).toEqual([
        '2026-03-10T22:00 2026-03-11T02:00 Title of a',
        '2026-03-11T09:00 2026-03-11T11:00 Title of b',
      ]);
    });

    it('reads times in their own zone, and floating times and whole days in the zone of the owner', async () => {
      await put(
        'zone.ics',
        calendarOf(ISLAND, event('zone', 'DTSTART;TZID=Island:20260310T090000', 'DURATION:PT1H')),
      );
      await put('float.ics', object('float', 'DTSTART:20260311T090000', 'DTEND:20260311T100000'));
      await put('day.ics', object('day', 'DTSTART;VALUE=DATE:20260329', 'DTEND;VALUE=DATE:20260330'));
      expect(await inMarch()).toEqual([
        '2026-03-10T09:00 2026-03-10T10:00 Title of zone',
        '2026-03-11T08:00 2026-03-11T09:00 Title of float',
        '2026-03-28T23:00 2026-03-29T22:00 Title of day',
      ]);
      const events = await listed(scene(), ...MARCH);
      expect(events.map(({ allDay }) => allDay)).toEqual([false, false, true]);
    });

    it('expands a series at its wall-clock time, without excluded instances, with changed ones', async () => {
      await put(
        'series.ics',
        calendarOf(
          ZURICH,
          event(
            'series',
            'DTSTART;TZID=Europe/Zurich:20260302T090000',
            'DTEND;TZID=Europe/Zurich:20260302T100000',
            'RRULE:FREQ=WEEKLY;COUNT=6',
            'EXDATE;TZID=Europe/Zurich:20260309T090000',
          ),
          event(
            'series',
            'RECURRENCE-ID;TZID=Europe/Zurich:20260316T090000',
            'DTSTART;TZID=Europe/Zurich:20260317T140000',
            'DTEND;TZID=Europe/Zurich:20260317T150000',
            'SUMMARY:Moved',
          ),
        ),
      );
      expect(await inMarch()).toEqual([
        '2026-03-02T08:00 2026-03-02T09:00 Title of series',
        '2026-03-17T13:00 2026-03-17T14:00 Moved',
        '2026-03-23T08:00 2026-03-23T09:00 Title of series',
        '2026-03-30T07:00 2026-03-30T08:00 Title of series',
      ]);
      const events = await listed(scene(), ...MARCH);
      expect(events.map(({ uid, recurrenceId, recurring }) => [uid, recurrenceId, recurring])).toEqual([
        ['series', '20260302T080000Z', true],
        ['series', '20260316T080000Z', true],
        ['series', '20260323T080000Z', true],
        ['series', '20260330T070000Z', true],
      ]);
    });

    it('names the instances of floating and of whole-day series by their wall-clock time', async () => {
      await put(
        'float.ics',
        object('float', 'DTSTART:20260310T090000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=2'),
      );
      await put('day.ics', object('day', 'DTSTART;VALUE=DATE:20260320', 'RRULE:FREQ=DAILY;COUNT=2'));
      const events = await listed(scene(), ...MARCH);
      const { knowsNoFloatingTimes = false } = scene().box;
      expect(events.map(({ recurrenceId }) => recurrenceId)).toEqual([
        knowsNoFloatingTimes ? '20260310T080000Z' : '20260310T090000',
        knowsNoFloatingTimes ? '20260311T080000Z' : '20260311T090000',
        '20260320',
        '20260321',
      ]);
    });

    it('finds the instances of a series that started long ago and has no end', async () => {
      await put(
        'old.ics',
        object('old', 'DTSTART:20150105T090000Z', 'DTEND:20150105T100000Z', 'RRULE:FREQ=MONTHLY;BYDAY=1MO'),
      );
      expect(await inMarch()).toEqual(['2026-03-02T09:00 2026-03-02T10:00 Title of old']);
    });

    it('includes an instance that was moved into the range, and excludes one that was moved out of it', async () => {
      await put(
        'moved.ics',
        calendarOf(
          event('moved', 'DTSTART:20260110T090000Z', 'DURATION:PT1H', 'RRULE:FREQ=MONTHLY;COUNT=4'),
          event('moved', 'RECURRENCE-ID:20260210T090000Z', 'DTSTART:20260305T090000Z', 'DURATION:PT1H'),
          event('moved', 'RECURRENCE-ID:20260310T090000Z', 'DTSTART:20260405T090000Z', 'DURATION:PT1H'),
        ),
      );
      expect(await inMarch()).toEqual(['2026-03-05T09:00 2026-03-05T10:00 Title of moved']);
    });

    it('finds a series after a list whose range contained only its changed instance', async () => {
      await put(
        'weekly.ics',
        calendarOf(
          event('weekly', 'DTSTART:20250107T090000Z', 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY'),
          event('weekly', 'RECURRENCE-ID:20260203T090000Z', 'DTSTART:20260203T120000Z', 'DURATION:PT1H'),
        ),
      );
      expect(await times(scene(), '2026-02-03T00:00:00Z', '2026-02-04T00:00:00Z')).toHaveLength(1);
      expect(await inMarch()).toHaveLength(5);
    });

    it('shows cancelled events as cancelled', async () => {
      await put('off.ics', object('off', 'DTSTART:20260310T090000Z', 'DURATION:PT1H', 'STATUS:CANCELLED'));
      expect(await listed(scene(), ...MARCH)).toMatchObject([{ uid: 'off', status: 'cancelled' }]);
    });
  });
}
