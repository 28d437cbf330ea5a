import { domainToASCII } from 'node:url';
import fc from 'fast-check';

/** Domains that an account has written to, and others that imitate them. */

/** Few letters, so that names come close to each other by chance: those of look-alikes, and some beyond ASCII. */
const letter = fc.constantFrom(...'abcilmnorvw150-', 'é', 'ü', 'а', 'ı', 'ﬁ');
const label = fc.string({ unit: letter, minLength: 1, maxLength: 7 });
const registry = fc.constantFrom('com', 'corn', 'de', 'dk', 'example', 'co.uk', 'c0.uk');
const anyDomain = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(fc.array(label, { minLength: 1, maxLength: 3 }), registry)
      .map(([labels, end]) => [...labels, end].join('.')),
  },
  fc.constantFrom(
    'gmail.com',
    'mail.com',
    'gmx.de',
    'bank.example',
    'mail.bank.example',
    'localhost',
    'co.uk',
  ),
  fc.array(label, { minLength: 5, maxLength: 9 }).map((labels) => labels.join('.')),
);

/** Each with the number of messages. */
export const anyKnown = fc
  .array(fc.tuple(anyDomain, fc.integer({ min: 1, max: 3 })), { minLength: 1, maxLength: 12 })
  .map((entries) => new Map(entries));

type Change = (domain: string, at: number, letter: string) => string;

const swapped: Change = (domain, at) =>
  `${domain.slice(0, at)}${domain
    .slice(at, at + 2)
    .split('')
    .toReversed()
    .join('')}${domain.slice(at + 2)}`;

/** What people do to a name to imitate it, or to use it. */
const CHANGES: readonly Change[] = [
  (domain) => domain,
  (domain, at) => domain.slice(0, at) + domain.slice(at + 1),
  (domain, at, other) => domain.slice(0, at) + other + domain.slice(at),
  (domain, at, other) => domain.slice(0, at) + other + domain.slice(at + 1),
  swapped,
  (domain) => domain.replace('m', 'rn').replace('w', 'vv').replace('d', 'cl'),
  (domain) => domain.replace('rn', 'm').replace('vv', 'w').replace('cl', 'd'),
  (domain) => domain.replaceAll('i', '1').replaceAll('o', '0').replaceAll('l', 'ı'),
  (domain) => domain.replaceAll('a', 'а').replaceAll('c', 'с'),
  (domain) => domain.normalize('NFD').replace(/\p{M}/gu, ''),
  (domain) => domainToASCII(domain) || domain,
  (domain) => `www.${domain}`,
  (domain) => domain.slice(domain.indexOf('.') + 1),
  (domain) => domain.slice(domain.lastIndexOf('.') + 1),
  (domain) => `${domain}.evil.test`,
  (domain) => `login-${domain.replaceAll('.', '-')}.test`,
  (domain) => domain.replaceAll('-', '.'),
  (domain) => `${'-'.repeat(130)}.${domain}.evil.test`,
  (domain) => `${domain.slice(0, domain.lastIndexOf('.'))}.ch`,
];

/** A domain that is made of one of these by one change, or by several. */
export const anyUse = fc
  .tuple(
    fc.nat(),
    fc.array(fc.tuple(fc.constantFrom(...CHANGES), fc.nat(), letter), { minLength: 1, maxLength: 3 }),
  )
  .map(
    ([which, changes]) =>
      (known: readonly string[]): string =>
        changes.reduce(
          (domain, [change, at, other]) => change(domain, at % (domain.length || 1), other),
          known[which % known.length] ?? '',
        ),
  );
