import { createHmac, timingSafeEqual } from 'node:crypto';

/** The session and the form that a time belongs to. */
interface About {
  /** The token of the session's forms. */
  readonly token: string;
  readonly about: string;
}

/** Returns a time by the store's clock, signed for a form that brings it back. */
export function signedTime({ token, about }: About, atMs: number): string {
  const time = atMs.toString(36);
  return `${time}.${createHmac('sha256', token).update(`${about} ${time}`).digest('base64url')}`;
}

/**
 * @returns the time in milliseconds. Undefined if `signedTime` did not return this text for the same session and form
 */
export function readSignedTime(about: About, text: string | null): number | undefined {
  const atMs = Number.parseInt(text ?? '', 36);
  if (text === null || !Number.isSafeInteger(atMs)) return undefined;
  const given = Buffer.from(text);
  const ours = Buffer.from(signedTime(about, atMs));
  return given.length === ours.length && timingSafeEqual(given, ours) ? atMs : undefined;
}
