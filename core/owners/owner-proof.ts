import type { Reach } from '../keys/fences.ts';

/** For which requests an owner has to prove again who they are, however recent the sign-in is. Pure. */

/**
 * `every_12_hours`: for none, because the sign-in counts that long. `red`: for those with a finding of high risk.
 * `leaving`: also for those that write to somebody. `always`: for all.
 */
export const PROOF_LEVELS = ['every_12_hours', 'red', 'leaving', 'always'] as const;
export type ProofLevel = (typeof PROOF_LEVELS)[number];

/** A proof of presence that the owner has just given, by passkey, by password or to the app. */
export interface OwnerProof {
  readonly provenAt: Date;
  /** The digest of the request that the owner saw, or `togetherDigest`. */
  readonly digest: string;
}

/** How old a proof may be. Allows for the time that its answer takes, and for clocks that differ. */
const FRESH_MS = 2 * 60 * 1000;

/** What a request would do, for the rule. */
export interface Approvable {
  readonly findings: readonly { readonly severity: string }[];
  readonly reach: Pick<Reach, 'people'>;
}

export function needsProof(level: ProofLevel, { findings, reach }: Approvable): boolean {
  if (level === 'every_12_hours' || level === 'always') return level === 'always';
  const isRed = findings.some(({ severity }) => severity === 'red');
  return isRed || (level === 'leaving' && reach.people.length > 0);
}

/** Whether the proof is for what has this digest, and was given just now. */
export function isProofOf(proof: OwnerProof | undefined, digest: string, now: Date): boolean {
  return (
    proof !== undefined &&
    proof.digest === digest &&
    Math.abs(now.getTime() - proof.provenAt.getTime()) <= FRESH_MS
  );
}
