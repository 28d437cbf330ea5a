import { scrypt, timingSafeEqual } from 'node:crypto';
import { normalForm } from '../text/normal-form.ts';
import { PASSWORD_COST } from './password-cost.ts';
import type { Random } from './random.ts';

/** Owners' passwords are stored as `scrypt$N$salt$hash` (base64url), with r = 8, p = 1. */
const HASH_BYTES = 32;

export const PASSWORD_CHARS_MIN = 10;
export const PASSWORD_CHARS_MAX = 1000;

export async function hashPassword(password: string, random: Random): Promise<string> {
  const salt = random(16);
  const hash = await derive(password, salt, PASSWORD_COST);
  return ['scrypt', PASSWORD_COST, Buffer.from(salt).toString('base64url'), hash.toString('base64url')].join(
    '$',
  );
}

/** Takes equally long if there is no hash to check against. */
export async function passwordMatches(password: string, hash: string | null): Promise<boolean> {
  const [, cost, salt, expected] = (hash ?? '').split('$');
  const derived = await derive(password, Buffer.from(salt ?? '', 'base64url'), Number(cost ?? PASSWORD_COST));
  const bytes = Buffer.from(expected ?? '', 'base64url');
  return bytes.length === HASH_BYTES && timingSafeEqual(derived, bytes);
}

function derive(password: string, salt: Uint8Array, cost: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { N: cost, r: 8, p: 1, maxmem: 256 * cost * 8 };
    scrypt(normalForm(password, 'NFKC'), salt, HASH_BYTES, options, (error, hash) => {
      if (error) reject(error);
      else resolve(hash);
    });
  });
}
