import { tzlib_get_ical_block, tzlib_get_timezones } from 'timezones-ical-library';
import * as z from 'zod';
import { type Component, linesNamed, parseObject } from './content-lines.ts';

/** The VTIMEZONE of an IANA zone. */
export interface ZoneDefinition {
  /** What DTSTART and its like name it by; of a zone that is a link, the one it leads to. */
  readonly tzid: string;
  readonly component: Component;
}

const KNOWN: ReadonlySet<string> = new Set(tzlib_get_timezones());
const block = z.tuple([z.string(), z.string()]);

/** Undefined for a zone that the library does not have. */
export function zoneDefinition(name: string): ZoneDefinition | undefined {
  if (!KNOWN.has(name)) return undefined;
  const [text] = block.parse(tzlib_get_ical_block(name));
  const [component] = parseObject(`BEGIN:VCALENDAR\r\n${text}\r\nEND:VCALENDAR\r\n`).items;
  if (component === undefined || !('items' in component)) throw new Error('a zone has no definition');
  const tzid = linesNamed(component, 'TZID')[0]?.value;
  if (tzid === undefined) throw new Error('the definition of a zone has no name');
  return { tzid, component };
}
