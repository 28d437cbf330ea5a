import { createHmac } from 'node:crypto';

/**
 * Time-based one-time passwords of authenticator apps: HMAC-SHA1, six digits, a new one every 30 s. Apps support nothing
 * else everywhere. Source: RFC 6238, RFC 4226.
 */

/** The length of the HMAC's output, as RFC 4226 recommends. */
export const TOTP_SECRET_BYTES = 20;

const STEP_MS = 30_000;

/** The code of a time step. @param step  whole steps of 30 s since 1970 */
export function totpCode(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  // The low four bits of the last byte say where the four bytes of the code begin.
  const offset = mac.readUInt8(mac.length - 1) & 0x0f;
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 1_000_000).padStart(6, '0');
}

/**
 * Returns the time steps whose code this is, oldest first: of the current step and the ones beside it, because clocks
 * differ and typing takes time.
 */
export function totpSteps(secret: Uint8Array, code: string, now: Date): number[] {
  const current = Math.floor(now.getTime() / STEP_MS);
  return [current - 1, current, current + 1].filter((step) => totpCode(secret, step) === code);
}

/** The address that an authenticator app reads from a QR code. Source: Google Authenticator's Key URI format. */
export function totpUri(secret: string, issuer: string, account: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;
}
