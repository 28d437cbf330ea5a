import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { comparableText, plainText } from '../../../core/text/plain-text.ts';
import { anyCharacter } from '../../any-character.ts';

const anyText = fc.string({ unit: anyCharacter, maxLength: 60 });
/** White space and invisible characters. */
const spacing = fc
  .array(
    fc.constantFrom(
      ' ',
      '  ',
      '\t',
      '\n',
      '\r\n',
      '\u00a0',
      '\u2003',
      '\u3000',
      '\u200b',
      '\ufeff',
      '\u00ad',
    ),
  )
  .map((parts) => parts.join(''));
const punctuation = fc
  .array(fc.constantFrom('.', '!', '!!', ',', '…', '—', '"', '«', '_', '*'))
  .map((all) => all.join(''));
const word = fc.stringMatching(/^[a-z]{1,8}$/);

describe('comparableText', () => {
  it('is idempotent', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(comparableText(comparableText(text))).toBe(comparableText(text));
      }),
      { numRuns: 3000 },
    );
  });

  it('is the same for texts that differ only in spacing', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.stringMatching(/^[\w.!ßäé 0-9]{1,6}$/), spacing)), (parts) => {
        const without = parts.map(([text]) => text).join('');
        expect(comparableText(parts.flat().join(''))).toBe(comparableText(without));
      }),
    );
  });

  it('is the same for texts that differ only in case, punctuation and the form of letters', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(word, punctuation)), (parts) => {
        const plain = parts.map(([text]) => text).join(' ');
        const wide = (text: string) =>
          text.replace(/[a-z]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0));
        const other = parts
          .map(([text, sign]) => `${sign}${wide(text.toUpperCase().toLowerCase())}${sign}`)
          .join(' ');
        expect(comparableText(other)).toBe(comparableText(plain));
        expect(comparableText(plain.toUpperCase())).toBe(comparableText(plain));
      }),
    );
  });

  it('differs for different words', () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), fc.array(word, { minLength: 1 }), (some, others) => {
        fc.pre(some.join('') !== others.join(''));
        expect(comparableText(some.join(' '))).not.toBe(comparableText(others.join(' ')));
      }),
    );
  });

  it.each([
    ['Pay 1.50', 'Pay 150'],
    ['at 10:30', 'at 1030'],
    ['1-2 people', '12 people'],
    ['Yes 👍', 'Yes 👎'],
    ['5 €', '5 $'],
    ['schon', 'schön'],
    ['año', 'ano'],
    ['мой', 'мои'],
    ['की', 'का'],
    ['会', '今'],
    ['+49', '49'],
  ])('differs for %j and %j', (one, other) => {
    expect(comparableText(one)).not.toBe(comparableText(other));
  });

  it.each([
    ['Hello  Bob', 'Hello Bob'],
    ['Hel lo Bob', 'Hello Bob'],
    ['Hello\u200b Bob!', 'hello, BOB'],
    ['Ｈｅｌｌｏ', 'Hello'],
    ['Неllо', 'Hello'],
    ['НЕТ', 'нет'],
    ['𝐇ello', 'Hello'],
    ['1 . 50', '1.50'],
    ['٤٢', '42'],
    ['Straße', 'STRAßE'],
    ['mid–2026', 'mid-2026'],
    ['10–20', '10-20'],
    ['ﬁne', 'fine'],
  ])('is the same for %j and %j', (one, other) => {
    expect(comparableText(one)).toBe(comparableText(other));
  });
});

describe('plainText', () => {
  it('is idempotent', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(plainText(plainText(text))).toBe(plainText(text));
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ['a \u00a0\t\u3000b', 'a b'],
    ['a\r\n \u2028\n\n b', 'a\n\nb'],
    ['pаssw\u200bоrd', 'password'],
    ['Bestätigungscode', 'Bestatigungscode'],
    ['４１１１ ۴۲ ①1️⃣', '4111 42 11'],
  ])('reads %j as %j', (given, plain) => {
    expect(plainText(given)).toBe(plain);
  });
});
