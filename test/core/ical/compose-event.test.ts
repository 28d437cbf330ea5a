import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import type { EventFacts } from '../../../core/calendar/event.ts';
import { line } from '../../../core/contract/schema.ts';
import {
  changedObject,
  type EventChange,
  newObject,
  withoutInstance,
} from '../../../core/ical/compose-event.ts';
import { eventFacts } from '../../../core/ical/event-facts.ts';
import { eventAmong, expandObject } from '../../../core/ical/expand.ts';
import { readObject } from '../../../core/ical/object.ts';
import { writingZone } from '../../../core/ical/written-time.ts';
import { ianaZone } from '../../../core/time/iana-zone.ts';
import { instantOf } from '../../../core/time/wall-time.ts';
import { anyCharacter } from '../../any-character.ts';
import { calendarOf, event, ZURICH } from '../../contracts/calendar/scene.ts';
import { sizeOf } from '../../only-long.ts';

const STAMP = new Date('2026-11-21T12:00:00Z');
const OWN = 'ada@example.org';
const ZONES = [
  'Europe/Zurich',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'UTC',
  'Africa/Cairo',
];

const zone = fc.constantFrom(...ZONES);
/** Seconds of the years that calendars usually cover. */
const instant = fc
  .integer({ min: Date.UTC(2024, 0) / 1000, max: Date.UTC(2034, 0) / 1000 })
  .map((seconds) => new Date(seconds * 1000));
const title = fc
  .oneof(
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 300 }),
    fc
      .array(fc.constantFrom('\\', ';', ',', ':', '"', '\\n', 'BEGIN:VEVENT', '✨', ' ', 'é', '^n', '='), {
        minLength: 1,
      })
      .map((parts) => parts.join('')),
  )
  .filter((text) => line({ min: 1, max: 300, description: '' }).safeParse(text).success);
const minutes = fc.integer({ min: 15, max: 480 });
const address = fc.constantFrom(
  'bob@example.org',
  "o'hara+x@example.org",
  'a%b&c=d@example.org',
  'x^y`z{|}@a.b',
);

function plus(from: Date, min: number): Date {
  return new Date(from.getTime() + min * 60_000);
}

describe('a wall-clock time', () => {
  it('is the same instant as in Temporal, even if the clock skips it or shows it twice', () => {
    // Mostly near changes of the clocks.
    const near = fc.constantFrom(
      '2027-03-28',
      '2027-10-31',
      '2027-03-14',
      '2027-11-07',
      '2027-04-04',
      '2027-10-03',
    );
    const time = fc.integer({ min: 0, max: 24 * 60 - 1 });
    const anyDay = instant.map((at) => at.toISOString().slice(0, 10));
    fc.assert(
      fc.property(zone, fc.oneof(near, anyDay), time, (timezone, day, minute) => {
        const wall = `${day}T${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
        const found = instantOf(Date.parse(`${wall}Z`), ianaZone(timezone));
        const expected = Temporal.PlainDateTime.from(wall).toZonedDateTime(timezone, {
          disambiguation: 'compatible',
        });
        expect(found).toBe(expected.epochMilliseconds);
      }),
      { numRuns: 1000 },
    );
  });
});

const PLAIN = {
  recurrenceId: null,
  allDay: false,
  recurring: false,
  status: 'confirmed',
  sequence: 0,
  location: '',
  description: '',
  organizer: null,
  attendees: [],
} as const;

describe('a new object', () => {
  it('matches the event, for any title, time and zone', () => {
    const invited = fc.option(
      fc.record({
        address,
        agent: fc.constantFrom('server', 'client', 'none'),
      }),
    );
    fc.assert(
      fc.property(title, zone, instant, minutes, invited, (text, timezone, start, min, invitation) => {
        const end = plus(start, min);
        const asked: EventFacts = {
          ...PLAIN,
          uid: 'uid-1@example.org',
          title: text,
          start,
          end,
          status: 'tentative',
          organizer: invitation && { address: OWN, isMail: true, name: '' },
          attendees: invitation
            ? [{ ...invitation, isMail: true, name: '', answer: 'NEEDS-ACTION', role: 'REQ-PARTICIPANT' }]
            : [],
        };
        const writing = { zone: writingZone(timezone), stamp: STAMP };
        const says = (ics: string) => eventFacts(ics, { uid: asked.uid, recurrenceId: null }, timezone);
        const meant = {
          title: text,
          status: 'tentative',
          sequence: 0,
          organizer: invitation && { address: OWN },
          attendees: invitation
            ? [{ address: invitation.address, isMail: true, agent: invitation.agent }]
            : [],
        };
        expect(says(newObject(asked, writing))).toMatchObject(meant);
        // Times outside a zone's definition are written in UTC: see `composed`.
        const inUtc = newObject(asked, { zone: undefined, stamp: STAMP });
        expect(says(inUtc)).toMatchObject({ ...meant, start, end });
      }),
      { numRuns: 200 },
    );
  });

  it.each(['Europe/Zurich', 'America/New_York', 'Asia/Kolkata'])('writes its times in %s', (timezone) => {
    fc.assert(
      fc.property(instant, minutes, (start, min) => {
        const end = plus(start, min);
        const asked = { ...PLAIN, uid: 'one', title: 'x', start, end };
        const ics = newObject(asked, { zone: writingZone(timezone), stamp: STAMP });
        expect(eventFacts(ics, { uid: 'one', recurrenceId: null }, 'UTC')).toMatchObject({ start, end });
      }),
    );
  });
});

/** A weekly series with one changed instance, and unknown lines. */
const SERIES = calendarOf(
  ZURICH,
  event(
    'series',
    'DTSTART;TZID=Europe/Zurich:20270301T090000',
    'DTEND;TZID=Europe/Zurich:20270301T100000',
    'RRULE:FREQ=WEEKLY;COUNT=8',
    'EXDATE;TZID=Europe/Zurich:20270315T090000',
    'SEQUENCE:7',
    'ATTENDEE;CN="Bob, the other":mailto:bob@example.org',
    'X-ATLAS;X-KIND="a:b":4711',
    'CATEGORIES:one,two',
  ),
  event(
    'series',
    'RECURRENCE-ID;TZID=Europe/Zurich:20270322T090000',
    'DTSTART;TZID=Europe/Zurich:20270322T110000',
    'DURATION:PT30M',
    'X-ATLAS:4712',
  ),
  ['BEGIN:X-UNKNOWN', 'X-INSIDE:kept', 'END:X-UNKNOWN'],
);
const INSTANCES = [
  '20270301T080000Z',
  '20270308T080000Z',
  '20270322T080000Z',
  '20270329T070000Z',
  '20270405T070000Z',
];
const RANGE = { from: new Date('2027-01-01T00:00:00Z'), to: new Date('2028-01-01T00:00:00Z') };
const READING = { timezone: 'Europe/Zurich' };
const WRITING = { zone: writingZone('Europe/Zurich'), stamp: STAMP, timezone: 'Europe/Zurich' };

function instancesOf(ics: string) {
  return expandObject(ics, { ...READING, ...RANGE }).events.toSorted((a, b) =>
    (a.recurrenceId ?? '') < (b.recurrenceId ?? '') ? -1 : 1,
  );
}

function instanceIn(ics: string, recurrenceId: string) {
  return eventAmong(readObject(ics), { uid: 'series', recurrenceId }, READING.timezone);
}

function factsOf(ics: string, recurrenceId: string): EventFacts {
  const facts = eventFacts(ics, { uid: 'series', recurrenceId }, 'Europe/Zurich');
  if (facts === undefined) throw new Error('the instance is not there');
  return facts;
}

const change: fc.Arbitrary<EventChange> = fc
  .record({
    title: fc.option(title, { nil: undefined }),
    time: fc.option(
      fc.tuple(fc.option(instant, { nil: undefined }), minutes).map(([start, min]) => ({ start, min })),
      { nil: undefined },
    ),
    status: fc.option(fc.constantFrom('confirmed' as const, 'cancelled' as const), { nil: undefined }),
  })
  .map(({ title: text, time, status }) => ({
    ...(text === undefined ? {} : { title: text }),
    ...(time?.start === undefined ? {} : { time: { start: time.start, end: plus(time.start, time.min) } }),
    ...(status === undefined ? {} : { status }),
    attendees: [{ agent: 'client' as const }],
  }));

type Step = { readonly recurrenceId: string; readonly does: EventChange | 'cancel' };
const step: fc.Arbitrary<Step> = fc.record({
  recurrenceId: fc.constantFrom(...INSTANCES),
  does: fc.oneof({ weight: 4, arbitrary: change }, { weight: 1, arbitrary: fc.constant('cancel' as const) }),
});

describe('a series whose instances are changed and cancelled', () => {
  it('keeps the others, unknown lines, and a SEQUENCE that only rises', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), (steps) => {
        let ics = SERIES;
        let sequence = 7;
        for (const { recurrenceId, does } of steps) {
          const current = instanceIn(ics, recurrenceId);
          if (current === undefined) continue;
          const before = instancesOf(ics).filter((one) => one.recurrenceId !== recurrenceId);
          const next =
            does === 'cancel'
              ? (withoutInstance(ics, { uid: 'series', recurrenceId }, { stamp: STAMP }) ?? '')
              : changedObject(ics, current, does, WRITING);
          expect(instancesOf(next).filter((one) => one.recurrenceId !== recurrenceId)).toEqual(before);
          if (does === 'cancel') {
            expect(instanceIn(next, recurrenceId)).toBeUndefined();
          } else {
            const facts = factsOf(next, recurrenceId);
            expect(facts).toMatchObject({
              title: does.title ?? current.title,
              start: does.time?.start ?? current.start,
              end: does.time?.end ?? current.end,
            });
            expect(facts.sequence).toBe(sequence + 1);
          }
          sequence++;
          const rising = [...next.matchAll(/^SEQUENCE:(\d+)/gm)].map(([, number]) => Number(number));
          expect(Math.max(...rising)).toBe(sequence);
          for (const kept of [
            'X-ATLAS;X-KIND="a:b":4711',
            'CATEGORIES:one,two',
            'RRULE:FREQ=WEEKLY;COUNT=8',
          ]) {
            expect(next).toContain(`${kept}\r\n`);
          }
          expect(next).toContain('BEGIN:X-UNKNOWN\r\nX-INSIDE:kept\r\nEND:X-UNKNOWN\r\n');
          expect(next.match(/^BEGIN:VTIMEZONE/gm)).toHaveLength(1);
          ics = next;
        }
      }),
      { numRuns: sizeOf('properties: samples', 150, 40) },
    );
  });
});

describe('an instance', () => {
  it.each([
    [
      'a floating series',
      ['DTSTART:20270301T090000', 'DURATION:PT1H'],
      '20270308T090000',
      'RECURRENCE-ID:20270308T090000',
    ],
    [
      'a series of whole days',
      ['DTSTART;VALUE=DATE:20270301'],
      '20270308',
      'RECURRENCE-ID;VALUE=DATE:20270308',
    ],
    [
      'a series in UTC',
      ['DTSTART:20270301T090000Z', 'DTEND:20270301T100000Z'],
      '20270308T090000Z',
      'RECURRENCE-ID:20270308T090000Z',
    ],
    [
      'an unknown zone',
      ['DTSTART;TZID=Nowhere:20270301T090000', 'DURATION:PT1H'],
      '20270308T090000',
      'RECURRENCE-ID;TZID=Nowhere:20270308T090000',
    ],
    [
      'a zone by its Windows name',
      ['DTSTART;TZID=W. Europe Standard Time:20270301T090000', 'DURATION:PT1H'],
      '20270308T080000Z',
      'RECURRENCE-ID;TZID=W. Europe Standard Time:20270308T090000',
    ],
  ])('of %s is named in the style of the series, and keeps its time', (_what, lines, recurrenceId, named) => {
    const ics = calendarOf(event('series', ...lines, 'RRULE:FREQ=WEEKLY;COUNT=3'));
    const current = instanceIn(ics, recurrenceId);
    if (current === undefined) throw new Error('the instance is not there');
    const next = changedObject(ics, current, { title: 'New' }, WRITING);
    expect(next).toContain(`${named}\r\n`);
    expect(instanceIn(next, recurrenceId)).toEqual({
      ...current,
      title: 'New',
    });
    expect(instancesOf(next)).toHaveLength(3);
    const without = withoutInstance(ics, { uid: 'series', recurrenceId }, { stamp: STAMP }) ?? '';
    expect(instancesOf(without)).toHaveLength(2);
    const rest = withoutInstance(next, { uid: 'series', recurrenceId }, { stamp: STAMP }) ?? '';
    expect(instancesOf(rest)).toEqual(instancesOf(without));
  });

  it('that is alone in its object leaves nothing when removed', () => {
    const only = event('series', 'RECURRENCE-ID:20270308T090000Z', 'DTSTART:20270308T090000Z');
    const key = { uid: 'series', recurrenceId: '20270308T090000Z' };
    expect(withoutInstance(calendarOf(only), key, { stamp: STAMP })).toBeNull();
  });
});
