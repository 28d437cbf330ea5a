/**
 * Third-party text for a person's eyes: nothing in it may hide, or turn what stands beside it around.
 * Pure.
 */

/** Scripts whose spelling needs the joiners U+200C and U+200D between their letters. */
const JOINING = [
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
  'Malayalam',
  'Sinhala',
]
  .map((script) => `\\p{Script=${script}}`)
  .join('');

/** Parts of emoji and of spelling that do not show by themselves but change how their neighbours look. */
const AT_WORK = [
  '(?<=\\p{Extended_Pictographic})[\\uFE0E\\uFE0F]',
  '(?<=[0-9#*])\\uFE0F(?=\\u20E3)',
  '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\uFE0F])\\u200D(?=\\p{Extended_Pictographic})',
  `(?<=[${JOINING}])[\\u200C\\u200D](?=[${JOINING}])`,
].join('|');

/** Format, bidi and control characters but TAB and LF, and letters that are drawn as nothing; halves of a pair too. */
const UNSEEN = new RegExp(
  `(?!${AT_WORK}|[\\t\\n])[\\p{Default_Ignorable_Code_Point}\\p{Bidi_Control}\\p{Cf}\\p{Cc}\\p{Zl}\\p{Zp}\\p{Cs}\\u2800]`,
  'gu',
);

export interface Piece {
  readonly text: string;
  /** `U+202E` where the piece is one character that does not show; undefined where it is text that does. */
  readonly unseen: string | undefined;
}

/** The text in pieces, in order; together they are the text again. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: character, index } of text.matchAll(UNSEEN)) {
    if (index > end) pieces.push({ text: text.slice(end, index), unseen: undefined });
    pieces.push({ text: character, unseen: codeOf(character) });
    end = index + character.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), unseen: undefined });
  return pieces;
}

/** The text with every character that does not show spelled out: `⟨U+202E⟩`. */
export function visibleText(text: string): string {
  return text.replace(UNSEEN, (character) => `⟨${codeOf(character)}⟩`);
}

function codeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}
