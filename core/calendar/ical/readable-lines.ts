import ICAL from 'ical.js';

/**
 * The lines of an object that ical.js can parse. To ical.js, one line that it cannot parse makes the whole object
 * unreadable. Such a line is replaced by one that names its property, so that the event can be shown with a note about
 * what is missing.
 */

/** Replaces a line that could not be parsed. Its value is the name of the property, as far as it is known. */
export const UNREAD_LINE = 'x-countersign-unread';

export function readableLines(ics: string): string {
  const lines = ics.replace(/\r?\n[ \t]/g, '').split(/\r?\n/);
  return lines
    .filter((line) => line.trim() !== '')
    .map(readable)
    .join('\r\n');
}

function readable(line: string): string {
  if (/^(?:BEGIN|END):/i.test(line)) return line;
  try {
    ICAL.parse.property(line);
    return line;
  } catch {
    const [name = 'OTHER'] = /^[A-Za-z-]{1,40}(?=[;:])/.exec(line) ?? [];
    return `${UNREAD_LINE.toUpperCase()}:${name.toUpperCase()}`;
  }
}
