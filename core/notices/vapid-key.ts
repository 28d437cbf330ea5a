import type { Keyring } from '../secrets/keyring.ts';

/** The order of the group of P-256. A private key is a number below it, and not 0. */
const P256_ORDER = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex');

/**
 * The private VAPID key of an owner, in base64url (RFC 8292). It follows from the secret key, so it is the same in every
 * process and no store holds it in the clear. Each push channel keeps the one that it was added with, sealed.
 */
export function vapidKey(keyring: Keyring, ownerId: string): string {
  for (let n = 0; ; n += 1) {
    const key = Buffer.from(keyring.mac('notice-vapid', `${n}\n${ownerId}`) ?? []);
    if (key.compare(P256_ORDER) < 0 && key.some((byte) => byte !== 0)) return key.toString('base64url');
  }
}
