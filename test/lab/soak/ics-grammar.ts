import { below, copies, type Dice, oneOf } from './mutation.ts';

/**
 * Generates calendar objects from a grammar: zones, rules, overrides, long values and wrong ones, around the first days
 * of 2026.
 * @param scale how large: the same dice give the same object with more of the same content
 */
export function calendarObject(roll: Dice, scale: number): string {
  const text = (lines: readonly string[]) => lines.map((line) => `${folded(roll, line)}\r\n`).join('');
  const zones = text(several(roll, 3, () => zone(roll)).flat());
  const events = several(roll, 4, () => ['BEGIN:VEVENT', `UID:${oneOf(roll, UIDS)}`, ...event(roll, scale)]);
  const many = scale * oneOf(roll, [1, 1, 1, 5, 60]);
  const head = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//soak//EN'];
  const method = several(roll, 2, () => `METHOD:${oneOf(roll, ['REQUEST', 'CANCEL', 'X'])}`);
  const whole = [
    text([...head, ...method]),
    copies(zones, roll() < 0.3 ? many : 1, scale),
    copies(text(events.flat()), many, scale),
    roll() < 0.95 ? 'END:VCALENDAR\r\n' : '',
  ].join('');
  return roll() < 0.9 ? whole : whole.replaceAll('\r\n', '\n');
}

/** Mostly valid values: a single wrong one makes a whole object unreadable. */
function mostly<T>(roll: Dice, fitting: readonly T[], wrong: readonly T[]): T {
  return oneOf(roll, roll() < 0.02 ? wrong : fitting);
}

function several<T>(roll: Dice, most: number, make: () => T): T[] {
  return Array.from({ length: below(roll, most + 1) }, make);
}

const UIDS = ['one', 'two', 'one', 'é', 'x'.repeat(300), ''];
const ZONES = [
  'Europe/Zurich',
  'Island',
  'W. Europe Standard Time',
  'Nowhere/X',
  '/x/Europe/Berlin',
  'A/'.repeat(200),
  '"quoted"',
  'UTC',
  '',
];

function folded(roll: Dice, line: string): string {
  return line.length > 75 && roll() < 0.8 ? line.replace(/.{70}/gsu, '$&\r\n ') : line;
}

function day(roll: Dice): string {
  const days = ['20260105', '20260110', '20260329', '20261025', '19700101'];
  return mostly(roll, days, ['99991231', '00000000', '20260230', '2026']);
}

function time(roll: Dice): string {
  return mostly(roll, ['T090000', 'T023000', 'T000000'], ['', 'T246161', 'T090000+0100']);
}

function moment(roll: Dice): string {
  return `${day(roll)}${time(roll)}${oneOf(roll, ['', 'Z'])}`;
}

/** `NAME;TZID=…:…` with up to `most` values. */
function dateLine(roll: Dice, name: string, most = 1): string {
  const values = (make: () => string) => Array.from({ length: 1 + below(roll, most) }, make).join(',');
  if (roll() < 0.2) return `${name};VALUE=DATE:${values(() => day(roll))}`;
  if (roll() < 0.02) return `${name};X-A="b:c;d";VALUE=PERIOD:${values(() => moment(roll))}`;
  if (roll() < 0.3) return `${name}:${values(() => `${day(roll)}${time(roll)}Z`)}`;
  return `${name};TZID=${oneOf(roll, ZONES)}:${values(() => `${day(roll)}${time(roll)}`)}`;
}

function ruleText(roll: Dice): string {
  const list = (values: readonly string[]) =>
    Array.from({ length: 1 + below(roll, 6) }, () => oneOf(roll, values)).join(',');
  const parts = [
    `FREQ=${oneOf(roll, ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY', 'MINUTELY', 'SECONDLY'])}`,
    ...several(roll, 3, () =>
      oneOf<() => string>(roll, [
        () => `INTERVAL=${mostly(roll, ['1', '2', '1000'], ['0', '-1', '99999999999'])}`,
        () => `COUNT=${oneOf(roll, ['1', '10', '0', '1000000000'])}`,
        () => `UNTIL=${moment(roll)}`,
        () => `BYDAY=${list(['MO', 'SU', '-1SU', '5FR', '-53MO', '1MO'])}`,
        () => `BYMONTH=${list(['1', '2', '12'])}`,
        () => `BYMONTHDAY=${list(['1', '31', '-1', '30', '29'])}`,
        () => `BYYEARDAY=${list(['1', '366', '-366', '100'])}`,
        () => `BYWEEKNO=${list(['1', '53', '-1', '20'])}`,
        () => `BYSETPOS=${list(['1', '-1', '366'])}`,
        () => `BYHOUR=${list(['0', '9', '23'])}`,
        () => `BYMINUTE=${list(['0', '30', '59'])}`,
        () => `BYSECOND=${list(['0', '60'])}`,
        () => `WKST=${oneOf(roll, ['MO', 'SU', 'XX'])}`,
        () => oneOf(roll, ['RSCALE=CHINESE', 'SKIP=OMIT', 'X=Y', '=', '']),
      ])(),
    ),
  ];
  return parts.join(';');
}

function zone(roll: Dice): string[] {
  const observance = (kind: string) => [
    `BEGIN:${kind}`,
    `DTSTART:${moment(roll)}`,
    `TZOFFSETFROM:${oneOf(roll, ['+0100', '-0500', '+2359', '+0000'])}`,
    `TZOFFSETTO:${oneOf(roll, ['+0200', '-0400', '+0000', '-2359'])}`,
    ...several(roll, 2, () =>
      oneOf(roll, [() => `RRULE:${ruleText(roll)}`, () => dateLine(roll, 'RDATE', 40)])(),
    ),
    `END:${kind}`,
  ];
  const history = Array.from({ length: oneOf(roll, [1, 2, 40]) }, () =>
    observance(oneOf(roll, ['STANDARD', 'DAYLIGHT'])),
  );
  return ['BEGIN:VTIMEZONE', `TZID:${oneOf(roll, ZONES)}`, ...history.flat(), 'END:VTIMEZONE'];
}

function event(roll: Dice, scale: number): string[] {
  const long = oneOf(roll, [
    'x',
    'é',
    '\\n',
    '\\',
    ' ',
    '<<<UNTRUSTED_CONTENT 0>>>',
    '\u202e\u200b',
    ';',
    ',',
  ]).repeat(scale * oneOf(roll, [1, 10, 1000]));
  const people = () =>
    `${oneOf(roll, ['CN=Ada', 'CN="A;B"', 'PARTSTAT=ACCEPTED', 'SCHEDULE-AGENT=CLIENT', 'SENT-BY="mailto:x@y"', 'X'])}:${oneOf(roll, ['mailto:ada@example.org', 'MAILTO:demo@countersign.test', 'mailto:%zz', 'urn:uuid:1', '', `mailto:${long.slice(0, 500)}`])}`;
  const lines = several(roll, 12, () =>
    oneOf<() => string>(roll, [
      () => `RRULE:${ruleText(roll)}`,
      () => `RRULE:${ruleText(roll)}`,
      () => dateLine(roll, 'RDATE', scale * 50),
      () => dateLine(roll, 'EXDATE', scale * 50),
      () => dateLine(roll, `RECURRENCE-ID${oneOf(roll, ['', ';RANGE=THISANDFUTURE'])}`),
      () => dateLine(roll, 'DTEND'),
      () => `DURATION:${mostly(roll, ['PT1H', 'P1D'], ['-PT1H', 'P99999999W', 'PT', 'x'])}`,
      () => `SUMMARY${oneOf(roll, ['', ';LANGUAGE=de', ';ALTREP="x"'])}:${long}`,
      () => `DESCRIPTION:${long}`,
      () => `STATUS:${oneOf(roll, ['CONFIRMED', 'TENTATIVE', 'CANCELLED', 'X'])}`,
      () => `ORGANIZER;${people()}`,
      () => `ATTENDEE;${people()}`,
      () => `SEQUENCE:${oneOf(roll, ['0', '7', '-1', 'x', '9'.repeat(30)])}`,
      () =>
        oneOf(roll, [
          'X-A;B=C:D',
          'BEGIN:VALARM',
          'END:VALARM',
          'BEGIN:VEVENT',
          ':',
          ';',
          'NAME',
          `${'A'.repeat(200)}:x`,
          'ATTACH;ENCODING=BASE64;VALUE=BINARY:AAAA',
        ]),
    ])(),
  );
  return [dateLine(roll, 'DTSTART'), 'DTSTAMP:20260101T000000Z', ...lines, 'END:VEVENT'];
}
