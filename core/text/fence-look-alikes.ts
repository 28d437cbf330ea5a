import { withLatinLetters } from './look-alikes.ts';

/** Finds text that a reader could mistake for a fence line around untrusted text. Pure, and linear in the text. */

/** Angle brackets and their look-alikes, with the number of brackets each one looks like. */
const BRACKETS: ReadonlyMap<string, number> = new Map([
  ...Array.from('<‹〈〈⟨˂ᐸ❮❰❬⧼≺⦑ᚲ⋖⪪⊰', (one) => [one, 1] as const),
  ...Array.from('«⟪《≪⪡⫷', (one) => [one, 2] as const),
  ['⋘', 3],
]);
const ANY_BRACKET = /[<‹〈〈⟨˂ᐸ❮❰❬⧼≺⦑ᚲ⋖⪪⊰«⟪《≪⪡⫷⋘＜﹤]/;

const FENCE_BRACKETS = 2;
const WORDS = ['untrustedcontent', 'enduntrustedcontent'] as const;

/** Brackets in front of the words of a fence line, in any letters, case and spacing. */
export interface FenceLookAlike {
  /** The position of its brackets, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

export function fenceLookAlikes(text: string): FenceLookAlike[] {
  const found: FenceLookAlike[] = [];
  if (!ANY_BRACKET.test(text)) return found;
  let run: { start: number; end: number; weight: number; letters: string } | undefined;
  let at = 0;
  for (const character of text) {
    for (const sign of shapesOf(character)) {
      const weight = BRACKETS.get(sign);
      if (weight !== undefined) {
        if (run === undefined || run.letters !== '') run = { start: at, end: at, weight: 0, letters: '' };
        run.weight += weight;
        run.end = at + character.length;
      } else if (run !== undefined) {
        const letters: string = run.letters + sign;
        run.letters = letters;
        if (run.weight < FENCE_BRACKETS || !WORDS.some((word) => word.startsWith(letters))) run = undefined;
        else if (WORDS.some((word) => word === letters)) {
          found.push({ start: run.start, end: run.end });
          run = undefined;
        }
      }
    }
    at += character.length;
  }
  return found;
}

const known = new Map<string, string>();
/** The number of cached characters; there are more than a million. */
const MAX_KNOWN = 5000;

/**
 * What a character looks like, in small Latin letters and brackets. Empty for characters between letters: white space,
 * accents, punctuation, signs, and invisible characters.
 */
function shapesOf(character: string): string {
  const before = known.get(character);
  if (before !== undefined) return before;
  // A normal form can be a different letter: that of \u03f9, which looks like a C, is a sigma.
  const shapes =
    shapeOf(character) ?? Array.from(plainForm(character), (one) => shapeOf(one) ?? plainShape(one)).join('');
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(character, shapes);
  return shapes;
}

function shapeOf(character: string): string | undefined {
  if (BRACKETS.has(character)) return character;
  const shape = FENCE_ONLY.get(character) ?? FENCE_ONLY.get(character.toLowerCase());
  const latin = withLatinLetters(character);
  return shape ?? (latin === character ? undefined : latin.toLowerCase());
}

function plainShape(character: string): string {
  return IS_LETTER.test(character) ? character.toLowerCase() : '';
}

/** Some letters are drawn as nothing. */
const IS_LETTER = /(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{N}]/u;

/** Flags, and letters in circles and squares that normal forms do not decompose. */
const ENCLOSED = [0x1f150, 0x1f170, 0x1f1e6] as const;

function plainForm(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const from = ENCLOSED.find((first) => code >= first && code < first + 26);
  return from === undefined ? character.normalize('NFKD') : String.fromCharCode(0x61 + code - from);
}

/** Letters and digits that look like those of the fence here, and stay themselves elsewhere. */
const FENCE_ONLY: ReadonlyMap<string, string> = new Map(
  Object.entries({
    c: 'ᴄᏟⲤⲥↄ',
    d: 'ᴅᗞᗪđð',
    e: '3єεᴇℇⴹᎬəɛ',
    n: 'пռɴℵ∩Ⲛ',
    o: '0ᴏøⲞⲟⵔօ۵߀०০',
    r: 'ʀᎡᏒᖇƦя',
    s: '5ꜱᏕᏚ§ƽſ',
    t: '7ᴛᎢƚтŧ',
    u: 'ᴜ∪ᑌʋսυц',
  }).flatMap(([letter, others]) => Array.from(others, (other) => [other, letter] as const)),
);
