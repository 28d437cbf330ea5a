import { parseLine } from './content-lines.ts';

/**
 * Corrects lines that ical.js misreads without an error.
 * @param lines of an object, unfolded  @returns undefined if there is none
 */
export function correctedLines(lines: readonly string[]): readonly string[] | undefined {
  let isAny = false;
  const corrected = lines.map((line) => {
    const meant = meantLine(line);
    isAny ||= meant !== line;
    return meant;
  });
  return isAny ? corrected : undefined;
}

function meantLine(line: string): string {
  // A fast check: most lines are of other properties.
  if (!/^[DER]/i.test(line)) return line;
  if (/^(?:RRULE|EXRULE)[;:]/i.test(line)) return ruleLine(line);
  return TIME.test(line) ? timeOfDay(quotedZone(line)) : line;
}

const TIME = /^(?:DTSTART|DTEND|RECURRENCE-ID|EXDATE|RDATE);/i;

/** ical.js does not know a part of a rule in lower case, or with the spaces around it that folding may leave. */
function ruleLine(line: string): string {
  if (!/[\sa-z]/.test(line)) return line;
  return line
    .split(/(?<=[;:=,])|(?=[;:=,])/)
    .map((part) => part.trim())
    .join('')
    .toUpperCase();
}

/** `TZID=(UTC-05:00) Eastern Time (US & Canada)` without quotes: ical.js ends the name at its first colon. */
function quotedZone(line: string): string {
  return line.replace(/;TZID=(\((?:UTC|GMT)[^)"]{0,20}\)[^";:]{0,100})(?=[;:])/i, ';TZID="$1"');
}

/** VALUE=DATE with a time: ical.js drops the time. At midnight, a whole day is meant. */
function timeOfDay(line: string): string {
  const { name, parameters, value } = parseLine(line);
  const isDate = parameters.some(([key, of]) => key === 'VALUE' && of.toUpperCase() === 'DATE');
  if (!isDate || !/T(?!000000)\d{6}/i.test(value)) return line;
  const kept = parameters.filter(([key]) => key !== 'VALUE').map(([key, of]) => `;${key}=${of}`);
  return `${name}${kept.join('')}:${value}`;
}
