import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The token in every form. It is derived from the secret in the browser's cookie, so it needs no store, works in every
 * process, and ends with the session.
 */
export function formToken(cookieSecret: string): string {
  return createHmac('sha256', cookieSecret).update('countersign dashboard form').digest('base64url');
}

export function formTokenMatches(cookieSecret: string, token: string | null): boolean {
  const expected = Buffer.from(formToken(cookieSecret));
  const given = Buffer.from(token ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
