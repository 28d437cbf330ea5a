import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createKeyring } from '../../../core/secrets/keyring.ts';
import { anyGrapheme } from '../../any-character.ts';

const random = (bytes: number) => randomBytes(bytes);
const older = randomBytes(32);
const newer = randomBytes(32);
const ring = createKeyring([older], random);
const rotated = createKeyring([newer, older], random);
const strange = createKeyring([newer], random);

const bytes = fc.uint8Array({ maxLength: 200 });
const text = fc.string({ unit: anyGrapheme, maxLength: 100 });
/** A place in sealed bytes, as a fraction of their length, and the bits to flip there. */
const change = fc.record({
  at: fc.double({ min: 0, max: 0.999, noNaN: true }),
  flip: fc.integer({ min: 1, max: 255 }),
});

function changed(sealed: Uint8Array, { at, flip }: { at: number; flip: number }): Buffer {
  const copy = Buffer.from(sealed);
  const index = Math.floor(at * copy.length);
  copy[index] = (copy[index] ?? 0) ^ flip;
  return copy;
}

describe('sealed text', () => {
  it('opens for the same purpose and context', () => {
    fc.assert(
      fc.property(text, text, (context, secret) => {
        expect(ring.open('plan', context, ring.seal('plan', context, secret))).toBe(secret);
      }),
    );
  });

  it('is never the same twice', () => {
    expect(ring.seal('plan', 'a', 'text')).not.toBe(ring.seal('plan', 'a', 'text'));
  });

  it('does not open for a different purpose or context', () => {
    const sealed = ring.seal('plan', 'owner\n1', 'text');
    expect(() => ring.open('outcome', 'owner\n1', sealed)).toThrow();
    expect(() => ring.open('plan', 'owner\n2', sealed)).toThrow();
  });

  it('does not open with any byte changed or the end cut off', () => {
    fc.assert(
      fc.property(text, change, (secret, where) => {
        const sealed = Buffer.from(ring.seal('plan', 'a', secret), 'base64url');
        expect(() => ring.open('plan', 'a', changed(sealed, where).toString('base64url'))).toThrow();
        const cut = sealed.subarray(0, Math.floor(where.at * sealed.length));
        expect(() => ring.open('plan', 'a', cut.toString('base64url'))).toThrow();
      }),
    );
  });
});

describe('sealed bytes with a synthetic IV', () => {
  it('open again, and are the same for the same bytes', () => {
    fc.assert(
      fc.property(bytes, (secret) => {
        const sealed = ring.sealFixed('message-id', secret);
        expect(ring.sealFixed('message-id', secret)).toEqual(sealed);
        expect(ring.openFixed('message-id', sealed)?.bytes).toEqual(Buffer.from(secret));
      }),
    );
  });

  it('do not open with any byte changed, cut, or for a different purpose', () => {
    fc.assert(
      fc.property(bytes, change, (secret, where) => {
        const sealed = ring.sealFixed('message-id', secret);
        expect(ring.openFixed('message-id', changed(sealed, where))).toBeUndefined();
        expect(
          ring.openFixed('message-id', sealed.subarray(0, Math.floor(where.at * sealed.length))),
        ).toBeUndefined();
        expect(ring.openFixed('cursor', sealed)).toBeUndefined();
      }),
    );
  });
});

describe('rotation of the secret keys', () => {
  it('reads with every key and writes with the first', () => {
    expect(rotated.open('plan', 'a', ring.seal('plan', 'a', 'text'))).toBe('text');
    expect(strange.open('plan', 'a', rotated.seal('plan', 'a', 'text'))).toBe('text');
    const fixed = ring.sealFixed('cursor', Buffer.from('text'));
    expect(rotated.openFixed('cursor', fixed)?.bytes.toString()).toBe('text');
    expect(rotated.sealFixed('cursor', Buffer.from('text'))).not.toEqual(fixed);
  });

  it('does not read text sealed with a removed key', () => {
    expect(() => strange.open('plan', 'a', ring.seal('plan', 'a', 'text'))).toThrow('secretKeys');
    expect(strange.openFixed('cursor', ring.sealFixed('cursor', Buffer.from('text')))).toBeUndefined();
  });

  it('names the key that sealed, and computes its MACs', () => {
    const opened = rotated.openFixed('cursor', ring.sealFixed('cursor', Buffer.from('text')));
    expect(opened).toBeDefined();
    expect(rotated.mac('owner', 'ada', opened?.keyId)).toEqual(ring.mac('owner', 'ada'));
    expect(rotated.mac('owner', 'ada')).not.toEqual(ring.mac('owner', 'ada'));
    expect(strange.mac('owner', 'ada', opened?.keyId)).toBeUndefined();
  });
});

describe('createKeyring', () => {
  it.each([
    ['none', [], 'at least one key'],
    ['a short one', [randomBytes(31)], 'secretKeys[0]: a key has 32 bytes, this one 31'],
    ['a long second one', [older, randomBytes(64)], 'secretKeys[1]'],
    ['the same twice', [older, newer, older], 'two keys are the same'],
  ])('refuses %s', (_name, keys, message) => {
    expect(() => createKeyring(keys, random)).toThrow(message);
  });
});
