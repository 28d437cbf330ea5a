import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endOfDay, isoIn, isTimeZone, startOfDay } from '../../../core/time/time-zone.ts';

const zone = fc.constantFrom(
  ...['UTC', 'Europe/Berlin', 'America/New_York', 'America/Sao_Paulo', 'America/Havana', 'America/St_Johns'],
  ...['Asia/Kolkata', 'Asia/Kathmandu', 'Asia/Amman', 'Asia/Beirut', 'Australia/Lord_Howe', 'Pacific/Apia'],
  ...['Pacific/Chatham', 'Africa/Cairo', 'Asia/Tehran'],
);
const instant = fc.date({
  min: new Date('1990-01-01T00:00:00Z'),
  max: new Date('2037-12-31T00:00:00Z'),
  noInvalidDate: true,
});

/** The calendar day of an instant, computed independently from the zone data. */
function dayIn(at: Date, timezone: string): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short' }).format(at);
}

describe('isTimeZone', () => {
  it.each(['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires'])('%s is a time zone', (name) => {
    expect(isTimeZone(name)).toBe(true);
  });
  it.each(['', 'Berlin', 'Europe/Atlantis', 'Europe/Berlin; DROP'])('%j is not a time zone', (name) => {
    expect(isTimeZone(name)).toBe(false);
  });
});

describe('isoIn', () => {
  it('gives the same instant, to the second, in the wall-clock time of the zone', () => {
    fc.assert(
      fc.property(instant, zone, (at, timezone) => {
        const text = isoIn(at, timezone);
        expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/);
        expect(Date.parse(text)).toBe(Math.floor(at.getTime() / 1000) * 1000);
        expect(text.slice(0, 10)).toBe(dayIn(at, timezone));
      }),
    );
  });

  it.each([
    ['2026-01-15T12:00:00Z', 'Europe/Berlin', '2026-01-15T13:00:00+01:00'],
    ['2026-07-15T12:00:00Z', 'Europe/Berlin', '2026-07-15T14:00:00+02:00'],
    ['2026-07-15T02:00:00Z', 'America/St_Johns', '2026-07-14T23:30:00-02:30'],
    ['2026-07-15T20:00:00Z', 'Asia/Kathmandu', '2026-07-16T01:45:00+05:45'],
    ['2026-07-15T20:00:00Z', 'UTC', '2026-07-15T20:00:00+00:00'],
  ])('%s in %s is %s', (at, timezone, text) => {
    expect(isoIn(new Date(at), timezone)).toBe(text);
  });
});

describe('startOfDay', () => {
  it.each([
    ['an ordinary day', '2026-03-03T12:00:00Z', 'Europe/Berlin', 0, '2026-03-02T23:00:00Z'],
    [
      'tomorrow, across a change of the clocks',
      '2026-03-28T12:00:00Z',
      'Europe/Berlin',
      2,
      '2026-03-29T22:00:00Z',
    ],
    [
      'a day whose midnight does not exist, west',
      '2018-11-04T12:00:00Z',
      'America/Sao_Paulo',
      0,
      '2018-11-04T03:00:00Z',
    ],
    [
      'a day whose midnight does not exist, east',
      '2021-03-28T12:00:00Z',
      'Asia/Beirut',
      0,
      '2021-03-27T22:00:00Z',
    ],
    [
      'a day whose midnight exists twice, west',
      '2021-11-07T12:00:00Z',
      'America/Havana',
      0,
      '2021-11-07T04:00:00Z',
    ],
    [
      'a day whose midnight exists twice, east',
      '2021-10-29T12:00:00Z',
      'Asia/Amman',
      0,
      '2021-10-28T21:00:00Z',
    ],
  ])('%s', (_name, at, timezone, days, begins) => {
    expect(startOfDay(new Date(at), timezone, days).toISOString()).toBe(new Date(begins).toISOString());
  });

  it('is the first instant of the day of an instant', () => {
    fc.assert(
      fc.property(instant, zone, (at, timezone) => {
        const begins = startOfDay(at, timezone, 0);
        const before = new Date(begins.getTime() - 1);
        expect(begins.getTime()).toBeLessThanOrEqual(at.getTime());
        expect(dayIn(begins, timezone)).toBe(dayIn(at, timezone));
        expect(dayIn(before, timezone) < dayIn(at, timezone)).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  it('advances by one calendar day per day', () => {
    fc.assert(
      fc.property(instant, zone, fc.integer({ min: -400, max: 400 }), (at, timezone, days) => {
        const wanted = new Date(`${dayIn(at, timezone)}T00:00:00Z`);
        wanted.setUTCDate(wanted.getUTCDate() + days);
        const day = wanted.toISOString().slice(0, 10);
        // The only day that one of these places ever skipped.
        fc.pre(!(timezone === 'Pacific/Apia' && day === '2011-12-30'));
        expect(dayIn(startOfDay(at, timezone, days), timezone)).toBe(day);
      }),
      { numRuns: 150 },
    );
  });
});

describe('endOfDay', () => {
  it.each([
    ['2026-12-24', 'Pacific/Auckland', '2026-12-24T23:59:59+13:00'],
    ['2026-07-01', 'Pacific/Auckland', '2026-07-01T23:59:59+12:00'],
    ['2026-12-24', 'Pacific/Kiritimati', '2026-12-24T23:59:59+14:00'],
    ['2026-12-24', 'Etc/GMT+12', '2026-12-24T23:59:59-12:00'],
    ['2026-10-25', 'Europe/Berlin', '2026-10-25T23:59:59+01:00'],
    ['2018-11-03', 'America/Sao_Paulo', '2018-11-03T23:59:59-03:00'],
    ['0001-01-01', 'UTC', '0001-01-01T23:59:59+00:00'],
  ])('%s in %s', (day, timezone, ends) => {
    expect(isoIn(endOfDay(day, timezone), timezone)).toBe(ends);
  });

  it('is the last second of the same day, in every zone', () => {
    fc.assert(
      fc.property(instant, zone, (at, timezone) => {
        const day = dayIn(at, timezone);
        const ends = endOfDay(day, timezone);
        expect(isoIn(ends, timezone)).toMatch(new RegExp(`^${day}T`));
        expect(dayIn(new Date(ends.getTime() + 1000), timezone) > day).toBe(true);
      }),
      { numRuns: 150 },
    );
  });
});
