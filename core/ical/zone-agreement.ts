import type ICAL from 'ical.js';
import { ownCopy } from '../memory/own-copy.ts';
import { DAY_MS } from '../time/durations.ts';
import type { Zone } from '../time/iana-zone.ts';
import { instantOf } from '../time/wall-time.ts';
import { dayNumber } from './civil-day.ts';
import type { WorkBudget } from './recurrence-rule.ts';
import { zoneOf } from './vtimezone.ts';

/**
 * Whether an object's own description of a zone agrees with the zone of that name. To follow a description costs more than
 * to read the rest of an object, and most objects of a calendar have the same one, so its days are kept.
 */
const known = new Map<string, Map<number, boolean>>();
const DESCRIPTIONS_KEPT = 64;
/** Of one description. */
const DAYS_KEPT = 10_000;
const DESCRIPTION_CHARS_MAX = 8192;

/**
 * @param zone  the zone of that name  @param component  the description
 * @returns  whether both mean the same instant by a wall-clock time. True for a description that cannot be followed
 */
export function agreement(
  tzid: string,
  zone: Zone,
  component: ICAL.Component,
  budget: WorkBudget,
): (wallMs: number) => boolean {
  const days = daysOf(`${tzid}\n${JSON.stringify(component.jCal)}`);
  let described: Zone | undefined;
  let isRead = false;
  const read = () => {
    if (!isRead) described = zoneOf(component, budget);
    isRead = true;
    return described;
  };
  return (wallMs) => {
    const day = dayNumber(wallMs);
    const [before, behind] = [(day - 1) * DAY_MS, (day + 2) * DAY_MS];
    const offsetMs = zone.offsetMs(before);
    // While the clocks change, it depends on the hour.
    if (offsetMs !== zone.offsetMs(behind)) return agrees(read(), zone, wallMs);
    let isSame = days.get(day);
    if (isSame === undefined) {
      const own = read();
      isSame = own === undefined || [before, behind].every((at) => own.offsetMs(at) === offsetMs);
      if (days.size >= DAYS_KEPT) days.clear();
      days.set(day, isSame);
    }
    return isSame;
  };
}

function agrees(described: Zone | undefined, zone: Zone, wallMs: number): boolean {
  return described === undefined || instantOf(wallMs, described) === instantOf(wallMs, zone);
}

function daysOf(description: string): Map<number, boolean> {
  if (description.length > DESCRIPTION_CHARS_MAX) return new Map();
  const kept = known.get(description);
  if (kept !== undefined) return kept;
  if (known.size >= DESCRIPTIONS_KEPT) known.clear();
  const days = new Map<number, boolean>();
  known.set(ownCopy(description), days);
  return days;
}
