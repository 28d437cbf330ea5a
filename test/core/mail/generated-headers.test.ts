import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readHeaders, splitHeader } from '../../../core/mail/header-fields.ts';

/** Headers that end as RFC 5322 says, or by a line of white space, as some programs write it. */

const name = fc.stringMatching(/^[A-Z][a-z]{0,8}(-[A-Z][a-z]{0,8})?$/);
const word = fc.stringMatching(/^[!-9;-~]{1,12}$/);
const field = fc.record({
  name,
  words: fc.array(word, { minLength: 1, maxLength: 6 }),
  fold: fc.constantFrom(' ', '\r\n ', '\r\n\t'),
});
const blank = fc.constantFrom('', ' ', '\t', ' \t ');
/** Neither a field nor the rest of one. */
const bodyLine = fc.stringMatching(/^[a-z]{1,10} [a-z]{0,20}$/);
const body = fc.array(bodyLine, { maxLength: 5 });

const rawOf = (fields: readonly { name: string; words: readonly string[]; fold: string }[]) =>
  fields.map((one) => `${one.name}: ${one.words.join(one.fold)}`).join('\r\n');

it('the fields are read, and the body begins after the line that ends them', () => {
  fc.assert(
    fc.property(fc.array(field, { minLength: 1, maxLength: 6 }), blank, body, (fields, end, lines) => {
      const header = rawOf(fields);
      // Without a body, a last line of white space belongs to the last field.
      const text = lines.length === 0 ? '' : `${lines.join('\r\n')}\r\n`;
      const last = text === '' ? '' : end;
      const split = splitHeader(Buffer.from(`${header}\r\n${last}\r\n${text}`));
      expect(split.content.toString()).toBe(text);
      expect(split.block.toString().trimEnd()).toBe(header);
      expect(readHeaders(split.block).map(({ key, value }) => [key, value.replace(/\s+/g, ' ')])).toEqual(
        fields.map((one) => [one.name.toLowerCase(), one.words.join(' ')]),
      );
    }),
  );
});

it('a line of white space inside a header is the rest of a folded field', () => {
  const inside = fc.constantFrom(' ', '\t', ' \t ');
  const some = fc.array(field, { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(some, inside, some, body, (first, blankLine, second, lines) => {
      const header = `${rawOf(first)}\r\n${blankLine}\r\n${rawOf(second)}`;
      const split = splitHeader(Buffer.from(`${header}\r\n\r\n${lines.join('\r\n')}`));
      expect(split.block.toString().trimEnd()).toBe(header);
      expect(readHeaders(split.block).map(({ key }) => key)).toEqual(
        [...first, ...second].map((one) => one.name.toLowerCase()),
      );
    }),
  );
});
