import { ianaZone, type Zone } from '../time/iana-zone.ts';
import { instantOf, wallTime } from '../time/wall-time.ts';
import { type Component, type ContentLine, line, linesNamed, parameterOf } from './content-lines.ts';
import type { Moment } from './object.ts';
import { basicTime } from './object-part.ts';
import { zoneDefinition } from './zone-definition.ts';

/** Writes times as content lines. */

/** The zone for new times. Undefined: UTC. */
export interface WritingZone {
  readonly tzid: string;
  readonly zone: Zone;
  /** Its VTIMEZONE. */
  readonly component: Component;
}

const UTC_NAMES = /^(Etc\/)?(UTC|UCT|GMT|Zulu|Universal|Greenwich)$/;

/** Undefined for UTC itself, and for a zone that Countersign cannot describe to others. */
export function writingZone(timezone: string): WritingZone | undefined {
  const definition = UTC_NAMES.test(timezone) ? undefined : zoneDefinition(timezone);
  return definition && { ...definition, zone: ianaZone(timezone) };
}

/**
 * DTSTART and DTEND. If the clock shows either time twice, both are in UTC, so nobody can misread it.
 */
export function timeLines(start: Date, end: Date, zone: WritingZone | undefined): ContentLine[] {
  const written = [start, end].map((instant) => zone && wallOf(instant, zone.zone));
  return [start, end].map((instant, index) => {
    const name = index === 0 ? 'DTSTART' : 'DTEND';
    const wall = written[index];
    return zone === undefined || wall === undefined || written.includes(undefined)
      ? line(name, utcTime(instant))
      : line(name, wall, [['TZID', zone.tzid]]);
  });
}

/** RFC 5545 3.3.5, form 2: `20261121T090000Z`. */
export function utcTime(instant: Date): string {
  return `${basicTime(instant.getTime())}Z`;
}

/** Undefined if the clock shows that time twice and this is the second. */
function wallOf(instant: Date, zone: Zone): string | undefined {
  const wallMs = wallTime(instant.getTime(), zone);
  return instantOf(wallMs, zone) === instant.getTime() ? basicTime(wallMs) : undefined;
}

/** The DTSTART of a VEVENT: the line, and its meaning. */
export interface WrittenStart {
  readonly line: ContentLine;
  readonly moment: Moment;
}

/** Writes an instant in the style of the event's DTSTART. @param timezone the owner's, for floating times */
export function asStart(name: string, instant: Date, start: WrittenStart, timezone: string): ContentLine {
  const { kind, zone } = start.moment;
  if (kind === 'date') {
    const wall = basicTime(wallTime(instant.getTime(), ianaZone(timezone)));
    return dayLine(name, wall.slice(0, 8), start);
  }
  const tzid = parameterOf(start.line, 'TZID');
  const parameters: ContentLine['parameters'] = tzid === undefined ? [] : [['TZID', tzid]];
  if (kind === 'floating') {
    const wallMs = wallTime(instant.getTime(), ianaZone(timezone));
    return line(name, basicTime(wallMs), parameters);
  }
  // Without a TZID and a Z, it is in the zone of the whole object (X-WR-TIMEZONE).
  const isUtc = tzid === undefined && /Z$/i.test(start.line.value);
  const wall = isUtc || zone === undefined ? undefined : wallOf(instant, zone);
  return wall === undefined ? line(name, utcTime(instant)) : line(name, wall, parameters);
}

/** RECURRENCE-ID or EXDATE of an instance, in the style of its series' DTSTART. @param recurrenceId see EventKey */
export function instanceLine(name: string, recurrenceId: string, start: WrittenStart): ContentLine {
  const utc = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(recurrenceId);
  if (utc !== null) {
    const [year, month, day, hour, minute, second] = utc.slice(1);
    const instant = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
    return asStart(name, instant, start, 'UTC');
  }
  if (recurrenceId.length === 8) return dayLine(name, recurrenceId, start);
  const tzid = parameterOf(start.line, 'TZID');
  return line(name, recurrenceId, tzid === undefined ? [] : [['TZID', tzid]]);
}

/** A day. Outlook writes it as midnight in a zone. @param day `20261121` */
function dayLine(name: string, day: string, { line: dtstart }: WrittenStart): ContentLine {
  if (!dtstart.value.includes('T')) return line(name, day, [['VALUE', 'DATE']]);
  const tzid = parameterOf(dtstart, 'TZID');
  return line(name, `${day}T000000`, tzid === undefined ? [] : [['TZID', tzid]]);
}

/** The VTIMEZONE of that name. */
export function zoneIn(calendar: Component, tzid: string): Component | undefined {
  return calendar.items.find(
    (item): item is Component =>
      'items' in item &&
      item.name === 'VTIMEZONE' &&
      linesNamed(item, 'TZID').some(({ value }) => value === tzid),
  );
}
