import type { Zone } from '../../time/iana-zone.ts';
import type { Moment } from './object.ts';
import { instantOf, wallTime } from './zone.ts';

/** A RECURRENCE-ID as the `recurrenceId` of an EventKey. */
export function recurrenceIdOf({ kind, wallMs, zone }: Moment): string {
  const text = (ms: number) => new Date(ms).toISOString().replace(/[-:]|\.\d+Z$/g, '');
  if (kind === 'date') return text(wallMs).slice(0, 8);
  return zone === undefined ? text(wallMs) : `${text(instantOf(wallMs, zone))}Z`;
}

/** The time of a `recurrenceId`, on the clock of `zone`. Undefined if it is not a valid time. */
export function wallOfId(id: string, zone: Zone): number | undefined {
  const match = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z)?)?$/.exec(id);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((text) => Number(text ?? 0));
  const ms = Date.UTC(year, month - 1, day, hour, minute, second);
  return match[7] === undefined ? ms : wallTime(ms, zone);
}
