import { ianaZone, type Zone } from '../time/iana-zone.ts';
import { isTimeZone } from '../time/time-zone.ts';
import { windowsZone } from './windows-zones.ts';

/** Whether people in different countries mean different zones by that name: `EST`, `IST`, `BST`, `GMT`. */
export function isAbbreviation(tzid: string): boolean {
  return /^[A-Z]{3,4}$/i.test(tzid) && !/^(?:UTC|UCT|ZULU)$/i.test(tzid);
}

/** No zone name is longer. */
const TZID_CHARS_MAX = 255;
/** `America/Argentina/Buenos_Aires` */
const NAME_PARTS_MAX = 3;

/**
 * The zone that a TZID names without a VTIMEZONE: an IANA name, one with a prefix
 * (`/mozilla.org/20050126_1/Europe/Berlin`), a Windows name, or what Windows shows for it
 * (`(UTC-05:00) Eastern Time (US & Canada)`). Undefined if unknown.
 */
export function zoneNamed(tzid: string): Zone | undefined {
  if (tzid.length > TZID_CHARS_MAX) return undefined;
  const parts = tzid.replace(/^"|"$/g, '').split('/').filter(Boolean).slice(-NAME_PARTS_MAX);
  const names = [tzid, ...parts.map((_, index) => parts.slice(index).join('/')), windowsZone(tzid)];
  const iana = names.find((name) => name !== undefined && /^[A-Za-z]/.test(name) && isTimeZone(name));
  return iana === undefined ? undefined : ianaZone(iana);
}
