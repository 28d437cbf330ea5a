import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Random } from '../secrets/random.ts';

/** The signature of a webhook request: Stripe's scheme, an HMAC-SHA256 of `t`, a dot and the body. */

/** The largest difference between `t` and the receiver's clock. */
export const TOLERANCE_S = 300;

/** A new endpoint secret: `whsec_` and 32 random bytes in base64url. The whole text is the key of the HMAC. */
export function newEndpointSecret(random: Random): string {
  return `whsec_${Buffer.from(random(32)).toString('base64url')}`;
}

/**
 * Returns the value of `Service-Signature`.
 * @param secrets  the endpoint's secret, and for 24 hours after a rotation also the previous one
 */
export function signatureHeader(body: Uint8Array, secrets: readonly string[], unixS: number): string {
  return [`t=${unixS}`, ...secrets.map((secret) => `v1=${signature(body, secret, unixS)}`)].join(',');
}

/** Why a signature is not valid. */
export type SignatureFault = 'malformed' | 'too_old' | 'too_new' | 'wrong';

/**
 * Checks a `Service-Signature` against the raw bytes of the body.
 * @returns undefined if it is valid
 */
export function signatureFault(
  header: string,
  body: Uint8Array,
  secret: string,
  nowS: number,
): SignatureFault | undefined {
  const fields = header.split(',').map((field) => field.trim());
  const valuesOf = (name: string) =>
    fields.flatMap((field) => (field.startsWith(`${name}=`) ? [field.slice(name.length + 1)] : []));
  const [time, ...others] = valuesOf('t');
  const given = valuesOf('v1');
  if (time === undefined || others.length > 0 || !/^(0|[1-9]\d{0,11})$/.test(time) || given.length === 0) {
    return 'malformed';
  }
  const unixS = Number(time);
  const expected = Buffer.from(signature(body, secret, unixS));
  const matches = given.filter((one) => {
    const bytes = Buffer.from(one);
    return bytes.length === expected.length && timingSafeEqual(bytes, expected);
  });
  if (matches.length === 0) return 'wrong';
  if (unixS < nowS - TOLERANCE_S) return 'too_old';
  if (unixS > nowS + TOLERANCE_S) return 'too_new';
  return undefined;
}

function signature(body: Uint8Array, secret: string, unixS: number): string {
  return createHmac('sha256', secret).update(`${unixS}.`).update(body).digest('hex');
}
