import { instantOf } from '../time/wall-time.ts';
import type { Moment } from './object.ts';

/** A RECURRENCE-ID as the `recurrenceId` of an EventKey. */
export function recurrenceIdOf({ kind, wallMs, zone }: Moment): string {
  const text = (ms: number) => new Date(ms).toISOString().replace(/[-:]|\.\d+Z$/g, '');
  if (kind === 'date') return text(wallMs).slice(0, 8);
  return zone === undefined ? text(wallMs) : `${text(instantOf(wallMs, zone))}Z`;
}

/** The digits of a `recurrenceId` as milliseconds since 1970: its instant if it has a zone. Undefined if it is not a valid time. */
export function placeOfId(id: string): number | undefined {
  const match = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z)?)?$/.exec(id);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((text) => Number(text ?? 0));
  return Date.UTC(year, month - 1, day, hour, minute, second);
}
