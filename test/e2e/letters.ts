import fc from 'fast-check';
import { anyCharacter } from '../any-character.ts';

/** Texts that agents may send: every kind of accepted character, and everything that is difficult in mail and HTML. */

const lettersOf = (from: number, to: number) =>
  fc.integer({ min: from, max: to }).map((code) => String.fromCodePoint(code));

/** Control characters other than TAB and LF are refused. */
const anyCharacters = fc
  .string({ unit: anyCharacter, maxLength: 12 })
  .map((text) => text.replace(/(?![\t\n])\p{Cc}/gu, ''));

const inLine = fc.oneof(
  { weight: 3, arbitrary: fc.lorem({ maxCount: 4 }) },
  { weight: 3, arbitrary: anyCharacters },
  fc.constantFrom(' ', '   ', '\t', '\u00a0', '\u3000'),
  fc.constantFrom('.', '..', '=', '=20', '=3D', '=?utf-8?B?eA==?=', '--', '-- ', '>', '>>From ', 'From '),
  fc.constantFrom('<b>', '</div>', '<script>alert(1)</script>', '<!--', '-->', ']]>', '<![CDATA[', '<br>'),
  fc.constantFrom('&amp;', '&lt;', '&nbsp;', '&#x202e;', '&', '"', "'", '`', '\\', '$', '%0D%0A'),
  fc.constantFrom('\u200b', '\u200c', '\u200d', '\u200e', '\u200f', '\u2060', '\ufeff', '\u00ad', '\u180e'),
  fc.constantFrom('\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069'),
  fc.constantFrom(
    'e\u0301',
    'Z\u0351\u036b\u0343',
    '\u0e19\u0e49\u0e33',
    '👩‍👩‍👧',
    '❤️',
    '🇩🇪',
    '𝔊𝔯ü𝔰𝔰𝔢',
    'é',
    'Å',
  ),
  fc.constantFrom('שלום', 'مرحبا', '日本語', 'Ελληνικά', 'ﬁ', '\ufffd', '\uffff', '\u{e0041}', '\u{10ffff}'),
  lettersOf(0xe0020, 0xe007e),
  fc.integer({ min: 70, max: 1100 }).map((length) => 'long'.repeat(length / 4)),
  fc.integer({ min: 70, max: 400 }).map((length) => 'ß'.repeat(length)),
  fc.integer({ min: 60, max: 90 }).map((length) => 'x '.repeat(length / 2)),
);

const lineEnd = fc.constantFrom(
  '\n',
  '\n',
  '\n\n',
  ' \n',
  '\t\n',
  '\r\n',
  '\r',
  '\u2028',
  '\u2029',
  '\n'.repeat(30),
);

const text = fc
  .array(fc.tuple(fc.array(inLine, { maxLength: 5 }), lineEnd), { minLength: 1, maxLength: 8 })
  .map((lines) => lines.map(([pieces, end]) => pieces.join('') + end).join(''));

/** Untrusted texts: they include characters that agents may not send. */
export const strangersText: fc.Arbitrary<string> = fc
  .tuple(text, fc.string({ unit: anyCharacter, maxLength: 30 }), text)
  .map((parts) => parts.join(''));

/** A body in normal form: without byte order marks at the start and without one final newline. */
export function normalBody(body: string): string {
  return body
    .replace(/^\ufeff+/, '')
    .replace(/\r\n?/g, '\n')
    .replace(/\n$/, '');
}

export const body: fc.Arbitrary<string> = text.filter((one) => normalBody(one) !== '');

/** One line, without characters that a header cannot keep. */
export const subject: fc.Arbitrary<string> = fc
  .array(inLine, { minLength: 1, maxLength: 4 })
  .map((pieces) =>
    Array.from(pieces.join('').replace(/[\t\n\u2028\u2029\ufeff]/g, ''))
      .slice(0, 280)
      .join(''),
  )
  .filter((line) => line !== '');
