import { BrokenObject } from './broken-object.ts';

/**
 * The limits of one calendar object. Within them, reading an object is linear in its length, whatever it contains:
 * ical.js searches a whole line again for each of its parameters, and keeps each value as an object.
 */
export const OBJECT_CHARS_MAX = 4 * 1024 * 1024;
const LINES_MAX = 100_000;
const DEPTH_MAX = 16;
const PARAMETERS_MAX = 100;
/** A rule that names every day of the year has 2000 characters. */
const RULE_CHARS_MAX = 10_000;
/** Values of all properties that may have several, such as the dates of EXDATE. */
const VALUES_MAX = 50_000;

const LISTS = /^(?:EXDATE|RDATE|FREEBUSY|CATEGORIES|RESOURCES)[;:]/i;

/** @returns the lines of the object, unfolded @throws BrokenObject */
export function linesWithinBounds(ics: string): readonly string[] {
  if (ics.length > OBJECT_CHARS_MAX) throw new BrokenObject('a calendar object is too large');
  const lines = ics.replace(/\r?\n[ \t]/g, '').split(/\r?\n/);
  if (lines.length > LINES_MAX) throw new BrokenObject('a calendar object has too many lines');
  let depth = 0;
  let values = 0;
  for (const line of lines) {
    if (/^BEGIN:/i.test(line)) depth += 1;
    else if (/^END:/i.test(line)) depth -= 1;
    refuseDepth(depth);
    if (/^(?:RRULE|EXRULE)[;:]/i.test(line) && line.length > RULE_CHARS_MAX) {
      throw new BrokenObject('a recurrence rule is too long');
    }
    if (LISTS.test(line)) values += line.split(',').length;
    if (parametersOf(line) > PARAMETERS_MAX) throw new BrokenObject('a line has too many parameters');
  }
  if (values > VALUES_MAX) throw new BrokenObject('a calendar object has too many values');
  return lines;
}

/** @throws BrokenObject if components are nested deeper than in any real calendar */
export function refuseDepth(depth: number): void {
  if (depth > DEPTH_MAX) throw new BrokenObject('components are nested too deep');
}

/**
 * Counts the parameters that ical.js finds in a line, up to one more than allowed. Follows its search step by step,
 * because a different reading of quotes could miss some of them.
 */
function parametersOf(line: string): number {
  const first = line.indexOf(';');
  const colon = line.indexOf(':');
  if (first === -1 || (colon !== -1 && colon < first)) return 0;
  let count = 0;
  for (let at = first; count <= PARAMETERS_MAX; ) {
    const equals = line.indexOf('=', at + 1);
    if (equals === -1) return count;
    count += 1;
    const quoted = line[equals + 1] === '"';
    const behind = quoted ? closingQuote(line, equals + 2) : equals + 1;
    const next = line.indexOf(';', behind);
    const value = line.indexOf(':', behind);
    if (behind === -1 || next === -1 || (value !== -1 && next > value)) return count;
    at = quoted ? behind : next;
  }
  return count;
}

/** Where a quoted value ends, or a list of them: `"a","b"`. */
function closingQuote(line: string, from: number): number {
  let at = line.indexOf('"', from);
  while (at !== -1 && line.startsWith(',"', at + 1)) at = line.indexOf('"', at + 3);
  return at;
}
