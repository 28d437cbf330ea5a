import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { comparedDomains, hiddenHosts, nearCopies } from '../../../core/filter/domain-findings.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { usedDomainKeys } from '../../../core/safety/domain-keys.ts';
import { domainOf } from '../../../core/safety/domain-of.ts';
import type { SafetyFacts } from '../../../core/safety/safety-facts.ts';
import type { Store } from '../storage.ts';
import { anyKnown, anyUse } from './domain-scene.ts';
import { addOwner, addOwnerAndKey, execute, NOON } from './scene.ts';

/** The domains that an account has written to, as the safety filter asks for them. */
export function knownDomainPromises(store: Store): void {
  describe('known domains', () => {
    it('are kept per account, with how often the account wrote to each', async () => {
      const { storage } = store();
      const { ownerId } = await addOwnerAndKey(storage);
      const used = ['x.org', 'y.org', 'a.org', 'müller.example', 'c.example'];
      expect(await knownDomains(storage, ownerId, 1, used)).toEqual(new Map());
      const written = ['a@x.org', 'b@x.org', 'ü@müller.example', 'a@b@c.example', 'org@a.org'];
      await storage.rememberRecipients(ownerId, 1, written, NOON);
      await storage.rememberRecipients(ownerId, 2, ['c@y.org'], NOON);
      expect(await knownDomains(storage, ownerId, 1, used)).toEqual(
        new Map([
          ['x.org', 2],
          ['müller.example', 1],
          ['c.example', 1],
          ['a.org', 1],
        ]),
      );
      expect(await knownDomains(storage, ownerId, 2, used)).toEqual(new Map([['y.org', 1]]));
      expect(await knownDomains(storage, ownerId, 1, [])).toEqual(new Map());
    });

    it('are found by what a domain may imitate, and not by what is far from it', async () => {
      const { storage } = store();
      const { ownerId } = await addOwnerAndKey(storage);
      const domains = 'bank.example mail.kontor.example ing.test xn--mnchen-3ya.test localhost'.split(' ');
      const others = Array.from({ length: 50 }, (_, n) => `company-${n}.co.test`);
      const written = [...domains, ...others].map((domain) => `a@${domain}`);
      await storage.rememberRecipients(
        ownerId,
        1,
        [...written, 'often@often.test', 'often@often.test'],
        NOON,
      );
      const found = async (...used: string[]) => [...(await knownDomains(storage, ownerId, 1, used)).keys()];
      for (const used of 'bank bamk bnak ban banks'.split(' ')) {
        expect(await found(`${used}.example`)).toContain('bank.example');
        expect(await found(`www.${used}.example`)).toContain('bank.example');
      }
      expect(await found('bank-example.de')).toEqual(['bank.example']);
      expect(await found('kontor.example')).toContain('mail.kontor.example');
      expect(await found('k0ntor.example')).toContain('mail.kontor.example');
      expect(await found('1ng.test')).toContain('ing.test');
      expect(await found('munchen.test')).toContain('xn--mnchen-3ya.test');
      expect(await found('login.localhost')).toEqual(['localhost']);
      expect(await found('elsewhere.de')).toEqual([]);
      // Of all with the same ending, the one written to most.
      expect(await found('test')).toEqual(['often.test']);
      expect((await found('company-7.co.test')).toSorted()).toContain('company-7.co.test');
      expect((await found('company-7.co.test')).length).toBeLessThan(20);
    });

    it('are represented by the one written to most, of those with the same ending', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const { ownerId } = key;
      const named = async (used: string) => [...(await knownDomains(storage, ownerId, 1, [used])).keys()];
      await storage.rememberRecipients(ownerId, 1, ['a@b.bank.example', 'a@a.bank.example'], NOON);
      expect(await named('bamk.example')).toEqual(['a.bank.example']);
      await storage.rememberRecipients(ownerId, 1, ['b@b.bank.example'], NOON);
      expect(await named('bamk.example')).toEqual(['b.bank.example']);
      await execute(storage, key, {}, { recipients: ['a@a.bank.example', 'b@c.bank.example'] });
      expect(await named('bamk.example')).toEqual(['a.bank.example']);
      await storage.rememberRecipients(
        ownerId,
        1,
        ['a', 'b', 'c'].map((name) => `${name}@bank.example`),
        NOON,
      );
      expect(await named('bamk.example')).toEqual(['bank.example']);
      expect(await named('www.bamk.example')).toEqual(['bank.example']);
      await execute(storage, key, {}, { recipients: ['a@a.bank.example'] });
      await execute(storage, key, {}, { recipients: ['a@a.bank.example'] });
      expect(await named('bamk.example')).toEqual(['a.bank.example', 'bank.example']);
    });

    it('count each message found, and each executed send since then', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const { ownerId } = key;
      await storage.rememberRecipients(ownerId, 1, ['a@x.org', 'b@x.org', 'a@x.org'], NOON);
      await storage.rememberRecipients(ownerId, 1, ['a@x.org'], NOON);
      await execute(storage, key, {}, { recipients: ['a@x.org', 'a@x.org', 'd@w.org'] });
      await execute(storage, key, {}, { recipients: ['d@w.org'] });
      expect(await knownDomains(storage, ownerId, 1, ['x.org', 'w.org'])).toEqual(
        new Map([
          ['x.org', 4],
          ['w.org', 2],
        ]),
      );
    });
    it('are enough for the safety filter to find the same as with all of them', async () => {
      const { storage } = store();
      await fc.assert(
        fc.asyncProperty(anyKnown, fc.array(anyUse, { minLength: 8, maxLength: 8 }), async (times, uses) => {
          const ownerId = await addOwner(storage);
          const written = [...times].flatMap(([domain, count], n) =>
            Array.from({ length: count }, () => `a${n % 3}@${domain}`),
          );
          for (const addresses of [written.slice(5), written.slice(0, 5)])
            await storage.rememberRecipients(ownerId, 1, addresses, NOON);
          const everything = await knownDomains(storage, ownerId, 1, written.map(domainOf));
          expect(everything.size).toBe(times.size);
          for (const use of uses) {
            const message = messageTo(use([...times.keys()]));
            const { domains } = comparedDomains({ ...message, senders: [] });
            const found = await knownDomains(storage, ownerId, 1, domains);
            expect([...everything]).toEqual(expect.arrayContaining([...found]));
            expect(judged(message, found)).toEqual(judged(message, everything));
          }
        }),
        { numRuns: 60 },
      );
    });
  });
}

function knownDomains(storage: Storage, ownerId: string, accountId: number, used: readonly string[]) {
  return storage.knownDomains(ownerId, accountId, usedDomainKeys(used));
}

function messageTo(domain: string): SafetyFacts {
  return {
    to: [`a@${domain}`],
    subject: '',
    body: '',
    passedOn: '',
    passedOnAt: 0,
    newAddresses: new Set(),
    knownDomains: new Map(),
    ownDomains: new Set(['own.example']),
    threadAddresses: new Set(),
    answered: null,
  };
}

/** All that depends on the domains that are known. */
function judged(message: SafetyFacts, known: ReadonlyMap<string, number>): unknown {
  const facts = { ...message, knownDomains: known };
  const labels = domainOf(message.to[0] ?? '').split('.');
  const isKnown = labels.some((_, at) => known.has(labels.slice(at).join('.')));
  return { copies: nearCopies(facts), hidden: hiddenHosts(facts), isKnown };
}
