import { DAY_MS, FAR_MS, HOUR_MS } from '../time/durations.ts';
import type { ApprovalState } from './approval.ts';

/** How an earlier request counts when the same one comes again. */
export const PRECEDENTS = [
  /** It waits: the new call gets it as its answer. */
  'pending',
  /** It runs, or nobody knows whether it was done. */
  'unfinished',
  'executed',
  'rejected',
] as const;

export type Precedent = (typeof PRECEDENTS)[number];

/** For how long after its end a request counts. */
export const SAME_UNFINISHED_MS = DAY_MS;
export const EXECUTED_LATELY_MS = HOUR_MS;
export const REJECTED_MS = HOUR_MS;

/** How the request counts from now on, and until when. It is stored with each move of the request, and looked up by it. */
export function precedentOf({
  state,
  expiresAt,
  endedAt,
}: {
  readonly state: ApprovalState;
  readonly expiresAt: Date;
  readonly endedAt: Date | null;
}): {
  readonly precedent: Precedent | null;
  readonly precedentUntil: Date | null;
} {
  const after = (ms: number) => new Date(endedAt === null ? FAR_MS : endedAt.getTime() + ms);
  switch (state) {
    case 'pending':
      return { precedent: 'pending', precedentUntil: expiresAt };
    case 'approved':
    case 'outcome_unknown':
      return { precedent: 'unfinished', precedentUntil: after(SAME_UNFINISHED_MS) };
    case 'executed':
      return { precedent: 'executed', precedentUntil: after(EXECUTED_LATELY_MS) };
    case 'rejected':
      return { precedent: 'rejected', precedentUntil: after(REJECTED_MS) };
    case 'failed':
    case 'expired':
    case 'cancelled':
      return { precedent: null, precedentUntil: null };
  }
}
