import { hash } from 'node:crypto';
import { withOneLetterEach } from '../text/look-alikes.ts';
import { parseDomain } from './near-domain.ts';

/**
 * Keys by which a store finds the known domains that a domain may imitate, without comparing it with all of them. If
 * `imitatedBy` sees a relation between two domains, they share a key. Few others do. Pure. Keys are stored, so a change of
 * them needs a migration.
 */

/** A name by which a known domain is found: the domain itself, or one of its endings. */
export interface DomainName {
  readonly name: string;
  /** Integers of 48 bits. */
  readonly keys: readonly number[];
}

/** No name in the DNS is longer. */
const NAME_CHARS = 253;
/** A known name that has more parts between its dots and hyphens is found by its first ones. */
const PARTS_OF_KEY = 4;

/** The names of a known domain, shortest first. None if no domain can be named so, and nobody can have written to it. */
export function domainNames(domain: string): DomainName[] {
  if (domain === '' || domain.length > NAME_CHARS || /[\p{Cc}\p{Cs}]/u.test(domain)) return [];
  const { name, endings, looks } = parseDomain(domain);
  const labels = domain.split('.');
  const found = endings.map((ending, depth) => ({
    name: labels.slice(-1 - depth).join('.'),
    keys: keysOf([
      ...formsOf(ending, looks[depth] ?? ''),
      ...firstParts(ending),
      ...chosenForm(parseDomain(ending)),
    ]),
  }));
  const isLonger = labels.length > endings.length;
  return isLonger ? [...found, { name: domain, keys: keysOf(firstParts(name)) }] : found;
}

/** For all domains that are looked up at a time. 200 ordinary hosts fit; as many forms take some 50 ms. */
const FORMS_MAX = 20_000;
/** Of the domains that do not fit. Then no more are tried: a message can name thousands. */
const TRIED_MAX = 100;

/**
 * Those of the domains that are looked up at a time, each once: the first ones, and of the next those that still fit.
 * @returns `complete`: false if some are left out
 */
export function domainsWithinLimit(domains: Iterable<string>): { domains: string[]; complete: boolean } {
  let left = FORMS_MAX;
  let tooMany = 0;
  const kept: string[] = [];
  for (const domain of new Set(domains)) {
    const forms = formsMax(domain);
    if (forms <= left) {
      left -= forms;
      kept.push(domain);
    } else {
      tooMany += 1;
      if (tooMany === TRIED_MAX) break;
    }
  }
  return { domains: kept, complete: tooMany === 0 };
}

/** How many forms `usedDomainKeys` makes of a domain, at most. */
function formsMax(domain: string): number {
  const { name, endings } = parseDomain(domain);
  const dotted = endings.filter((ending) => ending.includes('.'));
  const letters = dotted.reduce((sum, ending) => sum + Math.min(ending.length, NAME_CHARS + 1), 1);
  return 2 * letters + (PARTS_OF_KEY - 1) * partsOf(name).length + 1;
}

/**
 * The keys of the names of known domains that one of these domains may be, belong to, imitate or contain. Some 15 for each
 * label, and at most 3,500 for a link.
 */
export function usedDomainKeys(domains: Iterable<string>): number[] {
  const forms = new Set<string>();
  for (const domain of domains) {
    const { name, endings, looks, chosen } = parseDomain(domain);
    endings.forEach((ending, depth) => {
      for (const form of formsOf(ending, looks[depth] ?? '')) forms.add(form);
    });
    for (const form of runsOfParts(name)) forms.add(form);
    for (const form of chosenForm({ chosen })) forms.add(form);
  }
  return keysOf(forms);
}

function keysOf(forms: Iterable<string>): number[] {
  return Array.from(new Set(forms), (form) => Number.parseInt(hash('sha256', form).slice(0, 12), 16));
}

/**
 * Two endings share a form if they are equal, look the same, or are one edit apart, as they are written or as they look. If
 * each letter is replaced by itself, texts that are one edit apart stay so, and the result mostly is the look already.
 */
function formsOf(ending: string, look: string): string[] {
  // Names without a dot are not compared letter by letter.
  if (!ending.includes('.')) return [look];
  const plain = withOneLetterEach(ending);
  return plain === look ? editForms(look) : [...editForms(plain), ...editForms(look)];
}

/**
 * Two names with as many dots share one of these if a letter was left out, added or changed, or swapped with its neighbour:
 * each name with one letter left out, and the name itself.
 */
function editForms(name: string): string[] {
  // Too long to be one edit from a name of the DNS.
  if (name.length > NAME_CHARS + 1) return [name];
  return Array.from({ length: name.length }, (_, at) =>
    name[at] === '.' ? name : name.slice(0, at) + name.slice(at + 1),
  );
}

/** A domain contains a known one if the parts of that one follow each other in it. */
function firstParts(name: string): string[] {
  const parts = partsOf(name);
  return parts.length < 2 ? [] : [formOfParts(parts.slice(0, PARTS_OF_KEY))];
}

function* runsOfParts(name: string): Generator<string> {
  const parts = partsOf(name);
  for (let from = 0; from < parts.length; from++) {
    for (let to = from + 2; to <= Math.min(from + PARTS_OF_KEY, parts.length); to++)
      yield formOfParts(parts.slice(from, to));
  }
}

/** Two domains that only differ in their endings share what their owners chose. */
function chosenForm({ chosen }: Pick<ReturnType<typeof parseDomain>, 'chosen'>): string[] {
  return chosen === undefined ? [] : [`${chosen}.`];
}

function partsOf(name: string): string[] {
  return name.split(/[.-]/);
}

function formOfParts(parts: readonly string[]): string {
  return `.${parts.join('.')}`;
}
