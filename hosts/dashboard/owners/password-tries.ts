import { ServiceError } from '../../../core/contract/errors.ts';
import type { PageReply } from '../visit.ts';

/** The result of a password check, or how long the next try has to wait. */
type LimitedCheck<Result> = { readonly kind: 'checked'; readonly result: Result } | TooMany;

interface TooMany {
  readonly kind: 'too_many';
  readonly waitS: number;
  readonly problem: string;
}

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

/**
 * The reply to a try over the limits: the page that asks again, with the time to wait.
 * @param pageOf  renders it with these facts
 */
export async function tooManyTries(
  { problem, waitS }: TooMany,
  pageOf: (shown: { problem: string; status: 429 }) => PageReply | Promise<PageReply>,
): Promise<PageReply> {
  return { ...(await pageOf({ problem, status: 429 })), headers: { 'retry-after': String(waitS) } };
}

function durationText(seconds: number): string {
  if (seconds > 90) return `${Math.ceil(seconds / 60)} minutes`;
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
}
