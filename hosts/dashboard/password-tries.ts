import { ServiceError } from '../../core/contract/errors.ts';

/** The result of a password check, or how long the next try has to wait. */
export type LimitedCheck<Result> =
  | { readonly kind: 'checked'; readonly result: Result }
  | { readonly kind: 'too_many'; readonly waitS: number; readonly problem: string };

/** Runs a password check and turns its limits into a value. @throws what the check throws, except for the limits */
export async function limitTries<Result>(check: () => Promise<Result>): Promise<LimitedCheck<Result>> {
  try {
    return { kind: 'checked', result: await check() };
  } catch (error) {
    if (!(error instanceof ServiceError) || !(error.code === 'rate_limited' || error.code === 'busy')) {
      throw error;
    }
    const waitS = Number(error.details?.retry_after_s ?? 60);
    const why = error.code === 'busy' ? 'Many passwords are being checked right now.' : 'Too many tries.';
    return { kind: 'too_many', waitS, problem: `${why} You can try again in ${durationText(waitS)}.` };
  }
}

function durationText(seconds: number): string {
  if (seconds > 90) return `${Math.ceil(seconds / 60)} minutes`;
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
}
