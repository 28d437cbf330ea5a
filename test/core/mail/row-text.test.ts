import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { controlsAsSpaces, displayAddress } from '../../../core/mail/row-text.ts';
import { anyCharacter } from '../../any-character.ts';

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
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const line = controlsAsSpaces(text);
        expect(line).toHaveLength(text.length);
        expect(line).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
        for (const [i, unit] of [...text].entries()) expect([unit, ' ']).toContain([...line][i]);
      }),
    );
  });
});
