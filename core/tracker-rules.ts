import { normalForm } from './normal-form.ts';

/**
 * Which trackers a message belongs to, by their keywords. Pure.
 *
 * Keywords are separated by commas; each is a word, or several that follow each other. They are looked for in the
 * sender, the subject and the text, each by itself, as whole words and without regard to case. A word is a run of
 * letters, marks and digits; what stands between them (blanks, hyphens, dots, the @ of an address) only parts words,
 * so that `atlas-launch` and `Atlas launch` are the same keyword. Scripts that put nothing between their words
 * (Chinese, Japanese, Thai …) count each character as one, so that a keyword is found inside a sentence.
 *
 * A keyword of fewer than two letters or digits would match nearly everything, and matches nothing.
 */

/** Scripts that are written without blanks between words. */
const UNPARTED =
  '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}]';

const WORD = new RegExp(`${UNPARTED}\\p{M}*|(?:(?!${UNPARTED})[\\p{L}\\p{N}\\p{M}])+`, 'gu');

/** What does not show parts no word: a soft hyphen, a zero-width joiner. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}+/gu;

/**
 * The words of a text, folded: composition, width and case are no difference. By way of upper case, which makes `ß`
 * and `SS` the same; of lower case before that, for `ẞ` has no other.
 */
export function wordsOf(text: string): string[] {
  const lower = normalForm(text.replace(UNSEEN, ''), 'NFKC').replace(UNSEEN, '').toLowerCase();
  const folded = lower.toUpperCase().toLowerCase().normalize('NFKC');
  // The dot of a Turkish capital I has become a mark of its own; which sigma it is depends on what follows.
  return folded.replaceAll('i\u0307', 'i').replaceAll('ς', 'σ').match(WORD) ?? [];
}

/** Keywords as words; those that match nothing are left out. */
export function phrasesOf(keywords: string): string[][] {
  return keywords
    .split(/[,\uFF0C\u3001]/)
    .map(wordsOf)
    .filter((words) => Array.from(words.join('').replace(/\p{M}/gu, '')).length >= 2);
}

/** The keywords of all trackers of an owner, made once for any number of messages. */
export interface KeywordIndex {
  /** The trackers that one of these texts matches, smallest number first. */
  matches(texts: readonly string[]): number[];
}

/** A word on the way of a phrase: what may follow it, and the trackers whose phrase ends with it. */
interface Step {
  /** Most phrases are one word, and nothing follows. */
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

/** The phrases that begin with the word at `from`. */
function collect(root: Step, words: readonly string[], from: number, found: Set<Step>): void {
  let step: Step | undefined = root;
  for (let at = from; at < words.length; at++) {
    step = step.next?.get(words[at] ?? '');
    if (step === undefined) return;
    if (step.trackerIds.length > 0) found.add(step);
  }
}
