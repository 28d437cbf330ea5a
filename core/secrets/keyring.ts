import { createCipheriv, createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { boundedCache } from '../memory/bounded-cache.ts';
import { ownCopy } from '../memory/own-copy.ts';
import type { Random } from './random.ts';

/**
 * Keys at rest. HKDF derives a key per purpose from each secret key. The first secret key writes, all of them read.
 * Everything sealed starts with four bytes of key id.
 */
export interface Keyring {
  /** The ids of the keys, as `keyIdOf` returns them, the writing key first. */
  readonly keyIds: readonly string[];
  /** AES-256-GCM; `context` (owner, account, row) is authenticated with it. @returns base64url */
  seal(purpose: string, context: string, text: string): string;
  /** @throws Error if it was sealed for a different context, was changed, or its key is not in the ring */
  open(purpose: string, context: string, sealed: string): string;
  /** Deterministic: a synthetic IV by HMAC, then AES-256-CTR. */
  sealFixed(purpose: string, bytes: Uint8Array): Uint8Array;
  /** Undefined if it was not sealed here for this purpose. `keyId` names the key that sealed it. */
  openFixed(purpose: string, sealed: Uint8Array): { bytes: Uint8Array; keyId: string } | undefined;
  /** HMAC-SHA256 with the key of a purpose: the writing key, or the named one. Undefined: no such key. */
  mac(purpose: string, text: string, keyId?: string): Uint8Array | undefined;
  /** `mac` with every key of the ring, the writing key first. */
  macs(purpose: string, text: string): readonly Uint8Array[];
  /** The writing key of a purpose, of 32 bytes. For a port that seals what it keeps by itself. */
  keyFor(purpose: string): Uint8Array;
  /** Proves that a text came from here: the writing key's id and `mac`. @returns base64url */
  sign(purpose: string, text: string): string;
  /** Whether `sign` returned this for the same purpose and text, with any key of the ring. */
  isSigned(purpose: string, text: string, signature: string | null): boolean;
}

/** What a verb needs to sign the rows that it writes and to check the rows that it reads. */
export type Signer = Pick<Keyring, 'sign' | 'isSigned'>;

/** What `seal` and `sign` return starts with these characters: they contain the key's id. */
export const KEY_ID_CHARS = 6;

/** The id of the key that sealed or signed a text. @param text  at least its first `KEY_ID_CHARS` @returns hex */
export function keyIdOf(text: string): string {
  return Buffer.from(text.slice(0, KEY_ID_CHARS), 'base64url').toString('hex');
}

const KEY_ID_BYTES = 4;
const IV_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const MAC_BYTES = 32;
/** Some 1000 rows of keys. */
const VERIFIED_BYTES = 2 * 1024 * 1024;

/** @param secretKeys 32 bytes each @throws Error that names the problem */
export function createKeyring(secretKeys: readonly Uint8Array[], random: Random): Keyring {
  if (!Array.isArray(secretKeys)) throw new Error('secretKeys: give a list of keys of 32 random bytes.');
  if (secretKeys.length === 0) throw new Error('secretKeys: give at least one key of 32 random bytes.');
  const ring = secretKeys.map((secret: Uint8Array, index) => {
    // A string of 32 characters is not 32 random bytes.
    if (!ArrayBuffer.isView(secret)) throw new Error(`secretKeys[${index}]: a key is a Uint8Array.`);
    if (secret.length !== 32)
      throw new Error(`secretKeys[${index}]: a key has 32 bytes, this one ${secret.length}.`);
    const derived = new Map<string, Buffer>();
    const derive = (purpose: string): Buffer => {
      const known = derived.get(purpose);
      if (known !== undefined) return known;
      const made = Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), `countersign/${purpose}`, 32));
      derived.set(purpose, made);
      return made;
    };
    return { id: derive('key-id').subarray(0, KEY_ID_BYTES), derive };
  });
  const ids = ring.map((key) => key.id.toString('hex'));
  if (new Set(ids).size !== ids.length) throw new Error('secretKeys: two keys are the same.');
  const [writer] = ring;
  if (writer === undefined) throw new Error('secretKeys: give at least one key of 32 random bytes.');
  const findKey = (id: string) => ring[ids.indexOf(id)];
  /** The texts whose signatures were verified: every call checks the same rows, and an HMAC costs more than the rest. */
  const verified = boundedCache<{ readonly purpose: string; readonly text: string }>(
    VERIFIED_BYTES,
    ({ text }) => 2 * text.length,
  );
  const macWith = (key: (typeof ring)[number], purpose: string, text: string): Buffer =>
    createHmac('sha256', key.derive(`${purpose}/mac`))
      .update(text, 'utf8')
      .digest();

  return {
    keyIds: ids,
    seal(purpose, context, text) {
      const nonce = random(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', writer.derive(purpose), nonce);
      cipher.setAAD(Buffer.from(context, 'utf8'));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([writer.id, nonce, body, cipher.getAuthTag()]).toString('base64url');
    },
    open(purpose, context, sealed) {
      const bytes = Buffer.from(sealed, 'base64url');
      const key = findKey(bytes.subarray(0, KEY_ID_BYTES).toString('hex'));
      if (key === undefined || bytes.length < KEY_ID_BYTES + NONCE_BYTES + TAG_BYTES) {
        throw new Error(`a sealed ${purpose} was written with a key that is not in secretKeys`);
      }
      const nonce = bytes.subarray(KEY_ID_BYTES, KEY_ID_BYTES + NONCE_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', key.derive(purpose), nonce);
      decipher.setAAD(Buffer.from(context, 'utf8'));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      const body = bytes.subarray(KEY_ID_BYTES + NONCE_BYTES, -TAG_BYTES);
      return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
    },
    sealFixed(purpose, bytes) {
      const iv = createHmac('sha256', writer.derive(`${purpose}/iv`))
        .update(bytes)
        .digest()
        .subarray(0, IV_BYTES);
      const cipher = createCipheriv('aes-256-ctr', writer.derive(purpose), iv);
      return Buffer.concat([writer.id, iv, cipher.update(bytes), cipher.final()]);
    },
    openFixed(purpose, sealed) {
      if (sealed.length < KEY_ID_BYTES + IV_BYTES) return undefined;
      const keyId = Buffer.from(sealed.subarray(0, KEY_ID_BYTES)).toString('hex');
      const key = findKey(keyId);
      if (key === undefined) return undefined;
      const iv = sealed.subarray(KEY_ID_BYTES, KEY_ID_BYTES + IV_BYTES);
      const decipher = createDecipheriv('aes-256-ctr', key.derive(purpose), iv);
      const bytes = Buffer.concat([
        decipher.update(sealed.subarray(KEY_ID_BYTES + IV_BYTES)),
        decipher.final(),
      ]);
      const expected = createHmac('sha256', key.derive(`${purpose}/iv`))
        .update(bytes)
        .digest()
        .subarray(0, IV_BYTES);
      return timingSafeEqual(expected, iv) ? { bytes, keyId } : undefined;
    },
    mac(purpose, text, keyId) {
      const key = keyId === undefined ? writer : findKey(keyId);
      return key && macWith(key, purpose, text);
    },
    keyFor: (purpose) => new Uint8Array(writer.derive(purpose)),
    macs: (purpose, text) => ring.map((key) => macWith(key, purpose, text)),
    sign: (purpose, text) => Buffer.concat([writer.id, macWith(writer, purpose, text)]).toString('base64url'),
    isSigned(purpose, text, signature) {
      if (signature === null) return false;
      const known = verified.get(signature);
      if (known?.text === text && known.purpose === purpose) return true;
      const bytes = Buffer.from(signature, 'base64url');
      if (bytes.length !== KEY_ID_BYTES + MAC_BYTES) return false;
      const key = findKey(bytes.subarray(0, KEY_ID_BYTES).toString('hex'));
      if (key === undefined) return false;
      if (!timingSafeEqual(macWith(key, purpose, text), bytes.subarray(KEY_ID_BYTES))) return false;
      verified.set(signature, { purpose, text: ownCopy(text) });
      return true;
    },
  };
}
