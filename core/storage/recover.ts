import { type Approval, transition } from '../approvals/approval.ts';
import type { Reclaimed } from '../ports/approval-storage.ts';
import type { AnyChange, FactsOf, Judged } from '../ports/store.ts';
import type { Random } from '../secrets/random.ts';
import { settlementRow, writesOfMove } from './moved.ts';

/** Takes over runs whose lease has ended, and ends those that must not run anymore. */
export function reclaim(
  { lapsed, followUps }: FactsOf<'due'>,
  { leaseMs, limit, now }: { leaseMs: number; limit: number; now: Date },
  storeNowMs: number,
  random: Random,
): Judged<{ readonly runs: readonly Reclaimed[]; readonly followUps: readonly Reclaimed[] }> {
  const leaseUntilMs = storeNowMs + leaseMs;
  const changes: AnyChange[] = [];
  const runs: Reclaimed[] = [];
  for (const { approval: before, sealedPlan } of lapsed) {
    const after = transition(before, { type: 'reclaim', storeNowMs, leaseUntilMs }, now);
    if (after === undefined) continue;
    for (const change of writesOfMove(before, after, now, random)) changes.push(change);
    if (after.state === 'approved') runs.push({ approval: after, sealedPlan });
    else changes.push(settlementRow(after, now));
  }
  const taken = followUps.slice(0, limit - runs.length);
  for (const { approval } of taken) {
    const { ownerId, id: approvalId } = approval;
    changes.push({ type: 'keep_follow_up', ownerId, approvalId, dueAtMs: leaseUntilMs });
  }
  return { answer: { runs, followUps: taken }, changes };
}

/** Ends pending requests that have expired. @returns their number */
export function expire(overdue: readonly Approval[], now: Date, random: Random): Judged<number> {
  const ends = overdue.flatMap((before) => {
    const after = transition(before, { type: 'expire' }, now);
    return after === undefined ? [] : [writesOfMove(before, after, now, random)];
  });
  return { answer: ends.length, changes: ends.flat() };
}
