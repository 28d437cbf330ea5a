import { hash } from 'node:crypto';
import type { Random } from '../secrets/random.ts';

/**
 * API keys and the access tokens of sign-ins: a prefix, 43 characters of 32 random bytes, and 6 of checksum, all base62.
 * The prefix decides which door accepts the text. The checksum detects a mistyped key, or a string that only looks like
 * one, without a query to the store. Only the SHA-256 is stored.
 */
const KEY_PREFIX = 'svc_pat_';
const ACCESS_TOKEN_PREFIX = 'svc_oat_';
const BODY_CHARS = 43;
const CHECKSUM_CHARS = 6;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export const KEY_DAYS_DEFAULT = 90;
export const KEY_DAYS_MAX = 180;
export const ROTATION_OVERLAP_HOURS = 24;

/** Every string in a text that could be a key or an access token, whether or not it is one. */
export const KEY_PATTERN = /svc_(?:pat|oat)_[0-9A-Za-z]*/g;

export function newApiKey(random: Random): string {
  return newSecret(KEY_PREFIX, random);
}

export function newAccessToken(random: Random): string {
  return newSecret(ACCESS_TOKEN_PREFIX, random);
}

export function isApiKey(text: string): boolean {
  return isSecret(text, KEY_PREFIX);
}

export function isAccessToken(text: string): boolean {
  return isSecret(text, ACCESS_TOKEN_PREFIX);
}

function newSecret(prefix: string, random: Random): string {
  const body = base62(Buffer.from(random(32)).toString('hex'), BODY_CHARS);
  return `${prefix}${body}${checksum(prefix, body)}`;
}

function isSecret(text: string, prefix: string): boolean {
  if (!text.startsWith(prefix) || text.length !== prefix.length + BODY_CHARS + CHECKSUM_CHARS) return false;
  const body = text.slice(prefix.length, prefix.length + BODY_CHARS);
  return /^[0-9A-Za-z]+$/.test(body) && text.endsWith(checksum(prefix, body));
}

/** SHA-256, hex. A key has 256 random bits: a slow hash would add nothing. */
export function secretHash(secret: string): string {
  return hash('sha256', secret);
}

function checksum(prefix: string, body: string): string {
  return base62(hash('sha256', `${prefix}${body}`).slice(0, 16), CHECKSUM_CHARS);
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
