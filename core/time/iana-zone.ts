import { ownCopy } from '../memory/own-copy.ts';
import { DAY_MS } from './durations.ts';

/** How far a clock is ahead of UTC. Wall-clock times are milliseconds since 1970 as if the clock showed UTC. */
export interface Zone {
  offsetMs(instantMs: number): number;
}

/** By lower-case name: an untrusted calendar may write one name in any mixture of cases. */
const known = new Map<string, Zone>();
/** A zone needs a formatter, which takes 0.3 ms to make and about 50 KB to keep. */
const ZONES_KEPT = 100;
/** Of one zone, and of all zones together. A day takes about 50 bytes. */
const ZONE_DAYS_KEPT = 20_000;
const DAYS_KEPT = 640_000;
let daysKept = 0;

/** The zone, from the runtime's zone data. @throws RangeError if the runtime knows no zone of this name */
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
      const day = Math.floor(instantMs / DAY_MS);
      if (!days.has(day)) {
        if (days.size >= ZONE_DAYS_KEPT) days.clear();
        const atStart = computeMs(day * DAY_MS);
        days.set(day, atStart === computeMs((day + 1) * DAY_MS) ? atStart : undefined);
        daysKept += 1;
        if (daysKept >= DAYS_KEPT) forgetAll();
      }
      return days.get(day) ?? computeMs(instantMs);
    },
  };
  if (known.size >= ZONES_KEPT) forgetAll();
  known.set(ownCopy(key), zone);
  return zone;
}

function forgetAll(): void {
  known.clear();
  daysKept = 0;
}
