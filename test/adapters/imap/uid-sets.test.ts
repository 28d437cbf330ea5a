import fc from 'fast-check';
import { expect, it } from 'vitest';
import { uidSets } from '../../../adapters/imap/uid-search.ts';

it.each([
  [[], []],
  [[7], ['7']],
  [[9, 3, 4, 5, 3], ['3:5,9']],
])('%o is %o', (uids, sets) => {
  expect(uidSets(uids)).toEqual(sets);
});

it('names every UID once, in lines that servers accept', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 3_000 }), { maxLength: 2_000 }), (uids) => {
      const sets = uidSets(uids);
      expect(sets.every((set) => set.length < 8_000)).toBe(true);
      expect(sets.flatMap(named)).toEqual([...new Set(uids)].sort((a, b) => a - b));
    }),
  );
});

function named(set: string): number[] {
  return set.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split(':').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}
