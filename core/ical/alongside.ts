import { ANSWERS, ROLES } from '../calendar/event.ts';
import { isTimeZone } from '../time/time-zone.ts';
import {
  type Component,
  type ContentLine,
  isLine,
  linesNamed,
  objectText,
  unfolded,
} from './content-lines.ts';
import { zoneDefinition } from './zone-definition.ts';

/**
 * Finds what an object contains besides what the owner sees of one event. A calendar server that sends invitations
 * itself passes on the whole object. Only values from a fixed vocabulary are left out: they cannot carry a message.
 */

/**
 * @param event the VEVENT that the owner sees
 * @returns the lines unchanged, without folds, joined by newlines; empty if there are none
 */
export function otherContentOf(calendar: Component, event: Component): string {
  const lines: string[] = [];
  const take = (component: Component, isOfZone = false): void => {
    const begin = lines.length;
    const seen = new Set<string>();
    for (const item of component.items) {
      if (!isLine(item)) {
        if (!isKnownZone(item)) take(item, isOfZone || item.name === 'VTIMEZONE');
        continue;
      }
      // Of several, the first is shown.
      const isShown =
        component === event && SHOWN.has(item.name) && !seen.has(item.name) && item.parameters.length === 0;
      seen.add(item.name);
      if (!isShown && !isFixed(item) && !(isOfZone && isZoneRule(item))) lines.push(written(item));
    }
    if (lines.length === begin || component === calendar || component === event) return;
    lines.splice(begin, 0, `BEGIN:${component.name}`);
    lines.push(`END:${component.name}`);
  };
  take(calendar);
  return lines.join('\n');
}

function written({ source = '' }: ContentLine): string {
  return unfolded(source);
}

/** The owner's page shows their values. */
const SHOWN = new Set(['SUMMARY', 'LOCATION', 'DESCRIPTION']);

const TIME = String.raw`\d{8}(?:T\d{6}Z?)?`;
const TIMES = new RegExp(`^${TIME}(?:,${TIME})*$`);
const UTC_TIME = /^\d{8}T\d{6}Z?$/;
const NUMBER = /^\d{1,10}$/;
const OFFSET = /^[+-]\d{4}(?:\d\d)?$/;
const RULE_PART =
  '(?:FREQ|UNTIL|COUNT|INTERVAL|WKST|BYSECOND|BYMINUTE|BYHOUR|BYDAY|BYMONTHDAY|BYYEARDAY|BYWEEKNO|BYMONTH|BYSETPOS)' +
  '=(?:SECONDLY|MINUTELY|HOURLY|DAILY|WEEKLY|MONTHLY|YEARLY|(?:[+-]?\\d{0,4}(?:MO|TU|WE|TH|FR|SA|SU)|[+-]?\\d{1,4})(?:,(?:[+-]?\\d{0,4}(?:MO|TU|WE|TH|FR|SA|SU)|[+-]?\\d{1,4}))*|\\d{8}(?:T\\d{6}Z?)?)';
const RULE = new RegExp(`^${RULE_PART}(?:;${RULE_PART})*$`);

/** Allowed values of properties with a fixed vocabulary. Properties that allow free text are not listed. */
const VALUES: Readonly<Record<string, RegExp>> = {
  VERSION: /^2\.0$/,
  CALSCALE: /^GREGORIAN$/i,
  // Identifies the event to programs. Without it nobody could tell which event is meant.
  UID: /^.*$/s,
  DTSTAMP: UTC_TIME,
  CREATED: UTC_TIME,
  'LAST-MODIFIED': UTC_TIME,
  SEQUENCE: NUMBER,
  PRIORITY: NUMBER,
  DTSTART: TIMES,
  DTEND: TIMES,
  EXDATE: TIMES,
  'RECURRENCE-ID': TIMES,
  DURATION: /^[+-]?P[\dWDTHMS]{1,20}$/,
  STATUS: /^(?:CONFIRMED|TENTATIVE|CANCELLED)$/i,
  TRANSP: /^(?:OPAQUE|TRANSPARENT)$/i,
  CLASS: /^(?:PUBLIC|PRIVATE|CONFIDENTIAL)$/i,
  TZOFFSETFROM: OFFSET,
  TZOFFSETTO: OFFSET,
  TZNAME: /^(?:[A-Z]{1,5}|[+-]\d{2,4})$/,
  ORGANIZER: /^.*$/s,
  ATTENDEE: /^.*$/s,
};

const vocabulary = (...words: readonly string[]) => new Set(words);
const PEOPLE: Readonly<Record<string, ReadonlySet<string> | 'shown' | RegExp>> = {
  CN: 'shown',
  'SCHEDULE-STATUS': /^"?\d\.\d{1,2}(?:,\d\.\d{1,2}){0,3}"?$/,
  PARTSTAT: vocabulary(...ANSWERS),
  ROLE: vocabulary(...ROLES),
  RSVP: vocabulary('TRUE', 'FALSE'),
  CUTYPE: vocabulary('INDIVIDUAL', 'GROUP', 'RESOURCE', 'ROOM', 'UNKNOWN'),
  'SCHEDULE-AGENT': vocabulary('SERVER', 'CLIENT', 'NONE'),
};

function isFixed(line: ContentLine): boolean {
  const { name, value, parameters } = line;
  if (VALUES[name]?.test(value) !== true) return false;
  if (name === 'ORGANIZER' || name === 'ATTENDEE') {
    return parameters.every(([key, text]) => {
      const words = PEOPLE[key];
      if (words instanceof RegExp) return words.test(text);
      return words === 'shown' || words?.has(text.toUpperCase()) === true;
    });
  }
  return parameters.every(([key, text]) => {
    if (key === 'VALUE') return /^DATE(?:-TIME)?$/i.test(text);
    return key === 'TZID' && isTimeZone(text.replaceAll('"', ''));
  });
}

/** Whether it is the VTIMEZONE of an IANA zone as Countersign writes it. */
function isKnownZone(component: Component): boolean {
  if (component.name !== 'VTIMEZONE') return false;
  const [tzid] = linesNamed(component, 'TZID');
  const known = tzid && zoneDefinition(tzid.value)?.component;
  return known !== undefined && objectText(known) === objectText(component);
}

function isZoneRule({ name, value, parameters }: ContentLine): boolean {
  if (parameters.length > 0) return false;
  if (name === 'TZID' || name === 'X-LIC-LOCATION') return isTimeZone(value);
  if (name === 'RRULE') return RULE.test(value);
  return name === 'RDATE' && TIMES.test(value);
}
