import type { Signer } from '../secrets/keyring.ts';
import { canonicalJson } from '../text/canonical-json.ts';
import { fencesText } from './fences.ts';
import type { StoredCredential, StoredSecret } from './key-state.ts';
import type { Modes } from './permissions.ts';

/**
 * Signs the rows of keys with the keyring, so that a change in the database outside Countersign is detected. Every
 * column is signed. The number at the start is the version of the encoding. Raise it if you add a column.
 */

export function signedCredential(
  credential: Omit<StoredCredential, 'signature'>,
  signer: Signer,
): StoredCredential {
  return { ...credential, signature: signer.sign('credential', credentialText(credential)) };
}

export function signedSecret(secret: Omit<StoredSecret, 'signature'>, signer: Signer): StoredSecret {
  return { ...secret, signature: signer.sign('secret', secretText(secret)) };
}

/** Whether the row is as Countersign wrote it. */
export function isCredentialIntact(credential: StoredCredential, signer: Signer): boolean {
  return signer.isSigned('credential', credentialText(credential), credential.signature);
}

/** Whether the row is as Countersign wrote it. */
export function isSecretIntact(secret: StoredSecret, signer: Signer): boolean {
  return signer.isSigned('secret', secretText(secret), secret.signature);
}

/** Whether the key was changed outside Countersign: its own row or, unless it is revoked, one of its secrets. */
export function isAltered(
  credential: StoredCredential,
  secrets: readonly StoredSecret[],
  signer: Signer,
): boolean {
  if (!isCredentialIntact(credential, signer)) return true;
  return credential.revokedAt === null && secrets.some((secret) => !isSecretIntact(secret, signer));
}

/** Different rows have different texts. */
export function credentialText(credential: Omit<StoredCredential, 'signature'>): string {
  const { ownerId, credentialId, kind, name, modes, revision, pausedAt } = credential;
  const { createdAt, expiresAt, overlapUntil, revokedAt } = credential;
  const texts = `${measured(ownerId)}${measured(credentialId)}${measured(kind)}${measured(name)}`;
  const times = `${createdAt.getTime()} ${expiresAt.getTime()} ${overlapUntil?.getTime()} ${revokedAt?.getTime()}`;
  const text = `${texts}${measured(modesText(modes))}${revision} ${times}`;
  return `1 ${text} ${pausedAt?.getTime()} ${fencesText(credential.fences)}`;
}

/**
 * Different rows have different texts, except for what is sealed in them: that opens in its own row only, and a new secret
 * key seals it anew.
 */
export function secretText({
  ownerId,
  credentialId,
  secretHash,
  expiresAt,
  sealedTokens,
}: Omit<StoredSecret, 'signature'>): string {
  const text = `${measured(ownerId)}${measured(credentialId)}${measured(secretHash)}${expiresAt.getTime()}`;
  return `1 ${text} ${sealedTokens !== null}`;
}

/** Adds the length, so that no text can pass for two. JSON would also work, but would slow each call down. */
function measured(text: string): string {
  return `${text.length}:${text}`;
}

const modesTexts = new WeakMap<Modes, string>();

function modesText(modes: Modes): string {
  const known = modesTexts.get(modes);
  if (known !== undefined) return known;
  const text = canonicalJson(modes);
  modesTexts.set(modes, text);
  return text;
}
