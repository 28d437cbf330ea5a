import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { controlsAsSpaces, dateOf, displayAddress } from '../../../core/mail/row-text.ts';

describe('displayAddress', () => {
  it.each([
    [{ name: 'Ada', address: 'ada@example.org' }, 'Ada <ada@example.org>'],
    [{ name: '', address: 'ada@example.org' }, 'ada@example.org'],
    [{ name: 'ada@example.org', address: 'ada@example.org' }, 'ada@example.org'],
    [{ name: 'Ada', address: '' }, 'Ada'],
    [{ name: 'A\r\nB', address: 'a@example.org' }, 'A  B <a@example.org>'],
    [{ name: 'ADA@example.org', address: 'ada@example.org' }, 'ada@example.org'],
    [
      { name: 'ceo@bank.example', address: 'eve@evil.example' },
      'eve@evil.example (named "ceo@bank.example")',
    ],
    [
      { name: 'The CEO <ceo@bank.example>', address: 'eve@evil.example' },
      'eve@evil.example (named "The CEO <ceo@bank.example>")',
    ],
    [
      { name: 'ceo＠bank.example', address: 'eve@evil.example' },
      'eve@evil.example (named "ceo＠bank.example")',
    ],
    [{ name: '', address: '' }, ''],
    [
      { name: `Bank ${'x'.repeat(500)}`, address: 'eve@evil.example' },
      `Bank ${'x'.repeat(194)}… <eve@evil.example>`,
    ],
  ])('%j reads %j', (address, shown) => {
    expect(displayAddress(address)).toBe(shown);
  });
});

describe('controlsAsSpaces', () => {
  it('changes only control characters and line separators, one for one', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const line = controlsAsSpaces(text);
        expect(line).toHaveLength(text.length);
        expect(line).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
        for (const [i, unit] of [...text].entries()) expect([unit, ' ']).toContain([...line][i]);
      }),
    );
  });
});

describe('dateOf', () => {
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
  ])('reads %j', (header, iso) => {
    expect(dateOf(header, arrived)).toBe(iso);
  });

  it.each([
    null,
    '',
    'yesterday',
    '2026-03-03 09:05:07',
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
      fc.property(fc.string({ unit: 'binary' }), (header) => {
        expect(Number.isNaN(Date.parse(dateOf(header, arrived)))).toBe(false);
      }),
    );
  });
});
