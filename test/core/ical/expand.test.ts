import { describe, expect, it } from 'vitest';
import { eventAmong, expandObject } from '../../../core/ical/expand.ts';
import { BrokenObject, readObject } from '../../../core/ical/object.ts';

const ZURICH = 'Europe/Zurich';

function object(...events: readonly (readonly string[])[]): string {
  return wrapped(events.flatMap((lines) => ['BEGIN:VEVENT', 'UID:one', ...lines, 'END:VEVENT']));
}

function wrapped(lines: readonly string[]): string {
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR', ''].join('\r\n');
}

function shown(ics: string, from = '2026-01-01', to = '2027-01-01', timezone = ZURICH): string[] {
  const range = { calendar: '/c/', timezone, from: new Date(from), to: new Date(to) };
  return expandObject(ics, range).events.map(({ start, end, title, status, recurrenceId }) =>
    [minute(start), minute(end), title, status === 'confirmed' ? '' : status, recurrenceId ?? '']
      .filter(Boolean)
      .join(' '),
  );
}

const RANGE_2026 = { timezone: ZURICH, from: new Date('2026-01-01'), to: new Date('2027-01-01') };

function minute(instant: Date): string {
  return instant.toISOString().slice(0, 16);
}

describe('how long an event lasts', () => {
  it.each([
    ['a time without an end', ['DTSTART:20260310T090000Z'], '2026-03-10T09:00 2026-03-10T09:00'],
    ['a day without an end', ['DTSTART;VALUE=DATE:20260310'], '2026-03-09T23:00 2026-03-10T23:00'],
    [
      'until the end in a different zone',
      ['DTSTART;TZID=Europe/Zurich:20260310T090000', 'DTEND;TZID=America/New_York:20260310T090000'],
      '2026-03-10T08:00 2026-03-10T13:00',
    ],
    ['a duration', ['DTSTART:20260310T090000Z', 'DURATION:P1DT30M'], '2026-03-10T09:00 2026-03-11T09:30'],
    [
      'a calendar day, across a change of the clocks',
      ['DTSTART;TZID=Europe/Zurich:20260328T120000', 'DURATION:P1D'],
      '2026-03-28T11:00 2026-03-29T10:00',
    ],
    [
      '24 hours, across a change of the clocks',
      ['DTSTART;TZID=Europe/Zurich:20260328T120000', 'DURATION:PT24H'],
      '2026-03-28T11:00 2026-03-29T11:00',
    ],
    [
      'no time, if the end is before the start',
      ['DTSTART:20260310T090000Z', 'DTEND:20260310T080000Z'],
      '2026-03-10T09:00 2026-03-10T09:00',
    ],
  ])('%s', (_what, lines, expected) => {
    expect(shown(object(lines))).toEqual([expected]);
  });

  it('overlaps a range that only its end reaches into, but not one that starts at its end', () => {
    const ics = object(['DTSTART:20260310T090000Z', 'DTEND:20260310T100000Z']);
    expect(shown(ics, '2026-03-10T09:59:00Z')).toHaveLength(1);
    expect(shown(ics, '2026-03-10T10:00:00Z')).toEqual([]);
    expect(shown(ics, '2026-03-01', '2026-03-10T09:00:00Z')).toEqual([]);
    const instant = object(['DTSTART:20260310T090000Z']);
    expect(shown(instant, '2026-03-10T09:00:00Z', '2026-03-10T09:00:01Z')).toHaveLength(1);
    expect(shown(instant, '2026-03-10T09:00:01Z')).toEqual([]);
  });
});

describe('the zone of a time', () => {
  const OWN = [
    'BEGIN:VTIMEZONE',
    'TZID:Europe/Zurich',
    'BEGIN:STANDARD',
    'DTSTART:19700101T000000',
    'TZOFFSETFROM:+0500',
    'TZOFFSETTO:+0530',
    'END:STANDARD',
    'END:VTIMEZONE',
  ];

  it.each([
    ['that is known, whatever the object says about it', OWN, 'Europe/Zurich', '08:00'],
    [
      'with a Windows name, whatever the object says about it',
      OWN.map((line) => line.replace('Europe/Zurich', 'Eastern Standard Time')),
      'Eastern Standard Time',
      '13:00',
    ],
    [
      'that only the object describes',
      OWN.map((line) => line.replace('Europe/Zurich', 'Island')),
      'Island',
      '03:30',
    ],
    ['of the runtime', [], 'America/New_York', '13:00'],
    ['of Windows', [], 'Eastern Standard Time', '13:00'],
    ['behind a prefix', [], '/mozilla.org/20050126_1/America/New_York', '13:00'],
    ["that is unknown is the owner's", [], 'Nowhere/Land', '08:00'],
    ['that Windows shows', [], '(UTC-05:00) Eastern Time (US & Canada)', '13:00'],
    ['that Windows shows, in quotes', [], '"(GMT-05.00) Eastern Time (US & Canada)"', '13:00'],
    [
      'that Windows shows and only the object describes',
      OWN.map((line) => line.replace('Europe/Zurich', '(UTC+05:30) Our Island, Bay')),
      '"(UTC+05:30) Our Island, Bay"',
      '03:30',
    ],
    ['of Windows that is unknown', [], '(UTC-05:00) The Moon', '08:00'],
    [
      'whose definition cannot be expanded is the one of that name',
      ['BEGIN:VTIMEZONE', 'TZID:America/New_York', 'END:VTIMEZONE'],
      'America/New_York',
      '13:00',
    ],
  ])('%s', (_what, zones, tzid, time) => {
    const event = ['BEGIN:VEVENT', 'UID:one', `DTSTART;TZID=${tzid}:20260310T090000`, 'END:VEVENT'];
    expect(shown(wrapped([...zones, ...event]))).toEqual([`2026-03-10T${time} 2026-03-10T${time}`]);
  });

  it.each([
    ['Nowhere/Land', ['TZID']],
    ['(UTC-05:00) The Moon', ['TZID']],
    ['(UTC-05:00) Eastern Time (US & Canada)', []],
    ['Eastern Standard Time', []],
    ['Europe/Zurich', []],
  ])('is said to be unknown if it is: %s', (tzid, leftOut) => {
    const { events } = expandObject(object([`DTSTART;TZID=${tzid}:20260310T090000`]), RANGE_2026);
    expect(events.map((event) => event.leftOut)).toEqual([leftOut]);
  });

  it.each([
    ['skipped by the clock: the offset before the gap', '20260329T023000', '2026-03-29T01:30'],
    ['shown twice by the clock: the first', '20261025T023000', '2026-10-25T00:30'],
  ])('%s', (_what, time, expected) => {
    for (const line of [`DTSTART;TZID=Europe/Zurich:${time}`, `DTSTART:${time}`]) {
      expect(shown(object([line]))).toEqual([`${expected} ${expected}`]);
    }
  });

  it('is expanded through the years by the rules of its definition', () => {
    const definition = [
      'BEGIN:VTIMEZONE',
      'TZID:Custom',
      'BEGIN:DAYLIGHT',
      'DTSTART:19700329T020000',
      'TZOFFSETFROM:+0100',
      'TZOFFSETTO:+0200',
      'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU;UNTIL=20260329T010000Z',
      'END:DAYLIGHT',
      'BEGIN:STANDARD',
      'DTSTART:19701025T030000',
      'TZOFFSETFROM:+0200',
      'TZOFFSETTO:+0100',
      'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU',
      'END:STANDARD',
      'END:VTIMEZONE',
    ];
    const event = [
      'BEGIN:VEVENT',
      'UID:one',
      'DTSTART;TZID=Custom:20250701T120000',
      'RRULE:FREQ=YEARLY',
      'END:VEVENT',
    ];
    const hours = shown(wrapped([...definition, ...event]), '2025-01-01', '2028-01-01').map((line) =>
      line.slice(0, 16),
    );
    // Its summer time ends permanently with 2026.
    expect(hours).toEqual(['2025-07-01T10:00', '2026-07-01T10:00', '2027-07-01T11:00']);
  });
});

describe('a series', () => {
  const SERIES = ['DTSTART;TZID=Europe/Zurich:20260302T090000', 'DURATION:PT1H', 'SUMMARY:Weekly'];

  it('includes DTSTART and RDATE, without EXDATE, also for whole days', () => {
    const ics = object([
      ...SERIES,
      'RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=4',
      'RDATE;VALUE=PERIOD:20260306T120000Z/PT15M',
      'RDATE;TZID=Europe/Zurich:20260307T090000',
      'EXDATE;VALUE=DATE:20260310',
    ]);
    expect(shown(ics)).toEqual([
      '2026-03-02T08:00 2026-03-02T09:00 Weekly 20260302T080000Z',
      '2026-03-03T08:00 2026-03-03T09:00 Weekly 20260303T080000Z',
      '2026-03-06T12:00 2026-03-06T12:15 Weekly 20260306T120000Z',
      '2026-03-07T08:00 2026-03-07T09:00 Weekly 20260307T080000Z',
      '2026-03-17T08:00 2026-03-17T09:00 Weekly 20260317T080000Z',
    ]);
  });

  it('ends with UNTIL, as an instant, or as a day with all its times', () => {
    for (const [until, count] of [
      ['20260316T080000Z', 3],
      ['20260316T075959Z', 2],
      ['20260316', 3],
    ]) {
      expect(shown(object([...SERIES, `RRULE:FREQ=WEEKLY;UNTIL=${until}`]))).toHaveLength(Number(count));
    }
  });

  it('changes from one instance on (RANGE=THISANDFUTURE), except instances with their own change', () => {
    const ics = object(
      [...SERIES, 'RRULE:FREQ=WEEKLY;COUNT=5'],
      [
        'RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Zurich:20260316T090000',
        'DTSTART;TZID=Europe/Zurich:20260317T103000',
        'DURATION:PT30M',
        'SUMMARY:Moved',
      ],
      ['RECURRENCE-ID:20260323T080000Z', 'DTSTART:20260323T200000Z', 'SUMMARY:Once', 'STATUS:CANCELLED'],
    );
    expect(shown(ics)).toEqual([
      '2026-03-02T08:00 2026-03-02T09:00 Weekly 20260302T080000Z',
      '2026-03-09T08:00 2026-03-09T09:00 Weekly 20260309T080000Z',
      '2026-03-17T09:30 2026-03-17T10:00 Moved 20260316T080000Z',
      '2026-03-23T20:00 2026-03-23T20:00 Once cancelled 20260323T080000Z',
      '2026-03-31T08:30 2026-03-31T09:00 Moved 20260330T070000Z',
    ]);
    const uid = 'one';
    const named = (recurrenceId: string | null) => eventAmong(readObject(ics), { uid, recurrenceId }, ZURICH);
    expect(named('20260330T070000Z')).toMatchObject({ title: 'Moved' });
    expect(named(null)).toMatchObject({ title: 'Weekly' });
    expect(named('20260331T070000Z')).toBeUndefined();
  });

  it('consists of its changed instances if there is nothing else', () => {
    const ics = object([
      'RECURRENCE-ID:20260316T080000Z',
      'DTSTART:20260316T100000Z',
      'SUMMARY:Invited once',
    ]);
    expect(shown(ics)).toEqual(['2026-03-16T10:00 2026-03-16T10:00 Invited once 20260316T080000Z']);
  });
});

describe('an instance that was listed', () => {
  const SUMMER = 'DTSTART;TZID=Europe/Zurich:20260101T023000';

  it.each([
    ['of rules that name each second', ['DTSTART:20260310T000000Z', ...Array(3).fill('RRULE:FREQ=SECONDLY')]],
    ['of whole days', ['DTSTART;VALUE=DATE:20260310', 'RRULE:FREQ=DAILY']],
    ['without a zone', ['DTSTART:20260310T023000', 'RRULE:FREQ=DAILY']],
    ['at a time that the clock skips or shows twice', [SUMMER, 'RRULE:FREQ=DAILY']],
    ['of rules and added dates', [SUMMER, 'RRULE:FREQ=WEEKLY', 'RDATE;TZID=Asia/Tokyo:20260311T233000']],
  ])('is found again by its id: %s', (_what, lines: string[]) => {
    const ics = object(lines);
    const range = { ...RANGE_2026, from: new Date('2026-03-11T20:00Z'), to: new Date('2026-11-01') };
    const { events } = expandObject(ics, range);
    expect(events.length).toBeGreaterThan(30);
    const parts = readObject(ics);
    // Some from everywhere in the list, its last one too.
    const some = events.filter((_event, index) => index % Math.ceil(events.length / 30) === 0);
    for (const event of [...some, ...events.slice(-1)]) {
      expect(eventAmong(parts, event, ZURICH)).toEqual(event);
    }
  });

  it('is not found by the id of another kind of time', () => {
    const parts = readObject(object(['DTSTART:20260310T000000', 'RRULE:FREQ=DAILY']));
    const named = (recurrenceId: string) => eventAmong(parts, { uid: 'one', recurrenceId }, ZURICH);
    expect(named('20260311T000000')).toBeDefined();
    expect(named('20260311')).toBeUndefined();
    expect(named('20260311T000000Z')).toBeUndefined();
  });
});

describe('an EXRULE', () => {
  const DAILY = ['DTSTART:20260310T090000Z', 'RRULE:FREQ=DAILY;COUNT=6'];
  const days = (...lines: string[]) => shown(object([...DAILY, ...lines])).map((text) => text.slice(8, 10));

  it.each([
    ['EXRULE:FREQ=DAILY;INTERVAL=2', ['11', '13', '15']],
    ['EXRULE:FREQ=DAILY;COUNT=2', ['12', '13', '14', '15']],
    ['EXRULE:FREQ=DAILY;UNTIL=20260312T090000Z', ['13', '14', '15']],
    ['EXRULE:FREQ=WEEKLY;BYDAY=SA,SU', ['10', '11', '12', '13']],
    ['EXRULE:FREQ=WEEKLY;BYDAY=SA,SU;BYHOUR=10', ['10', '11', '12', '13', '14', '15']],
  ])('leaves out the instances that it matches: %s', (rule, expected) => {
    expect(days(rule)).toEqual(expected);
  });

  it('also leaves out added dates, and hides none of its instances from a look-up', () => {
    expect(days('RDATE:20260320T090000Z', 'EXRULE:FREQ=WEEKLY;BYDAY=FR')).toEqual([
      '10',
      '11',
      '12',
      '14',
      '15',
    ]);
    const parts = readObject(object([...DAILY, 'EXRULE:FREQ=DAILY;INTERVAL=2']));
    const named = (recurrenceId: string) => eventAmong(parts, { uid: 'one', recurrenceId }, ZURICH);
    expect([named('20260310T090000Z'), named('20260311T090000Z')?.uid]).toEqual([undefined, 'one']);
  });

  it('that cannot be read is reported', () => {
    const { events } = expandObject(object([...DAILY, 'EXRULE:FREQ=OFTEN']), RANGE_2026);
    expect(new Set(events.flatMap(({ leftOut }) => leftOut))).toEqual(new Set(['EXRULE']));
  });

  it('takes limited work', () => {
    const rules = Array.from({ length: 50 }, () => 'EXRULE:FREQ=SECONDLY');
    const budget = { left: 200_000 };
    expect(expandObject(object([...DAILY, ...rules]), RANGE_2026, budget).cut).toBe(true);
    expect(budget.left).toBeGreaterThanOrEqual(-10);
  });
});

describe('a broken object', () => {
  it.each([
    ['no calendar', 'Dear Sir or Madam,'],
    ['nothing', ''],
    ['cut off', 'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:one'],
    ['no start', object(['SUMMARY:When?'])],
    ['a start that is not a time', object(['DTSTART:soon'])],
  ])('is reported: %s', (_what, ics) => {
    expect(() => shown(ics)).toThrow(BrokenObject);
  });

  const START = 'DTSTART:20260310T090000Z';
  it.each([
    ['a rule without a frequency', [START, 'RRULE:COUNT=3'], ['RRULE']],
    ['an invalid rule', [START, 'RRULE:FREQ=OFTEN'], ['RRULE']],
    ['a rule with an invalid end', [START, 'RRULE:FREQ=DAILY;UNTIL=2026'], ['RRULE']],
    ['a length of a million days', [START, 'DURATION:P1000000D'], ['DTEND']],
    ['an invalid length', [START, 'DURATION:long'], ['DURATION', 'DTEND']],
    ['an end that is not a time', [START, 'DTEND:late'], ['DTEND']],
    ['an invalid added date', [START, 'RDATE;VALUE=PERIOD:x'], ['RDATE']],
    ['an invalid excluded date', [START, 'EXDATE:soon'], ['EXDATE']],
    ['a line without a meaning', [START, 'an odd line'], ['OTHER']],
    ['a quote without an end', [START, 'ATTENDEE;CN="Ada:mailto:ada@example.org'], ['OTHER']],
    ['parameters without a meaning', [START, 'X-A;B:c'], ['OTHER']],
  ])('is shown without unreadable parts, and reports them: %s', (_what, lines, leftOut) => {
    const { events } = expandObject(object(lines), RANGE_2026);
    expect(events.map((event) => [minute(event.start), event.recurring, event.leftOut])).toEqual([
      ['2026-03-10T09:00', false, leftOut],
    ]);
  });

  it.each([
    ['a start', ['DTSTART:20260310'], ['2026-03-09T23:00 2026-03-10T23:00']],
    ['an end', ['DTSTART:20260310', 'DTEND:20260312'], ['2026-03-09T23:00 2026-03-11T23:00']],
    [
      'an excluded day',
      [START, 'RRULE:FREQ=DAILY;COUNT=3', 'EXDATE:20260311'],
      [
        '2026-03-10T09:00 2026-03-10T09:00 20260310T090000Z',
        '2026-03-12T09:00 2026-03-12T09:00 20260312T090000Z',
      ],
    ],
    [
      'one of several excluded times',
      [START, 'RRULE:FREQ=DAILY;COUNT=3', 'EXDATE:20260310T090000Z,20260311'],
      ['2026-03-12T09:00 2026-03-12T09:00 20260312T090000Z'],
    ],
  ])('accepts a date without VALUE=DATE: %s', (_what, lines, expected) => {
    const { events } = expandObject(object(lines), RANGE_2026);
    expect(events.flatMap(({ leftOut }) => leftOut)).toEqual([]);
    expect(shown(object(lines))).toEqual(expected);
  });

  it.each([
    ['a time', 'DTSTART;VALUE=DATE:20260310T093000Z', '2026-03-10T09:30'],
    ['a time in a zone', 'DTSTART;VALUE=DATE;TZID=America/New_York:20260310T093000', '2026-03-10T13:30'],
    ['midnight, which is the whole day', 'DTSTART;VALUE=DATE:20260310T000000', '2026-03-09T23:00'],
  ])('reads VALUE=DATE with %s', (_what, line, start) => {
    const { events } = expandObject(object([line]), RANGE_2026);
    expect(events.map((event) => [minute(event.start), event.allDay, event.leftOut])).toEqual([
      [start, start.endsWith('23:00'), []],
    ]);
  });

  const ONE = ['BEGIN:VEVENT', 'UID:one', START, 'SUMMARY:One', 'END:VEVENT'];
  const TWO = ['BEGIN:VEVENT', 'UID:two', 'DTSTART:20260311T090000Z', 'SUMMARY:Two', 'END:VEVENT'];
  const without = (lines: readonly string[], line: string) => lines.filter((one) => one !== line);
  const CALENDAR = ['BEGIN:VCALENDAR', ...ONE, ...TWO, 'END:VCALENDAR'];
  it.each<readonly [what: string, lines: readonly string[], one: string[], two: string[]]>([
    ['no VCALENDAR', [...ONE, ...TWO], [], []],
    ['two VCALENDARs', [...wrapped(ONE).split('\r\n'), ...wrapped(TWO).split('\r\n')], [], []],
    ['text around it', ['Hello,', ...CALENDAR, 'Regards'], [], []],
    ['no end of the calendar', without(CALENDAR, 'END:VCALENDAR'), ['VEVENT'], ['VEVENT']],
    ['no end of any event', without(CALENDAR, 'END:VEVENT'), ['OTHER'], ['OTHER']],
    ['no end at all', [...ONE.slice(0, 4), ...TWO.slice(0, 4)], ['OTHER'], ['OTHER']],
    [
      'an alarm without an end',
      ['BEGIN:VCALENDAR', ...ONE.slice(0, 4), 'BEGIN:VALARM', 'END:VEVENT', ...TWO, 'END:VCALENDAR'],
      ['OTHER'],
      [],
    ],
    ['an end without a beginning', ['BEGIN:VCALENDAR', 'END:VALARM', ...CALENDAR.slice(1)], [], []],
    ['no UID in one of them', without(CALENDAR, 'UID:two'), [], ['UID']],
  ])('reads an object with %s', (_what, lines, one, two) => {
    const { events } = expandObject(lines.join('\r\n'), RANGE_2026);
    expect(events.map(({ title, leftOut }) => [title, leftOut])).toEqual([
      ['One', one],
      ['Two', two],
    ]);
  });

  it('gives events without a UID different ones that stay the same', () => {
    const none = without(without(CALENDAR, 'UID:one'), 'UID:two').join('\r\n');
    const uids = (ics: string) => expandObject(ics, RANGE_2026).events.map(({ uid }) => uid);
    expect(new Set([...uids(none), ...uids(none), ...uids(none.replace('One', 'Other'))]).size).toBe(4);
  });

  it('shows the other events of an object if one has no readable time', () => {
    const ics = object(
      [START],
      ['RECURRENCE-ID;X:20260311T090000Z', 'DTSTART:20260311T100000Z'],
      ['DTSTART:soon'],
    );
    const { events } = expandObject(ics, RANGE_2026);
    expect(events.map(({ start, leftOut }) => [minute(start), leftOut])).toEqual([
      ['2026-03-10T09:00', ['VEVENT']],
    ]);
  });

  it.each([
    'FREQ=SECONDLY',
    'FREQ=SECONDLY;COUNT=999999999',
    'FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30;COUNT=5',
    'FREQ=SECONDLY;INTERVAL=7;BYSECOND=3;BYMINUTE=1;BYHOUR=2;BYMONTHDAY=29;BYMONTH=2',
    'FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=YEARLY;BYDAY=53MO;BYYEARDAY=1',
    'FREQ=YEARLY;INTERVAL=999999999999999',
    'FREQ=YEARLY;BYHOUR=0,1,2,3,4,5,6,7,8,9;BYMINUTE=0,1,2,3,4,5;BYSECOND=0,1,2,3;BYDAY=MO,TU;COUNT=99999999',
  ])('takes limited work for a hostile rule: %s', (rule) => {
    const budget = { left: 200_000 };
    const range = {
      calendar: '/c/',
      timezone: ZURICH,
      from: new Date('2026-01-01'),
      to: new Date('2028-01-01'),
    };
    const ics = object(['DTSTART:10010101T000000Z', 'DURATION:P36000D', `RRULE:${rule}`]);
    expect(expandObject(ics, range, budget).events.length).toBeLessThanOrEqual(5000);
    // The last examined instance may be one too many.
    expect(budget.left).toBeGreaterThanOrEqual(-10);
  });

  it.each([
    ['is expanded with a long history', 'FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU;UNTIL=20100328T010000Z', 1],
    ['is not expanded forever', 'FREQ=SECONDLY', undefined],
  ])('a zone %s', (_what, rule, events) => {
    const observance = (year: number) => [
      'BEGIN:STANDARD',
      `DTSTART:${year}0301T000000`,
      'TZOFFSETFROM:+0000',
      'TZOFFSETTO:+0100',
      `RRULE:${rule}`,
      'END:STANDARD',
    ];
    const history = Array.from({ length: 200 }, (_, index) => observance(1800 + index));
    const zone = ['BEGIN:VTIMEZONE', 'TZID:Long', ...history.flat(), 'END:VTIMEZONE'];
    const event = ['BEGIN:VEVENT', 'UID:one', 'DTSTART;TZID=Long:20260310T090000', 'END:VEVENT'];
    const read = () => shown(wrapped([...zone, ...event])).length;
    if (events === undefined) expect(read).toThrow(BrokenObject);
    else expect(read()).toBe(events);
  });

  it('reports that a series was cut, and uses the budget that many objects share', () => {
    const budget = { left: 200_000 };
    const range = {
      calendar: '/c/',
      timezone: ZURICH,
      from: new Date('2026-01-01'),
      to: new Date('2026-01-02'),
    };
    const endless = object(['DTSTART:20250101T000000Z', 'RRULE:FREQ=SECONDLY']);
    const first = expandObject(endless, range, budget);
    expect(first.cut).toBe(true);
    expect(first.events.length).toBeGreaterThan(4000);
    expect(expandObject(endless, range, budget).events).toEqual([]);
    const plain = object(['DTSTART:20260101T120000Z']);
    expect(expandObject(plain, range, budget)).toMatchObject({ cut: false, events: [{ uid: 'one' }] });
  });
});
