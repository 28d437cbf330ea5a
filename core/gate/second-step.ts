import { HOUR_MS } from '../time/durations.ts';
import { type FailedTries, failedOnce, type Pace, waitAfterTries } from './pace.ts';
import { DEVICE_PACE } from './password-tries.ts';

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

/** What an owner entered, compared with what can be compared without the record. */
export type SecondStepProof =
  /** `steps`: the time steps whose code was entered, oldest first. */
  | { readonly kind: 'app'; readonly sealedSecret: string; readonly steps: readonly number[] }
  | { readonly kind: 'recovery_code'; readonly hash: string }
  /** It looks like neither. */
  | { readonly kind: 'none' };

export type SecondStepVerdict =
  | { readonly kind: 'wait'; readonly waitMs: number }
  /** `device`: its new tries; null if the browser is not known. */
  | { readonly kind: 'wrong'; readonly secondStep: SecondStep; readonly device: FailedTries | null }
  /** What was shown is used up. */
  | { readonly kind: 'right'; readonly secondStep: SecondStep };

const STRANGERS_PACE: Pace = { free: 3, firstMs: 30_000, mostMs: HOUR_MS, forgetMs: 6 * HOUR_MS };

const NO_TRIES: FailedTries = { failures: 0, lastMs: 0 };

/** The record of an owner who has nothing yet. */
export const NO_SECOND_STEP: SecondStep = { app: null, recoveryHashes: [], strangers: NO_TRIES };

/** @param device  the tries of the browser; undefined if it has not signed in as this owner before */
export function judgeSecondStep(
  secondStep: SecondStep,
  proof: SecondStepProof,
  device: FailedTries | undefined,
  now: Date,
): SecondStepVerdict {
  const nowMs = now.getTime();
  const waitMs =
    device === undefined
      ? waitAfterTries(STRANGERS_PACE, secondStep.strangers, nowMs)
      : waitAfterTries(DEVICE_PACE, device, nowMs);
  if (waitMs > 0) return { kind: 'wait', waitMs };
  const after = used(secondStep, proof);
  if (after !== undefined) return { kind: 'right', secondStep: after };
  if (device !== undefined) {
    return { kind: 'wrong', secondStep, device: failedOnce(DEVICE_PACE, device, nowMs) };
  }
  const strangers = failedOnce(STRANGERS_PACE, secondStep.strangers, nowMs);
  return { kind: 'wrong', secondStep: { ...secondStep, strangers }, device: null };
}

/** Forgets the wrong codes: whoever entered them knew a password that is no longer valid. */
export function forgetTries(secondStep: SecondStep): SecondStep {
  return { ...secondStep, strangers: NO_TRIES };
}

/** Returns the record after the proof is used up; undefined if the proof is wrong or was used before. */
function used(secondStep: SecondStep, proof: SecondStepProof): SecondStep | undefined {
  const { app, recoveryHashes } = secondStep;
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
    case 'none':
      return undefined;
  }
}
