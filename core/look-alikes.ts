import { normalForm } from './normal-form.ts';

/** Letters that look like Latin ones. Pure. Source: a choice of Unicode's confusables.txt. */

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
 * The Latin letter that each of them looks like. The small form of a capital counts as well, so that text in either
 * case comes to the same letters.
 */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map([
  ...PAIRS.map(([other, letter]) => [other.toLowerCase(), letter.toLowerCase()] as const),
  ...PAIRS,
]);

const ANY = new RegExp(`[${[...LOOK_ALIKES.keys()].join('')}]`, 'gu');

/** The text with Latin letters in the place of those that look like them. */
export function withLatinLetters(text: string): string {
  return text.replace(ANY, (letter) => LOOK_ALIKES.get(letter) ?? letter);
}

/** The text with the digits of all scripts written 0 to 9. */
export function withPlainDigits(text: string): string {
  return text.replace(/(?![0-9])\p{Nd}/gu, (digit) => String(digitValue(digit)));
}

/** Unicode keeps the ten digits of a script together, from nought to nine. */
function digitValue(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
  return value;
}

/** Blocks of letters that are Latin ones in another form: letterlike, circled, wide, squared and mathematical. */
const FORMS = [
  [0x2100, 0x214f],
  [0x24b6, 0x24e9],
  [0xff21, 0xff5a],
  [0x1d400, 0x1d6a3],
  [0x1f130, 0x1f149],
] as const;

/** For a pattern with the flags `iu`: a class of a Latin letter and of all that look like it. */
export function looksLike(letter: string): string {
  const [small, capital] = [letter.toLowerCase(), letter.toUpperCase()];
  const alike = [small, capital, OTHERS[small] ?? '', OTHERS[capital] ?? ''];
  for (const [from, to] of FORMS) {
    for (let code = from; code <= to; code++) {
      const form = String.fromCodePoint(code);
      if (form.normalize('NFKC').toLowerCase() === small) alike.push(form);
    }
  }
  return `[${alike.join('')}]`;
}

/** What else looks alike in small print. Capital I, small l and the digit are one stroke; so is i. */
const STROKES: ReadonlyMap<string, string> = new Map(
  Object.entries({ d: 'đ', h: 'ħ', l: 'i1|ıіιӏłǀ', n: 'п', o: '0ø', s: '5', u: 'ц', w: 'ш' }).flatMap(
    ([letter, others]) => Array.from(others, (other) => [other, letter] as const),
  ),
);

/** A text in lower case with everything that looks alike written alike. */
export function withoutLookAlikes(text: string): string {
  const bare = normalForm(text, 'NFKD').replace(/\p{M}/gu, '');
  return Array.from(bare, (one) => STROKES.get(one) ?? LOOK_ALIKES.get(one) ?? one)
    .join('')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
    .replaceAll('cl', 'd');
}
