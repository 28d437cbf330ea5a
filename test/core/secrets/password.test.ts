import { randomBytes, scryptSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hashPassword, passwordMatches } from '../../../core/secrets/password.ts';
import { PASSWORD_COST } from '../../../core/secrets/password-cost.ts';
import { PASSWORD_COST as QUICK_COST } from '../../quick-password-cost.ts';

describe('passwords', () => {
  it('match their hash, and no other password does', async () => {
    const hash = await hashPassword('correct horse', randomBytes);
    const [, cost, salt = '', derived] = /^scrypt\$(\d+)\$([\w-]{22})\$([\w-]{43})$/.exec(hash) ?? [];
    // The tests' own cost stands in for the usual one.
    expect(Number(cost)).toBe(QUICK_COST);
    expect(derived).toBe(scryptOf('correct horse', Buffer.from(salt, 'base64url'), QUICK_COST));
    expect(hash).not.toContain('correct');
    expect(await passwordMatches('correct horse', hash)).toBe(true);
    expect(await passwordMatches('correct horsE', hash)).toBe(false);
    expect(await passwordMatches('', hash)).toBe(false);
  });

  it('of the usual cost take 128 MB', async () => {
    expect(PASSWORD_COST * 8 * 128).toBe(128 * 1024 * 1024);
    const salt = randomBytes(16);
    const hash = scryptOf('correct horse', salt, PASSWORD_COST);
    const stored = `scrypt$${PASSWORD_COST}$${salt.toString('base64url')}$${hash}`;
    expect(await passwordMatches('correct horse', stored)).toBe(true);
    expect(await passwordMatches('correct horsE', stored)).toBe(false);
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

function scryptOf(password: string, salt: Uint8Array, cost: number): string {
  const options = { N: cost, r: 8, p: 1, maxmem: 256 * cost * 8 };
  return scryptSync(password, salt, 32, options).toString('base64url');
}
