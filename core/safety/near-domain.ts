import { withoutLookAlikes } from '../look-alikes.ts';
import { unicodeDomain } from './punycode.ts';

/** Domains that are made to be taken for another. Pure. */

/**
 * Whether one of the domains can be taken for one of those known without being it, one of its subdomains or its parent:
 * it looks the same, differs by one letter left out, added, changed or swapped, or carries the other's name in front.
 */
export function holdsNearCopy(domains: readonly string[], known: readonly string[]): boolean {
  const others = known.map(asRead).filter(({ endings }) => endings.length > 1);
  return [...new Set(domains)].map(asRead).some((domain) => isNearCopy(domain, others));
}

interface ReadDomain {
  readonly name: string;
  /** With dots for hyphens, and one at both ends. */
  readonly parts: string;
  /** The last label, the last two, and so on. */
  readonly endings: readonly string[];
  /** The same, with everything that looks alike written alike. */
  readonly looks: readonly string[];
}

function asRead(domain: string): ReadDomain {
  const name = unicodeDomain(domain);
  const parts = `.${name.replaceAll('-', '.')}.`;
  return { name, parts, endings: endingsOf(name), looks: endingsOf(withoutLookAlikes(name)) };
}

function endingsOf(domain: string): string[] {
  const labels = domain.split('.');
  return labels.map((_, depth) => labels.slice(-1 - depth).join('.'));
}

function isNearCopy(given: ReadDomain, others: readonly ReadDomain[]): boolean {
  if (others.some((other) => areRelated(given.name, other.name))) return false;
  // `bank.example.evil.test` and `bank-example.test` carry the name of `bank.example`.
  return others.some((other) => given.parts.includes(other.parts) || areAlike(given, other));
}

function areRelated(a: string, b: string): boolean {
  return a === b || a.endsWith(`.${b}`) || b.endsWith(`.${a}`);
}

/** Names that are shorter differ by a letter without being copies of each other. */
const COMPARED_CHARS = 4;

/** Compares as many labels as the one that has fewer, from the right. */
function areAlike(a: ReadDomain, b: ReadDomain): boolean {
  const at = Math.min(a.endings.length, b.endings.length) - 1;
  const [nameA = '', nameB = ''] = [a.endings[at], b.endings[at]];
  const [looksA = '', looksB = ''] = [a.looks[at], b.looks[at]];
  if (nameA === nameB) return false;
  if (looksA === looksB) return true;
  const isLong = (domain: string) => domain.lastIndexOf('.') >= COMPARED_CHARS;
  return (isLong(nameA) || isLong(nameB)) && (oneEditApart(nameA, nameB) || oneEditApart(looksA, looksB));
}

/** One letter left out, added or changed, or two neighbours swapped. */
function oneEditApart(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (long.length > short.length + 1) return false;
  let at = 0;
  while (at < short.length && short[at] === long[at]) at++;
  if (long.length === short.length) {
    const swapped = short[at] === long[at + 1] && short[at + 1] === long[at];
    return (
      short.slice(at + 1) === long.slice(at + 1) || (swapped && short.slice(at + 2) === long.slice(at + 2))
    );
  }
  return short.slice(at) === long.slice(at + 1);
}
