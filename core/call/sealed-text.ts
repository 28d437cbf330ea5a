import { Buffer } from 'node:buffer';
import type { Keyring } from '../secrets/keyring.ts';

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
