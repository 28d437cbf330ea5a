import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oneLine } from '../../../core/text/one-line.ts';
import { anyCharacter } from '../../any-character.ts';

describe('oneLine', () => {
  it.each([
    ['one\r\ntwo', 'one two'],
    ['\tpadded \u2028\u00a0 text\ufeff', 'padded text'],
    ['a\0b\u0085c\ud800d', 'a b c d'],
    ['kept: \u202e\u200d ⟨U+0000⟩', 'kept: \u202e\u200d ⟨U+0000⟩'],
  ])('writes %j as %j', (text, line) => {
    expect(oneLine(text)).toBe(line);
  });

  it('leaves no control character, no lone surrogate and no two spaces in a row', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const line = oneLine(text);
        expect(line).not.toMatch(/[\p{Cc}\p{Surrogate}]|\s\s|^\s|\s$/u);
        expect(oneLine(line)).toBe(line);
      }),
    );
  });
});
