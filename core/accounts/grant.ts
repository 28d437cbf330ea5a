import * as z from 'zod';
import type { ProviderTokens } from '../ports/mail-provider.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { STORED } from '../secrets/stored-purposes.ts';

/** What an account has from its provider. It is sealed with the account's owner and id. */
const grant = z.strictObject({
  providerId: z.string(),
  refreshToken: z.string(),
  accessToken: z.string(),
  /** By the service's clock, so the provider's clock does not matter. */
  obtainedAtMs: z.number(),
  expiresAtMs: z.number(),
});

export type Grant = z.infer<typeof grant>;

/** If the provider does not say how long an access token is good. */
const USUAL_LIFETIME_S = 3600;
/** New tokens are fetched this long before the old ones end, or in the last fifth of a short life. */
const EARLY_MS = 5 * 60_000;
/** A server that refuses a token of this age refuses the account, not the token. */
const NEW_MS = 10_000;

export function sealGrant(keyring: Keyring, ownerId: string, accountId: number, content: Grant): string {
  return keyring.seal(STORED.providerGrant, `${ownerId}\n${accountId}`, JSON.stringify(content));
}

/** @throws Error if it was not sealed here for this account */
export function openGrant(keyring: Keyring, ownerId: string, accountId: number, sealed: string): Grant {
  return grant.parse(JSON.parse(keyring.open(STORED.providerGrant, `${ownerId}\n${accountId}`, sealed)));
}

/** The grant with new tokens. @param refreshToken  the one that stays good unless there is a new one */
export function grantOf(
  providerId: string,
  { accessToken, refreshToken: newer, expiresInS = USUAL_LIFETIME_S }: ProviderTokens,
  refreshToken: string,
  now: Date,
): Grant {
  const obtainedAtMs = now.getTime();
  const expiresAtMs = obtainedAtMs + expiresInS * 1000;
  return { providerId, refreshToken: newer ?? refreshToken, accessToken, obtainedAtMs, expiresAtMs };
}

/**
 * Whether the access token can be used now: `good`; `ending`, so that a new one is due; or `ended`.
 * @param refused  a token that a server has refused
 */
export function tokenState(
  { accessToken, obtainedAtMs, expiresAtMs }: Grant,
  refused: string | undefined,
  now: Date,
): 'good' | 'ending' | 'ended' {
  const ageMs = now.getTime() - obtainedAtMs;
  const lifeMs = expiresAtMs - obtainedAtMs;
  // A clock that was set back says nothing about the token.
  if (ageMs < 0 || ageMs >= lifeMs) return 'ended';
  if (accessToken === refused) return ageMs < NEW_MS ? 'good' : 'ended';
  return lifeMs - ageMs > Math.min(EARLY_MS, lifeMs / 5) ? 'good' : 'ending';
}
