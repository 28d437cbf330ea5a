import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** Records of an index: compressed JSON, sealed with a key of the index. */
export interface SealedRecords {
  /** @param place  what the record belongs to, which is authenticated with it */
  seal(place: string, record: unknown): Buffer;
  /** @throws Error if it was sealed for another place, or with another key, or was changed */
  open(place: string, sealed: Uint8Array): unknown;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function sealedRecords(key: Uint8Array): SealedRecords {
  return {
    seal(place, record) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place, 'utf8'));
      const body = cipher.update(deflateRawSync(JSON.stringify(record)));
      return Buffer.concat([nonce, body, cipher.final(), cipher.getAuthTag()]);
    },
    open(place, sealed) {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES));
      decipher.setAAD(Buffer.from(place, 'utf8')).setAuthTag(sealed.subarray(-TAG_BYTES));
      const body = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
      const text = inflateRawSync(Buffer.concat([body, decipher.final()])).toString('utf8');
      const record: unknown = JSON.parse(text);
      return record;
    },
  };
}

/** Derives a key for one purpose (HKDF with SHA-256). */
export function derivedKey(secretKey: Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(
    hkdfSync('sha256', secretKey, Buffer.alloc(0), `countersign/mail-index/${purpose}`, 32),
  );
}
