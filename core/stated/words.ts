import { normalForm } from '../text/normal-form.ts';

/** Ten words in a row. A shorter run is in every letter. */
const WINDOW_WORDS = 10;

/** Scripts that are written without spaces: each character counts as a word. */
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{M}\p{N}]+/gu;

/**
 * Every run of ten words of a text, from its start on, without case and punctuation. Pure.
 * @param most  further ones are left out
 */
export function wordWindows(text: string, most: number): string[] {
  if (most === 0) return [];
  const words: string[] = [];
  for (const [word] of normalForm(text, 'NFKC').toLowerCase().matchAll(WORD)) {
    words.push(word);
    if (words.length === most + WINDOW_WORDS - 1) break;
  }
  return Array.from({ length: Math.max(0, words.length - WINDOW_WORDS + 1) }, (_, at) =>
    words.slice(at, at + WINDOW_WORDS).join(' '),
  );
}
