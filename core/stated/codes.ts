import {
  CODE_NAME,
  IS,
  OPEN_CODE,
  OTHER_NAMES,
  PASSWORD_NAME,
  SECRET_NAME,
  UNSPACED_NAMES,
} from './secret-names.ts';

/**
 * Finds the codes and passwords that a text names, and whatever in another text can be one of them. Pure. Reads no character
 * more than a few times.
 */

/** What follows the name of a code that is not secret. */
const OPEN_NAME =
  'postal|pocztowy|promo|barras|barre|client|fiscal|destinat|univoco|produ|zbozi|santa|recipe|rabat|sconto|swift|has \\d|de (?:descuento|pedido|barras|cliente|producto|reduction)';

const NAME_OF_SECRET = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${SECRET_NAME}|${CODE_NAME}|(?<!(?:${OPEN_CODE}|swift|bic|qr|bar|order)[ -]?)code|pin|${OTHER_NAMES})s?(?![\\p{L}\\p{N}]| ?(?:${OPEN_NAME}))|${UNSPACED_NAMES}`,
  'giu',
);
/** An ordinary word in lower case. */
const TAN = /(?<![\p{L}\p{N}])TANs?(?![\p{L}\p{N}])/gu;

/** Of a script that puts spaces between words, or a digit. */
const LETTER =
  '(?![\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}])[\\p{L}\\p{N}]';

/** A number, in one piece or in groups, or a word with a digit in it, as codes and passwords are. */
const CODE_WORD = new RegExp(
  `(?<!${LETTER})(?:\\d(?:[ .-]\\d){2,8}|\\d{2,4}(?:[ -]\\d{2,4}){1,3}|\\d{3,9}|(?=[\\p{L}#$%&*+=!?_-]{0,40}\\d)${LETTER}(?:${LETTER}|[#$%&*+=!?_-]){3,40})(?!${LETTER})`,
  'gu',
);
/**
 * Between a secret and its name, before it or behind it in the same sentence; and behind its name in the same paragraph,
 * without another number.
 */
const NAMED_CHARS = 80;
const PARAGRAPH_CHARS = 240;
/** Numbers of three digits are everywhere: in the same sentence, behind the name. */
const SHORT_NAMED_CHARS = 24;

/**
 * The codes and passwords that stand beside the word for one, each once and in one form.
 * @param text  the result of `plainText`
 */
export function namedCodesIn(text: string): string[] {
  const names = [...text.matchAll(NAME_OF_SECRET), ...text.matchAll(TAN)]
    .map(({ 0: name, index }) => ({ from: index, to: index + name.length }))
    .sort((a, b) => a.from - b.from);
  if (names.length === 0) return [];
  const codes = new Set<string>();
  let next = 0;
  for (const { code, at } of codeWords(text)) {
    while ((names[next]?.from ?? Number.POSITIVE_INFINITY) < at) next += 1;
    const [before, behind] = [names[next - 1], names[next]];
    const gap =
      before === undefined ? undefined : text.slice(before.to, Math.min(at, before.to + PARAGRAPH_CHARS));
    const isNamed = /^\d{3}$/.test(code)
      ? gap !== undefined && gap.length <= SHORT_NAMED_CHARS && !/[\d.!?]/.test(gap)
      : (before !== undefined && at - before.from <= NAMED_CHARS) ||
        (behind !== undefined &&
          behind.from - at <= NAMED_CHARS &&
          !/[.!?\n]/.test(text.slice(at, behind.from))) ||
        (gap !== undefined && gap.length < PARAGRAPH_CHARS && !/\d|\n\n/.test(gap));
    if (isNamed) codes.add(code);
  }
  for (const word of namedWords(text)) codes.add(word);
  return [...codes];
}

function* codeWords(text: string): Generator<{ readonly code: string; readonly at: number }> {
  for (const { 0: word, index: at } of text.matchAll(CODE_WORD)) {
    const digits = word.replace(/[ .-]/g, '');
    if (!/^\d+$/.test(digits)) {
      yield { code: word.toLowerCase(), at };
      continue;
    }
    const groups = word.split(/[ .-]/);
    // In groups, each may also be a number of its own.
    for (const code of new Set([digits, ...(groups.length > 1 ? groups : [])]))
      if (isCode(code) && !DATE.test(code === digits ? word : code)) yield { code, at };
  }
}

/** A year or a date is not a code. */
const DATE =
  /^(?:(?:19|20)\d\d(?:[ .-]?(?:0\d|1[0-2])[ .-]?(?:[0-2]\d|3[01]))?|(?:[0-2]\d|3[01])[ .-](?:0\d|1[0-2])[ .-](?:19|20)?\d\d)$/;

const CODE_DIGITS_MAX = 9;

function isCode(digits: string): boolean {
  return digits.length >= 3 && digits.length <= CODE_DIGITS_MAX;
}

/**
 * A password that is a plain word: behind a sign at the end of its line, or behind a verb in quotation marks, or with a
 * capital where only names have one.
 */
const NAMED_WORD = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${PASSWORD_NAME}|${UNSPACED_NAMES})(?!\\p{N})(?: (?:for|of|to|fur|von|zu|pour|de) [^\\n.:=]{1,40}?)?(?:` +
    `\\s{0,3}[:=]\\s{0,3}["'“„«*]?(?<atEnd>\\p{L}[\\p{L}-]{3,40})["'”“»*]?[.!]?(?=\\n|$)|` +
    `\\s(?:${IS})\\s["'“„«](?<quoted>\\p{L}[\\p{L}-]{3,40})|\\s(?:is|are|lautet)\\s(?<plain>\\p{L}[\\p{L}-]{3,40}))`,
  'giu',
);
/** What stands there without being one, in plain letters. */
const NO_PASSWORDS = new Set(
  (
    'required optional unchanged changed expired wrong correct incorrect invalid missing needed protected attached below ' +
    'none same there click here unknown forgotten reset gleich gleiche telefonisch unverandert pflicht siehe folgt kontakt ' +
    'inchange oublie nueva nuevo olvidada kontakta posleme grazie please empty blank yours hidden'
  ).split(' '),
);
/** A passphrase: words to the end of the line. */
const NAMED_WORDS =
  /(?<![\p{L}\p{N}])(?:pass ?phrase|(?:recovery|seed) phrase)(?: (?:for|of|to) [^\n.:=]{1,40}?)?(?:\s{0,3}[:=]| is)\s{1,3}["'“„«]?((?:\p{L}{2,20}[ -]){2,24}\p{L}{2,20})/giu;

/** Words in a row that are looked for of a passphrase. */
const PHRASE_WORDS = 3;

function* namedWords(text: string): Generator<string> {
  for (const { groups } of text.matchAll(NAMED_WORD)) {
    const { atEnd, quoted, plain } = groups ?? {};
    const word = atEnd ?? quoted ?? (plain !== undefined && /^\p{Lu}/u.test(plain) ? plain : undefined);
    if (word !== undefined && !NO_PASSWORDS.has(word.toLowerCase())) yield word.toLowerCase();
  }
  for (const [, phrase = ''] of text.matchAll(NAMED_WORDS)) yield* runsOf(wordsOf(phrase));
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu) ?? [];
}

function* runsOf(words: readonly string[]): Generator<string> {
  for (let at = PHRASE_WORDS; at <= words.length; at += 1) yield words.slice(at - PHRASE_WORDS, at).join(' ');
}

/** Between the groups of a code. Other signs belong to times, dates and amounts. */
const CLOSE = /^(?:[ \n-]{1,3}|, )$/;
/** Groups of digits that follow each other in a code. */
const GROUPS_MAX = 9;
/** Between two halves of a code. */
const HALVES_CHARS = 60;

/**
 * Whatever can be a code or a password, each once and in the same form: also of numbers whose digits stand apart.
 * @param text  the result of `plainText`
 */
export function possibleCodesIn(text: string): string[] {
  const codes = new Set<string>();
  for (const { code } of codeWords(text)) codes.add(code);
  const groups = Array.from(text.matchAll(/\d+/g), ({ 0: digits, index }) => ({ digits, from: index }));
  for (const [first, { digits }] of groups.entries()) {
    let joined = digits;
    let isClose = true;
    for (let next = first + 1; next < Math.min(groups.length, first + GROUPS_MAX); next += 1) {
      const [before, behind] = [groups[next - 1], groups[next]];
      if (before === undefined || behind === undefined) break;
      const gap = text.slice(before.from + before.digits.length, behind.from);
      isClose &&= CLOSE.test(gap);
      const areHalves = next === first + 1 && gap.length <= HALVES_CHARS && /\p{L}/u.test(gap);
      const isLong = digits.length >= 3 && behind.digits.length >= 3;
      if (!isClose && !(areHalves && isLong)) break;
      joined += behind.digits;
      if (joined.length > CODE_DIGITS_MAX) break;
      if (isCode(joined)) codes.add(joined);
    }
  }
  return [...codes];
}

/** What an agent writes is not longer. */
const WRITTEN_CHARS = 50_000;
const PASSWORD_CHARS = 4;

/** The words of a text that can be a password, and their runs that can be part of a passphrase. */
export function possiblePasswordsIn(text: string): string[] {
  const words = wordsOf(text.slice(0, WRITTEN_CHARS));
  return [...new Set([...words.filter((word) => word.length >= PASSWORD_CHARS), ...runsOf(words)])];
}
