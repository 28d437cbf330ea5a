import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isAccessToken,
  isApiKey,
  KEY_PATTERN,
  newAccessToken,
  newApiKey,
  secretHash,
} from '../../../core/keys/credential.ts';

const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => newApiKey(() => bytes));

describe('API keys', () => {
  it('start with svc_pat_ and are well formed, whatever the random bytes', () => {
    fc.assert(
      fc.property(key, (apiKey) => {
        expect(apiKey).toMatch(/^svc_pat_[0-9A-Za-z]{49}$/);
        expect(isApiKey(apiKey)).toBe(true);
      }),
    );
  });

  it('contain all of their 32 random bytes', () => {
    const zeros = new Uint8Array(32);
    const keys = Array.from({ length: 32 }, (_, index) => newApiKey(() => zeros.with(index, 1)));
    expect(new Set(keys).size).toBe(32);
    expect(newApiKey(randomBytes)).not.toBe(newApiKey(randomBytes));
  });

  it('with one character mistyped, lost or doubled are not well formed', () => {
    const slip = fc.record({
      at: fc.integer({ min: 'svc_pat_'.length, max: 'svc_pat_'.length + 48 }),
      char: fc.constantFrom(...'09AZaz -_'),
    });
    fc.assert(
      fc.property(key, slip, (apiKey, { at, char }) => {
        fc.pre(apiKey[at] !== char);
        expect(isApiKey(apiKey.slice(0, at) + char + apiKey.slice(at + 1))).toBe(false);
        expect(isApiKey(apiKey.slice(0, at) + apiKey.slice(at + 1))).toBe(false);
        expect(isApiKey(apiKey.slice(0, at) + apiKey.slice(at - 1))).toBe(false);
      }),
    );
  });

  it.each(['', 'svc_pat_', 'svc_pat_wrong', `SVC_PAT_${'0'.repeat(49)}`, `svc_pat_${'0'.repeat(49)}`])(
    '%j is not well formed',
    (apiKey) => {
      expect(isApiKey(apiKey)).toBe(false);
    },
  );

  it('are found in any text that contains them', () => {
    fc.assert(
      fc.property(key, fc.constantFrom(' ', '/', '?key=', '&', '%20', '"'), (apiKey, mark) => {
        expect(`GET /v1/me${mark}${apiKey}${mark}`.match(KEY_PATTERN)).toContain(apiKey);
      }),
    );
  });

  it('are not access tokens, and access tokens are not keys, even with the other prefix', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        const [apiKey, token] = [newApiKey(() => bytes), newAccessToken(() => bytes)];
        expect([isAccessToken(token), isApiKey(token)]).toEqual([true, false]);
        expect([isAccessToken(apiKey), isApiKey(apiKey)]).toEqual([false, true]);
        expect(isApiKey(token.replace('svc_oat_', 'svc_pat_'))).toBe(false);
        expect(`GET /mcp?token=${token}`.match(KEY_PATTERN)).toEqual([token]);
      }),
    );
  });

  it('are stored as their SHA-256', () => {
    expect(secretHash('svc_pat_x')).toBe(createHash('sha256').update('svc_pat_x').digest('hex'));
  });
});
