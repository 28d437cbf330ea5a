import { createContext } from 'preact';
import { dateFormat } from '../../core/time/date-format.ts';
import { isoIn } from '../../core/time/time-zone.ts';
import { Quoted } from './third-party-text.tsx';

/** The language in which the page writes dates, a tag of BCP 47; `documentOf` sets it for the whole page. */
export const DateLanguage = createContext('en-GB');

const DAY = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;
const CLOCK = { hour: '2-digit', minute: '2-digit' } as const;
const INSTANT = { ...DAY, ...CLOCK, timeZoneName: 'short' } as const;

/** An instant in the owner's time zone. An invalid date is shown as it is. */
export function When({ at, zone }: { at: Date | string; zone: string }) {
  const date = typeof at === 'string' ? new Date(at) : at;
  if (Number.isNaN(date.getTime())) return <Quoted text={String(at)} />;
  return <Written at={date} zone={zone} options={INSTANT} />;
}

/** An instant as plain text, for what cannot have elements. */
export function whenText(at: Date, zone: string, language: string): string {
  return inWords(at, zone, INSTANT, language);
}

/** A day in no particular time zone. @param on YYYY-MM-DD */
export function Day({ on }: { on: string }) {
  return <Written at={new Date(on)} dateTime={on} zone="UTC" options={DAY} />;
}

/** A day in no particular time zone, in full. @param on YYYY-MM-DD */
export function LongDay({ on }: { on: string }) {
  return <Written at={new Date(on)} dateTime={on} zone="UTC" options={{ dateStyle: 'full' }} />;
}

/** A time of day in the owner's time zone, with the date for programs. */
export function ClockTime({ at, zone }: { at: Date; zone: string }) {
  return <Written at={at} zone={zone} options={CLOCK} />;
}

/** As `ClockTime`, to the second. */
export function ExactTime({ at, zone }: { at: Date; zone: string }) {
  return <Written at={at} zone={zone} options={{ timeStyle: 'medium' }} />;
}

/** A start and an end in the owner's time zone, as days for an all-day event. */
export function TimeSpan(props: { start: Date; end: Date; allDay: boolean; zone: string }) {
  const { start, end, allDay, zone } = props;
  if (allDay) {
    const last = new Date(Math.max(start.getTime(), end.getTime() - 1));
    const first = <Written at={start} zone={zone} options={DAY} />;
    if (dayOf(start, zone) === dayOf(last, zone)) return first;
    return (
      <>
        {first} to <Written at={last} zone={zone} options={DAY} />
      </>
    );
  }
  const sameDay = dayOf(start, zone) === dayOf(end, zone);
  // Across a clock change, a time without its zone can be ambiguous, or appear to end before it starts.
  const isSteady = isoIn(start, zone).slice(19) === isoIn(end, zone).slice(19);
  const clock = isSteady ? CLOCK : ({ ...CLOCK, timeZoneName: 'short' } as const);
  return (
    <>
      <Written at={start} zone={zone} options={{ ...DAY, ...clock }} /> to{' '}
      <Written at={end} zone={zone} options={sameDay ? clock : { ...DAY, ...clock }} />{' '}
      <span class="quiet">{zone}</span>
    </>
  );
}

/** The day in the zone, to compare. */
function dayOf(date: Date, zone: string): string {
  return inWords(date, zone, DAY, 'en-GB');
}

/** @param props  `dateTime`: for programs. Default: the instant */
function Written(props: { at: Date; dateTime?: string; zone: string; options: Intl.DateTimeFormatOptions }) {
  const { at, dateTime = at.toISOString(), zone, options } = props;
  return (
    <DateLanguage.Consumer>
      {(language: string) => (
        // The page is in English, and a date may run from right to left.
        <time dateTime={dateTime} {...(isEnglish(language) ? {} : { lang: language, dir: 'auto' })}>
          {inWords(at, zone, options, language)}
        </time>
      )}
    </DateLanguage.Consumer>
  );
}

function isEnglish(language: string): boolean {
  return language.split('-')[0] === 'en';
}

/** Mail and calendars count years in the Gregorian calendar, so dates here do too. */
function inWords(at: Date, timeZone: string, options: Intl.DateTimeFormatOptions, language: string): string {
  return dateFormat(language, { ...options, timeZone, calendar: 'gregory' }).format(at);
}
