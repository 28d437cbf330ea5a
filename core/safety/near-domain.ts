import { unicodeDomain } from './punycode.ts';

/** Domains that are made to be taken for another. Pure. */

/**
 * Whether a domain can be taken for one of those known without being it, one of its subdomains or its parent: it looks
 * the same, differs by one letter left out, added, changed or swapped, or carries the other's name in front.
 */
export function isNearCopy(domain: string, known: Iterable<string>): boolean {
  const given = unicodeDomain(domain);
  const others = Array.from(known, unicodeDomain).filter((one) => one.includes('.'));
  if (others.some((other) => areRelated(given, other))) return false;
  return others.some((other) => carriesName(given, other) || areAlike(...sameDepth(given, other)));
}

function areRelated(a: string, b: string): boolean {
  return a === b || a.endsWith(`.${b}`) || b.endsWith(`.${a}`);
}

/** `bank.example.evil.test`, `bank-example.test` */
function carriesName(domain: string, other: string): boolean {
  return `.${domain.replaceAll('-', '.')}.`.includes(`.${other.replaceAll('-', '.')}.`);
}

/** Both with as many labels as the one that has fewer, from the right. */
function sameDepth(a: string, b: string): [string, string] {
  const depth = Math.min(a.split('.').length, b.split('.').length);
  const last = (domain: string) => domain.split('.').slice(-depth).join('.');
  return [last(a), last(b)];
}

/** Names that are shorter differ by a letter without being copies of each other. */
const COMPARED_CHARS = 4;

function areAlike(a: string, b: string): boolean {
  if (a === b) return false;
  const [looksA, looksB] = [looks(a), looks(b)];
  if (looksA === looksB) return true;
  const isLong = (domain: string) => domain.lastIndexOf('.') >= COMPARED_CHARS;
  return (isLong(a) || isLong(b)) && (oneEditApart(a, b) || oneEditApart(looksA, looksB));
}

/** Letters of other scripts that look like Latin ones. Source: a choice of Unicode's confusables.txt. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  ...alike('a', 'аαɑ'),
  ...alike('b', 'ьβ'),
  ...alike('c', 'сϲ'),
  ...alike('d', 'ԁđ'),
  ...alike('e', 'еεҽ'),
  ...alike('g', 'ɡց'),
  ...alike('h', 'һհħ'),
  ...alike('j', 'јϳ'),
  ...alike('k', 'кκ'),
  // Capital I, small l and the digit are one stroke; so is i without its dot.
  ...alike('l', 'i1|ıіιӏłǀ'),
  ...alike('m', 'м'),
  ...alike('n', 'ոηп'),
  ...alike('o', '0оοօø'),
  ...alike('p', 'рρ'),
  ...alike('q', 'ԛզ'),
  ...alike('r', 'г'),
  ...alike('s', '5ѕ'),
  ...alike('t', 'тτ'),
  ...alike('u', 'υսц'),
  ...alike('v', 'νѵ'),
  ...alike('w', 'ԝωш'),
  ...alike('x', 'хχ'),
  ...alike('y', 'уγү'),
  ...alike('z', 'ᴢ'),
};

function alike(letter: string, others: string): Record<string, string> {
  return Object.fromEntries(Array.from(others, (other) => [other, letter]));
}

/** The domain with everything that looks alike written alike. */
function looks(domain: string): string {
  const bare = domain.normalize('NFKD').replace(/\p{M}/gu, '');
  return Array.from(bare, (one) => LOOK_ALIKES[one] ?? one)
    .join('')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
    .replaceAll('cl', 'd');
}

/** One letter left out, added or changed, or two neighbours swapped. */
function oneEditApart(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  let at = 0;
  while (at < short.length && short[at] === long[at]) at++;
  if (long.length === short.length) {
    const swapped = short[at] === long[at + 1] && short[at + 1] === long[at];
    return (
      short.slice(at + 1) === long.slice(at + 1) || (swapped && short.slice(at + 2) === long.slice(at + 2))
    );
  }
  return long.length === short.length + 1 && short.slice(at) === long.slice(at + 1);
}
