import { createHmac, timingSafeEqual } from 'node:crypto';

/** Which form of which session a time is for, and what it says. */
interface About {
  /** The token of the session's forms. */
  readonly token: string;
  readonly about: string;
}

/** A time by the store's clock that a form brings back. */
export function signedTime({ token, about }: About, atMs: number): string {
  const time = atMs.toString(36);
  return `${time}.${createHmac('sha256', token).update(`${about} ${time}`).digest('base64url')}`;
}

/** @returns the time, in milliseconds; undefined if `signedTime` did not return this text for the same */
export function readSignedTime(about: About, text: string | null): number | undefined {
  const atMs = Number.parseInt(text ?? '', 36);
  if (text === null || !Number.isSafeInteger(atMs)) return undefined;
  const given = Buffer.from(text);
  const ours = Buffer.from(signedTime(about, atMs));
  return given.length === ours.length && timingSafeEqual(given, ours) ? atMs : undefined;
}
