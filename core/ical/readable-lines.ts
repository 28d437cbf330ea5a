import ICAL from 'ical.js';
import { refuseDepth } from './object-bounds.ts';

/**
 * An object as ical.js can parse it. To ical.js, one line that it cannot parse, a missing END or a missing VCALENDAR makes
 * the whole object unreadable. A line that it cannot parse is replaced by one that names its property, so that the event
 * can be shown with a note about what is missing.
 */

/** Replaces a line that could not be parsed. Its value is the name of the property, as far as it is known. */
export const UNREAD_LINE = 'x-countersign-unread';

/** The components of a calendar. None of them contains another. */
const TOP = new Set(['VEVENT', 'VTODO', 'VJOURNAL', 'VFREEBUSY', 'VTIMEZONE', 'VAVAILABILITY']);

/** @throws BrokenObject if components are nested too deep */
export function readableLines(ics: string): string {
  const lines = ['BEGIN:VCALENDAR'];
  const open: string[] = [];
  let openCalendars = 0;

  /** Ends components until one of that name was ended, or all. Lines may be missing with the END. */
  function endUpTo(name?: string): void {
    for (let last = open.pop(); last !== undefined; last = open.pop()) {
      if (last === name) return;
      if (last === 'VEVENT') lines.push(unread('OTHER'));
      lines.push(`END:${last}`);
      if (open.at(-1) === 'VEVENT') lines.push(unread('OTHER'));
    }
  }

  for (const line of unfoldedLines(ics)) {
    const [, edge, named = ''] = /^(BEGIN|END):\s*([\w-]+)\s*$/i.exec(line) ?? [];
    const name = named.toUpperCase();
    const isBegin = edge?.toUpperCase() === 'BEGIN';
    if (edge === undefined) lines.push(readable(line));
    else if (name === 'VCALENDAR') {
      endUpTo();
      openCalendars += isBegin ? 1 : -1;
    } else if (isBegin) {
      if (TOP.has(name)) endUpTo();
      open.push(name);
      refuseDepth(open.length);
      lines.push(line);
    } else if (open.includes(name)) {
      endUpTo(name);
      lines.push(line);
    }
  }
  endUpTo();
  // The object was cut off, so an event may be missing.
  if (openCalendars > 0) lines.push(unread('VEVENT'));
  return [...lines, 'END:VCALENDAR'].join('\r\n');
}

function unfoldedLines(ics: string): string[] {
  const lines = ics.replace(/\r?\n[ \t]/g, '').split(/\r?\n/);
  return lines.filter((line) => line.trim() !== '');
}

function readable(line: string): string {
  try {
    ICAL.parse.property(line);
    return line;
  } catch {
    const [name = 'OTHER'] = /^[A-Za-z-]{1,40}(?=[;:])/.exec(line) ?? [];
    return unread(name.toUpperCase());
  }
}

function unread(name: string): string {
  return `${UNREAD_LINE.toUpperCase()}:${name}`;
}
