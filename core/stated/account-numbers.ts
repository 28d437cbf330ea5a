import type { Span } from '../text/span.ts';

/** Finds bank account and card numbers, by checksum if they have one. Pure. */

/** Length of an IBAN by country. Source: SWIFT, IBAN registry (ISO 13616). */
const IBAN_CHARS: ReadonlyMap<string, number> = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ' +
    'ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 ' +
    'LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 ' +
    'PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 ' +
    'YE30'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/** Two letters and two digits, at the start of a word, or of its rest behind `IBAN`. */
const IBAN_START =
  /(?:(?<![\p{L}\p{N}])|(?<=(?<![\p{L}\p{N}])iban))[a-z][^\p{L}\p{N}]*[a-z](?=[^\p{L}\p{N}]*\d[^\p{L}\p{N}]*\d)/giu;

/** Ignores separators and line ends between the characters. */
function* ibans(text: string): Generator<Span> {
  for (const { index: from } of text.matchAll(IBAN_START)) {
    const to = ibanEnd(text, from);
    if (to !== undefined) yield { from, to };
  }
}

/** The end of the IBAN that starts there. At least half of one is digits. */
function ibanEnd(text: string, from: number): number | undefined {
  let iban = '';
  let length: number | undefined;
  for (const { 0: character, index } of text.slice(from).matchAll(/[\p{L}\p{N}]/gu)) {
    if (!/[a-z0-9]/i.test(character)) return undefined;
    iban += character.toUpperCase();
    if (iban.length === 2) length = IBAN_CHARS.get(iban);
    if (iban.length === 2 && length === undefined) return undefined;
    if (iban.length !== length) continue;
    const isOne = /^[A-Z]{2}\d{2}/.test(iban) && iban.replace(/\D/g, '').length * 2 >= length && isIban(iban);
    return isOne ? from + index + 1 : undefined;
  }
  return undefined;
}

/** ISO 7064 mod 97-10: move the first four characters to the end, read letters as 10 to 35; the remainder must be 1. */
function isIban(iban: string): boolean {
  let remainder = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}

/** Prefixes and lengths of card numbers in use. Source: ISO/IEC 7812 and the networks' published ranges. */
const CARD = new RegExp(
  `^(?:${[
    '4(?:\\d{15}|\\d{18})', // Visa
    '(?:5[1-5]\\d{2}|222[1-9]|22[3-9]\\d|2[3-6]\\d{2}|27[01]\\d|2720)\\d{12}', // Mastercard
    '3[47]\\d{13}', // American Express
    '(?:30[0-5]|3[689]\\d)\\d{11}', // Diners
    '(?:6011|64[4-9]\\d|65\\d{2})\\d{12}', // Discover
    '35(?:2[89]|[3-8]\\d)\\d{12}', // JCB
    '62\\d{14,17}', // UnionPay
    '(?:50\\d{2}|5[6-8]\\d{2}|6[37]\\d{2})\\d{12}', // Maestro, at the length issued today
  ].join('|')})$`,
);

/** No card number is shorter. */
const CARD_DIGITS = 14;

/** How card numbers are printed: the lengths of their groups. */
const CARD_GROUPS = ['4 4 4 4', '4 4 4 4 3', '4 6 5', '4 6 4', '6 13'].map((groups) =>
  groups.split(' ').map(Number),
);

/** Digits with the usual separators between them, on one or several lines. */
const DIGITS = /\+?\d+(?:[^\p{L}\d]{1,8}\d+)*/gu;

function* cards(text: string): Generator<Span> {
  for (const { 0: run, index } of text.matchAll(DIGITS)) {
    if (run.length < CARD_DIGITS) continue;
    // A leading plus marks a telephone number.
    const wholes = run.startsWith('+') ? [] : [...run.matchAll(/[^\n]+/g)];
    if (wholes.length > 0 && isCard(run.replace(/\D/g, ''))) yield { from: index, to: index + run.length };
    for (const { 0: line, index: at } of wholes) {
      if (isCard(line.replace(/\D/g, ''))) yield { from: index + at, to: index + at + line.length };
    }
    const found = [...run.matchAll(/\d+/g)];
    const groups = found.map(([group]) => group);
    const gaps = run.match(/\D+/g) ?? [];
    if (run.startsWith('+')) gaps.shift();
    for (const [at, { 0: group, index: start }] of found.entries()) {
      const count = isCard(group) ? 1 : groupsOfCard(groups, gaps, at);
      const last = found[at + count - 1];
      if (count > 0 && last) yield { from: index + start, to: index + last.index + last[0].length };
    }
  }
}

/**
 * Returns the number of groups of the card number that starts at this group in its usual groups; 0 if there is none.
 * Another group of four digits next to it, with the same separator, makes it a table of numbers instead.
 */
function groupsOfCard(groups: readonly string[], gaps: readonly string[], at: number): number {
  const found = CARD_GROUPS.find((lengths) => {
    const end = at + lengths.length;
    if (!lengths.every((length, index) => groups[at + index]?.length === length)) return false;
    const within = gaps.slice(at, end - 1);
    const continues = (neighbour: string | undefined, gap: string | undefined) =>
      neighbour?.length === 4 && gap !== undefined && within.includes(gap);
    if (continues(groups[at - 1], gaps[at - 1]) || continues(groups[end], gaps[end - 1])) return false;
    return isCard(groups.slice(at, end).join(''));
  });
  return found?.length ?? 0;
}

function isCard(digits: string): boolean {
  return CARD.test(digits) && passesLuhn(digits);
}

/** ISO/IEC 7812-1, annex B. */
function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits.at(-1 - i));
    const doubled = i % 2 === 1 ? 2 * digit : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** Account numbers without a checksum are recognised by the words before them. */
const NAMED_NUMBER =
  /(?<![\p{L}\p{N}])(?:account (?:number|no\.?|nr\.?)|routing (?:number|no\.?)|sort code|kontonummer|numero de compte|numero de cuenta)(?![\p{L}\p{N}])[^\d+]{0,20}\d(?:[^\p{L}\d\n+]{0,3}\d){5,16}(?!\d)/giu;
/** After these words, an amount of money is a balance and not an account number. */
const NAMED_ACCOUNT =
  /(?<![\p{L}\p{N}])(?:bank account|acct\.?)(?![\p{L}\p{N}])[^\d+]{0,20}(?!\d{1,3}(?:[,.']\d{3})+(?:[.,]\d\d)?(?![\d,.-]))\d(?:[ .,/_-]{0,3}\d){5,16}(?!\d)/giu;

const DATE = /(?<!\d)\d{4}-\d\d-\d\d(?!\d)/g;
const DATE_CHARS = 10;

/** The account numbers in the text. @param text  the result of `plainText` */
export function* accountNumbersIn(text: string): Generator<Span> {
  yield* ibans(text);
  yield* cards(text);
  const undated = text.replace(DATE, '');
  const dates = [...text.matchAll(DATE)].map(({ index }, n) => index - n * DATE_CHARS);
  for (const pattern of [NAMED_NUMBER, NAMED_ACCOUNT]) {
    let before = 0;
    // The places only grow.
    const dated = (at: number) => {
      while ((dates[before] ?? at) < at) before += 1;
      return at + DATE_CHARS * before;
    };
    for (const { 0: found, index } of undated.matchAll(pattern)) {
      const from = dated(index);
      yield { from, to: dated(index + found.length) };
    }
  }
}
