import { DAY_MS } from '../../time/durations.ts';
import { isTimeZone } from '../../time/time-zone.ts';
import { dayNumber } from './civil-day.ts';
import { WINDOWS_DISPLAY_NAMES } from './windows-display-names.ts';
import { WINDOWS_ZONES } from './windows-zones.ts';

/** How far a clock is ahead of UTC. Wall-clock times are milliseconds since 1970 as if the clock showed UTC. */
export interface Zone {
  offsetMs(instantMs: number): number;
}

export const UTC: Zone = { offsetMs: () => 0 };

export function wallTime(instantMs: number, zone: Zone): number {
  return instantMs + zone.offsetMs(instantMs);
}

/**
 * RFC 5545 3.3.5: a time that the clock skips is read with the offset before the gap. Of a time that it shows twice,
 * the first counts.
 */
export function instantOf(wallMs: number, zone: Zone): number {
  // No offset is a day or more, and no zone changes twice within two days.
  const before = zone.offsetMs(wallMs - DAY_MS);
  const behind = zone.offsetMs(wallMs + DAY_MS);
  if (before === behind && zone.offsetMs(wallMs - before) === before) return wallMs - before;
  const candidates = [wallMs - before, wallMs - behind].sort((a, b) => a - b);
  return candidates.find((at) => wallTime(at, zone) === wallMs) ?? wallMs - before;
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
  const displayed = WINDOWS_DISPLAY_NAMES[tzid.replace(/^\((?:UTC|GMT)[^)]*\)\s*/, '')];
  const windows = WINDOWS_ZONES[displayed ?? tzid];
  const names = [tzid, ...parts.map((_, index) => parts.slice(index).join('/')), windows];
  const iana = names.find((name) => name !== undefined && /^[A-Za-z]/.test(name) && isTimeZone(name));
  return iana === undefined ? undefined : ianaZone(iana);
}

/** By lower-case name: an untrusted calendar may write one name in any mixture of cases. */
const known = new Map<string, Zone>();
/** With its days a zone takes about 1 MB. */
const ZONES_KEPT = 32;
const REMEMBERED_DAYS = 20_000;

/** The zone, from the runtime's zone data. @param name must be a zone of the runtime */
export function ianaZone(name: string): Zone {
  const key = name.toLowerCase();
  const found = known.get(key);
  if (found !== undefined) return found;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const computeMs = (instantMs: number) => {
    const wholeMs = Math.floor(instantMs / 1000) * 1000;
    const parts = new Map(format.formatToParts(wholeMs).map(({ type, value }) => [type, value]));
    const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type));
    const year = parts.get('era') === 'BC' ? 1 - part('year') : part('year');
    const wall = new Date(0);
    wall.setUTCFullYear(year, part('month') - 1, part('day'));
    wall.setUTCHours(part('hour'), part('minute'), part('second'));
    return wall.getTime() - wholeMs;
  };
  /** The offset of a whole day. Undefined if it changes during the day. */
  const days = new Map<number, number | undefined>();
  const zone: Zone = {
    offsetMs(instantMs) {
      const day = dayNumber(instantMs);
      if (!days.has(day)) {
        if (days.size >= REMEMBERED_DAYS) days.clear();
        const atStart = computeMs(day * DAY_MS);
        days.set(day, atStart === computeMs((day + 1) * DAY_MS) ? atStart : undefined);
      }
      return days.get(day) ?? computeMs(instantMs);
    },
  };
  if (known.size >= ZONES_KEPT) known.clear();
  known.set(key, zone);
  return zone;
}
