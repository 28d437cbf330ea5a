import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { locatedText } from '../../../core/text/located-text.ts';
import { plainText } from '../../../core/text/plain-text.ts';
import { anyCharacter } from '../../any-character.ts';

const texts = fc.oneof(
  fc
    .array(
      fc.constantFrom(
        ...[
          'a',
          '1',
          '.',
          ' ',
          '\n',
          '\r\n',
          '\t',
          '\u3000',
          '\u2028',
          '\u0085',
          '\u200b',
          '\u0301',
          '\u00a8',
        ],
        ...['é', 'ﬁ', '٤', 'а', 'Ｄ', '\ufdfa', '👍🏽'],
      ),
      { maxLength: 40 },
    )
    .map((pieces) => pieces.join('')),
  fc.string({ unit: anyCharacter, maxLength: 60 }),
);

describe('located text', () => {
  it('has the same plain form as plainText', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(locatedText(text).plain).toBe(plainText(text));
      }),
    );
  });

  it('finds a part of the original for every part of the plain form', () => {
    fc.assert(
      fc.property(texts, fc.nat(), fc.nat(), (text, start, length) => {
        const { plain, original } = locatedText(text);
        if (plain.trim() === '') return;
        const from = start % plain.length;
        const to = from + 1 + (length % (plain.length - from));
        const { from: first, to: end } = original({ from, to });
        expect(0 <= first && first <= end && end <= text.length).toBe(true);
        if (plain.slice(from, to).trim() !== '') expect(first).toBeLessThan(end);
      }),
    );
  });

  it.each([
    ['the code  is 482913.', '482913', '482913'],
    ['the\n\n\ncode\u00a0is ４８２９１３.', '482913', '４８２９１３'],
    ['the ver\u200bification code', 'verification', 'ver\u200bification'],
    ['DE89  3704\r\n0044', '3704\n0044', '3704\r\n0044'],
  ])('in %j, finds %j as %j', (text, part, expected) => {
    const { plain, original } = locatedText(text);
    const from = plain.indexOf(part);
    const span = original({ from, to: from + part.length });
    expect(text.slice(span.from, span.to)).toBe(expected);
  });
});
