import * as z from 'zod';
import type { Keyring } from '../../secrets/keyring.ts';
import { STORED } from '../../secrets/stored-purposes.ts';
import { instantMs } from './sealed.ts';

/** The tokens that replaced a refresh token. They are kept for a minute, for a client that did not get them. */
export interface RefreshedTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** When the access token ends. */
  readonly accessEndsMs: number;
}

/** The refresh token that they replaced. */
interface Used {
  readonly ownerId: string;
  readonly credentialId: string;
  readonly refreshHash: string;
}

const shape = z.strictObject({ accessToken: z.string(), refreshToken: z.string(), accessEndsMs: instantMs });

export function sealRefreshed(tokens: RefreshedTokens, used: Used, keyring: Keyring): string {
  return keyring.seal(STORED.refreshedTokens, contextOf(used), JSON.stringify(tokens));
}

/** @throws Error if they replaced another token, or their secret key is gone */
export function openRefreshed(sealed: string, used: Used, keyring: Keyring): RefreshedTokens {
  return shape.parse(JSON.parse(keyring.open(STORED.refreshedTokens, contextOf(used), sealed)));
}

function contextOf({ ownerId, credentialId, refreshHash }: Used): string {
  return `${ownerId}\n${credentialId}\n${refreshHash}`;
}
