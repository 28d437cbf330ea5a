import { normalForm } from './normal-form.ts';

/** Letters that look like Latin ones. Pure. Source: a selection from Unicode's confusables.txt. */

const OTHERS: Readonly<Record<string, string>> = {
  a: 'аɑα',
  b: 'Ььβ',
  c: 'сϲ',
  d: 'ԁ',
  e: 'еҽ',
  g: 'ɡց',
  h: 'һհ',
  i: 'іιı',
  j: 'јϳ',
  k: 'кκ',
  l: 'ӏǀ',
  m: 'м',
  n: 'ոη',
  o: 'оοօ',
  p: 'рρ',
  q: 'ԛզ',
  r: 'г',
  s: 'ѕ',
  t: 'тτ',
  u: 'υս',
  v: 'νѵ',
  w: 'ԝω',
  x: 'хχ',
  y: 'уγү',
  z: 'ᴢ',
  A: 'АΑ',
  B: 'ВΒ',
  C: 'СϹ',
  D: 'Ꭰ',
  E: 'ЕΕ',
  G: 'Ԍ',
  H: 'НΗ',
  I: 'ІΙӀ',
  J: 'ЈͿ',
  K: 'КΚ',
  L: 'Ꮮ',
  M: 'МΜ',
  N: 'Ν',
  O: 'ОΟՕ',
  P: 'РΡ',
  Q: 'Ԛ',
  R: 'Ꭱ',
  S: 'ЅՏ',
  T: 'ТΤ',
  U: 'Ս',
  V: 'ѴᏙ',
  W: 'Ԝ',
  X: 'ХΧ',
  Y: 'УΥҮ',
  Z: 'Ζ',
};

const PAIRS = Object.entries(OTHERS).flatMap(([letter, others]) =>
  Array.from(others, (other) => [other, letter] as const),
);

/**
 * Maps each of them to the Latin letter it looks like. Includes the lower-case form of capitals, so that text in either
 * case maps to the same letters.
 */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map([
  ...PAIRS.map(([other, letter]) => [other.toLowerCase(), letter.toLowerCase()] as const),
  ...PAIRS,
]);

const ANY = new RegExp(`[${[...LOOK_ALIKES.keys()].join('')}]`, 'gu');

/** Replaces letters that look like Latin ones with the Latin ones. */
export function withLatinLetters(text: string): string {
  return text.replace(ANY, (letter) => LOOK_ALIKES.get(letter) ?? letter);
}

/** Replaces the digits of all scripts with 0 to 9. */
export function withPlainDigits(text: string): string {
  return text.replace(/(?![0-9])\p{Nd}/gu, (digit) => String(digitValue(digit)));
}

/** In Unicode the ten digits of a script are consecutive, from zero to nine. */
function digitValue(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
  return value;
}

/** More characters that look alike in small print: capital I, lower-case l, i and 1 are all one stroke. */
const STROKES: ReadonlyMap<string, string> = new Map(
  Object.entries({ d: 'đ', h: 'ħ', l: 'i1|ıіιӏłǀ', n: 'п', o: '0ø', s: '5', u: 'ц', w: 'ш' }).flatMap(
    ([letter, others]) => Array.from(others, (other) => [other, letter] as const),
  ),
);

/** Lower-case text in which single characters that look alike are equal. Its length stays the same. */
export function withOneLetterEach(text: string): string {
  return Array.from(text, (one) => STROKES.get(one) ?? LOOK_ALIKES.get(one) ?? one).join('');
}

/** Lower-case text in which characters that look alike are equal. */
export function withoutLookAlikes(text: string): string {
  return withOneLetterEach(normalForm(text, 'NFKD').replace(/\p{M}/gu, ''))
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
    .replaceAll('cl', 'd');
}
