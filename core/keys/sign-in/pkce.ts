import { hash } from 'node:crypto';

/** Proof Key for Code Exchange, with SHA-256 only. Source: RFC 7636. */

/** Whether the text is the base64url of a SHA-256. */
export function isChallenge(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** Whether the code was requested by whoever knows the verifier. */
export function isVerified(verifier: string, challenge: string): boolean {
  return /^[A-Za-z0-9._~-]{43,128}$/.test(verifier) && hash('sha256', verifier, 'base64url') === challenge;
}
