import { normalForm } from '../text/normal-form.ts';

/**
 * Decides by keywords which trackers a message belongs to. Pure.
 *
 * Keywords are separated by commas. Each is a word, or several words in a row. They are searched for in the sender, the
 * subject and the text separately, as whole words, ignoring case. A word is a run of letters, marks and digits;
 * anything between (blanks, hyphens, dots, the @ of an address) separates words, so `atlas-launch` and `Atlas launch`
 * are the same keyword. In scripts without blanks (Chinese, Japanese, Thai …) every character is a word, so a keyword is
 * found inside a sentence.
 *
 * A keyword with fewer than two letters or digits would match nearly everything, so it matches nothing.
 */

/** Scripts without blanks between words. */
const UNSPACED =
  '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}]';

const WORD = new RegExp(`${UNSPACED}\\p{M}*|(?:(?!${UNSPACED})[\\p{L}\\p{N}\\p{M}])+`, 'gu');

/** Invisible characters do not separate words: a soft hyphen, a zero-width joiner. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}+/gu;

/**
 * The words of a text, folded: ignores composition, width and case. Goes through upper case, which makes `ß` and `SS`
 * equal, and through lower case before that, because `ẞ` has no other upper-case form.
 */
export function wordsOf(text: string): string[] {
  const lower = normalForm(text.replace(INVISIBLE, ''), 'NFKC').replace(INVISIBLE, '').toLowerCase();
  const folded = lower.toUpperCase().toLowerCase().normalize('NFKC');
  // A Turkish capital I leaves its dot behind as a mark; the form of a sigma depends on what follows it.
  return folded.replaceAll('i\u0307', 'i').replaceAll('ς', 'σ').match(WORD) ?? [];
}

/** Keywords as words, without those that match nothing. */
export function phrasesOf(keywords: string): string[][] {
  return keywords
    .split(/[,\uFF0C\u3001]/)
    .map(wordsOf)
    .filter((words) => Array.from(words.join('').replace(/\p{M}/gu, '')).length >= 2);
}

/** The keywords of all trackers of an owner, built once for any number of messages. */
export interface KeywordIndex {
  /** The trackers that one of the texts matches, smallest number first. */
  matches(texts: readonly string[]): number[];
}

/** One word of a phrase: the words that may follow it, and the trackers whose phrase ends here. */
interface Step {
  /** Undefined for most steps: most phrases are one word. */
  next: Map<string, Step> | undefined;
  readonly trackerIds: number[];
}

export function keywordIndex(
  trackers: readonly { readonly trackerId: number; readonly keywords: string }[],
): KeywordIndex {
  const root: Step = { next: undefined, trackerIds: [] };
  for (const { trackerId, keywords } of trackers) {
    for (const phrase of phrasesOf(keywords)) endOf(root, phrase).trackerIds.push(trackerId);
  }
  return {
    matches(texts) {
      const found = new Set<Step>();
      for (const text of texts) {
        const words = wordsOf(text);
        for (let at = 0; at < words.length; at++) collect(root, words, at, found);
      }
      const ids = new Set([...found].flatMap((step) => step.trackerIds));
      return [...ids].sort((a, b) => a - b);
    },
  };
}

function endOf(root: Step, phrase: readonly string[]): Step {
  let step = root;
  for (const word of phrase) {
    step.next ??= new Map();
    let next = step.next.get(word);
    if (next === undefined) {
      next = { next: undefined, trackerIds: [] };
      step.next.set(word, next);
    }
    step = next;
  }
  return step;
}

/** Adds the phrases that start with the word at `from`. */
function collect(root: Step, words: readonly string[], from: number, found: Set<Step>): void {
  let step: Step | undefined = root;
  for (let at = from; at < words.length; at++) {
    step = step.next?.get(words[at] ?? '');
    if (step === undefined) return;
    if (step.trackerIds.length > 0) found.add(step);
  }
}
