import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { type SignedForm, signedText } from './signed-form.ts';

/**
 * Proves that a form came from the dashboard's own page in the browser that signed in. The browser keeps a key for the
 * page's origin, port included, that no script can read. The cookie proves none of this: browsers send it to every port
 * of its host.
 */

/**
 * @param publicKey  the session's key, as accepted by `readProofKey`
 * @param proof  `nonce.signature`, both in base64url
 * @returns the nonce, which may be used once; undefined if the proof does not match the form
 */
export function provenNonce(form: SignedForm, publicKey: string, proof: string): string | undefined {
  const [, nonce, signature] = /^([\w-]{22})\.([\w-]{86})$/.exec(proof) ?? [];
  const key = keyObject(publicKey);
  if (nonce === undefined || signature === undefined || key === undefined) return undefined;
  const text = Buffer.from(signedText(form, nonce));
  const bytes = Buffer.from(signature, 'base64url');
  return verify('sha256', text, { key, dsaEncoding: 'ieee-p1363' }, bytes) ? nonce : undefined;
}

/** An uncompressed P-256 point in base64url; null if the text is not one. */
export function readProofKey(text: string | null): string | null {
  return text !== null && keyObject(text) !== undefined ? text : null;
}

function keyObject(text: string): KeyObject | undefined {
  // 65 bytes: 04, x and y.
  if (!/^B[\w-]{86}$/.test(text)) return undefined;
  const point = Buffer.from(text, 'base64url');
  if (point[0] !== 4 || point.toString('base64url') !== text) return undefined;
  const x = point.subarray(1, 33).toString('base64url');
  const y = point.subarray(33).toString('base64url');
  try {
    return createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } });
  } catch {
    // The point is not on the curve. Anyone can send such a key, so it is not an error.
    return undefined;
  }
}
