import { randomBytes, scryptSync } from 'node:crypto';

/**
 * Returns a stored password hash that takes a thousandth of the usual time to check. The service reads the cost of a
 * hash from the hash itself.
 */
export function quickHash(password: string): string {
  const [cost, salt] = [128, randomBytes(16)];
  const hash = scryptSync(password, salt, 32, { N: cost, r: 8, p: 1 });
  return ['scrypt', cost, salt.toString('base64url'), hash.toString('base64url')].join('$');
}
