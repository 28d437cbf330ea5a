import { webcrypto } from 'node:crypto';

/** The fields of a form. As pairs, a name can be repeated. */
export type FormFields =
  | Readonly<Record<string, string>>
  | readonly (readonly [name: string, value: string])[];

export function pairsOf(fields: FormFields): [name: string, value: string][] {
  return Symbol.iterator in fields ? fields.map(([name, value]) => [name, value]) : Object.entries(fields);
}

/** A key like the one the dashboard's script creates, for tests that send signed forms without a browser. */
export interface BrowserKey {
  /** The value of the field `proof_key`. */
  readonly publicKey: string;
  readonly privateKey: webcrypto.JsonWebKey;
  /** @returns the value of the field `form_proof` */
  sign(form: {
    readonly origin: string;
    readonly sessionId: string;
    readonly path: string;
    readonly fields: FormFields;
    readonly nonce?: string;
  }): Promise<string>;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const;

export async function newBrowserKey(): Promise<BrowserKey> {
  const pair = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const raw = await webcrypto.subtle.exportKey('raw', pair.publicKey);
  return {
    publicKey: base64url(raw),
    privateKey: await webcrypto.subtle.exportKey('jwk', pair.privateKey),
    async sign({ origin, sessionId, path, fields, nonce = newNonce() }) {
      const lines = (text: string) => text.replace(/\r\n|\r|\n/g, '\r\n');
      const pairs = pairsOf(fields).map(([name, value]) => [lines(name), lines(value)]);
      const text = JSON.stringify(['countersign form 1', origin, sessionId, 'POST', path, nonce, pairs]);
      const signed = await webcrypto.subtle.sign(
        { name: 'ECDSA', hash: 'SHA-256' },
        pair.privateKey,
        Buffer.from(text),
      );
      return `${nonce}.${base64url(signed)}`;
    },
  };
}

function newNonce(): string {
  return base64url(webcrypto.getRandomValues(new Uint8Array(16)).buffer);
}

function base64url(bytes: ArrayBuffer): string {
  return Buffer.from(bytes).toString('base64url');
}
