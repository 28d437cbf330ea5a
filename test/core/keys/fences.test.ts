import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  crossedFence,
  type Fences,
  fenceEntry,
  fencesIn,
  fencesText,
  isPersonInside,
  isWider,
  NO_FENCES,
  type Reach,
} from '../../../core/keys/fences.ts';

const NOW = new Date('2026-03-10T12:00:00.000Z');

describe('fenceEntry', () => {
  it.each([
    ['Maya@Atlas.Example', 'maya@atlas.example'],
    ['  maya@atlas.example ', 'maya@atlas.example'],
    ['Atlas.Example', 'atlas.example'],
    ['@atlas.example', 'atlas.example'],
    ['müller.example', 'xn--mller-kva.example'],
    ['MU\u0308LLER.example', 'xn--mller-kva.example'],
    ['info@müller.example', 'info@xn--mller-kva.example'],
    ['XN--MLLER-KVA.example', 'xn--mller-kva.example'],
  ])('stores %s as %s', (text, entry) => {
    expect(fenceEntry(text)).toBe(entry);
    expect(fenceEntry(entry)).toBe(entry);
  });

  it.each([
    '',
    '@',
    'maya',
    'maya@',
    'maya@atlas',
    'localhost',
    '*.atlas.example',
    'atlas.example.',
    '.atlas.example',
    'atlas..example',
    'a@b@atlas.example',
    'ma ya@atlas.example',
    'Maya <maya@atlas.example>',
    'maya@atlas.example, jonas@atlas.example',
    '192.0.2.1',
    'maya@192.0.2.1',
    '0x7f.1',
    '%61tlas.example',
    'atlas.example/path',
    'atlas.example:25',
    'jürgen@atlas.example',
    `${'a'.repeat(64)}.example`,
  ])('refuses %s', (text) => {
    expect(fenceEntry(text)).toBeUndefined();
  });
});

describe('a fence of recipients', () => {
  const fences = (...recipients: string[]): Fences => ({ ...NO_FENCES, recipients });

  it.each([
    ['maya@atlas.example', true],
    ['MAYA@ATLAS.EXAMPLE', true],
    ['jonas@atlas.example', false],
    ['anyone@nova.example', true],
    ['anyone@sub.nova.example', false],
    ['anyone@notnova.example', false],
    ['anyone@nova.example.evil.example', false],
    ['nova.example', false],
    ['nova.example@evil.example', false],
    ['maya@atlas.example@evil.example', false],
    ['evil@evil.example@nova.example', false],
    ['a@xn--mller-kva.example', true],
    ['a@müller.example', true],
    ['a@MU\u0308LLER.example', true],
    ['a@muller.example', false],
    ['a@%6eova.example', false],
    ['a@nova.example.', false],
    ['a@nova。example', false],
    ['', false],
    ['urn:uuid:1', false],
  ])('%s inside: %s', (address, isInside) => {
    const given = fences('maya@atlas.example', 'nova.example', 'xn--mller-kva.example');
    expect(isPersonInside(given, address)).toBe(isInside);
  });

  const label = fc.stringMatching(/^[a-z0-9]{1,8}$/);
  const domain = fc.tuple(label, label, fc.constantFrom('example', 'test')).map((parts) => parts.join('.'));
  const local = fc
    .stringMatching(/^[a-zA-Z0-9]([a-zA-Z0-9.+_-]{0,6}[a-zA-Z0-9])?$/)
    .filter((one) => !one.includes('..'));

  it('lets through an address exactly if it or its domain is listed, in any case', () => {
    fc.assert(
      fc.property(local, domain, fc.array(domain), fc.boolean(), (name, at, others, byDomain) => {
        const address = `${name}@${at}`;
        const entry = fenceEntry(byDomain ? at : address) ?? '';
        const rest = others.filter((one) => one !== at);
        expect(isPersonInside(fences(...rest, entry), address.toUpperCase())).toBe(true);
        expect(isPersonInside(fences(...rest), address)).toBe(false);
        expect(isPersonInside(fences(entry), `${name}@sub.${at}`)).toBe(false);
      }),
    );
  });

  it('never lets through what it cannot read', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 6 }), fc.string({ maxLength: 3 }), domain, (before, after, at) => {
        const isInside = isPersonInside(fences(at), `${before}${at}${after}`);
        if (isInside)
          expect(`${before}${at}${after}`.trim().toLowerCase()).toMatch(new RegExp(`^[^@]+@${at}$`));
      }),
    );
  });
});

const PEOPLE = ['maya@atlas.example', 'jonas@atlas.example', 'a@nova.example'];
const someFences: fc.Arbitrary<Fences> = fc.record({
  accounts: fc.option(fc.subarray([1, 2, 3])),
  recipients: fc.option(fc.subarray([...PEOPLE, 'atlas.example', 'nova.example'])),
  until: fc.option(fc.constantFrom(-1, 0, 1, 2).map((ms) => new Date(NOW.getTime() + ms))),
});
const someReach: fc.Arbitrary<Reach> = fc.record({
  accountIds: fc.subarray([1, 2, 3]),
  people: fc.subarray(PEOPLE),
});

describe('crossedFence', () => {
  it('names the fence that an action crosses', () => {
    const reach = { accountIds: [1, 2], people: ['maya@atlas.example', 'a@nova.example'] };
    const crossed = (fences: Partial<Fences>) => crossedFence({ ...NO_FENCES, ...fences }, reach, NOW);
    expect(crossed({})).toBeUndefined();
    expect(crossed({ accounts: [1, 2] })).toBeUndefined();
    expect(crossed({ accounts: [1] })).toBe('accounts');
    expect(crossed({ accounts: [] })).toBe('accounts');
    expect(crossed({ recipients: ['atlas.example', 'a@nova.example'] })).toBeUndefined();
    expect(crossed({ recipients: ['atlas.example'] })).toBe('recipients');
    expect(crossed({ until: new Date(NOW.getTime() + 1) })).toBeUndefined();
    expect(crossed({ until: NOW })).toBe('until');
  });

  it('lets nothing more through if the fences are not wider', () => {
    fc.assert(
      fc.property(someFences, someFences, someReach, (before, after, reach) => {
        fc.pre(!isWider(before, after));
        if (crossedFence(after, reach, NOW) === undefined) {
          expect(crossedFence(before, reach, NOW)).toBeUndefined();
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('isWider', () => {
  const wider = (before: Partial<Fences>, after: Partial<Fences>) =>
    isWider({ ...NO_FENCES, ...before }, { ...NO_FENCES, ...after });

  it('is false for the same fences, and for more of them', () => {
    fc.assert(
      fc.property(someFences, (fences) => {
        expect(isWider(fences, fences)).toBe(false);
      }),
    );
    expect(wider({}, { accounts: [1], recipients: ['a.example'], until: NOW })).toBe(false);
    expect(wider({ recipients: ['atlas.example'] }, { recipients: ['maya@atlas.example'] })).toBe(false);
  });

  it.each<[Partial<Fences>, Partial<Fences>]>([
    [{ accounts: [1] }, {}],
    [{ accounts: [1] }, { accounts: [1, 2] }],
    [{ recipients: ['atlas.example'] }, {}],
    [{ recipients: ['maya@atlas.example'] }, { recipients: ['atlas.example'] }],
    [{ until: NOW }, {}],
    [{ until: NOW }, { until: new Date(NOW.getTime() + 1) }],
  ])('is true from %j to %j', (before, after) => {
    expect(wider(before, after)).toBe(true);
  });
});

describe('fencesText', () => {
  it('is read as the same fences, and no fences have none', () => {
    fc.assert(
      fc.property(someFences, (fences) => {
        const text = fencesText(fences);
        expect(text === null ? NO_FENCES : fencesIn(text)).toEqual(fences);
      }),
    );
    expect(fencesText(NO_FENCES)).toBeNull();
  });

  it.each([
    '{}',
    'null',
    '{"accounts":null,"recipients":null}',
    '{"accounts":"1","recipients":null,"untilMs":null}',
  ])('refuses %s', (text) => {
    expect(() => fencesIn(text)).toThrow();
  });
});
