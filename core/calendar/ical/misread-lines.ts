/**
 * Corrects lines that ical.js reads without an error, but with a different meaning than the one that they plainly have.
 * Returns any other object as it is.
 */
export function withoutMisreadLines(ics: string): string {
  if (!MISREAD.test(ics)) return ics;
  return ics
    .replace(/\r?\n[ \t]/g, '')
    .split(/\r?\n/)
    .map((line) => timeOfDay(quotedZone(line)))
    .join('\r\n');
}

/** With bounds: an untrusted object may repeat the beginning of any of it. */
const MISREAD = /TZID=\(|VALUE=DATE(?:;[^:\r\n]{0,100})?:[^\r\n]{0,100}T\d{6}/i;

/** `TZID=(UTC-05:00) Eastern Time (US & Canada)` without quotes: ical.js ends the name at its first colon. */
function quotedZone(line: string): string {
  return line.replace(
    /^([\w-]+(?:;[^":]*)?;TZID=)(\((?:UTC|GMT)[^)"]{0,20}\)[^";:]{0,100})(?=[;:])/i,
    '$1"$2"',
  );
}

/** VALUE=DATE with a time: ical.js drops the time. At midnight, a whole day is meant. */
function timeOfDay(line: string): string {
  const [, name = '', before = '', after = '', value = ''] =
    /^(DTSTART|DTEND|RECURRENCE-ID|EXDATE|RDATE)((?:;[^:]*)?);VALUE=DATE((?:;[^:]*)?):(.*)$/i.exec(line) ??
    [];
  return /T(?!000000)\d{6}/i.test(value) ? `${name}${before}${after}:${value}` : line;
}
