import { type AccessToken, MailError } from '../../core/ports/mail.ts';
import { raceLimit } from './time-limit.ts';

/** A server that takes a password, or access tokens that the account's provider issues. */
export interface SignInServer {
  readonly user: string;
  readonly pass?: string | undefined;
  /** Undefined for a server with a password. */
  readonly accessToken?: AccessToken | undefined;
}

/** What one sign-in sends. */
export type Proof = { readonly pass: string } | { readonly token: string };

/**
 * Signs in with the password, or with an access token. If the server does not accept a token, tries once more with a new
 * one: the clocks may differ, or the provider may have ended the token early.
 * @throws MailError; errors of `work`
 */
export async function signedIn<T>(
  server: SignInServer,
  limit: AbortSignal,
  work: (proof: Proof) => Promise<T>,
): Promise<T> {
  if (server.pass !== undefined) return work({ pass: server.pass });
  if (server.accessToken === undefined)
    throw new MailError('refused', 'this account has no sign-in at a provider');
  const token = await tokenWithin(limit, server.accessToken());
  try {
    return await work({ token });
  } catch (error) {
    if (!(error instanceof MailError) || error.code !== 'auth') throw error;
    const fresh = await tokenWithin(limit, server.accessToken(token));
    if (fresh === token) throw error;
    return work({ token: fresh });
  }
}

/** Waits for a token, but not beyond the call. Getting it goes on: a new token must be saved. */
export function tokenWithin(limit: AbortSignal, token: Promise<string>): Promise<string> {
  return raceLimit(limit, token, () => undefined);
}
