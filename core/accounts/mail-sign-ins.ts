import type { Account } from '../ports/account.ts';
import type { DeviceSignIn, MailProvider } from '../ports/mail-provider.ts';

/** Signing in to a mailbox at its provider, in place of a password. */
export interface MailSignIns {
  /** The providers that the operator has set up. */
  providers(): readonly ProviderInfo[];
  /**
   * The provider of an account, and whether the owner must sign in there again. Undefined: the account has a password,
   * or its sign-in cannot be opened.
   */
  stateOf(account: Account): SignInState | undefined;
  /**
   * Begins a sign-in. @param request `sessionId`: only this session can finish it; `redirectUri`: registered with the
   * provider @returns where the owner signs in
   * @throws ServiceError not_found; ProviderError
   */
  begin(request: {
    ownerId: string;
    sessionId: string;
    providerId: string;
    redirectUri: string;
    purpose: SignInPurpose;
  }): Promise<string>;
  /**
   * Takes what the provider sent back with the browser, once. @returns what the sign-in is for, and a function that
   * finishes it: connects the account, or replaces its sign-in. It saves nothing unless the mail servers accept the new
   * tokens, and throws ProviderError, MailError, and ServiceError as `accounts.connect`.
   * @throws ProviderError if it does not belong to a sign-in of this session at this provider
   */
  takeAnswer(request: {
    ownerId: string;
    sessionId: string;
    providerId: string;
    parameters: URLSearchParams;
  }): Promise<{ readonly purpose: SignInPurpose; finish(): Promise<FinishedSignIn> }>;
  /**
   * Begins a sign-in on another device. @returns what the owner types where, and a function that waits for it
   * @throws ServiceError not_found; ProviderError
   */
  beginDevice(request: {
    ownerId: string;
    providerId: string;
    purpose: SignInPurpose;
  }): Promise<Pick<DeviceSignIn, 'userCode' | 'verificationUri'> & { finish(): Promise<FinishedSignIn> }>;
}

export type ProviderInfo = Pick<MailProvider, 'id' | 'name' | 'domains' | 'offersDevice'>;

/** What a sign-in is for. */
export type SignInPurpose =
  | {
      readonly kind: 'connect';
      readonly email: string;
      readonly label?: string;
      readonly displayName?: string;
      readonly signature?: string;
    }
  | { readonly kind: 'again'; readonly accountId: number };

export interface SignInState {
  readonly providerId: string;
  readonly name: string;
  /** The provider has withdrawn the sign-in: the owner must sign in again. */
  readonly isWithdrawn: boolean;
}

export interface FinishedSignIn {
  readonly kind: SignInPurpose['kind'];
  readonly accountId: number;
}
