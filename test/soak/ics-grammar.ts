import { below, type Dice, oneOf } from './mutation.ts';

/**
 * Calendar objects made from a grammar: zones, rules, overrides, long values and wrong ones. They lie about the first
 * days of 2026.
 * @param scale how many times over: the same dice give the same object, with more of the same
 */
export function calendarObject(roll: Dice, scale: number): string {
  const zones = several(roll, 3, () => zone(roll));
  const events = several(roll, 4, () => event(roll, scale)).flat();
  const many = scale * oneOf(roll, [1, 1, 1, 5, 60]);
  const whole = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//soak//EN',
    ...several(roll, 2, () => `METHOD:${oneOf(roll, ['REQUEST', 'CANCEL', 'X'])}`),
    ...Array.from({ length: roll() < 0.3 ? many : 1 }, () => zones.flat()).flat(),
    ...Array.from({ length: many }, () => ['BEGIN:VEVENT', `UID:${oneOf(roll, UIDS)}`, ...events]).flat(),
    ...(roll() < 0.95 ? ['END:VCALENDAR'] : []),
    '',
  ];
  return whole.map((line) => folded(roll, line)).join(roll() < 0.9 ? '\r\n' : '\n');
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

function moment(roll: Dice): string {
  const day = oneOf(roll, [
    '20260105',
    '20260110',
    '20260329',
    '20261025',
    '19700101',
    '99991231',
    '00000000',
    '20260230',
    '2026',
  ]);
  return oneOf(roll, [
    day,
    `${day}T090000`,
    `${day}T090000Z`,
    `${day}T023000`,
    `${day}T246161`,
    `${day}T090000+0100`,
  ]);
}

function dateParameters(roll: Dice): string {
  return oneOf(roll, [
    '',
    ';VALUE=DATE',
    `;TZID=${oneOf(roll, ZONES)}`,
    `;TZID=${oneOf(roll, ZONES)}`,
    ';VALUE=PERIOD',
    ';X-A="b:c;d"',
  ]);
}

function dateLine(roll: Dice, name: string, most = 1): string {
  return `${name}${dateParameters(roll)}:${Array.from({ length: 1 + below(roll, most) }, () => moment(roll)).join(',')}`;
}

function ruleText(roll: Dice): string {
  const list = (values: readonly string[]) =>
    Array.from({ length: 1 + below(roll, 6) }, () => oneOf(roll, values)).join(',');
  const parts = [
    `FREQ=${oneOf(roll, ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY', 'MINUTELY', 'SECONDLY', 'NEVER'])}`,
    ...several(roll, 3, () =>
      oneOf<() => string>(roll, [
        () => `INTERVAL=${oneOf(roll, ['1', '2', '0', '-1', '99999999999', '1000'])}`,
        () => `COUNT=${oneOf(roll, ['1', '10', '0', '1000000000'])}`,
        () => `UNTIL=${moment(roll)}`,
        () => `BYDAY=${list(['MO', 'SU', '-1SU', '5FR', '-53MO', 'XX', '1MO'])}`,
        () => `BYMONTH=${list(['1', '2', '12', '13', '5L'])}`,
        () => `BYMONTHDAY=${list(['1', '31', '-1', '30', '0', '29'])}`,
        () => `BYYEARDAY=${list(['1', '366', '-366', '100'])}`,
        () => `BYWEEKNO=${list(['1', '53', '-1', '20'])}`,
        () => `BYSETPOS=${list(['1', '-1', '366', '0'])}`,
        () => `BYHOUR=${list(['0', '9', '23', '24'])}`,
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
    `TZOFFSETFROM:${oneOf(roll, ['+0100', '-0500', '+2359', '+0000', '0100', '+9999', '+010000'])}`,
    `TZOFFSETTO:${oneOf(roll, ['+0200', '-0400', '+0000', '-2359', 'x'])}`,
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
      () =>
        `RECURRENCE-ID${oneOf(roll, ['', ';RANGE=THISANDFUTURE'])}${dateParameters(roll)}:${moment(roll)}`,
      () => dateLine(roll, 'DTEND'),
      () => `DURATION:${oneOf(roll, ['PT1H', 'P1D', '-PT1H', 'P99999999W', 'PT', 'x'])}`,
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
