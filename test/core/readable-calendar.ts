import { sandboxCalendar } from '../../adapters/sandbox/calendar.ts';
import type { Calendar } from '../../core/ports/calendar.ts';

/** The sandbox calendar, whose events can be read one by one: as its list shows them. */
export function readableCalendar(): Calendar {
  const calendar = sandboxCalendar();
  return {
    ...calendar,
    async read(call, key, timezone) {
      const [from, to] = [new Date(0), new Date('2100-01-01')];
      const event = (await calendar.list(call, { from, to, timezone })).find(
        ({ uid, recurrenceId }) => uid === key.uid && recurrenceId === key.recurrenceId,
      );
      const place = { calendar: key.calendar, name: 'event.ics' };
      return event && { event, place, etag: '1', ics: '', schedules: false };
    },
  };
}
