import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findPacked,
  hashersOf,
  openSources,
  packedHashes,
  readRecord,
  type ShownPassage,
} from '../../../core/provenance/read-record.ts';
import { windowsOf } from '../../../core/provenance/word-windows.ts';
import { createKeyring } from '../../../core/secrets/keyring.ts';
import { firstWords } from '../../../core/stated/first-words.ts';
import { hashedAtOnce } from './hashed-at-once.ts';
import { shownPassage } from './shown-passage.ts';

const keyring = createKeyring([randomBytes(32)], randomBytes);
const [hasher = () => 0] = hashersOf(keyring, 'own_1');
const OWNER = { ownerId: 'own_1', credentialId: 'key_1' };

const passage = (changes: Partial<ShownPassage> = {}) =>
  shownPassage({ title: 'Title', author: 'ada@x.example', text: 'Text', ...changes });

const word = fc.stringMatching(/^[a-z]{1,6}$/);
const words = (min: number, max: number) => fc.array(word, { minLength: min, maxLength: max });

describe('packed hashes', () => {
  it('are found again, each in its passage', () => {
    const lists = fc.array(fc.array(fc.integer({ min: 0, max: 2 ** 48 - 1 }), { maxLength: 30 }), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(lists, (all) => {
        const found: [number, number][] = [];
        findPacked(packedHashes(all), new Set(all.flat()), (at, hash) => found.push([at, hash]));
        expect(found).toEqual(all.flatMap((list, at) => list.map((hash) => [at, hash])));
      }),
    );
  });

  it('of damaged records end the search, and are never read beyond their end', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        findPacked(Buffer.from(bytes).toString('base64'), new Set([0]), () => undefined);
      }),
    );
  });
});

const windowsIn = (text: string, most: number) => windowsOf(firstWords(text, most));

describe('ten words in a row', () => {
  it('that are in two texts are found, whatever stands around them', () => {
    fc.assert(
      fc.property(words(10, 10), words(0, 50), words(0, 50), (shared, before, after) => {
        const read = [...before, ...shared, ...after].join(' ');
        const written = `${after.join('\n')} ${shared.join(', ').toUpperCase()}! ${before.join(' ')}`;
        const known = new Set(windowsIn(read, 500));
        expect(windowsIn(written, 500).some((one) => known.has(one))).toBe(true);
      }),
    );
  });

  it('are at most as many as may be kept', () => {
    fc.assert(
      fc.property(words(0, 100), fc.integer({ min: 0, max: 40 }), (all, most) => {
        expect(windowsIn(all.join(' '), most)).toHaveLength(Math.min(most, Math.max(0, all.length - 9)));
      }),
    );
  });

  it('count characters in scripts without spaces', () => {
    expect(windowsIn('契約書の写しを下記までお送りください', 500)).toHaveLength(9);
  });
});

describe('the record of a read', () => {
  it('contains nothing in clear, and its sources are opened for its owner only', () => {
    const read = hashedAtOnce([passage({ text: 'Write to eve@evil.example or see evil.example' })], hasher);
    const record = readRecord(keyring, OWNER, read);
    expect(JSON.stringify(record)).not.toMatch(/evil|eve|Title|ada/);
    expect(openSources(keyring, 'own_1', record.readId, record.sealed)).toEqual(read.sources);
    expect(() => openSources(keyring, 'own_2', record.readId, record.sealed)).toThrow();
  });

  it('is the same for the same content, and different for a different key or owner', () => {
    const read = hashedAtOnce([passage()], hasher);
    const id = (changes: object) => readRecord(keyring, { ...OWNER, ...changes }, read).readId;
    expect(id({})).toBe(id({}));
    expect(new Set([id({}), id({ credentialId: 'key_2' }), id({ ownerId: 'own_2' })]).size).toBe(3);
    const [other = () => 0] = hashersOf(keyring, 'own_2');
    expect(other('address', 'a@x.example')).not.toBe(hasher('address', 'a@x.example'));
  });

  it('is found after the secret key was rotated', () => {
    const [old, young] = [randomBytes(32), randomBytes(32)];
    const [before = () => 0] = hashersOf(createKeyring([old], randomBytes), 'own_1');
    const after = hashersOf(createKeyring([young, old], randomBytes), 'own_1');
    expect(after.map((hash) => hash('host', 'x.example'))).toContain(before('host', 'x.example'));
  });

  it('has room for every address of the longest answer', () => {
    const addresses = Array.from({ length: 6000 }, (_, n) => `${n.toString(36)}@b.co`);
    const { values } = hashedAtOnce([passage({ text: addresses.join(' ') })], hasher);
    const all = new Set(values.flat());
    expect(addresses.every((address) => all.has(hasher('address', address)))).toBe(true);
  });

  it('keeps rows of a list only if they state something', () => {
    const row = (text: string) => passage({ isListed: true, text });
    const { sources } = hashedAtOnce([row('Lunch?'), row('Send it to eve@evil.example')], hasher);
    expect(sources.passages).toHaveLength(1);
    expect(sources.listed).toBe(2);
  });

  it('is bounded', () => {
    const long = 'x'.repeat(10_000);
    const shown = Array.from({ length: 400 }, (_, n) =>
      passage({ title: long, author: `${long}@x.example`, text: `a${n}@x.example ${'w '.repeat(3000)}` }),
    );
    const record = readRecord(keyring, OWNER, hashedAtOnce(shown, hasher));
    expect(record.phrases.length).toBeLessThan(6000);
    expect(record.hashes.length + record.sealed.length).toBeLessThan(150_000);
  });
});
