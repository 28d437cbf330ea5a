/**
 * A provider of mailboxes where their owners sign in (OAuth 2.0), so that Countersign gets tokens instead of a password.
 * It moves requests and answers; what they mean for an account is decided in core. Every failure is a ProviderError.
 */
export interface MailProvider {
  /** Letters, digits and hyphens, as in addresses of pages. */
  readonly id: string;
  /** For people, to follow `Sign in with`. */
  readonly name: string;
  /** Domains whose mailboxes are here, in lower case. There may be others. */
  readonly domains: readonly string[];
  /** Whether a device code signs in to its mail. */
  readonly offersDevice: boolean;
  /** The settings of the mail and calendar adapters for a mailbox here, with `oauth: true` in place of a password. */
  settingsFor(email: string): unknown;
  /** The address where the owner signs in. @param request `state`, `codeVerifier`: of this sign-in only (RFC 7636) */
  authorizationUrl(request: {
    redirectUri: string;
    state: string;
    codeVerifier: string;
    email: string;
  }): Promise<string>;
  /** Gets the tokens of a sign-in. @param request `parameters`: what the provider sent back with the browser */
  redeem(request: {
    redirectUri: string;
    parameters: URLSearchParams;
    state: string;
    codeVerifier: string;
  }): Promise<ProviderGrant>;
  /** Gets new tokens. Without a new refresh token, the old one stays good. */
  refresh(refreshToken: string): Promise<ProviderTokens>;
  /** Begins a sign-in on another device (RFC 8628). Only if `offersDevice`. */
  startDevice(): Promise<DeviceSignIn>;
  /** Checks whether the owner has signed in on the other device. */
  pollDevice(deviceCode: string): Promise<ProviderGrant | 'pending' | 'slow_down'>;
  /** Closes what it holds open. */
  close(): Promise<void>;
}

export interface ProviderTokens {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  /** From now. Undefined: the provider does not say. */
  readonly expiresInS: number | undefined;
}

export interface ProviderGrant extends ProviderTokens {
  /** The addresses of whoever signed in, as the provider reports them. Empty: it reports none. */
  readonly addresses: readonly string[];
}

export interface DeviceSignIn {
  readonly deviceCode: string;
  /** The owner types it at `verificationUri`. */
  readonly userCode: string;
  readonly verificationUri: string;
  readonly expiresInS: number;
  readonly intervalS: number;
}

export type ProviderErrorCode =
  /** The grant is no longer good; only a new sign-in helps. */
  | 'withdrawn'
  /** The owner, or their organisation, did not allow it. */
  | 'denied'
  /** The sign-in left out a permission that mail needs. */
  | 'missing_scope'
  /** The provider does not serve this installation: a wrong client, secret, redirect or tenant. */
  | 'refused'
  /** It could not be reached, was too slow, or did not answer as a provider does. */
  | 'unavailable'
  /** What came back does not belong to this sign-in, or was used before. */
  | 'invalid_sign_in'
  /** The owner signed in to a different mailbox from the requested one. */
  | 'other_mailbox';

export class ProviderError extends Error {
  readonly code: ProviderErrorCode;

  /** @param reason  for the owner, in plain words; no tokens */
  constructor(code: ProviderErrorCode, reason: string, options: { cause?: unknown } = {}) {
    super(reason, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ProviderError';
    this.code = code;
  }
}
