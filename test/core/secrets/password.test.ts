import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hashPassword, passwordMatches } from '../../../core/secrets/password.ts';

// A check takes most of a second, by design: few of them.

describe('passwords', () => {
  it('match their hash, and no other password does', async () => {
    const hash = await hashPassword('correct horse', randomBytes);
    expect(hash).toMatch(/^scrypt\$131072\$[A-Za-z0-9_-]{22}\$[A-Za-z0-9_-]{43}$/);
    expect(hash).not.toContain('correct');
    expect(await passwordMatches('correct horse', hash)).toBe(true);
    expect(await passwordMatches('correct horsE', hash)).toBe(false);
    expect(await passwordMatches('', hash)).toBe(false);
  });

  it('have their own salt, and match any composition of a letter', async () => {
    const one = await hashPassword('pa\u00dfw\u00f6rter', randomBytes);
    const two = await hashPassword('pa\u00dfw\u00f6rter', randomBytes);
    expect(one).not.toBe(two);
    expect(await passwordMatches('pa\u00dfwo\u0308rter', one)).toBe(true);
  });

  it('never match if there is no hash', async () => {
    expect(await passwordMatches('', null)).toBe(false);
  });
});
