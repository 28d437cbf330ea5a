/** What a calendar answers that takes longest to read: some 8 MB of hostile objects each. */
export const HOSTILE_CALENDARS: Readonly<Record<string, () => readonly string[]>> = {
  'secondly rules': () => objects(20_000, (uid) => event(uid, 'RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30')),
  'daily series': () => objects(5000, (uid) => event(uid, 'RRULE:FREQ=DAILY')),
  'zones of their own': () =>
    objects(10_000, (uid) => [
      ...zone(`Zone ${uid}`),
      ...event(uid, `EXDATE;TZID=Zone ${uid}:20260310T090000`),
    ]),
  'two large objects': () =>
    objects(2, (uid) => Array.from({ length: 20_000 }, (_, index) => event(`${uid}-${index}`)).flat()),
  'long lists of dates': () =>
    objects(4, (uid) =>
      event(uid, 'RRULE:FREQ=DAILY', `EXDATE:${'20260310T090000Z,'.repeat(40_000)}20260310T090000Z`),
    ),
  'long titles': () => objects(200, (uid) => event(uid, `SUMMARY:${'-'.repeat(40_000)}a`)),
  'titles of many hosts': () => objects(200, (uid) => event(uid, `SUMMARY:${'x.co '.repeat(8000)}`)),
  'broken lines': () => objects(20_000, (uid) => event(uid, 'an odd line', 'EXDATE:soon')),
};

export function objects(count: number, lines: (uid: string) => readonly string[]): string[] {
  return Array.from({ length: count }, (_, index) =>
    ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines(`event-${index}`), 'END:VCALENDAR', ''].join('\r\n'),
  );
}

export function event(uid: string, ...lines: readonly string[]): string[] {
  return ['BEGIN:VEVENT', `UID:${uid}`, 'DTSTART:20260303T090000Z', ...lines, 'END:VEVENT'];
}

function zone(name: string): string[] {
  const rule = ['DTSTART:19700101T000000', 'RRULE:FREQ=SECONDLY', 'TZOFFSETFROM:+0000', 'TZOFFSETTO:+0100'];
  return ['BEGIN:VTIMEZONE', `TZID:${name}`, 'BEGIN:STANDARD', ...rule, 'END:STANDARD', 'END:VTIMEZONE'];
}
