import type { Fences } from '../gate/fences.ts';
import type { Modes } from '../gate/permissions.ts';
import type { Signer } from '../secrets/keyring.ts';
import type { Credential } from './credential-storage.ts';

/**
 * The sign-ins of assistants: credentials of kind `oauth`. Their secrets are access tokens and one refresh token. The
 * other verbs of credentials cover them too. Makes the same promises as Storage.
 */
export interface SignInStorage {
  /**
   * Adds the sign-in that the owner consented to, with its first two tokens. If a credential of this owner has the id,
   * its code was used before: then revokes that credential and cancels its pending requests (`credential_off`).
   * @returns undefined if the code was used before
   */
  addSignIn(request: {
    ownerId: string;
    credentialId: string;
    name: string;
    modes: Modes;
    fences: Fences;
    expiresAt: Date;
    tokens: NewTokens;
    signer: Signer;
    now: Date;
  }): Promise<Credential | undefined>;

  /**
   * Replaces the refresh token, which is used up, and adds an access token. Earlier access tokens live on until their
   * end; only the newest few are kept. The token before the current one returns what replaced it for a minute: its
   * client asked twice at once, or the answer was lost. If the live sign-in has another refresh token, this one was used
   * before, and one of its two users is a thief: then revokes the sign-in and cancels its pending requests
   * (`credential_off`).
   * @param request `refreshHash`: of a token that was issued for this sign-in; `sealedTokens`: the texts of `tokens`
   */
  refreshSignIn(request: {
    ownerId: string;
    credentialId: string;
    refreshHash: string;
    tokens: NewTokens;
    sealedTokens: string;
    signer: Signer;
    now: Date;
  }): Promise<RefreshEnd>;
}

/** Tokens end at the end of their sign-in, or earlier. */
export interface NewTokens {
  /** SHA-256, hex. */
  readonly accessHash: string;
  /** When the access token ends. The refresh token ends with its sign-in. */
  readonly accessExpiresAt: Date;
  /** SHA-256, hex. */
  readonly refreshHash: string;
}

export type RefreshEnd =
  | { readonly kind: 'refreshed'; readonly credential: Credential }
  /** It was used less than a minute ago. `sealedTokens`: those of that use. */
  | { readonly kind: 'repeated'; readonly credential: Credential; readonly sealedTokens: string }
  | { readonly kind: 'reused' }
  /** The sign-in has ended, was withdrawn or altered, or does not exist. */
  | { readonly kind: 'ended' };
