import { createCipheriv, createECDH, hkdfSync, sign } from 'node:crypto';
import type { PushTarget } from '../../core/ports/notice-target.ts';
import { vapidPublicKey } from '../../core/ports/notice-target.ts';

/** Larger than any message here, so a message is one record. Browsers accept at least 4096 bytes. */
const RECORD_BYTES = 4096;
/** Ends the last record (RFC 8188, 2). */
const LAST_RECORD = Buffer.from([2]);
const TAG_BYTES = 16;

/**
 * Encrypts a message for a browser: RFC 8291, with the content encoding `aes128gcm` of RFC 8188.
 * @param once  16 random bytes, and a private key on P-256 that is used for this message only
 */
export function encryptPush(
  message: Uint8Array,
  { p256dh, auth }: Pick<PushTarget, 'p256dh' | 'auth'>,
  once: { readonly salt: Uint8Array; readonly privateKey: Uint8Array },
): Buffer {
  const receiver = Buffer.from(p256dh, 'base64url');
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(once.privateKey);
  const sender = ecdh.getPublicKey();
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), receiver, sender]);
  const secret = derive(ecdh.computeSecret(receiver), Buffer.from(auth, 'base64url'), info, 32);
  const key = derive(secret, once.salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derive(secret, once.salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce, { authTagLength: TAG_BYTES });
  const head = Buffer.alloc(5);
  head.writeUInt32BE(RECORD_BYTES, 0);
  head.writeUInt8(sender.length, 4);
  const record = [cipher.update(message), cipher.update(LAST_RECORD), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat([once.salt, head, sender, ...record]);
}

function derive(secret: Uint8Array, salt: Uint8Array, info: Uint8Array, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, length));
}

/** At most 24 h (RFC 8292, 2). Shorter than that, because clocks differ. */
const TOKEN_S = 12 * 3600;

/**
 * Returns the `Authorization` of a request to a push service: RFC 8292.
 * @param privateKey  the VAPID key, in base64url
 * @param contact  whom the operator of the push service may ask; undefined if there is nobody
 */
export function vapidHeader(
  endpoint: string,
  privateKey: string,
  contact: string | undefined,
  now: Date,
): string {
  const publicKey = vapidPublicKey(privateKey);
  const claims = {
    aud: new URL(endpoint).origin,
    exp: Math.floor(now.getTime() / 1000) + TOKEN_S,
    ...(contact === undefined ? {} : { sub: contact }),
  };
  const signed = [{ typ: 'JWT', alg: 'ES256' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const point = Buffer.from(publicKey, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'));
  const key = { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '', d: privateKey };
  const signature = sign('sha256', Buffer.from(signed), { key, format: 'jwk', dsaEncoding: 'ieee-p1363' });
  return `vapid t=${signed}.${signature.toString('base64url')}, k=${publicKey}`;
}
