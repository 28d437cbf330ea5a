import { tzlib_get_ical_block, tzlib_get_timezones } from 'timezones-ical-library';
import * as z from 'zod';
import { type Component, linesNamed, parseObject } from './content-lines.ts';

/** The VTIMEZONE of an IANA zone. */
export interface ZoneDefinition {
  /** The name that DTSTART and similar lines use. For a zone that is a link, its target. */
  readonly tzid: string;
  readonly component: Component;
}

const KNOWN: ReadonlySet<string> = new Set(tzlib_get_timezones());
const block = z.tuple([z.string(), z.string()]);

/** Undefined if the library does not know the zone. */
export function zoneDefinition(name: string): ZoneDefinition | undefined {
  if (!KNOWN.has(name)) return undefined;
  const [text] = block.parse(tzlib_get_ical_block(name));
  const [component] = parseObject(`BEGIN:VCALENDAR\r\n${text}\r\nEND:VCALENDAR\r\n`).items;
  if (component === undefined || !('items' in component)) throw new Error('a zone has no definition');
  const tzid = linesNamed(component, 'TZID')[0]?.value;
  if (tzid === undefined) throw new Error('the definition of a zone has no name');
  return { tzid, component };
}
