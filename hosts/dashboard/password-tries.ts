import { ServiceError } from '../../core/errors.ts';

/** A try at the password: what came of it, or how long the next one has to wait. */
export type Tried<Result> =
  | { readonly kind: 'checked'; readonly result: Result }
  | { readonly kind: 'too_many'; readonly waitS: number; readonly problem: string };

/** @param check  checks a password @throws what the check throws, except that there were too many tries */
export async function tried<Result>(check: () => Promise<Result>): Promise<Tried<Result>> {
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
