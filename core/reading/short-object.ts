import type { ReadingBounds } from '../calendar/ical/object.ts';

/**
 * iCalendar that is read where it is, without a process: short, and with a small budget for everything that costs more
 * than its length. The worst that could be made takes 15 ms of a slow
 * processor, and an ordinary object less than 1 ms.
 */
const SHORT_CHARS = 8 * 1024;

export function isShortObject(chars: number): boolean {
  return chars <= SHORT_CHARS;
}

/** One zone with its history, and the times of a dozen events. */
export const SHORT_BOUNDS: ReadingBounds = { zoneSteps: 1500, times: 60, zones: 3 };
/** For following series. */
export const SHORT_STEPS = 1500;
