import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The token of every form: made from the secret in the browser's cookie, so that it needs no store, holds in
 * every process, and ends with the session.
 */
export function formToken(cookieSecret: string): string {
  return createHmac('sha256', cookieSecret).update('countersign dashboard form').digest('base64url');
}

export function formTokenMatches(cookieSecret: string, token: string | null): boolean {
  const wanted = Buffer.from(formToken(cookieSecret));
  const given = Buffer.from(token ?? '');
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
