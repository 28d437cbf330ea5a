import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { comparedDomains } from '../../../core/filter/domain-findings.ts';
import { domainsWithinLimit, usedDomainKeys } from '../../../core/safety/domain-keys.ts';
import { anyGrapheme } from '../../any-character.ts';
import { costlier } from '../../growth.ts';

const longHost = (n: number) =>
  [`x${n}`, ...Array.from({ length: 4 }, () => 'b'.repeat(48)), 'test'].join('.');
const hosts = (count: number, name: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => name(n));

describe('the domains that are looked up at a time', () => {
  it('include every domain of an ordinary message', () => {
    const given = hosts(200, (n) => `www.company${n}.example`);
    expect(domainsWithinLimit([...given, ...given])).toEqual({ domains: given, complete: true });
  });

  it('are the first ones, and of the others those that fit', () => {
    const given = [...hosts(100, longHost), 'bank.example'];
    const { domains, complete } = domainsWithinLimit(given);
    expect(complete).toBe(false);
    expect(domains.slice(0, -1)).toEqual(given.slice(0, domains.length - 1));
    expect(domains.at(-1)).toBe('bank.example');
  });

  it('have a bounded number of keys, whatever they are', () => {
    const label = fc.oneof(
      fc.stringMatching(/^[a-z0-9]{1,63}$/),
      fc.string({ minLength: 1, maxLength: 63, unit: anyGrapheme }),
      fc.constant('a-'.repeat(40)),
    );
    const domain = fc.array(label, { minLength: 1, maxLength: 130 }).map((labels) => labels.join('.'));
    fc.assert(
      fc.property(fc.array(domain, { maxLength: 60 }), (given) => {
        const { domains, complete } = domainsWithinLimit(given);
        expect(usedDomainKeys(domains).length).toBeLessThanOrEqual(20_000);
        expect(complete).toBe(domains.length === new Set(given).size);
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    ['long', longHost, 400, 20],
    ['short', (n: number) => `h${n}.co`, 200_000, 2000],
  ] as const)('cost no more in a message with many %s ones', (_name, host, many, few) => {
    const [more, less] = [hosts(many, host), hosts(few, host)];
    const keysOf = (given: readonly string[]) => () => void usedDomainKeys(domainsWithinLimit(given).domains);
    expect(costlier(keysOf(more), keysOf(less), 5)).toBeUndefined();
  });
});

it('a message with more links than are compared says so', () => {
  const message = (count: number) => ({
    ...{ to: [], senders: [], subject: '' },
    body: hosts(count, (n) => `https://host${n}.example`).join(' '),
  });
  expect(comparedDomains(message(200))).toMatchObject({ complete: true });
  expect(comparedDomains(message(201))).toMatchObject({ complete: false });
});
