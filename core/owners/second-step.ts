import { HOUR_MS } from '../time/durations.ts';
import { type Backoff, type FailedTries, failedOnce, waitAfterTries } from './backoff.ts';
import { DEVICE_BACKOFF } from './password-tries.ts';

/**
 * What an owner shows besides the password, at sign-in and when Countersign asks for the password again. Pure: storage
 * reads the facts, judges, and saves the changes in one unit.
 *
 * A code is only tried after the right password, so strangers cannot slow an owner down:
 *
 * | counter | counts the wrong codes | free | then a wait of | forgets one every | most tries a day |
 * |---|---|---|---|---|---|
 * | device | of one browser that has signed in as this owner | 5 | 1 s, doubled up to 1 h | 1 h | 41 |
 * | strangers | of all other browsers, for one owner | 3 | 30 s, doubled up to 1 h | 6 h | 34 |
 *
 * - Somebody who knows the password guesses 34 codes a day. At any moment at most three of the million codes are right,
 *   so this succeeds within a year with a probability of less than 4 %. Each new password ends it.
 * - Meanwhile the owner waits at most an hour on a new device, and never on a known one.
 */
export interface SecondStep {
  readonly app: AuthenticatorApp | null;
  /** Oldest first; at most `PASSKEYS_MAX`. */
  readonly passkeys: readonly Passkey[];
  /** Of each unused recovery code. SHA-256, hex. */
  readonly recoveryHashes: readonly string[];
  /** Wrong codes from browsers that have not signed in before. */
  readonly strangers: FailedTries;
}

/** An app that shows a new code every 30 s. */
export interface AuthenticatorApp {
  readonly sealedSecret: string;
  /** The newest time step whose code was used. No code of it or an earlier one counts again. */
  readonly lastStep: number;
  readonly addedAt: Date;
}

/** A key of an authenticator that verifies its user: by itself, it is as good as the password and a code. */
export interface Passkey {
  /** Base64url, as the authenticator chose it. */
  readonly id: string;
  /** DER (SubjectPublicKeyInfo), base64url. */
  readonly publicKey: string;
  /** The host name that it belongs to. */
  readonly host: string;
  /** The owner's own name for it. */
  readonly name: string;
  /** Of its last use; 0 if its authenticator does not count. */
  readonly signCount: number;
  /** Of the newest challenge that it answered. */
  readonly lastChallengeMs: number;
  readonly addedAt: Date;
  /** Null: never since it was added. */
  readonly lastUsedAt: Date | null;
}

export const PASSKEYS_MAX = 10;

/** What an owner entered, compared with what can be compared without the record. */
export type SecondStepProof =
  /** `steps`: the time steps whose code was entered, oldest first. */
  | { readonly kind: 'app'; readonly sealedSecret: string; readonly steps: readonly number[] }
  | { readonly kind: 'recovery_code'; readonly hash: string }
  /** Its signature is right. `challengeMs`: when the challenge that it signed was created. */
  | {
      readonly kind: 'passkey';
      readonly id: string;
      readonly publicKey: string;
      readonly signCount: number;
      readonly challengeMs: number;
    }
  /** It looks like none of them. */
  | { readonly kind: 'none' };

export type SecondStepVerdict =
  | { readonly kind: 'wait'; readonly waitMs: number }
  /** `device`: its new tries; null if the browser is not known. */
  | { readonly kind: 'wrong'; readonly secondStep: SecondStep; readonly device: FailedTries | null }
  /** What was shown is used up. */
  | { readonly kind: 'right'; readonly secondStep: SecondStep };

const STRANGERS_BACKOFF: Backoff = { free: 3, firstMs: 30_000, mostMs: HOUR_MS, forgetMs: 6 * HOUR_MS };

const NO_TRIES: FailedTries = { failures: 0, lastMs: 0 };

/** The record of an owner who has nothing yet. */
export const NO_SECOND_STEP: SecondStep = {
  app: null,
  passkeys: [],
  recoveryHashes: [],
  strangers: NO_TRIES,
};

/** @param device  the tries of the browser; undefined if it has not signed in as this owner before */
export function judgeSecondStep(
  secondStep: SecondStep,
  proof: SecondStepProof,
  device: FailedTries | undefined,
  now: Date,
): SecondStepVerdict {
  const nowMs = now.getTime();
  if (proof.kind === 'passkey') {
    // Nobody guesses a signature, so it is neither counted nor delayed.
    const after = used(secondStep, proof, now);
    return after === undefined
      ? { kind: 'wrong', secondStep, device: null }
      : { kind: 'right', secondStep: after };
  }
  const waitMs =
    device === undefined
      ? waitAfterTries(STRANGERS_BACKOFF, secondStep.strangers, nowMs)
      : waitAfterTries(DEVICE_BACKOFF, device, nowMs);
  if (waitMs > 0) return { kind: 'wait', waitMs };
  const after = used(secondStep, proof, now);
  if (after !== undefined) return { kind: 'right', secondStep: after };
  if (device !== undefined) {
    return { kind: 'wrong', secondStep, device: failedOnce(DEVICE_BACKOFF, device, nowMs) };
  }
  const strangers = failedOnce(STRANGERS_BACKOFF, secondStep.strangers, nowMs);
  return { kind: 'wrong', secondStep: { ...secondStep, strangers }, device: null };
}

/** Forgets the wrong codes: whoever entered them knew a password that is no longer valid. */
export function forgetTries(secondStep: SecondStep): SecondStep {
  return { ...secondStep, strangers: NO_TRIES };
}

/** Returns the record after the proof is used up; undefined if the proof is wrong or was used before. */
function used(secondStep: SecondStep, proof: SecondStepProof, now: Date): SecondStep | undefined {
  const { app, passkeys, recoveryHashes } = secondStep;
  switch (proof.kind) {
    case 'app': {
      if (app === null || app.sealedSecret !== proof.sealedSecret) return undefined;
      const lastStep = proof.steps.find((step) => step > app.lastStep);
      return lastStep === undefined ? undefined : { ...secondStep, app: { ...app, lastStep } };
    }
    case 'recovery_code': {
      const left = recoveryHashes.filter((hash) => hash !== proof.hash);
      return left.length === recoveryHashes.length ? undefined : { ...secondStep, recoveryHashes: left };
    }
    case 'passkey': {
      const { signCount, challengeMs } = proof;
      const passkey = passkeys.find(({ id, publicKey }) => id === proof.id && publicKey === proof.publicKey);
      if (passkey === undefined || challengeMs <= passkey.lastChallengeMs) return undefined;
      // A counter that does not rise is that of a copy.
      if ((signCount > 0 || passkey.signCount > 0) && signCount <= passkey.signCount) return undefined;
      const after = { ...passkey, signCount, lastChallengeMs: challengeMs, lastUsedAt: now };
      return { ...secondStep, passkeys: passkeys.map((one) => (one === passkey ? after : one)) };
    }
    case 'none':
      return undefined;
  }
}
