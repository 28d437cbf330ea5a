import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nearestName } from '../../../core/text/nearest.ts';

const NAMES = ['account_id', 'folder', 'limit', 'cursor', 'body_offset'];

it.each([
  ['limt', 'limit'],
  ['Limit', 'limit'],
  ['accountId', 'account_id'],
  ['offset', 'body_offset'],
  ['folders', 'folder'],
  ['curser', 'cursor'],
  ['id', 'account_id'],
  ['cc', undefined],
  ['max_results', undefined],
  ['x', undefined],
  ['', undefined],
  ['__proto__', undefined],
])('%s: %s', (given, name) => {
  expect(nearestName(given, NAMES)).toBe(name);
});

it('finds every name with one letter changed, and takes any text', () => {
  fc.assert(
    fc.property(fc.constantFrom(...NAMES), fc.nat(20), (name, n) => {
      const at = n % name.length;
      expect(nearestName(`${name.slice(0, at)}q${name.slice(at + 1)}`, NAMES)).toBe(name);
    }),
  );
  fc.assert(fc.property(fc.string(), (text) => void nearestName(text, NAMES)));
});
