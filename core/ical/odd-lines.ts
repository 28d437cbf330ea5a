import type { LeftOut } from '../calendar/event.ts';
import { type ContentLine, parseLine } from './content-lines.ts';
import { FREQUENCIES } from './recurrence-rule.ts';
import { WEEKDAYS } from './rule-parts.ts';

/**
 * The lines about an event's time that RFC 5545 does not define. ical.js misreads some of them without an error, so all
 * of them are marked.
 */

const CHECKED = [
  'RRULE',
  'EXRULE',
  'EXDATE',
  'RDATE',
  'DTSTART',
  'DTEND',
  'DURATION',
  'RECURRENCE-ID',
] as const;
type Checked = (typeof CHECKED)[number];

/**
 * Finds the odd lines of each VEVENT, by its index among the VEVENTs of the object. Linear in its length.
 * @param lines of an object, unfolded
 */
export function oddLines(lines: readonly string[]): readonly ReadonlySet<LeftOut>[] {
  const found: Set<LeftOut>[] = [];
  const open: string[] = [];
  for (const line of lines) {
    // A fast check: most lines are of other properties.
    if (!/^[BEDR]/i.test(line)) continue;
    const [, edge, named = ''] = /^(BEGIN|END):\s*([\w-]+)\s*$/i.exec(line) ?? [];
    if (edge === undefined) {
      const name = open.at(-1) === 'VEVENT' ? checkedName(line) : undefined;
      if (name !== undefined && !isKnown(name, line)) found.at(-1)?.add(name);
    } else if (edge.toUpperCase() === 'BEGIN') {
      open.push(named.toUpperCase());
      if (open.at(-1) === 'VEVENT') found.push(new Set());
    } else open.pop();
  }
  return found;
}

const NAME = new RegExp(`^(?:${CHECKED.join('|')})(?=[;:])`, 'i');

function checkedName(line: string): Checked | undefined {
  const name = NAME.exec(line)?.[0].toUpperCase();
  return CHECKED.find((one) => one === name);
}

function isKnown(name: Checked, line: string): boolean {
  const { name: read, parameters, value } = parseLine(line);
  return (
    read !== '' &&
    parameters.every((parameter) => isKnownParameter(name, parameter)) &&
    isKnownValue(name, value)
  );
}

/** RFC 5545 3.1: a program ignores the X- parameters that it does not know. RANGE=THISANDPRIOR (RFC 2445) is obsolete. */
function isKnownParameter(name: Checked, [key, value]: ContentLine['parameters'][number]): boolean {
  if (key === 'TZID') return name !== 'DURATION' && value !== '';
  if (key === 'VALUE') return VALUES[name].includes(value.toUpperCase());
  if (key === 'RANGE') return name === 'RECURRENCE-ID' && value.toUpperCase() === 'THISANDFUTURE';
  return key.startsWith('X-');
}

const TIMES = ['DATE', 'DATE-TIME'];
const VALUES: Readonly<Record<Checked, readonly string[]>> = {
  RRULE: ['RECUR'],
  EXRULE: ['RECUR'],
  EXDATE: TIMES,
  RDATE: [...TIMES, 'PERIOD'],
  DTSTART: TIMES,
  DTEND: TIMES,
  DURATION: ['DURATION'],
  'RECURRENCE-ID': TIMES,
};

function isKnownValue(name: Checked, value: string): boolean {
  switch (name) {
    case 'RRULE':
    case 'EXRULE':
      return isRule(value);
    case 'DURATION':
      return isDuration(value);
    case 'DTSTART':
    case 'DTEND':
    case 'RECURRENCE-ID':
      return isTime(value);
    case 'EXDATE':
      return value.split(',').every(isTime);
    case 'RDATE':
      return value.split(',').every((one) => isTime(one) || isPeriod(one));
  }
}

function isTime(text: string): boolean {
  const [, year, month, day, hour = '0', minute = '0', second = '0'] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)Z?)?$/.exec(text) ?? [];
  if (year === undefined) return false;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  const isDay = date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day);
  return isDay && Number(hour) < 24 && Number(minute) < 60 && Number(second) <= 60;
}

function isDuration(text: string): boolean {
  return (
    /^\+?P(?:\d{1,9}W|\d{1,9}D)?(?:T(?:\d{1,9}H)?(?:\d{1,9}M)?(?:\d{1,9}S)?)?$/.test(text) &&
    /\d\D$/.test(text)
  );
}

function isPeriod(text: string): boolean {
  const [start = '', end = '', ...more] = text.split('/');
  return more.length === 0 && isTime(start) && (isTime(end) || isDuration(end));
}

function isRule(text: string): boolean {
  const parts = text.replace(/;$/, '').split(';');
  const names = parts.map((part) => part.slice(0, part.indexOf('=')).toUpperCase());
  const isEach = parts.every((part, index) => {
    const isPart = RULE_PARTS[names[index] ?? ''];
    return isPart?.(part.slice(part.indexOf('=') + 1).toUpperCase()) === true;
  });
  return isEach && names.includes('FREQ') && new Set(names).size === names.length;
}

const WEEKDAY = `(?:${WEEKDAYS.join('|')})`;
const matches = (expression: RegExp) => (value: string) => expression.test(value);
const listOf = (isOne: (text: string) => boolean) => (value: string) => value.split(',').every(isOne);
const number = (least: number, most: number) =>
  listOf((text) => /^\d{1,3}$/.test(text) && Number(text) >= least && Number(text) <= most);
/** From the start, or from the end if it is negative. */
const place = (most: number) =>
  listOf(
    (text) => /^[+-]?\d{1,3}$/.test(text) && Math.abs(Number(text)) >= 1 && Math.abs(Number(text)) <= most,
  );

const RULE_PARTS: Readonly<Record<string, (value: string) => boolean>> = {
  FREQ: (value) => FREQUENCIES.some((frequency) => frequency === value),
  UNTIL: isTime,
  COUNT: matches(/^0*[1-9]\d{0,8}$/),
  INTERVAL: matches(/^0*[1-9]\d{0,8}$/),
  BYSECOND: number(0, 60),
  BYMINUTE: number(0, 59),
  BYHOUR: number(0, 23),
  BYDAY: listOf(matches(new RegExp(`^(?:[+-]?(?:[1-9]|[1-4]\\d|5[0-3]))?${WEEKDAY}$`))),
  BYMONTHDAY: place(31),
  BYYEARDAY: place(366),
  BYWEEKNO: place(53),
  BYMONTH: number(1, 12),
  BYSETPOS: place(366),
  WKST: matches(new RegExp(`^${WEEKDAY}$`)),
};
