import { dateInWords, isoIn } from '../../core/time/time-zone.ts';
import { Quoted } from './third-party-text.tsx';

const DAY = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;
const CLOCK = { hour: '2-digit', minute: '2-digit' } as const;

/** An instant in the owner's time zone. An invalid date is shown as it is. */
export function When({ at, zone }: { at: Date | string; zone: string }) {
  const date = typeof at === 'string' ? new Date(at) : at;
  if (Number.isNaN(date.getTime())) return <Quoted text={String(at)} />;
  return <time dateTime={date.toISOString()}>{dateInWords(date, zone)}</time>;
}

/** A day in no particular time zone. @param on YYYY-MM-DD */
export function Day({ on }: { on: string }) {
  return <time dateTime={on}>{inZone(new Date(on), 'UTC', DAY)}</time>;
}

/** A time of day in the owner's time zone, with the date for programs. */
export function ClockTime({ at, zone }: { at: Date; zone: string }) {
  return <time dateTime={at.toISOString()}>{inZone(at, zone, CLOCK)}</time>;
}

/** A start and an end in the owner's time zone, as days for an all-day event. */
export function TimeSpan(props: { start: Date; end: Date; allDay: boolean; zone: string }) {
  const { start, end, allDay, zone } = props;
  if (allDay) {
    const last = new Date(Math.max(start.getTime(), end.getTime() - 1));
    const days = [start, last].map((date) => inZone(date, zone, DAY));
    return <>{days[0] === days[1] ? days[0] : `${days[0]} to ${days[1]}`}</>;
  }
  const sameDay = inZone(start, zone, DAY) === inZone(end, zone, DAY);
  // Across a clock change, a time without its zone can be ambiguous, or appear to end before it starts.
  const isSteady = isoIn(start, zone).slice(19) === isoIn(end, zone).slice(19);
  const clock = isSteady ? CLOCK : ({ ...CLOCK, timeZoneName: 'short' } as const);
  return (
    <>
      <time dateTime={start.toISOString()}>{inZone(start, zone, { ...DAY, ...clock })}</time> to{' '}
      <time dateTime={end.toISOString()}>{inZone(end, zone, sameDay ? clock : { ...DAY, ...clock })}</time>{' '}
      <span class="quiet">{zone}</span>
    </>
  );
}

function inZone(date: Date, timeZone: string, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat('en-GB', { ...options, timeZone }).format(date);
}
