import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { base32 } from '../../../core/secrets/base32.ts';
import { readRecoveryCode, recoveryCodes } from '../../../core/secrets/recovery-code.ts';
import { totpCode, totpSteps, totpUri } from '../../../core/secrets/totp.ts';

const SECRET = Buffer.from('12345678901234567890');

describe('codes of an authenticator app', () => {
  // RFC 6238, appendix B, SHA-1: the last six of its eight digits.
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('at %d s are those of RFC 6238', (seconds, code) => {
    const step = Math.floor(seconds / 30);
    expect(totpCode(SECRET, step)).toBe(code);
    expect(totpSteps(SECRET, code, new Date(seconds * 1000))).toContain(step);
  });

  it('count in their step and the ones beside it, and in no other', () => {
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 2 ** 31 }), fc.integer({ min: -5, max: 5 }), (step, away) => {
        const at = new Date((step + away) * 30_000);
        expect(totpSteps(SECRET, totpCode(SECRET, step), at).includes(step)).toBe(Math.abs(away) <= 1);
      }),
    );
  });

  it('keep their zeros in front', () => {
    const codes = Array.from({ length: 200 }, (_, step) => totpCode(SECRET, step));
    expect(codes.every((code) => /^\d{6}$/.test(code))).toBe(true);
    expect(codes.some((code) => code.startsWith('0'))).toBe(true);
  });

  it('are set up by an address that names the service and the owner', () => {
    const uri = new URL(totpUri(base32(SECRET), 'Countersign', 'ann+x@example.org'));
    expect(uri.protocol).toBe('otpauth:');
    expect(decodeURIComponent(uri.pathname)).toContain('Countersign:ann+x@example.org');
    expect(Object.fromEntries(uri.searchParams)).toEqual({
      secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
      issuer: 'Countersign',
    });
  });
});

describe('base32', () => {
  it.each([
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ])('encodes %j as RFC 4648 says, without padding', (text, encoded) => {
    expect(base32(Buffer.from(text))).toBe(encoded);
  });
});

describe('recovery codes', () => {
  it('are ten different ones, and are read as people type them', () => {
    const codes = recoveryCodes((bytes) => randomBytes(bytes));
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) {
      expect(readRecoveryCode(code.toLowerCase())).toBe(code);
      expect(readRecoveryCode(code.replaceAll('O', '0').replaceAll('I', '1'))).toBe(code);
    }
  });

  it.each(['', '123456', 'A'.repeat(15), 'A'.repeat(17), `${'A'.repeat(15)}9`])('%j is not one', (typed) => {
    expect(readRecoveryCode(typed)).toBeUndefined();
  });
});
