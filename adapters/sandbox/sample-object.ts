import { escapedText, line, objectText } from '../../core/ical/content-lines.ts';
import { DAY_MS, MINUTE_MS } from '../../core/time/durations.ts';
import type { SampleEvent } from './sample-events.ts';

/** The calendar object of a sample event, dated from the day of `openedAt` in UTC. */
export function sampleObject(sample: SampleEvent, openedAt: Date): string {
  const { uid, title, day, time, lengthMin, status = 'confirmed', everyDays } = sample;
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  const midnightMs = Math.floor(openedAt.getTime() / DAY_MS) * DAY_MS;
  const startMs = midnightMs + day * DAY_MS + (hour * 60 + minute) * MINUTE_MS;
  const event = [
    line('UID', `${uid}@sample.countersign.test`),
    line('DTSTAMP', utc(midnightMs)),
    line('SUMMARY', escapedText(title)),
    line('DTSTART', utc(startMs)),
    line('DTEND', utc(startMs + lengthMin * MINUTE_MS)),
    line('STATUS', status.toUpperCase()),
    ...(everyDays === undefined ? [] : [line('RRULE', `FREQ=DAILY;INTERVAL=${everyDays}`)]),
  ];
  const head = [line('VERSION', '2.0'), line('PRODID', '-//Countersign//sandbox//EN')];
  return objectText({ name: 'VCALENDAR', items: [...head, { name: 'VEVENT', items: event }] });
}

/** RFC 5545 3.3.5, form 2. */
function utc(ms: number): string {
  return new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '');
}
