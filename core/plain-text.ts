import { withLatinLetters, withPlainDigits } from './look-alikes.ts';
import { normalForm } from './normal-form.ts';

/** One text for all that a person reads as the same. Pure, and linear in the length of the text. */

/** What does not show, except line ends and TAB. */
const UNSHOWN = /(?![\t\n])[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\p{Cs}\u2800]/gu;

const LINE_END = /\r\n?|[\v\f\u0085\u2028\u2029]/g;

/**
 * The text in plain letters and digits, for patterns: without what does not show and without accents on Latin
 * letters, letters that look like Latin ones as Latin ones, the digits of all scripts as 0 to 9, white space of any
 * kind and length as one space, at most one empty line in a row.
 */
export function plainText(text: string): string {
  const bare = normalForm(text.replace(LINE_END, '\n').replace(UNSHOWN, ''), 'NFKD');
  const plain = withPlainDigits(withLatinLetters(bare)).replace(/(?<=[A-Za-z0-9])\p{M}+/gu, '');
  return plain
    .normalize('NFC')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n');
}

/**
 * What two texts have in common that differ only in white space, punctuation, case, what does not show, and the form
 * of their letters. Signs between two digits count: 1.50 is not 150. The same text again for the text that it gives.
 */
export function comparableText(text: string): string {
  const lower = normalForm(text.replace(UNSHOWN, ''), 'NFKD').toLowerCase().normalize('NFKD');
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
