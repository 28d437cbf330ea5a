import { WINDOW_WORDS } from '../provenance/word-windows.ts';
import { normalForm } from '../text/normal-form.ts';

/** Scripts that are written without spaces: each character counts as a word. */
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{M}\p{N}]+/gu;

/**
 * The words at the start of a text, without case and punctuation, and with a space between them. Pure.
 * @param windowsMax  they make this many runs of ten words at most
 */
export function firstWords(text: string, windowsMax: number): string {
  if (windowsMax === 0) return '';
  const words: string[] = [];
  for (const [word] of normalForm(text, 'NFKC').toLowerCase().matchAll(WORD)) {
    words.push(word);
    if (words.length === windowsMax + WINDOW_WORDS - 1) break;
  }
  return words.join(' ');
}
