import { withoutLookAlikes } from '../text/look-alikes.ts';
import { unicodeDomain } from './punycode.ts';

/** Finds domains that imitate a known one. Pure. */

/**
 * Finds the known domain that a domain imitates without being it, its subdomain or its parent: it looks the same, differs
 * by one letter (left out, added, changed or swapped), or contains the known name.
 * @param known the most important first. Those that the storage's `knownDomains` returns for the domain are enough
 */
export function imitatedBy(known: readonly string[]): (domain: string) => Imitated | undefined {
  const others = known
    .map((domain) => ({ domain, parsed: parseDomain(domain) }))
    .filter(({ parsed }) => parsed.endings.length > 1);
  return (domain) => {
    const given = parseDomain(domain);
    if (others.some(({ parsed }) => areRelated(given.name, parsed.name))) return undefined;
    const copied = others.find(({ parsed }) => isNearCopy(given, parsed));
    const other = copied ?? others.find(({ parsed }) => hasOtherEnding(given, parsed));
    if (other === undefined) return undefined;
    const isOtherCountry =
      copied === undefined
        ? [given, other.parsed].some(({ name }) => /\.[a-z]{2}$/.test(name))
        : areCountries(given.name, other.parsed.name);
    return { domain: other.domain, isOtherCountry, hasOtherEnding: copied === undefined };
  };
}

export interface Imitated {
  readonly domain: string;
  /** The names only differ in their endings, and one is that of a country: one company may well have both. */
  readonly isOtherCountry: boolean;
  /** The names only differ in what registries add: `kestrel.com` and `kestrel.co.uk`. */
  readonly hasOtherEnding: boolean;
}

function areCountries(a: string, b: string): boolean {
  const split = (name: string) => /^(.*)\.([a-z]{2})$/.exec(name) ?? [];
  const [[, restA], [, restB]] = [split(a), split(b)];
  return restA !== undefined && restA === restB;
}

interface ParsedDomain {
  readonly name: string;
  /** Hyphens replaced by dots, with a dot at both ends. */
  readonly parts: string;
  /** The last label, the last two, and so on, as far as names are compared. */
  readonly endings: readonly string[];
  /** The endings, with look-alike letters made equal. */
  readonly looks: readonly string[];
  /** What its owner chose of it, with look-alike letters made equal: `kestrel` of `mail.kestrel.co.uk`. Undefined: too short. */
  readonly chosen: string | undefined;
}

/** More labels are not compared. Names that agree in so many have one owner: those that registries give away have fewer. */
const LABELS_MAX = 6;

export function parseDomain(domain: string): ParsedDomain {
  const name = unicodeDomain(domain);
  const parts = `.${name.replaceAll('-', '.')}.`;
  const looks = withoutLookAlikes(name);
  return { name, parts, endings: endingsOf(name), looks: endingsOf(looks), chosen: chosenOf(looks) };
}

/** Labels below which registries give names away, besides the top-level ones. */
const BELOW_TOP = new Set('ac co com edu gob gouv gov go ltd me ne net nhs or org plc'.split(' '));

function chosenOf(domain: string): string | undefined {
  const chosen = registeredLabel(domain);
  return chosen.length >= COMPARED_CHARS ? chosen : undefined;
}

/** The label before the ending that a registry adds. Empty if there is none. */
function registeredLabel(domain: string): string {
  const labels = domain.split('.');
  const isBelow = labels.length > 2 && BELOW_TOP.has(labels.at(-2) ?? '');
  return labels.at(isBelow ? -3 : -2) ?? '';
}

function endingsOf(domain: string): string[] {
  const labels = domain.split('.').slice(-LABELS_MAX);
  return labels.map((_, depth) => labels.slice(-1 - depth).join('.'));
}

/** Mail providers whose names differ from one another by one letter. */
const PROVIDERS = new Set(
  'gmail.com ymail.com mail.com email.com gmx.com gmx.de gmx.at gmx.ch gmx.net mail.de mail.ch mail.ru email.cz web.de'.split(
    ' ',
  ),
);

/** Mail providers, some with the same name in many countries; and the name that nobody can register (RFC 2606). */
const SHARED_NAMES = new Set(
  (
    'gmail googlemail hotmail mail email yahoo ymail outlook live msn yandex proton protonmail icloud orange tutanota tuta ' +
    'zoho posteo freenet libero tiscali fastmail laposte mailbox aol comcast verizon att qq 163 126 sina naver daum ' +
    't-online sourceforge free sfr wanadoo virgilio seznam wp onet interia o2 bluewin telenet ziggo kpnmail gmx web ' +
    'example'
  ).split(' '),
);

/** Whether many people who have nothing to do with each other have addresses there, as far as that is known. */
export function isMailProvider(domain: string): boolean {
  return PROVIDERS.has(domain) || SHARED_NAMES.has(registeredLabel(domain));
}

/** What the owner of a domain chose of it, as far as others may have it under another ending. */
export function chosenName(domain: string): string | undefined {
  const chosen = chosenOf(domain);
  return chosen === undefined || SHARED_NAMES.has(chosen) ? undefined : chosen;
}

function hasOtherEnding(given: ParsedDomain, other: ParsedDomain): boolean {
  return given.chosen !== undefined && given.chosen === other.chosen && !SHARED_NAMES.has(given.chosen);
}

function isNearCopy(given: ParsedDomain, other: ParsedDomain): boolean {
  if (PROVIDERS.has(given.name)) return false;
  // `bank.example.evil.test` and `bank-example.test` contain the name `bank.example`.
  return given.parts.includes(other.parts) || areAlike(given, other);
}

function areRelated(a: string, b: string): boolean {
  return a === b || a.endsWith(`.${b}`) || b.endsWith(`.${a}`);
}

/** Shorter names can differ by one letter without one imitating the other. */
const COMPARED_CHARS = 4;

/** Compares from the right, as many labels as the shorter domain has. */
function areAlike(a: ParsedDomain, b: ParsedDomain): boolean {
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
