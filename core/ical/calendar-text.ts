import { oneLine } from '../text/one-line.ts';
import { dateFormat } from '../time/date-format.ts';
import { DAY_MS } from '../time/durations.ts';
import type { Zone } from '../time/iana-zone.ts';
import { offsetText } from '../time/offset-text.ts';
import { instantOf, UTC, wallTime } from '../time/wall-time.ts';
import { BrokenObject, type EventPart, readObject, textOf } from './object.ts';
import { parameterOf, participant } from './participant.ts';

/** The rest is counted. */
const EVENTS_SHOWN = 20;

/**
 * What the events of a calendar object say to a person: title, time as written, place, organizer, description, and
 * answers. @returns undefined if it has no event that can be read
 */
export function calendarText(ics: string): string | undefined {
  const parts = readableParts(ics);
  if (parts === undefined) return undefined;
  const method = /^METHOD[ \t]*:[ \t]*([A-Z-]{1,20})/im.exec(ics)?.[1]?.toUpperCase();
  const shown = parts.slice(0, EVENTS_SHOWN).map((part) => eventText(part, method));
  const more = parts.length - shown.length;
  return [...shown, ...(more > 0 ? [`[${more} more events are not shown here.]`] : [])].join('\n\n');
}

function readableParts(ics: string): EventPart[] | undefined {
  try {
    return readObject(ics);
  } catch (error) {
    if (error instanceof BrokenObject) return undefined;
    throw error;
  }
}

function eventText(part: EventPart, method: string | undefined): string {
  const { component, title, organizer, recurrenceId } = part;
  const isCancelled = method === 'CANCEL' || part.status === 'cancelled';
  const [location, description] = [textOf(component, 'location'), textOf(component, 'description')];
  const rules = component.getAllProperties('rrule').map((rule) => oneLine(String(rule.getFirstValue())));
  const answers =
    method === 'REPLY'
      ? component
          .getAllProperties('attendee')
          .slice(0, EVENTS_SHOWN)
          .map((property) => `${named(participant(property))}, ${parameterOf(property, 'partstat')}`)
      : [];
  return [
    `${isCancelled ? 'Cancelled: ' : ''}${oneLine(title)}`,
    timeText(part),
    ...rules.map((rule) => `Repeats: ${rule}`),
    ...(recurrenceId === undefined ? [] : ['This is only about this one event of the series.']),
    ...(location === '' ? [] : [`Where: ${oneLine(location)}`]),
    ...(organizer === null ? [] : [`Organizer: ${named(organizer)}`]),
    ...answers.map((answer) => `Answer: ${oneLine(answer)}`),
    ...(description === '' ? [] : ['', description.trimEnd()]),
  ].join('\n');
}

function named({ name, address }: { readonly name: string; readonly address: string }): string {
  return oneLine(name === '' ? address : `${name} <${address}>`);
}

/** By the clock that the event is written for: `Wednesday, 10 December 2025, 09:00 to 09:30 (UTC+01:00)`. */
function timeText({ start, span }: EventPart): string {
  const zone = start.zone ?? UTC;
  const startMs = instantOf(start.wallMs, zone);
  const endMs = Math.max(startMs, instantOf(start.wallMs + span.days * DAY_MS, zone) + span.exactMs);
  const [from, to] = [start.wallMs, wallTime(endMs, zone)];
  if (start.kind === 'date') {
    const last = Math.max(from, to - DAY_MS);
    return day(from) === day(last) ? `${day(from)}, all day` : `${day(from)} to ${day(last)}`;
  }
  const until = day(from) === day(to) ? clock(to) : `${day(to)}, ${clock(to)}`;
  const [offset, offsetAtEnd] = [zoneText(start.zone, startMs), zoneText(start.zone, endMs)];
  if (startMs === endMs) return `${day(from)}, ${clock(from)} (${offset})`;
  // If the clocks change in between, a time without its offset may be ambiguous.
  if (offset !== offsetAtEnd) return `${day(from)}, ${clock(from)} (${offset}) to ${until} (${offsetAtEnd})`;
  return `${day(from)}, ${clock(from)} to ${until} (${offset})`;
}

function day(wallMs: number): string {
  return dateFormat('en-GB', {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  }).format(wallMs);
}

function clock(wallMs: number): string {
  return new Date(wallMs).toISOString().slice(-13, -8);
}

function zoneText(zone: Zone | undefined, instantMs: number): string {
  return zone === undefined ? 'no time zone' : `UTC${offsetText(zone.offsetMs(instantMs))}`;
}
