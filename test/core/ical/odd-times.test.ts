import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOwnEvent } from '../../../core/calendar/notices.ts';
import { changedEvent, objectWithout } from '../../../core/ical/event-change.ts';
import { readEvent } from '../../../core/ical/event-facts.ts';
import { expandObject } from '../../../core/ical/expand.ts';
import { BrokenObject } from '../../../core/ical/object.ts';

// The right time, or a mark.

const ZURICH = 'Europe/Zurich';
const YEAR = { timezone: ZURICH, from: new Date('2027-01-01'), to: new Date('2028-01-01') };

function calendar(...lines: readonly string[]): string {
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//field//EN', ...lines, 'END:VCALENDAR', ''].join(
    '\r\n',
  );
}
const event = (...lines: readonly string[]) => [
  'BEGIN:VEVENT',
  'UID:one',
  'DTSTAMP:20261101T000000Z',
  ...lines,
  'END:VEVENT',
];

/** `2027-03-10T09:00` of each event, with the marks. */
function shown(ics: string): string[] {
  return expandObject(ics, YEAR).events.map(({ start, leftOut }) =>
    [start.toISOString().slice(0, 16), ...leftOut].join(' '),
  );
}

/** A VTIMEZONE whose clocks change like Europe's. */
const zone = (tzid: string, standard: string, summer: string) => [
  'BEGIN:VTIMEZONE',
  `TZID:${tzid}`,
  ...['BEGIN:STANDARD', 'DTSTART:20001029T030000', `TZOFFSETFROM:${summer}`, `TZOFFSETTO:${standard}`],
  ...['RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU', 'END:STANDARD'],
  ...['BEGIN:DAYLIGHT', 'DTSTART:20000326T020000', `TZOFFSETFROM:${standard}`, `TZOFFSETTO:${summer}`],
  ...['RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU', 'END:DAYLIGHT'],
  'END:VTIMEZONE',
];

describe('the zone of a time', () => {
  it.each([
    ['GMT', '+0000', '+0100', '2027-07-23T09:20'],
    ['BST', '+0000', '+0100', '2027-07-23T09:20'],
    ['EST', '-0500', '-0400', '2027-07-23T14:20'],
    ['AST', '-0400', '-0300', '2027-07-23T13:20'],
    ['CST', '-0600', '-0500', '2027-07-23T15:20'],
    ['IST', '+0200', '+0300', '2027-07-23T07:20'],
  ])('%s is the one that the object defines', (tzid, standard, summer, expected) => {
    const ics = calendar(...zone(tzid, standard, summer), ...event(`DTSTART;TZID=${tzid}:20270723T102000`));
    expect(shown(ics)).toEqual([expected]);
  });

  it.each([
    ['GMT', '2027-07-23T10:20 TZID'],
    ['EST', '2027-07-23T15:20 TZID'],
    ['IST', '2027-07-23T04:50 TZID'],
    ['XYZ', '2027-07-23T08:20 TZID'],
    ['UTC', '2027-07-23T10:20'],
  ])('%s without a definition: %s', (tzid, expected) => {
    expect(shown(calendar(...event(`DTSTART;TZID=${tzid}:20270723T102000`)))).toEqual([expected]);
  });

  it.each([
    ['as it is', zone(ZURICH, '+0100', '+0200'), '2027-07-23T08:20'],
    [
      'cut short, where it agrees',
      ['BEGIN:VTIMEZONE', `TZID:${ZURICH}`, 'END:VTIMEZONE'],
      '2027-07-23T08:20',
    ],
    ['in another way', zone(ZURICH, '-0500', '-0400'), '2027-07-23T08:20 VTIMEZONE'],
  ])('of an IANA name that the object defines %s is the known one', (_what, definition, expected) => {
    const ics = calendar(...definition, ...event(`DTSTART;TZID=${ZURICH}:20270723T102000`));
    expect(shown(ics)).toEqual([expected]);
  });

  it('of a time without one is that of the whole object', () => {
    const floating = event('DTSTART:20270306T140000', 'RRULE:FREQ=DAILY;COUNT=2', 'EXDATE:20270307T140000');
    expect(shown(calendar('X-WR-TIMEZONE:America/New_York', ...floating))).toEqual(['2027-03-06T19:00']);
    expect(shown(calendar('X-WR-TIMEZONE:Nowhere', ...floating))).toEqual(['2027-03-06T13:00 TZID']);
  });

  it('of the whole object stays the zone of what is changed in it', () => {
    const series = event('DTSTART:20270306T140000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=2');
    const ics = calendar('X-WR-TIMEZONE:America/New_York', ...series);
    const key = { uid: 'one', recurrenceId: '20270307T190000Z' };
    const left = objectWithout(ics, key, { timezone: ZURICH, stamp: new Date('2027-01-01T00:00:00Z') });
    expect(left).toContain('\r\nEXDATE:20270307T140000\r\n');
    expect(shown(left ?? '')).toEqual(['2027-03-06T19:00']);
  });
});

describe('of several overrides of one instance', () => {
  const override = (title: string, sequence: number, stamp: string) => [
    'BEGIN:VEVENT',
    'UID:one',
    `DTSTAMP:${stamp}`,
    `SEQUENCE:${sequence}`,
    `SUMMARY:${title}`,
    'RECURRENCE-ID:20270309T100000Z',
    'DTSTART:20270309T140000Z',
    'END:VEVENT',
  ];
  const [OLD, NEW] = ['20261101T000000Z', '20261102T000000Z'];
  it.each([
    ['the highest SEQUENCE', override('right', 5, OLD), override('older', 2, NEW)],
    ['the highest SEQUENCE', override('older', 2, NEW), override('right', 5, OLD)],
    ['then the newest DTSTAMP', override('right', 2, NEW), override('older', 2, OLD)],
    ['then the newest DTSTAMP', override('older', 2, OLD), override('right', 2, NEW)],
  ])('%s counts', (_what, one, other) => {
    const series = event('SUMMARY:Lesson', 'DTSTART:20270302T100000Z', 'RRULE:FREQ=WEEKLY;COUNT=2');
    const ics = calendar(...series, ...one, ...other);
    expect(
      expandObject(ics, YEAR)
        .events.map(({ title }) => title)
        .toSorted(),
    ).toEqual(['Lesson', 'right']);
    const key = { uid: 'one', recurrenceId: '20270309T100000Z' };
    // Which one is meant is not certain to others.
    expect(readEvent(ics, key, ZURICH)).toMatchObject({ event: { title: 'right' }, locked: 'not_unique' });
  });
});

describe('a rule', () => {
  it('is read with the spaces that folding leaves', () => {
    const rule = ['RRULE:FREQ=WEEKLY; UNTIL = 20270401T235959Z;', '    INTERVAL=2 ;', '  BYDAY=TH'];
    const ics = calendar(...event('DTSTART:20270304T090000Z', ...rule));
    expect(shown(ics)).toEqual(['2027-03-04T09:00', '2027-03-18T09:00', '2027-04-01T09:00']);
  });

  it.each([
    ['an end in another form', 'UNTIL=2027-03-27'],
    ['a part that nobody knows', 'COUNT=2;BYMOON=1'],
    ['a part twice', 'COUNT=2;COUNT=3'],
    ['a number that is none', 'COUNT=two'],
    ['a weekday that is none', 'COUNT=2;BYDAY=MOO'],
    ['a month that is none', 'COUNT=2;BYMONTH=13'],
    ['a calendar of its own', 'COUNT=2;RSCALE=CHINESE'],
  ])('with %s is marked', (_what, part) => {
    const ics = calendar(...event('DTSTART:20270304T090000Z', `RRULE:FREQ=WEEKLY;${part}`));
    for (const { leftOut } of expandObject(ics, YEAR).events) expect(leftOut).toContain('RRULE');
    expect(expandObject(ics, YEAR).events).not.toEqual([]);
  });
});

describe('a line about the time', () => {
  const START = 'DTSTART:20270310T090000Z';
  it.each([
    ['DURATION', [START, 'DURATION:PT1.5H']],
    ['DURATION', [START, 'DURATION:-PT1H']],
    ['DTSTART', ['DTSTART:20270310T090000+0100']],
    ['DTSTART', ['DTSTART:20270310T090000z']],
    ['DTSTART', ['DTSTART:20270230T090000Z']],
    ['DTSTART', ['DTSTART;OFFSET=1:20270310T090000Z']],
    ['DTEND', [START, 'DTEND:20270310T100000z']],
    ['RECURRENCE-ID', [START, 'RECURRENCE-ID;RANGE=THISANDPRIOR:20270310T090000Z']],
    ['EXDATE', [START, 'RRULE:FREQ=DAILY;COUNT=2', 'EXDATE:20270311T090000z']],
    ['RDATE', [START, 'RDATE:20270311T090000+01']],
  ])('that is odd is marked: %s of %j', (mark, lines) => {
    const parts = readableEvents(calendar(...event(...lines)));
    for (const { leftOut } of parts) expect(leftOut).toContain(mark);
  });

  it.each([
    ['an X- parameter', ['DTSTART;X-VOBJ-FLOATINGTIME-ALLOWED=TRUE:20270310T090000']],
    ['a value type', ['DTSTART;VALUE=DATE-TIME:20270310T090000Z', 'DTEND;VALUE=DATE-TIME:20270310T100000Z']],
    ['a period', [START, 'RDATE;VALUE=PERIOD:20270311T090000Z/PT1H']],
    ['lower case', ['dtstart;value=date:20270310', 'rrule:freq=daily;count=1']],
    ['a plus', [START, 'DURATION:+P1DT2H']],
  ])('that RFC 5545 knows is not marked: %s', (_what, lines) => {
    for (const { leftOut } of readableEvents(calendar(...event(...lines)))) expect(leftOut).toEqual([]);
  });

  /** What a strict reader of RFC 5545 finds in them. Undefined: it cannot read one of them. */
  function oracle(lines: readonly string[]): string[] | undefined {
    const time = (text: string) => {
      const [, year, month, day, hour, minute, second] =
        /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text) ?? [];
      const instant = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
      const isValid = !Number.isNaN(instant.getTime()) && instant.getUTCDate() === Number(day);
      return isValid ? instant : undefined;
    };
    const [, startText = ''] = /^DTSTART:(.*)$/i.exec(lines[0] ?? '') ?? [];
    const duration = /^DURATION:\+?PT(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?$/i.exec(lines[1] ?? '');
    const [hours = 0, minutes = 0, seconds = 0] = (duration ?? []).slice(1).map((text) => Number(text ?? 0));
    const lengthMs = ((hours * 60 + minutes) * 60 + seconds) * 1000;
    const [, days, count] =
      /^RRULE: *FREQ *= *DAILY *; *INTERVAL *= *(\d+) *; *COUNT *= *(\d+) *;?$/i.exec(lines[2] ?? '') ?? [];
    const start = time(startText);
    if (start === undefined || duration === null || !(Number(days) > 0) || !(Number(count) > 0))
      return undefined;
    return Array.from({ length: Math.min(Number(count), 400) }, (_, index) => {
      const at = start.getTime() + index * Number(days) * 86_400_000;
      return [at, at + lengthMs].map((ms) => new Date(ms).toISOString()).join(' ');
    }).filter((one) => one.slice(0, 4) === '2027');
  }

  it('is read as a strict reader does, or marked, whatever letter of it is changed', () => {
    const lines = ['DTSTART:20270310T090000Z', 'DURATION:PT90M', 'RRULE:FREQ=DAILY;INTERVAL=3;COUNT=4'];
    const letter = fc.constantFrom(...'0123456789TZPMHDWSU=;:,+-. zXAFREQ"/');
    fc.assert(
      fc.property(
        fc.nat(2),
        fc.nat(),
        fc.constantFrom('replace', 'insert', 'delete'),
        letter,
        (which, at, how, text) => {
          const whole = lines[which] ?? '';
          const from = at % (whole.length + 1);
          const rest = whole.slice(how === 'insert' ? from : from + 1);
          const changed = `${whole.slice(0, from)}${how === 'delete' ? '' : text}${rest}`;
          const mutated = lines.map((line, index) => (index === which ? changed : line));
          const found = readableEvents(calendar(...event(...mutated)));
          const strict = oracle(mutated);
          const times = found.map(({ start, end }) => `${start.toISOString()} ${end.toISOString()}`);
          if (strict !== undefined && JSON.stringify(times.toSorted()) === JSON.stringify(strict.toSorted()))
            return;
          // A line of another property says nothing about the time.
          const isOther = !/^(?:DTSTART|DURATION|RRULE)[;:]/i.test(changed);
          // Valid too: a floating time, and a leap second.
          if (/^DTSTART:\d{8}T(?:\d{6}|\d{4}60Z)$/i.test(changed)) return;
          for (const { leftOut } of found) expect(leftOut.length > 0 || isOther, changed).toBe(true);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

function readableEvents(ics: string) {
  try {
    return expandObject(ics, YEAR).events;
  } catch (error) {
    if (error instanceof BrokenObject) return [];
    throw error;
  }
}

describe('an event of whole days that Outlook wrote', () => {
  const outlook = (...lines: readonly string[]) =>
    calendar(
      ...event(
        'DTSTART;TZID=Pacific Standard Time:20270307T000000',
        'DTEND;TZID=Pacific Standard Time:20270308T000000',
        'X-MICROSOFT-CDO-ALLDAYEVENT:TRUE',
        ...lines,
      ),
    );
  const spans = (ics: string) =>
    expandObject(ics, YEAR).events.map(({ start, end, allDay }) => [
      allDay,
      start.toISOString().slice(0, 16),
      end.toISOString().slice(0, 16),
    ]);

  it('lasts that day for its reader, wherever they are', () => {
    expect(spans(outlook())).toEqual([[true, '2027-03-06T23:00', '2027-03-07T23:00']]);
  });

  it('also lasts the whole day on which the clocks change', () => {
    const ics = outlook().replaceAll('0307', '0314').replaceAll('0308', '0315');
    expect(spans(ics)).toEqual([[true, '2027-03-13T23:00', '2027-03-14T23:00']]);
  });

  it('may repeat, without the days that are excluded in any zone', () => {
    const ics = outlook(
      'RRULE:FREQ=DAILY;COUNT=4',
      'EXDATE;TZID=Pacific Standard Time:20270308T000000',
      'EXDATE:20270309T080000Z',
    );
    expect(spans(ics).map(([, start]) => start)).toEqual(['2027-03-06T23:00', '2027-03-09T23:00']);
    const key = { uid: 'one', recurrenceId: '20270310' };
    const left = objectWithout(ics, key, { timezone: ZURICH, stamp: new Date('2027-01-01T00:00:00Z') });
    expect(left).toContain('EXDATE;TZID=Pacific Standard Time:20270310T000000');
  });

  it('is an event with a time if it does not last whole days', () => {
    expect(spans(outlook().replace('20270308T000000', '20270307T120000'))).toHaveProperty('0.0', false);
  });

  it('loses its mark when it gets a time', () => {
    const ics = outlook('SEQUENCE:1');
    const read = readEvent(ics, { uid: 'one', recurrenceId: null }, ZURICH);
    if (read.kind !== 'event') throw new Error('there is no event');
    const [start, end] = [new Date('2027-03-07T09:00:00Z'), new Date('2027-03-07T10:00:00Z')];
    const after = { ...read.event, start, end, allDay: false };
    const writing = { timezone: ZURICH, stamp: new Date('2027-01-01T00:00:00Z') };
    const changed = changedEvent(ics, { before: read.event, after }, writing);
    expect(changed).not.toContain('ALLDAYEVENT');
    expect(spans(changed ?? '')).toEqual([[false, '2027-03-07T09:00', '2027-03-07T10:00']]);
  });
});

describe('a person of an event', () => {
  const people = (...lines: readonly string[]) => {
    const read = readEvent(
      calendar(...event('DTSTART:20270310T090000Z', ...lines)),
      { uid: 'one', recurrenceId: null },
      ZURICH,
    );
    if (read.kind !== 'event') throw new Error('there is no event');
    return read.event;
  };

  it('is identified by EMAIL if the URI is a principal', () => {
    const facts = people(
      'ORGANIZER;CN=Alice;EMAIL=alice@example.test:/aMTIzNDU2/principal/',
      'ATTENDEE;CN=Bob;EMAIL=bob@example.test:urn:uuid:1',
      'ATTENDEE;CN=Cleo:cleo@example.test',
      'ATTENDEE;EMAIL=other@example.test:mailto:dora@example.test',
      'ATTENDEE:/principals/nobody/',
    );
    expect(
      isOwnEvent(facts, {
        email: 'Alice@example.test',
        calendar: { schedules: false, answersOrganizers: false },
      }),
    ).toBe(true);
    expect(facts.attendees.map(({ address, isMail }) => [address, isMail])).toEqual([
      ['bob@example.test', true],
      ['cleo@example.test', true],
      ['dora@example.test', true],
      ['/principals/nobody/', false],
    ]);
  });
});
