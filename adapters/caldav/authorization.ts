import { MailError } from '../../core/ports/mail.ts';
import { type SignInServer, tokenWithin } from '../remote/sign-in.ts';
import { type DigestChallenge, digestChallenge, digestHeader } from './digest.ts';

/** What one request sends to sign in. */
export interface Authorization {
  /** The value of the header. */
  readonly header: string;
  /**
   * Call this if the server answered 401. @param challenges its WWW-Authenticate header
   * @returns whether another try can succeed
   */
  refused(challenges: string): Promise<boolean>;
  /** The failure if the server refuses it for good. */
  refusal(): MailError;
}

export type Authorize = (
  server: SignInServer,
  request: { readonly method: string; readonly url: URL },
  limit: AbortSignal,
) => Promise<Authorization>;

/**
 * Signs in to a calendar server: with Bearer if the account has a sign-in at its provider, otherwise with its password.
 * The password goes by Basic until the server asks for Digest, which is then used for all requests.
 */
export function authorizations(): Authorize {
  let digest: { readonly challenge: DigestChallenge; count: number } | undefined;

  return async ({ user, pass, accessToken }, { method, url }, limit) => {
    if (pass === undefined) {
      if (accessToken === undefined)
        throw new MailError('refused', 'this account has no sign-in at a provider');
      const token = await tokenWithin(limit, accessToken());
      return {
        header: `Bearer ${token}`,
        refused: async () => (await tokenWithin(limit, accessToken(token))) !== token,
        refusal: () =>
          new MailError('auth', 'the calendar server does not accept the sign-in at the provider', {
            trouble: 'sign_in_again',
          }),
      };
    }
    const used = digest;
    if (used !== undefined) used.count += 1;
    const header =
      used === undefined
        ? `Basic ${Buffer.from(`${user}:${pass}`, 'utf8').toString('base64')}`
        : digestHeader(used.challenge, {
            user,
            pass,
            method,
            uri: url.pathname + url.search,
            count: used.count,
          });
    return {
      header,
      refusal: () => new MailError('auth', 'the calendar server does not accept the user name and password'),
      async refused(challenges) {
        const challenge = digestChallenge(challenges);
        if (challenge === undefined) return false;
        // With a nonce that is not stale, the password is wrong.
        if (used !== undefined && !challenge.isStale && used === digest) return false;
        if (digest === used) digest = { challenge: structuredClone(challenge), count: 0 };
        return true;
      },
    };
  };
}
