import fc from 'fast-check';

/**
 * Units for `fc.string`. They stand in for its `binary` and `grapheme`, whose tables of all characters take each process
 * that uses them three seconds to make.
 */

const SURROGATES = { first: 0xd800, count: 0x800 };

/** Any code point except half a surrogate pair. */
export const anyCharacter = fc.integer({ min: 0, max: 0x10ffff - SURROGATES.count }).map(
  (index) => String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count),
  (character) => {
    const point = typeof character === 'string' ? character.codePointAt(0) : undefined;
    if (point === undefined || String.fromCodePoint(point) !== character) throw new Error('not a character');
    return point < SURROGATES.first ? point : point - SURROGATES.count;
  },
);

const assigned = anyCharacter.filter((character) => /^[\p{L}\p{N}\p{P}\p{S}\p{Zs}]$/u.test(character));
const mark = fc.constantFrom('\u0301', '\u0308', '\u0327', '\u093f', '\ufe0f');

/** What a reader sees as one character, also one with a combining mark. */
export const anyGrapheme = fc.oneof(
  { weight: 9, arbitrary: assigned },
  { weight: 1, arbitrary: fc.tuple(assigned, mark).map((parts) => parts.join('')) },
);
