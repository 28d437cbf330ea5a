import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { piecesOf, visibleText } from '../../../hosts/dashboard/visible-text.ts';
import { anyCharacter } from '../../any-character.ts';

/** Any text, with many of the characters in question. */
const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom('a', ' ', '\n', '\t', 'é', 'م', 'क', '्', '👩', '💻', '🏽', '❤', '1', '\u20e3'),
    fc.constantFrom(
      '\u200b',
      '\u200c',
      '\u200d',
      '\u200e',
      '\u202e',
      '\u2066',
      '\ufe0f',
      '\u00ad',
      '\u{e0041}',
    ),
    fc.constantFrom('\u0000', '\u001b', '\u007f', '\u0085', '\u2028', '\ufeff', '\ud800', '\u3164', '\u2800'),
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }),
  ),
});

describe('visible text', () => {
  it('joins to the original text from its pieces, and marks only single characters', () => {
    fc.assert(
      fc.property(text, (given) => {
        const pieces = piecesOf(given);
        expect(pieces.map((piece) => piece.text).join('')).toBe(given);
        for (const { text: piece, unseen } of pieces) {
          if (unseen === undefined) continue;
          expect([...piece]).toHaveLength(1);
          expect(unseen).toBe(`U+${piece.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`);
        }
      }),
    );
  });

  it('contains nothing that reverses text or ends a line, and is idempotent', () => {
    fc.assert(
      fc.property(text, (given) => {
        const shown = visibleText(given);
        expect(shown).not.toMatch(/[\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}]/u);
        expect(shown.replace(/[\t\n]/g, '')).not.toMatch(/\p{Cc}/u);
        expect(visibleText(shown)).toBe(shown);
      }),
    );
  });

  it.each([
    ['an override', 'annex\u202efdp.exe', 'annex⟨U+202E⟩fdp.exe'],
    ['isolates', '\u2066a\u2069', '⟨U+2066⟩a⟨U+2069⟩'],
    ['a zero-width space', 'pay\u200bpal', 'pay⟨U+200B⟩pal'],
    ['a joiner between Latin letters', 'a\u200db', 'a⟨U+200D⟩b'],
    ['a soft hyphen', 'a\u00adb', 'a⟨U+00AD⟩b'],
    ['tag characters', 'a\u{e0041}', 'a⟨U+E0041⟩'],
    ['a variation selector without effect', 'a\ufe0f', 'a⟨U+FE0F⟩'],
    ['letters that render as nothing', '\u3164\u2800', '⟨U+3164⟩⟨U+2800⟩'],
    ['half a surrogate pair', 'a\ud800', 'a⟨U+D800⟩'],
    ['control characters', 'a\u001b[31m\r', 'a⟨U+001B⟩[31m⟨U+000D⟩'],
  ])('marks %s', (_, given, shown) => {
    expect(visibleText(given)).toBe(shown);
  });

  it.each([
    ['accents and scripts', 'Grüße, Ελλάδα, Привет, 你好, שלום, مرحبا'],
    ['composed emoji', '👩‍💻 👨‍👩‍👧 ❤️ 👋🏽 🏳️‍🌈 1️⃣ 🇩🇪'],
    ['joiners required by spelling', 'می‌خواهم क्‍ष'],
    ['lines and tabs', 'a\n\tb\n'],
  ])('leaves %s as they are', (_, given) => {
    expect(visibleText(given)).toBe(given);
    expect(piecesOf(given)).toEqual([{ text: given, unseen: undefined }]);
  });
});
