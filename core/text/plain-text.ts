import { withLatinLetters, withPlainDigits } from './look-alikes.ts';
import { isAscii, normalForm } from './normal-form.ts';

/** Normalises text that looks the same to a person. Pure, and linear in the length of the text. */

/** Invisible characters, except line ends and TAB. */
const INVISIBLE = /(?![\t\n])[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\p{Cs}\u2800]/gu;

const LINE_END = /\r\n?|[\v\f\u0085\u2028\u2029]/g;

/**
 * Text in plain letters and digits, for pattern matching. Removes invisible characters and accents on Latin letters.
 * Replaces look-alikes with Latin letters, digits of any script with 0 to 9, and any run of white space with one space.
 * Keeps at most one empty line in a row.
 */
export function plainText(text: string): string {
  const bare = normalForm(text.replace(LINE_END, '\n').replace(INVISIBLE, ''), 'NFKD');
  return inLatin(bare)
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n');
}

function inLatin(bare: string): string {
  if (isAscii(bare)) return bare;
  return withPlainDigits(withLatinLetters(bare))
    .replace(/(?<=[A-Za-z0-9])\p{M}+/gu, '')
    .normalize('NFC');
}

/**
 * A form that is equal for two texts that differ only in white space, punctuation, case, invisible characters or letter
 * shapes. Punctuation between two digits counts: 1.50 is not 150. Idempotent.
 */
export function comparableText(text: string): string {
  const lower = normalForm(text.replace(INVISIBLE, ''), 'NFKD').toLowerCase().normalize('NFKD');
  const counted = withPlainDigits(withLatinLetters(lower))
    .replaceAll('ς', 'σ')
    .replace(/[^\p{L}\p{M}\p{N}\p{P}\p{Sm}\p{Sc}\p{So}]+/gu, '')
    .replace(/\p{P}+/gu, (run, at: number, whole: string) =>
      isDigit(whole[at - 1]) && isDigit(whole[at + run.length]) ? (/[.,:/]/.exec(run)?.[0] ?? '-') : '',
    );
  return normalForm(counted, 'NFC');
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9';
}
