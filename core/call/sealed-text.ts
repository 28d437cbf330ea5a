import { Buffer } from 'node:buffer';
import type { Keyring } from '../secrets/keyring.ts';

/**
 * The start of a keyed hash, which binds what is sealed to an owner, a folder or a scope.
 * @param keyId  of the key that sealed it; without it, the writing key
 */
export function tagOf(
  keyring: Keyring,
  purpose: string,
  text: string,
  bytes: number,
  keyId?: string,
): Uint8Array {
  const mac = keyring.mac(purpose, text, keyId);
  if (mac === undefined) throw new Error('the key of an opened text is in the ring');
  return mac.subarray(0, bytes);
}

/**
 * What a text of the wire contains that was sealed for a purpose. Undefined: it was not sealed here. It accepts one spelling
 * only: base64url ignores stray bits at the end, an identifier does not.
 */
export function openedText(
  keyring: Keyring,
  purpose: string,
  prefix: string,
  text: string,
): ReturnType<Keyring['openFixed']> {
  if (!text.startsWith(prefix)) return undefined;
  const sealed = Buffer.from(text.slice(prefix.length), 'base64url');
  if (sealed.toString('base64url') !== text.slice(prefix.length)) return undefined;
  return keyring.openFixed(purpose, sealed);
}
