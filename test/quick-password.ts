import { randomBytes, scryptSync } from 'node:crypto';
import { PASSWORD_COST } from './quick-password-cost.ts';

/** Returns a stored password hash that is quick to check. */
export function quickHash(password: string): string {
  const salt = randomBytes(16);
  const hash = scryptSync(password, salt, 32, { N: PASSWORD_COST, r: 8, p: 1 });
  return ['scrypt', PASSWORD_COST, salt.toString('base64url'), hash.toString('base64url')].join('$');
}
