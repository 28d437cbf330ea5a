import { base64url } from './base64url.ts';
import { type Check, hasFields, isNumber, isText } from './checked.ts';

/** The keys of this browser and origin that sign forms. No script can read the private half. */

/** Newer keys push older ones out. */
const KEPT = 8;

interface FormKey {
  /** An uncompressed point, in base64url. */
  readonly publicKey: string;
  readonly privateKey: CryptoKey;
  readonly madeAt: number;
}

const isCryptoKey: Check<CryptoKey> = (value): value is CryptoKey => value instanceof CryptoKey;
const isFormKey = hasFields<FormKey>({
  publicKey: isText,
  privateKey: isCryptoKey,
  madeAt: isNumber,
});

function result<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function inStore<T>(mode: IDBTransactionMode, work: (keys: IDBObjectStore) => Promise<T>): Promise<T> {
  const opening = indexedDB.open('countersign', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore('keys', { keyPath: 'publicKey' });
  const database = await result(opening);
  try {
    const transaction = database.transaction('keys', mode);
    const done = new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    });
    const worked = await work(transaction.objectStore('keys'));
    await done;
    return worked;
  } finally {
    database.close();
  }
}

/**
 * For signing in and confirming the password. Pages name their session's key, so older keys do no harm.
 * @returns its public half
 */
export async function newFormKey(): Promise<string> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  const pair = await crypto.subtle.generateKey(algorithm, false, ['sign', 'verify']);
  const publicKey = base64url(await crypto.subtle.exportKey('raw', pair.publicKey));
  const made: FormKey = { publicKey, privateKey: pair.privateKey, madeAt: Date.now() };
  await inStore('readwrite', async (keys) => {
    const known: unknown[] = await result(keys.getAll());
    const newestFirst = known.filter(isFormKey).sort((one, other) => other.madeAt - one.madeAt);
    for (const old of newestFirst.slice(KEPT - 1)) keys.delete(old.publicKey);
    keys.put(made);
  });
  return publicKey;
}

/** @throws Error if this browser has no such key */
export async function signWithKey(publicKey: string, text: string): Promise<ArrayBuffer> {
  const key: unknown = await inStore('readonly', (keys) => result(keys.get(publicKey)));
  if (!isFormKey(key)) throw new Error('no such key');
  const bytes = new TextEncoder().encode(text);
  return crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, key.privateKey, bytes);
}
