import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dateOf } from '../../../core/mail/row-text.ts';
import { anyCharacter } from '../../any-character.ts';

describe('the Date header', () => {
  const arrived = new Date('2026-01-02T03:04:05.678Z');

  it.each([
    ['Tue, 3 Mar 2026 09:05:07 +0100', '2026-03-03T09:05:07+01:00'],
    ['3 Mar 2026 09:05 -0330', '2026-03-03T09:05:00-03:30'],
    ['Tue,  03  Mar 2026 09:05:07 GMT', '2026-03-03T09:05:07+00:00'],
    ['Tue, 3 Mar 2026 09:05:07 -0000', '2026-03-03T09:05:07+00:00'],
    ['Tue, 3 Mar 2026 09:05:07 +0100 (CET)', '2026-03-03T09:05:07+01:00'],
    ['Tue, 3 Mar 26 09:05:07 EST', '2026-03-03T09:05:07-05:00'],
    ['3 Mar 99 09:05:07 +0000', '1999-03-03T09:05:07+00:00'],
    ['3 Mar 126 09:05:07 +0000', '2026-03-03T09:05:07+00:00'],
    ['Tue, 3 Mar 2026 09:05:07', '2026-03-03T09:05:07+00:00'],
    ['31 Dec 2016 23:59:60 +0000', '2016-12-31T23:59:59+00:00'],
    ['Tue, 17 Jul 2012 19.38.50 +0200', '2012-07-17T19:38:50+02:00'],
    ['2012-07-17T19:38:50+02:00', '2012-07-17T19:38:50+02:00'],
    ['2012-07-17 19:38:50.125Z', '2012-07-17T19:38:50+00:00'],
    ['Tue Jul 17 19:38:50 2012', '2012-07-17T19:38:50+00:00'],
    ['Tue Jul  7 19:38:50 2012 +0200', '2012-07-07T19:38:50+02:00'],
    ['Tue, 17 Jul 2012 19:38:50 GMT+0200', '2012-07-17T19:38:50+02:00'],
    ['Tue, 17 Jul 2012 07:38:50 PM +0200', '2012-07-17T19:38:50+02:00'],
    ['Tue, 17 Jul 2012 12:38:50 AM +0200', '2012-07-17T00:38:50+02:00'],
    ['Tue, 17 Jul 2012 12:38:50 pm', '2012-07-17T12:38:50+00:00'],
    ['Tue, 17 Jul 2012 19:38:50 +02:00', '2012-07-17T19:38:50+02:00'],
    ['Tue, 17-Jul-2012 19:38:50 +0200', '2012-07-17T19:38:50+02:00'],
    ['Tue, 17 Jul 2012 19:38:50 +0200 (Central (European) Summer Time)', '2012-07-17T19:38:50+02:00'],
  ])('reads %j', (header, iso) => {
    expect(dateOf(header, arrived)).toBe(iso);
  });

  it.each([
    null,
    '',
    'yesterday',
    '2026-13-03 09:05:07',
    '2026-02-30 09:05:07',
    '3 Mar 2026 13:05:07 PM +0000',
    '3 Mar 2026 00:05:07 AM +0000',
    'Tue Jul 32 19:38:50 2012',
    '30 Feb 2026 09:05:07 +0000',
    '3 Foo 2026 09:05:07 +0000',
    '3 Mar 2026 24:05:07 +0000',
    '3 Mar 2026 09:61:07 +0000',
    '3 Mar 2026 09:05:61 +0000',
    '3 Mar 2026 09:05:07 +2400',
    '3 Mar 2026 09:05:07 +0160',
  ])('uses INTERNALDATE for %j', (header) => {
    expect(dateOf(header, arrived)).toBe('2026-01-02T03:04:05+00:00');
  });

  it('returns every instant in its original offset', () => {
    const instants = fc.date({
      min: new Date('1950-01-01'),
      max: new Date('9990-01-01'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(instants, fc.integer({ min: -839, max: 839 }), (instant, offsetMin) => {
        const wall = new Date(instant.getTime() + offsetMin * 60_000).toUTCString().replace(' GMT', '');
        const abs = Math.abs(offsetMin);
        const zone = `${offsetMin < 0 ? '-' : '+'}${String(Math.floor(abs / 60)).padStart(2, '0')}${String(abs % 60).padStart(2, '0')}`;
        const shown = dateOf(`${wall} ${zone}`, arrived);
        expect(Math.floor(Date.parse(shown) / 1000)).toBe(Math.floor(instant.getTime() / 1000));
        expect(shown.slice(-6).replace(':', '')).toBe(zone);
      }),
    );
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (header) => {
        expect(Number.isNaN(Date.parse(dateOf(header, arrived)))).toBe(false);
      }),
    );
  });
});
