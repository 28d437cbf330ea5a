import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoredCredential, StoredSecret } from '../../../core/keys/key-state.ts';
import { GROUPS, type Modes, modesOf } from '../../../core/keys/permissions.ts';
import {
  credentialText,
  isAltered,
  isCredentialIntact,
  isSecretIntact,
  secretText,
  signedCredential,
  signedSecret,
} from '../../../core/keys/signed-rows.ts';
import { createKeyring } from '../../../core/secrets/keyring.ts';

const [OLD, NEW] = [randomBytes(32), randomBytes(32)];
const signer = createKeyring([OLD], randomBytes);

const time = fc.integer({ min: 0, max: 4e12 }).map((ms) => new Date(ms));
const modes = fc.record(
  Object.fromEntries(GROUPS.map((group) => [group, fc.constantFrom(...modesOf(group))])),
) as fc.Arbitrary<Modes>;
/** Texts that could imitate the encoding around them. */
const word = fc.oneof(fc.string(), fc.constantFrom('","', '1,"a"', 'null', '\\', '[]', ''));

const fences = fc.record({
  accounts: fc.option(fc.array(fc.nat())),
  recipients: fc.option(fc.array(word)),
  until: fc.option(time),
});

const credential: fc.Arbitrary<Omit<StoredCredential, 'signature'>> = fc.record({
  ownerId: word,
  credentialId: word,
  kind: fc.constantFrom('pat' as const, 'oauth' as const),
  name: word,
  modes,
  fences,
  pausedAt: fc.option(time),
  revision: fc.nat(),
  createdAt: time,
  expiresAt: time,
  overlapUntil: fc.option(time),
  revokedAt: fc.option(time),
});
const secret: fc.Arbitrary<Omit<StoredSecret, 'signature'>> = fc.record({
  ownerId: word,
  credentialId: word,
  secretHash: word,
  expiresAt: time,
  sealedTokens: fc.constantFrom(null, 'sealed for the row'),
});

/** A row, and the same row with one column of another. */
function withOneColumnOf<Row extends object>(rows: fc.Arbitrary<Row>) {
  return fc.tuple(rows, rows, fc.nat()).map(([row, other, n]) => {
    const names = Object.keys(row) as (keyof Row)[];
    const name = names[n % names.length] ?? names[0];
    if (name === undefined) throw new Error('the row has no column');
    return { row, changed: { ...row, [name]: other[name] } };
  });
}

describe('the signed text of a row', () => {
  it('differs for any two credentials', () => {
    fc.assert(
      fc.property(withOneColumnOf(credential), ({ row, changed }) => {
        const isSame = JSON.stringify(row) === JSON.stringify(changed);
        expect(credentialText(row) === credentialText(changed)).toBe(isSame);
      }),
    );
  });

  it('differs for any two secrets', () => {
    fc.assert(
      fc.property(withOneColumnOf(secret), ({ row, changed }) => {
        const isSame = JSON.stringify(row) === JSON.stringify(changed);
        expect(secretText(row) === secretText(changed)).toBe(isSame);
      }),
    );
  });

  it('contains every mode', () => {
    fc.assert(
      fc.property(credential, modes, (row, other) => {
        const isSame = GROUPS.every((group) => row.modes[group] === other[group]);
        expect(credentialText(row) === credentialText({ ...row, modes: other })).toBe(isSame);
      }),
    );
  });
});

describe('a signed row', () => {
  it('is intact until a column changes, and is not without its signature', () => {
    fc.assert(
      fc.property(withOneColumnOf(credential), ({ row, changed }) => {
        const signed = signedCredential(row, signer);
        expect(isCredentialIntact(signed, signer)).toBe(true);
        const isSame = JSON.stringify(row) === JSON.stringify(changed);
        expect(isCredentialIntact({ ...changed, signature: signed.signature }, signer)).toBe(isSame);
        expect(isCredentialIntact({ ...row, signature: '' }, signer)).toBe(false);
      }),
    );
  });

  it('is intact under every key of the ring, and under no other', () => {
    fc.assert(
      fc.property(credential, secret, (one, other) => {
        const rotated = createKeyring([NEW, OLD], randomBytes);
        const replaced = createKeyring([NEW], randomBytes);
        const [key, itsSecret] = [signedCredential(one, signer), signedSecret(other, signer)];
        expect([isCredentialIntact(key, rotated), isSecretIntact(itsSecret, rotated)]).toEqual([true, true]);
        expect([isCredentialIntact(key, replaced), isSecretIntact(itsSecret, replaced)]).toEqual([
          false,
          false,
        ]);
        expect(isCredentialIntact(signedCredential(one, rotated), replaced)).toBe(true);
      }),
    );
  });

  it('of a secret does not pass for that of a credential', () => {
    const text = 'the same text';
    expect(signer.isSigned('credential', text, signer.sign('secret', text))).toBe(false);
    for (const signature of ['', 'AAAA', 'not base64 at all'])
      expect(signer.isSigned('credential', text, signature)).toBe(false);
  });
});

describe('a key', () => {
  it('is altered by a secret that nobody signed, unless it is revoked', () => {
    fc.assert(
      fc.property(credential, secret, (row, own) => {
        const secrets = [signedSecret(own, signer), { ...own, signature: '' }];
        const key = signedCredential(row, signer);
        expect(isAltered(key, secrets.slice(0, 1), signer)).toBe(false);
        expect(isAltered(key, secrets, signer)).toBe(row.revokedAt === null);
      }),
    );
  });
});
