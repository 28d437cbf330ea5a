import type { Calendar, CalendarEvent, CalendarInfo } from '../../core/ports/calendar.ts';
import { MailError } from '../../core/ports/mail.ts';
import { refuseEnded } from './ended-call.ts';
import { SAMPLE_EVENTS, type SampleEvent } from './sample-events.ts';

/** A calendar in memory, the same for every account: a few weeks around the day on which it was opened. */
export function sandboxCalendar(options: { readonly now?: () => Date } = {}): Calendar {
  const { now = () => new Date() } = options;
  const openedMs = now().getTime();
  const midnightMs = openedMs - (openedMs % DAY_MS);

  return {
    async list(call, { from, to }) {
      refuseEnded(call);
      return SAMPLE_EVENTS.flatMap((sample) => eventsOf(sample, midnightMs, to))
        .filter(({ start, end }) => start < to && end > from)
        .sort((a, b) => a.start.getTime() - b.start.getTime() || (a.uid < b.uid ? -1 : 1));
    },

    async calendars(call) {
      refuseEnded(call);
      return [CALENDAR];
    },

    async target(call) {
      refuseEnded(call);
      return CALENDAR;
    },

    async read() {
      return undefined;
    },

    async write() {
      throw new MailError('refused', 'This calendar cannot be changed.');
    },

    async remove() {
      throw new MailError('refused', 'This calendar cannot be changed.');
    },

    async forget() {},

    async close() {},
  };
}

const CALENDAR: CalendarInfo = {
  calendar: 'Calendar',
  name: 'Calendar',
  writable: false,
  schedules: false,
};

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** The event, or each of its series that begins before `to`. */
function eventsOf(sample: SampleEvent, midnightMs: number, to: Date): CalendarEvent[] {
  const { uid, title, day, time, lengthMin, status = 'confirmed', everyDays } = sample;
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  const firstMs = midnightMs + day * DAY_MS + (hour * 60 + minute) * MINUTE_MS;
  const count = everyDays === undefined ? 1 : Math.ceil((to.getTime() - firstMs) / (everyDays * DAY_MS));
  return Array.from({ length: Math.max(0, count) }, (_, index) => {
    const start = new Date(firstMs + index * (everyDays ?? 0) * DAY_MS);
    return {
      calendar: 'Calendar',
      uid: `${uid}@sample.countersign.test`,
      recurrenceId: everyDays === undefined ? null : utcDateTime(start),
      title,
      start,
      end: new Date(start.getTime() + lengthMin * MINUTE_MS),
      allDay: false,
      status,
      recurring: everyDays !== undefined,
    };
  });
}

/** RFC 5545 3.3.5, form 2. */
function utcDateTime(date: Date): string {
  return date.toISOString().replace(/[-:]|\.\d+/g, '');
}
