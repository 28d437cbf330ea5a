import type { ReadingBounds } from '../calendar/ical/object.ts';

/**
 * iCalendar that is read in this process: short, and with a small budget for work that is not linear in its length. The
 * worst known case takes 15 ms of CPU time on a slow machine; an ordinary object takes less than 1 ms.
 */
const SHORT_CHARS = 8 * 1024;

export function isShortObject(chars: number): boolean {
  return chars <= SHORT_CHARS;
}

/** One zone with its history, and the times of a dozen events. */
export const SHORT_BOUNDS: ReadingBounds = { zoneSteps: 1500, times: 60, zones: 3 };
/** For expanding series. */
export const SHORT_STEPS = 1500;
