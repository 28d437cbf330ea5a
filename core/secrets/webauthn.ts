import { createHash, createPublicKey, hash, type KeyObject, verify } from 'node:crypto';
import * as z from 'zod';
import type { NewPasskeyAnswer, PasskeyAnswer } from './passkey-answers.ts';

/**
 * What a browser sends of a passkey, and whether it proves anything. Attestation is not used: it would say who built the
 * authenticator, and every one is welcome. Source: W3C Web Authentication, level 3, sections 7.1 and 7.2.
 */

/** Where the page is that uses the passkey. */
export interface PasskeyPlace {
  /** With scheme and port. */
  readonly origin: string;
  /** Its host name: passkeys belong to it. */
  readonly host: string;
}

export interface NewPasskey {
  /** Base64url, as the authenticator chose it. */
  readonly id: string;
  /** DER (SubjectPublicKeyInfo), base64url. */
  readonly publicKey: string;
  /** 0 for an authenticator that does not count. */
  readonly signCount: number;
  /** The text that the browser was given. Whether it is the right one is for the caller to check. */
  readonly challenge: string;
}

/** What a passkey signed, not checked yet. */
export interface Assertion {
  readonly id: string;
  /** Whose passkey it says it is: the `passkeyHandle` that it was created with, hex. */
  readonly handle: string;
  readonly clientData: Uint8Array;
  readonly authenticatorData: Uint8Array;
  readonly signature: Uint8Array;
}

/** ES256, Ed25519 and RS256: every authenticator knows one of them. */
export const PASSKEY_ALGORITHMS = [-7, -8, -257] as const;

const CHARS_MAX = 8000;
const ID_CHARS_MAX = 1400;
const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_PASSKEY = 0x40;
/** The hash of the host name, the flags and the counter. */
const HEAD_BYTES = 37;
const AAGUID_BYTES = 16;

const base64url = z
  .string()
  .regex(/^[\w-]*$/)
  .transform((text) => Buffer.from(text, 'base64url'));

const creation = z.object({ client: base64url, data: base64url, key: base64url } satisfies Record<
  keyof NewPasskeyAnswer,
  z.ZodType
>);

const assertion = z.object({
  id: z
    .string()
    .regex(/^[\w-]+$/)
    .max(ID_CHARS_MAX),
  user: base64url,
  client: base64url,
  data: base64url,
  signature: base64url,
} satisfies Record<keyof PasskeyAnswer, z.ZodType>);

const clientData = z.object({
  type: z.string(),
  challenge: z.string(),
  origin: z.string(),
  crossOrigin: z.boolean().optional(),
});

/** Names an owner to authenticators, which keep it with the passkey. It reveals nothing else. SHA-256, hex. */
export function passkeyHandle(ownerId: string): string {
  return hash('sha256', `countersign passkey ${ownerId}`);
}

/** Reads what a browser sends of a new passkey. Undefined: it is malformed, for another place, or not verified. */
export function readNewPasskey(text: string, place: PasskeyPlace): NewPasskey | undefined {
  const parsed = creation.safeParse(jsonOf(text));
  if (!parsed.success) return undefined;
  const { client, data, key } = parsed.data;
  const challenge = challengeOf(client, 'webauthn.create', place.origin);
  const flags = flagsOf(data, place.host);
  if (challenge === undefined || flags === undefined || (flags & HAS_PASSKEY) === 0) return undefined;
  const lengthAt = HEAD_BYTES + AAGUID_BYTES;
  if (data.length < lengthAt + 2) return undefined;
  const id = data.subarray(lengthAt + 2, lengthAt + 2 + data.readUInt16BE(lengthAt)).toString('base64url');
  const publicKey = key.toString('base64url');
  if (id === '' || id.length > ID_CHARS_MAX || keyOf(publicKey) === undefined) return undefined;
  return { id, publicKey, signCount: data.readUInt32BE(33), challenge };
}

/** Undefined: it is malformed. */
export function readAssertion(text: string): Assertion | undefined {
  const parsed = assertion.safeParse(jsonOf(text));
  if (!parsed.success) return undefined;
  const { id, user, client, data, signature } = parsed.data;
  return { id, handle: user.toString('hex'), clientData: client, authenticatorData: data, signature };
}

/**
 * Checks that a passkey signed at this place, and that it verified its user.
 * @returns what it signed; undefined if it proves nothing
 */
export function proven(
  { clientData: client, authenticatorData, signature }: Assertion,
  publicKey: string,
  place: PasskeyPlace,
): { readonly challenge: string; readonly signCount: number } | undefined {
  const data = Buffer.from(authenticatorData);
  const challenge = challengeOf(client, 'webauthn.get', place.origin);
  const key = keyOf(publicKey);
  if (challenge === undefined || key === undefined || flagsOf(data, place.host) === undefined)
    return undefined;
  const signed = Buffer.concat([data, createHash('sha256').update(client).digest()]);
  const algorithm = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  if (!verify(algorithm, signed, key, signature)) return undefined;
  return { challenge, signCount: data.readUInt32BE(33) };
}

function challengeOf(client: Uint8Array, type: string, origin: string): string | undefined {
  const parsed = clientData.safeParse(jsonOf(Buffer.from(client).toString('utf8')));
  if (!parsed.success) return undefined;
  const { data } = parsed;
  if (data.type !== type || data.origin !== origin || data.crossOrigin === true) return undefined;
  return Buffer.from(data.challenge, 'base64url').toString('utf8');
}

/** Undefined: it is for another host, or the authenticator did not verify the person. */
function flagsOf(data: Buffer, host: string): number | undefined {
  if (data.length < HEAD_BYTES) return undefined;
  if (!createHash('sha256').update(host).digest().equals(data.subarray(0, 32))) return undefined;
  const flags = data.readUInt8(32);
  return (flags & USER_PRESENT) === 0 || (flags & USER_VERIFIED) === 0 ? undefined : flags;
}

function keyOf(publicKey: string): KeyObject | undefined {
  let key: KeyObject;
  try {
    key = createPublicKey({ key: Buffer.from(publicKey, 'base64url'), format: 'der', type: 'spki' });
  } catch {
    // Browsers may send anything, so it is not an error.
    return undefined;
  }
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  const isStrong =
    type === 'ed25519' ||
    (type === 'ec' && details?.namedCurve === 'prime256v1') ||
    (type === 'rsa' && (details?.modulusLength ?? 0) >= 2048);
  return isStrong ? key : undefined;
}

function jsonOf(text: string): unknown {
  if (text.length > CHARS_MAX) return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
