/**
 * Finds the characters of a text that a person does not see, and returns untrusted text as a person sees it. Pure.
 */

/** A letter of these scripts, or a visible mark on one. */
function letterOf(...scripts: string[]): string {
  return `(?=[\\p{L}\\p{M}])[${scripts.map((script) => `\\p{Script=${script}}`).join('')}]`;
}

/** Scripts whose spelling needs the joiners U+200C and U+200D between their letters. */
const JOINED = letterOf(
  ...[
    'Arabic',
    'Syriac',
    'Devanagari',
    'Bengali',
    'Gurmukhi',
    'Gujarati',
    'Oriya',
    'Tamil',
    'Telugu',
    'Kannada',
  ],
  ...['Malayalam', 'Sinhala'],
);

/** The flags of England, Scotland and Wales: a black flag, then tag characters. No other flags use tags. */
const TAG_FLAGS = ['gbeng', 'gbsct', 'gbwls'].flatMap((region) => {
  const tags = [...region].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0)));
  const flag = ['\u{1F3F4}', ...tags, '\u{E007F}'];
  return tags
    .concat('\u{E007F}')
    .map((tag, i) => `(?<=${flag.slice(0, i + 1).join('')})${tag}(?=${flag.slice(i + 2).join('')})`);
});

/** Parts of emoji and of spelling that are invisible themselves but change how their neighbours look. */
const AT_WORK = [
  '(?<=\\p{Extended_Pictographic})[\\uFE0E\\uFE0F]',
  '(?<=[0-9#*])\\uFE0F(?=\\u20E3)',
  '(?<=\\p{Extended_Pictographic}\\uFE0F?|\\p{Emoji_Modifier})\\u200D(?=\\p{Extended_Pictographic})',
  `(?<=${JOINED})[\\u200C\\u200D](?=${JOINED})`,
  `(?=[\\u{E0061}-\\u{E007F}])(?:${TAG_FLAGS.join('|')})`,
];

/** Format, bidi and control characters, lone surrogates, and letters without a glyph. */
const HIDDEN =
  '[\\p{Default_Ignorable_Code_Point}\\p{Bidi_Control}\\p{Cf}\\p{Cc}\\p{Zl}\\p{Zp}\\p{Cs}\\u2800]';

/** TAB and LF show, and so do the Arabic signs below or around a number. */
const SHOWS = '[\\t\\n\\u0600-\\u0605\\u06DD\\u0890\\u0891\\u08E2]';

/**
 * Marks that decide on which side of a right-to-left word its brackets and full stops appear. Kept only next to such a
 * word, and one at a time.
 */
const RIGHT_TO_LEFT = letterOf('Hebrew', 'Arabic', 'Syriac', 'Thaana', 'Nko');
const MARKS_AT_WORK = [
  `(?<=${RIGHT_TO_LEFT}[\\p{P}\\p{Sc}\\p{Sm}\\p{N}]{0,3})[\\u200E\\u200F\\u061C](?!(?!${SHOWS})${HIDDEN})`,
  `(?<!(?!${SHOWS})${HIDDEN})[\\u200E\\u200F\\u061C](?=[\\p{P}\\p{Sc}\\p{Sm}\\p{N}]{0,3}${RIGHT_TO_LEFT})`,
];

function unseen(atWork: readonly string[]): string {
  return `(?=${HIDDEN})(?!${SHOWS}|${atWork.join('|')})[\\s\\S]`;
}

/**
 * Matches one character that the owner cannot see and must be shown: any that is not at work in an emoji or a word.
 * For `replace` and `matchAll`, which do not change its state.
 */
export const UNSEEN = new RegExp(unseen(AT_WORK), 'gu');

/**
 * Matches characters that an agent does not receive. Direction marks at work in right-to-left mail may stay: they move
 * no letter. A longer run gives several matches, because the engine remembers every step of one.
 */
const WITHHELD = new RegExp(`(?:${unseen([...AT_WORK, ...MARKS_AT_WORK])}){1,1000}`, 'gu');

/** Ordinary mail is full of these (soft hyphens, break opportunities, stray joiners, glyph variants). Left out. */
const FILLER =
  /\u034f|\u17b4|\u17b5|[\u00ad\u061c]|[\u180b-\u180f]|[\u200b-\u200f\u2060\ufeff]|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]/gu;

/** Most text has none of these, and this test is faster than the search. */
const MAY_BE_HIDDEN = new RegExp(`[${HIDDEN}--${SHOWS}]`, 'v');

/** More in a row are intentional. Only their number is reported, so they cannot carry a message. */
const SPELLED_AT_MOST = 3;

/** Spells out an invisible character: `⟨U+202E⟩`. */
export function spelled(character: string): string {
  return `⟨${codeOf(character)}⟩`;
}

/** `U+202E` */
export function codeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

/**
 * Returns the text as a person sees it. Leaves out invisible characters that are common in ordinary mail and spells out
 * others. Of a long run, gives only the number: `⟨40 invisible characters⟩`. Keeps joiners and selectors at work in
 * emoji and words, and direction marks next to right-to-left words. Idempotent.
 */
export function seenText(text: string): string {
  if (!MAY_BE_HIDDEN.test(text)) return text;
  const seen: string[] = [];
  let end = 0;
  let run = '';
  for (const { 0: withheld, index } of text.matchAll(WITHHELD)) {
    if (index > end) {
      seen.push(spelledOut(run), text.slice(end, index));
      run = '';
    }
    run += withheld;
    end = index + withheld.length;
  }
  seen.push(spelledOut(run), text.slice(end));
  return seen.join('');
}

/** Spells out a run of invisible characters. */
function spelledOut(run: string): string {
  const characters = Array.from(run);
  if (characters.length > SPELLED_AT_MOST) return `⟨${characters.length} invisible characters⟩`;
  return run.replace(FILLER, '').replace(/./gsu, spelled);
}

/** How far back a cut may move. */
const CUT_WITHIN = 200;

/**
 * Where to cut seen text so that the parts stay seen text: after white space, near `at`. Joiners and modifiers only act
 * inside one word or emoji, so such a cut never separates them. Returns `at` if there is no white space.
 * @param characters code points
 */
export function wordEnd(characters: readonly string[], at: number): number {
  for (let end = at; end > Math.max(0, at - CUT_WITHIN); end--) {
    if (/\s/.test(characters[end - 1] ?? '')) return end;
  }
  return at;
}
