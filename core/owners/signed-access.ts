import type { Signer } from '../secrets/keyring.ts';
import type { RowOf } from '../state/table.ts';
import type { owners } from './owner-state.ts';
import type { SecondStep } from './second-step.ts';
import type { sessions } from './session-state.ts';
import { storedSecondStep } from './stored-second-step.ts';

/**
 * Signs with the keyring what lets an owner in: the password, the second step and the sessions, also that there is none. A
 * program that can write to the database, but not read the secret key, cannot sign in. The number at the start of a text is
 * the version of its encoding. Raise it if you add a value.
 */

type SignedPassword = Pick<RowOf<typeof owners>, 'ownerId' | 'passwordHash' | 'passwordSignature'>;
type SignedSecondStep = Pick<RowOf<typeof owners>, 'ownerId' | 'secondStep' | 'secondStepSignature'>;
type SessionRow = RowOf<typeof sessions>;

/** The columns of an owner that hold this password. */
export function signedPassword(
  ownerId: string,
  passwordHash: string | null,
  signer: Signer,
): Omit<SignedPassword, 'ownerId'> {
  return {
    passwordHash,
    passwordSignature: signer.sign('password', passwordText({ ownerId, passwordHash })),
  };
}

/** The columns of an owner that hold this second step. */
export function signedSecondStep(
  ownerId: string,
  secondStep: SecondStep | null,
  signer: Signer,
): Omit<SignedSecondStep, 'ownerId'> {
  return {
    secondStep,
    secondStepSignature: signer.sign('second-step', secondStepText({ ownerId, secondStep })),
  };
}

export function signedSession(session: Omit<SessionRow, 'signature'>, signer: Signer): SessionRow {
  return { ...session, signature: signer.sign('session', sessionText(session)) };
}

/** Whether Countersign wrote this password, or that there is none. */
export function isPasswordIntact(owner: SignedPassword, signer: Signer): boolean {
  return signer.isSigned('password', passwordText(owner), owner.passwordSignature);
}

/** Whether Countersign wrote this second step, or that there is none. */
export function isSecondStepIntact(owner: SignedSecondStep, signer: Signer): boolean {
  return signer.isSigned('second-step', secondStepText(owner), owner.secondStepSignature);
}

/** Whether the row is as Countersign wrote it, apart from its last use. */
export function isSessionIntact(session: SessionRow, signer: Signer): boolean {
  return signer.isSigned('session', sessionText(session), session.signature);
}

/** Different passwords have different texts. */
export function passwordText({ ownerId, passwordHash }: Omit<SignedPassword, 'passwordSignature'>): string {
  return JSON.stringify([1, ownerId, passwordHash]);
}

/**
 * Different second steps have different texts, except for the sealed secret of the app: that opens for its owner only, and a
 * new secret key seals it anew.
 */
export function secondStepText({
  ownerId,
  secondStep,
}: Omit<SignedSecondStep, 'secondStepSignature'>): string {
  const stored = secondStep && storedSecondStep(secondStep);
  return JSON.stringify([1, ownerId, stored && { ...stored, app: stored.app && withoutSecret(stored.app) }]);
}

function withoutSecret<App extends { readonly sealed_secret: string }>({
  sealed_secret: _secret,
  ...app
}: App) {
  return app;
}

/** Different sessions have different texts, except for their last use, which opens nothing. */
export function sessionText(session: Omit<SessionRow, 'signature'>): string {
  const { ownerId, sessionId, tokenHash, browser, address, proofKey } = session;
  const times = [session.authenticatedAt, session.createdAt, session.expiresAt].map((time) => time.getTime());
  return JSON.stringify([1, ownerId, sessionId, tokenHash, browser, address, proofKey, ...times]);
}
