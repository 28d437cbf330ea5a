import * as z from 'zod';
import type { Keyring } from '../../secrets/keyring.ts';
import { hashText, sealed } from './sealed.ts';

/**
 * A refresh token names its sign-in, so that one that was used before is recognised without being stored. The hash of
 * the one that may be used is stored.
 */
export interface RefreshToken {
  readonly ownerId: string;
  readonly credentialId: string;
  readonly clientHash: string;
}

const format = sealed(
  'sign-in refresh token',
  'svc_ort_',
  z.strictObject({ ownerId: z.string(), credentialId: z.string(), clientHash: hashText }),
);

/** Every call returns a different text. */
export function newRefreshToken(token: RefreshToken, keyring: Keyring): string {
  return format.seal(keyring, token);
}

/** Undefined: it was not issued here. */
export function openRefreshToken(text: string, keyring: Keyring): RefreshToken | undefined {
  return format.open(keyring, text);
}
