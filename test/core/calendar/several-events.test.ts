import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventFacts } from '../../../core/calendar/event.ts';
import { changedEvent, objectWithout } from '../../../core/ical/event-change.ts';
import { readEvent } from '../../../core/ical/event-facts.ts';
import { expandObject } from '../../../core/ical/expand.ts';

// Objects with more than the event that is meant: of other UIDs, of the same one, or other components. A change to one
// leaves everything else as it is, byte for byte.

const timezone = 'Europe/Zurich';
const writing = { timezone, stamp: new Date('2026-12-01T08:00:00Z') };
const YEAR = { from: new Date('2027-01-01'), to: new Date('2028-01-01'), timezone };

const lines = (...all: readonly string[]) => all.map((one) => `${one}\r\n`).join('');
const vevent = (uid: string, title: string, start: string, ...others: readonly string[]) =>
  lines(
    'BEGIN:VEVENT',
    `UID:${uid}`,
    'DTSTAMP:20261101T000000Z',
    ...others,
    `SUMMARY:${title}`,
    `DTSTART:${start}`,
    'DURATION:PT1H',
    'END:VEVENT',
  );
const HEAD = lines('BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//club//EN', 'X-KEPT;x=1:as it is');
const END = lines('END:VCALENDAR');
const object = (...parts: readonly string[]) => HEAD + parts.join('') + END;

const FIRST = vevent('one', 'First', '20270330T090000Z');
const SECOND = vevent('two', 'Second', '20270330T110000Z');
const MATCHES = ['20270301T180000Z', '20270308T180000Z', '20270315T180000Z'].map((start, index) =>
  vevent('match', `Match ${index + 1}`, start),
);
const ZONE = lines(
  'BEGIN:VTIMEZONE',
  'TZID:Club',
  'BEGIN:STANDARD',
  'DTSTART:19700101T000000',
  'TZOFFSETFROM:+0100',
  'TZOFFSETTO:+0100',
  'END:STANDARD',
  'END:VTIMEZONE',
);
const TASK = lines(
  'BEGIN:VTODO',
  'UID:task',
  'DTSTAMP:20261101T000000Z',
  'SUMMARY:Bring the ball',
  'END:VTODO',
);

const titlesIn = (ics: string) => expandObject(ics, YEAR).events.map(({ title }) => title);
const without = (ics: string, uid: string) => objectWithout(ics, { uid, recurrenceId: null }, writing);

describe('an object with several events', () => {
  it('shows them all, whether they share a UID or not', () => {
    expect(titlesIn(object(FIRST, SECOND))).toEqual(['First', 'Second']);
    expect(titlesIn(object(...MATCHES))).toEqual(['Match 1', 'Match 2', 'Match 3']);
  });

  it('keeps the others when one is cancelled', () => {
    expect(without(object(FIRST, SECOND), 'one')).toBe(object(SECOND));
    expect(without(object(ZONE, FIRST, SECOND, TASK), 'two')).toBe(object(ZONE, FIRST, TASK));
  });

  it('loses a series with its overrides', () => {
    const series = vevent('weekly', 'Club', '20270104T180000Z', 'RRULE:FREQ=WEEKLY;COUNT=4');
    const moved = vevent('weekly', 'Later', '20270111T190000Z', 'RECURRENCE-ID:20270111T180000Z');
    expect(without(object(series, FIRST, moved), 'weekly')).toBe(object(FIRST));
  });

  it('is gone with its last event, but not with other contents', () => {
    expect(without(object(ZONE, FIRST), 'one')).toBeNull();
    expect(without(object(FIRST, TASK), 'one')).toBeUndefined();
  });

  it.each([
    ['has no UID', FIRST.replace('UID:one\r\n', '')],
    ['has two UIDs', FIRST.replace('UID:one', 'UID:three\r\nUID:two')],
  ])('is not changed while one of them %s', (_what, unclear) => {
    expect(without(object(unclear, SECOND), 'two')).toBeUndefined();
  });

  it('is not changed if the calendar does not tell them apart', () => {
    const ics = object(...MATCHES, SECOND);
    expect(without(ics, 'match')).toBeUndefined();
    expect(readEvent(ics, { uid: 'match', recurrenceId: null }, timezone)).toMatchObject({
      locked: 'not_unique',
    });
    expect(readEvent(ics, { uid: 'two', recurrenceId: null }, timezone)).toMatchObject({ locked: null });
    const before = factsIn(ics, 'match');
    expect(changedEvent(ics, { before, after: { ...before, title: 'Final' } }, writing)).toBeUndefined();
    expect(without(ics, 'two')).toBe(object(...MATCHES));
  });

  it('is not changed if an instance of a series was changed twice', () => {
    const series = vevent('weekly', 'Club', '20270104T180000Z', 'RRULE:FREQ=WEEKLY;COUNT=4');
    const moved = (hour: number) =>
      vevent('weekly', 'Later', `20270111T${hour}0000Z`, 'RECURRENCE-ID:20270111T180000Z');
    const ics = object(series, moved(19), moved(20));
    const twice = { uid: 'weekly', recurrenceId: '20270111T180000Z' };
    expect(readEvent(ics, twice, timezone)).toMatchObject({ locked: 'not_unique' });
    expect(objectWithout(ics, twice, writing)).toBeUndefined();
    expect(readEvent(ics, { ...twice, recurrenceId: '20270118T180000Z' }, timezone)).toMatchObject({
      locked: null,
    });
  });

  it('changes in one event only', () => {
    const uid = fc.constantFrom('a', 'b', 'c', 'd\\,e');
    const event = fc.tuple(uid, fc.nat({ max: 27 })).map(([of, day]) => ({
      uid: of,
      text: vevent(of, 'Club', `202702${String(day + 1).padStart(2, '0')}T180000Z`, 'X-OWN:\u00fc,\\;'),
    }));
    const other = fc.constantFrom(ZONE, TASK, lines('X-LINE;a="b;c":d')).map((text) => ({ uid: '', text }));
    const parts = fc.array(fc.oneof({ weight: 3, arbitrary: event }, other), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(parts, uid, (all, written) => {
        const ics = object(...all.map(({ text }) => text));
        const meant = all.filter((one) => one.uid === written);
        fc.pre(meant.length > 0);
        const rest = all.filter((one) => one.uid !== written);
        const events = rest.filter((one) => one.uid !== '');
        const left = without(ics, written.replace('\\', ''));
        const before = factsIn(ics, written.replace('\\', ''));
        const changed = changedEvent(ics, { before, after: { ...before, title: 'Final' } }, writing);
        if (meant.length > 1) {
          expect([left, changed]).toEqual([undefined, undefined]);
          return;
        }
        const keeps = rest.some(({ text }) => text === TASK);
        if (events.length === 0) expect(left).toBe(keeps ? undefined : null);
        else expect(left).toBe(object(...rest.map(({ text }) => text)));
        expect(changed).toContain('SUMMARY:Final');
        for (const { text } of rest) expect(changed).toContain(text);
        expect(without(changed ?? '', written.replace('\\', ''))).toBe(left);
      }),
    );
  });
});

describe('an object with a series', () => {
  const DAYS = ['04', '11', '18', '25'];
  const master = vevent(
    'weekly',
    'Club',
    '20270104T180000Z',
    'RRULE:FREQ=WEEKLY;COUNT=4',
    'X-OWN:\u00fc,\\;',
  );
  const moved = (day: string) =>
    vevent('weekly', 'Later', `202701${day}T190000Z`, `RECURRENCE-ID:202701${day}T180000Z`, 'X-OWN:a;b');

  it('changes in one of its instances only', () => {
    const overrides = fc.subarray(DAYS).map((days) => days.map(moved));
    const others = fc.subarray([FIRST, SECOND, TASK, ZONE, lines('X-LINE;a="b;c":d')]);
    const parts = fc
      .tuple(overrides, others)
      .chain(([some, more]) =>
        fc.shuffledSubarray([master, ...some, ...more], { minLength: 1 + some.length + more.length }),
      );
    fc.assert(
      fc.property(parts, fc.constantFrom(...DAYS), (all, day) => {
        const ics = object(...all);
        const key = { uid: 'weekly', recurrenceId: `202701${day}T180000Z` };
        const own = moved(day);
        const rest = all.filter((one) => one !== own);
        const before = factsIn(ics, key.uid, key.recurrenceId);
        const changed = changedEvent(ics, { before, after: { ...before, title: 'Final' } }, writing) ?? '';
        // Everything else, in its order, byte for byte.
        const added = changed.split('BEGIN:VEVENT').filter((part) => part.includes('SUMMARY:Final'));
        expect(added).toHaveLength(1);
        const at = `BEGIN:VEVENT${added[0]?.slice(0, added[0].indexOf('END:VEVENT'))}END:VEVENT\r\n`;
        expect(changed.replace(at, '')).toBe(object(...rest));
        expect(changed.indexOf(at)).toBe(
          all.includes(own) ? ics.indexOf(own) : object(...all).length - END.length,
        );

        const left = objectWithout(ics, key, writing) ?? '';
        const [except] = left.match(/BEGIN:VEVENT(?:(?!END:VEVENT)[\s\S])*EXDATE[\s\S]*?END:VEVENT\r\n/) ?? [
          '',
        ];
        expect(left.replace(except, '')).toBe(object(...rest.filter((one) => one !== master)));
        const kept = except
          .split('\r\n')
          .filter((line) => !/^(?:EXDATE|SEQUENCE|DTSTAMP|LAST-MODIFIED)/.test(line));
        expect(kept).toEqual(master.split('\r\n').filter((line) => !line.startsWith('DTSTAMP')));
        expect(titlesIn(left).length).toBe(titlesIn(ics).length - 1);
      }),
    );
  });
});

function factsIn(ics: string, uid: string, recurrenceId: string | null = null): EventFacts {
  const read = readEvent(ics, { uid, recurrenceId }, timezone);
  if (read.kind !== 'event') throw new Error('the event is missing');
  return read.event;
}
