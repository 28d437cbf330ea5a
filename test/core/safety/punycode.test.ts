import { expect, it } from 'vitest';
import { unicodeDomain } from '../../../core/safety/punycode.ts';

it.each([
  ['xn--mnchen-3ya.test', 'münchen.test'],
  ['www.XN--MNCHEN-3YA.test', 'www.münchen.test'],
  ['xn--!.test', 'xn--!.test'],
])('%s is %s', (domain, shown) => {
  expect(unicodeDomain(domain)).toBe(shown);
});

it('a label that is longer than the DNS allows stays as it is', () => {
  const domain = `xn--${'a'.repeat(200_000)}.test`;
  expect(unicodeDomain(domain)).toBe(domain);
});
