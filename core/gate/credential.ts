import { hash } from 'node:crypto';
import type { Random } from '../secrets/random.ts';

/**
 * API keys: `svc_pat_`, 43 characters of 32 random bytes, and 6 of checksum, all base62. The checksum detects
 * a mistyped key, or a string that only looks like one, without a query to the store. Only the SHA-256 of a
 * key is stored.
 */
const KEY_PREFIX = 'svc_pat_';
const BODY_CHARS = 43;
const CHECKSUM_CHARS = 6;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export const KEY_DAYS_DEFAULT = 90;
export const KEY_DAYS_MAX = 180;
export const ROTATION_OVERLAP_HOURS = 24;

/** Every string in a text that could be a key, whether or not it is one. */
export const KEY_PATTERN = /svc_pat_[0-9A-Za-z]*/g;

export function newApiKey(random: Random): string {
  const body = base62(Buffer.from(random(32)).toString('hex'), BODY_CHARS);
  return `${KEY_PREFIX}${body}${checksum(body)}`;
}

export function isWellFormed(key: string): boolean {
  if (!key.startsWith(KEY_PREFIX) || key.length !== KEY_PREFIX.length + BODY_CHARS + CHECKSUM_CHARS)
    return false;
  const body = key.slice(KEY_PREFIX.length, KEY_PREFIX.length + BODY_CHARS);
  return /^[0-9A-Za-z]+$/.test(body) && key.endsWith(checksum(body));
}

/** SHA-256, hex. A key has 256 random bits: a slow hash would add nothing. */
export function secretHash(secret: string): string {
  return hash('sha256', secret);
}

function checksum(body: string): string {
  return base62(hash('sha256', `${KEY_PREFIX}${body}`).slice(0, 16), CHECKSUM_CHARS);
}

/** The last `length` digits of a hexadecimal number in base 62. */
function base62(hex: string, length: number): string {
  let rest = BigInt(`0x${hex}`);
  let text = '';
  for (let digit = 0; digit < length; digit++) {
    text = (BASE62[Number(rest % 62n)] ?? '') + text;
    rest /= 62n;
  }
  return text;
}
