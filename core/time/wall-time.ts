import { DAY_MS } from './durations.ts';
import type { Zone } from './iana-zone.ts';

/** The time that the clocks of a zone show, as milliseconds of that time read as UTC. */

export const UTC: Zone = { offsetMs: () => 0 };

export function wallTime(instantMs: number, zone: Zone): number {
  return instantMs + zone.offsetMs(instantMs);
}

/** The start of the day of a wall-clock time. */
export function dayOf(wallMs: number): number {
  return Math.floor(wallMs / DAY_MS) * DAY_MS;
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
