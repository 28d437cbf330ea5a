import type { Span } from '../text/span.ts';

/**
 * Compares the times of day and the amounts of money in an answer with those of the message it answers. Pure. Nothing is
 * guessed: both texts must name exactly one value of the kind, and every reading of one must differ from every reading of
 * the other.
 */

/** A value as written, with all its readings. */
interface Written extends Span {
  readonly text: string;
  readonly readings: readonly string[];
}

export interface Differing extends Span {
  /** As the message says it, and as the answer does. */
  readonly theirs: string;
  readonly given: string;
}

/** @param answered  the message, with its own quotes */
export function differingTime(answered: string, answer: string): Differing | undefined {
  const [theirs, given] = [withoutQuotes(answered), withoutQuotes(answer)];
  if (ZONE.test(theirs) || ZONE.test(given)) return undefined;
  return differing(timesIn(theirs), timesIn(given));
}

/** The same for amounts, per currency. */
export function differingAmounts(answered: string, answer: string): Differing[] {
  const [theirs, given] = [amountsIn(withoutQuotes(answered)), amountsIn(withoutQuotes(answer))];
  return [...given].flatMap(([currency, amounts]) => differing(theirs.get(currency) ?? [], amounts) ?? []);
}

function differing(theirs: readonly Written[], given: readonly Written[]): Differing | undefined {
  const [their] = theirs;
  const [one] = given;
  if (their === undefined || one === undefined || !areOne(theirs) || !areOne(given)) return undefined;
  if (one.readings.some((reading) => their.readings.includes(reading))) return undefined;
  return { theirs: their.text, given: one.text, from: one.from, to: one.to };
}

function areOne(values: readonly Written[]): boolean {
  return new Set(values.map(({ readings }) => readings.join())).size === 1;
}

/** A quoted line, or a header or introduction of a quote. Replaced by as many spaces, so that offsets stay. */
const QUOTE =
  /^[ \t]*>[^\n]*|^(?:from|sent|date|to|cc|subject|von|gesendet|datum|an|betreff)[ \t]*:[^\n]*|^[^\n]*(?:wrote|schrieb|écrit)[^\n]{0,200}:[ \t]*$/gimu;

function withoutQuotes(text: string): string {
  return text.replace(QUOTE, (line) => ' '.repeat(line.length));
}

const ZONE =
  /(?<![\p{L}\p{N}])(?:UTC|GMT|W?E[SD]T|C[SDE]T|M[SDE]T|P[SD]T|CEST|MESZ|MEZ|BST|IST|JST)(?![\p{L}\p{N}])|[+-]\d\d:\d\d(?!\d)/u;

const TIME =
  /(?<![\p{L}\p{N}:.,/])(?<hour>[01]?\d|2[0-3])(?:(?<sign>[:.h])(?<minute>[0-5]\d))?[ \u00a0\u202f]?(?<half>[ap]\.?m(?!\p{L})\.?|o['’]clock|uhr)?(?![\p{L}\p{N}:]|[.,]\d)/giu;

function timesIn(text: string): Written[] {
  return [...text.matchAll(TIME)].flatMap((match) => {
    const { hour = '', sign = '', minute = '00', half = '' } = match.groups ?? {};
    // 3.30 may be a number, and a number alone is not a time.
    if (half === '' && (sign === '' || sign === '.')) return [];
    const readings = hoursOf(hour, half.toLowerCase()).map((read) => `${read}:${minute}`);
    return readings.length === 0 ? [] : [written(match, readings)];
  });
}

function hoursOf(hour: string, half: string): number[] {
  const read = Number(hour);
  if (/^[ap]/.test(half)) return read < 1 || read > 12 ? [] : [(read % 12) + (half.startsWith('p') ? 12 : 0)];
  const isExact = read === 0 || read > 12 || hour.startsWith('0') || half === 'uhr';
  return isExact ? [read] : [read % 12, (read % 12) + 12];
}

const NUMBER = "\\d{1,3}(?:[.,'’ \\u00a0\\u202f]\\d{3}){1,4}(?:[.,]\\d{2})?|\\d{1,12}(?:[.,]\\d{1,2})?";
const CURRENCIES: ReadonlyMap<string, string> = new Map(
  [
    '€ eur euro euros',
    '$ usd dollar dollars',
    '£ gbp pound pounds',
    'chf franken francs',
    '¥ jpy yen',
  ].flatMap((names) => names.split(' ').map((name, _, [first = '']) => [name, first] as const)),
);
const NAMES = [...CURRENCIES.keys()].map((name) => name.replace('$', '\\$')).join('|');
/** An amount in thousands or millions is left out. */
const AMOUNT = new RegExp(
  `(?<![\\p{L}\\p{N}.,])(?:(?<before>${NAMES})[ \\u00a0\\u202f]?(?<behind>${NUMBER})(?![ \\u00a0]?(?:k|m|mio|million|mrd|bn|billion|thousand|tsd))|(?<ahead>${NUMBER})[ \\u00a0\\u202f]?(?<after>${NAMES}))(?![\\p{L}\\p{N}]|[.,]\\d)`,
  'giu',
);

/** The amounts of money in a text, by currency. */
export function amountsIn(text: string): ReadonlyMap<string, readonly Written[]> {
  const found = new Map<string, Written[]>();
  for (const match of text.matchAll(AMOUNT)) {
    const { before, behind, ahead, after } = match.groups ?? {};
    const currency = CURRENCIES.get((before ?? after ?? '').toLowerCase()) ?? '';
    const amounts = found.get(currency) ?? [];
    amounts.push(written(match, [amountOf(behind ?? ahead ?? '')]));
    found.set(currency, amounts);
  }
  return found;
}

/** In hundredths. Two digits after the last sign are decimals, and so is one; three are a group. */
function amountOf(number: string): string {
  const [, whole = number, decimals = ''] = /^(.*)[.,](\d{1,2})$/u.exec(number) ?? [];
  return String(Number(whole.replace(/\D/gu, '')) * 100 + Number(decimals.padEnd(2, '0')));
}

function written(match: RegExpExecArray, readings: readonly string[]): Written {
  const text = match[0].trim();
  const from = match.index + match[0].indexOf(text);
  return { text, from, to: from + text.length, readings };
}
