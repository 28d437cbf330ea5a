import { describe, expect, it } from 'vitest';
import { parseObject } from '../../../core/ical/content-lines.ts';
import { readEvent } from '../../../core/ical/event-facts.ts';
import { expandObject } from '../../../core/ical/expand.ts';
import { BrokenObject } from '../../../core/ical/object.ts';
import { OBJECT_CHARS_MAX } from '../../../core/ical/object-bounds.ts';
import { casesOf } from '../../only-long.ts';

/** Objects designed to be slow to read. `n` is the number of slow parts. */

const RANGE = {
  timezone: 'Europe/Zurich',
  from: new Date('2026-01-01'),
  to: new Date('2028-01-01'),
};

/** Nested lists: more lines than a call can have arguments. */
type Lines = readonly (string | Lines)[];

function wrapped(...lines: Lines): string {
  const all: string[] = [];
  const add = (one: string | Lines) => (typeof one === 'string' ? all.push(one) : one.forEach(add));
  add(['BEGIN:VCALENDAR', 'VERSION:2.0', lines, 'END:VCALENDAR', '']);
  return all.join('\r\n');
}

function event(first: string | Lines, ...lines: Lines): Lines {
  const hasStart = typeof first === 'string' && first.startsWith('DTSTART');
  const uid = typeof first === 'string' && first.startsWith('UID') ? [] : ['UID:one'];
  return ['BEGIN:VEVENT', uid, hasStart ? [] : ['DTSTART:20260310T090000Z'], first, lines, 'END:VEVENT'];
}

function times<T>(n: number, make: (index: number) => T): T[] {
  return Array.from({ length: n }, (_, index) => make(index));
}

/** A second of the year 2026 and the following ones, all different. */
function second(index: number): string {
  return new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString().replace(/[-:]|\.\d+/g, '');
}

const zone = (name: string, ...lines: Lines): Lines => [
  'BEGIN:VTIMEZONE',
  lines,
  `TZID:${name}`,
  'BEGIN:STANDARD',
  'DTSTART:19700101T000000',
  'TZOFFSETFROM:+0000',
  'TZOFFSETTO:+0100',
  'END:STANDARD',
  'END:VTIMEZONE',
];

const SHAPES: readonly (readonly [what: string, n: number, make: (n: number) => string])[] = [
  ['a TZID of many parts', 20_000, (n) => wrapped(event(`DTSTART;TZID=${'A/'.repeat(n)}A:20260310T090000`))],
  [
    'many unknown zones',
    1000,
    (n) => wrapped(times(n, (i) => event(`DTSTART;TZID=Zone${i}:20260310T090000`))),
  ],
  [
    'many definitions of zones',
    1000,
    (n) =>
      wrapped(
        times(n, (i) => zone(`Zone${i}`)),
        times(n, (i) => event(`DTSTART;TZID=Zone${i}:20260310T090000`)),
      ),
  ],
  [
    'a definition whose name comes after many lines',
    2000,
    (n) =>
      wrapped(
        zone(
          'Far',
          times(n, () => 'X-A:1'),
        ),
        event(
          'DTSTART;TZID=Far:20260310T090000',
          times(n, (i) => `EXDATE;TZID=Far:${second(i).slice(0, -1)}`),
        ),
      ),
  ],
  [
    'a definition with many onsets, for many times',
    2000,
    (n) =>
      wrapped(
        zone('Many').flatMap((line) =>
          line === 'END:STANDARD' ? [times(n, (i) => `RDATE:${second(i).slice(0, -1)}`), line] : [line],
        ),
        event(
          'DTSTART;TZID=Many:20260310T090000',
          times(n, (i) => `EXDATE;TZID=Many:${second(i).slice(0, -1)}`),
        ),
      ),
  ],
  [
    'many changed instances of one series',
    2000,
    (n) =>
      wrapped(
        event('RRULE:FREQ=DAILY'),
        times(n, (i) => event(`RECURRENCE-ID:${second(i)}`)),
      ),
  ],
  [
    'many changes of one series from one day on',
    1000,
    (n) =>
      wrapped(
        event('RRULE:FREQ=HOURLY'),
        times(n, (i) => event(`RECURRENCE-ID;RANGE=THISANDFUTURE:${second(i)}`)),
      ),
  ],
  ['many events', 2000, (n) => wrapped(times(n, (i) => event(`UID:${i}`)))],
  ['many dates', 5000, (n) => wrapped(event('RRULE:FREQ=DAILY', `EXDATE:${times(n, second).join()}`))],
  ['many added dates', 5000, (n) => wrapped(event(`RDATE:${times(n, second).join()}`))],
  [
    'many rules',
    1000,
    (n) => wrapped(event(times(n, () => 'RRULE:FREQ=HOURLY;BYMINUTE=1,2,3;BYSECOND=1,2'))),
  ],
  ['many exceptions', 1000, (n) => wrapped(event(times(n, () => 'EXRULE:FREQ=HOURLY;BYMINUTE=1,2,3')))],
  [
    'many events without a UID or an end',
    2000,
    (n) => wrapped(times(n, () => ['BEGIN:VEVENT', 'DTSTART:20260310T090000Z'])),
  ],
  [
    'ends that come before their beginnings',
    20_000,
    (n) =>
      wrapped(
        times(n, () => 'END:Y'),
        times(n, () => 'BEGIN:X'),
        times(n, () => 'END:Z'),
      ),
  ],
  [
    'the beginnings of many names of Windows',
    20_000,
    (n) => wrapped(event(`EXDATE${';TZID=(UTC'.repeat(n)}:20260310T090000`, `X-A:${';TZID=(UTC'.repeat(n)}`)),
  ],
  [
    'dates that may have a time',
    20_000,
    (n) => wrapped(event(`X-A:${'VALUE=DATE:'.repeat(n)}`, `X-B:${'VALUE=DATE;'.repeat(n)}`)),
  ],
  [
    'rules that count many days',
    12,
    (n) =>
      wrapped(
        event(
          'DTSTART:01000101T000000Z',
          times(
            n,
            () =>
              `RRULE:FREQ=YEARLY;COUNT=999999;BYYEARDAY=${times(366, (i) => i + 1).join()};BYMONTHDAY=31;BYMONTH=2`,
          ),
        ),
      ),
  ],
  [
    'rules with many positions',
    12,
    (n) =>
      wrapped(
        event(
          'DTSTART:01000101T000000Z',
          times(n, () => `RRULE:FREQ=DAILY;COUNT=999999;BYSETPOS=${times(365, (i) => i + 2).join()}`),
        ),
      ),
  ],
  [
    'a rule with many weekdays',
    20_000,
    (n) => wrapped(event(`RRULE:FREQ=DAILY;BYDAY=${times(n, () => 'MO').join()}`)),
  ],
  ['many parameters', 20_000, (n) => wrapped(event(`X-A${';B=C'.repeat(n)}:1`))],
  ['many parameters in quotes', 20_000, (n) => wrapped(event(`X-A${';B="C"'.repeat(n)}:1`))],
  ['quotes that do not match', 20_000, (n) => wrapped(event(`X-A;A=b"c;D="e:f"${';G=1'.repeat(n)}:1`))],
  [
    'a list in quotes',
    20_000,
    (n) => wrapped(event(`ATTENDEE;MEMBER=${times(n, () => '"a"').join()}:mailto:a@b.example`)),
  ],
  ['a long value', 100_000, (n) => wrapped(event(`DESCRIPTION:${'\\n'.repeat(n)}`))],
  ['a line of many folds', 20_000, (n) => wrapped(event(`DESCRIPTION:${'x\r\n '.repeat(n)}`))],
  ['many lines', 20_000, (n) => wrapped(event(times(n, () => 'X-A:1')))],
  [
    'many alarms',
    5000,
    (n) => wrapped(event(times(n, () => ['BEGIN:VALARM', 'TRIGGER:-PT5M', 'END:VALARM']))),
  ],
  [
    'deeply nested components',
    5000,
    (n) =>
      wrapped(
        event(
          times(n, () => 'BEGIN:X'),
          times(n, () => 'END:X'),
        ),
      ),
  ],
  ['components that do not end', 20_000, (n) => wrapped(times(n, () => 'BEGIN:X'))],
  [
    'many attendees',
    2000,
    (n) => wrapped(event(times(n, (i) => `ATTENDEE;CN="${i}":mailto:a${i}@b.example`))),
  ],
  ['a duration of many parts', 20_000, (n) => wrapped(event(`DURATION:P${'1D'.repeat(n)}`))],
];

const READERS = {
  list: (ics: string) => expandObject(ics, RANGE),
  'one of it': (ics: string) =>
    readEvent(ics, { uid: 'one', recurrenceId: '20270310T090000Z' }, RANGE.timezone),
  facts: (ics: string) => readEvent(ics, { uid: 'one', recurrenceId: null }, RANGE.timezone),
  lines: parseObject,
};

/**
 * @returns the shortest of some tries, in milliseconds of this process alone, however busy the machine is; what cannot
 * be read has to be found out as well
 */
function cost(read: (ics: string) => unknown, ics: string, tries: number): number {
  return Math.min(
    ...times(tries, () => {
      const began = process.cpuUsage();
      try {
        read(ics);
      } catch (error) {
        if (!(error instanceof BrokenObject)) throw error;
      }
      const { user, system } = process.cpuUsage(began);
      return (user + system) / 1000;
    }),
  );
}

describe('an object designed to be slow', () => {
  it.each(SHAPES)('costs no more than its length: %s', (what, n, make) => {
    const index = SHAPES.findIndex(([name]) => name === what);
    // In the gate, a list and one of the others, in turn.
    const readers = casesOf(
      'slow objects: readers',
      Object.entries(READERS),
      (_reader, at) => at === 0 || at === 1 + (index % 3),
    );
    for (const [reader, read] of readers) {
      const [small, large] = [make(n / 4), make(2 * n)];
      let [once, eightTimes] = [cost(read, small, 1), cost(read, large, 1)];
      // Quadratic work would cost 64 times as much, each time.
      for (let attempt = 0; attempt < 5 && eightTimes >= 24 * once + 300; attempt++) {
        [once, eightTimes] = [cost(read, small, 3), cost(read, large, 3)];
      }
      expect(eightTimes, reader).toBeLessThan(24 * once + 300);
    }
  });

  it.each(SHAPES)('ends soon, whatever its size: %s', (_what, n, make) => {
    expect(cost(READERS.list, make(32 * n), 1)).toBeLessThan(5000);
  });

  it('is not read if it is larger than any calendar needs', () => {
    const ics = wrapped(event(`DESCRIPTION:${'x'.repeat(OBJECT_CHARS_MAX)}`));
    expect(() => expandObject(ics, RANGE)).toThrow(BrokenObject);
  });
});

describe('an object that is just large', () => {
  it('is read: with a picture, a long text, and many common properties', () => {
    const fold = (text: string) => text.replace(/.{74}/g, '$&\r\n ');
    const ics = wrapped(
      event(
        'SUMMARY:Large',
        'RRULE:FREQ=DAILY;COUNT=3',
        `EXDATE:${times(5000, second).join()}`,
        fold(`DESCRIPTION:${'words = and, more: "words"; '.repeat(5000)}`),
        fold(`ATTACH;ENCODING=BASE64;VALUE=BINARY;X-NAME="a;b=c:d":${'QUJD'.repeat(400_000)}`),
        times(
          400,
          (i) => `ATTENDEE;CN="Person ${i}";ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED:mailto:p${i}@a.example`,
        ),
      ),
    );
    expect(expandObject(ics, RANGE).events.map(({ title }) => title)).toEqual(['Large', 'Large', 'Large']);
  });
});
