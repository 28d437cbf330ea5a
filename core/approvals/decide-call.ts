import { type DetailsOf, type ErrorArguments, ServiceError } from '../contract/errors.ts';
import { type Limits, nextUtcMidnight } from '../keys/limits.ts';
import type { Mode } from '../keys/permissions.ts';
import { HOUR_MS, MINUTE_MS } from '../time/durations.ts';
import type { Approval, FilingVerdict } from './approval.ts';

/**
 * What storage found about a request and earlier ones, in the transaction that files it. "Same" means the
 * same `requestHash`: tool and resolved arguments. "Similar" means the same `similarHash`, which ignores
 * spacing, case and punctuation of the caller's words.
 */
export interface CallFacts {
  /** The effective mode of the key for the group now; undefined if the key is off. */
  readonly mode: Mode | undefined;
  /** Why the key may not make this request now; undefined if it may. */
  readonly denial: DetailsOf<'not_permitted'> | undefined;
  /** The same request of the same key, `pending` and not past its `expiresAt`. */
  readonly samePending: Approval | undefined;
  /**
   * The newest same request of the same key that is `approved`, or ended `outcome_unknown` in the last 24
   * hours.
   */
  readonly sameUnfinished: Approval | undefined;
  /** The owner rejected the same or a similar request, of any of the owner's keys: until when that counts. */
  readonly rejectedUntil: Date | undefined;
  /** A pending request of the same key for one of the same targets. */
  readonly targetPending: Approval | undefined;
  /**
   * Another request of the owner with the same hash was executed in the last hour, or is another key's
   * unfinished one.
   */
  readonly executedLately: boolean;
  /**
   * Requests of this key that ran or run by policy and send mail, in the last 24 hours and in the last 10
   * minutes.
   */
  readonly directSendsDay: number;
  readonly directSends10Min: number;
  /** Requests of this key filed as pending since midnight UTC. */
  readonly filedToday: number;
  readonly waitingOfKey: number;
  readonly waitingOfOwner: number;
}

/** What the plan says about the request. */
export interface CallFiling {
  /** Names of the holds that planning found. Any of them makes the call wait. */
  readonly holds: readonly string[];
  /** Counts towards the send limit. */
  readonly sends: boolean;
  /** A repeat is held: sends and events. */
  readonly repeatable: boolean;
  readonly targeted: boolean;
}

export type CallVerdict =
  | FilingVerdict
  /** This approval is the answer. Nothing new is created. */
  | { readonly kind: 'existing'; readonly approval: Approval }
  | { readonly kind: 'refuse'; readonly error: ServiceError };

/**
 * Decides a call inside `file`: existing, rejected, target, holds, caps; then run, ask or refuse.
 * See docs/decisions/holds-beside-modes.md.
 */
export function decideCall(facts: CallFacts, filing: CallFiling, limits: Limits, now: Date): CallVerdict {
  const refuse = (...error: ErrorArguments): CallVerdict => ({
    kind: 'refuse',
    error: new ServiceError(...error),
  });
  if (facts.mode === undefined) return refuse('invalid_token');
  if (facts.denial !== undefined) return refuse('not_permitted', { details: facts.denial });
  if (facts.samePending !== undefined) {
    if (!filing.targeted) return { kind: 'existing', approval: facts.samePending };
    return refuse('pending_exists_for_target', { details: { approval_id: facts.samePending.id } });
  }
  if (facts.sameUnfinished !== undefined) return { kind: 'existing', approval: facts.sameUnfinished };
  if (facts.rejectedUntil !== undefined) {
    return refuse('previously_rejected', { details: { resets_at: facts.rejectedUntil.toISOString() } });
  }
  if (facts.targetPending !== undefined) {
    return refuse('pending_exists_for_target', { details: { approval_id: facts.targetPending.id } });
  }
  const reasons = [...filing.holds];
  if (facts.mode !== 'direct') reasons.unshift('mode_approval');
  if (filing.repeatable && facts.executedLately) reasons.push('likely_repeat');
  if (
    facts.mode === 'direct' &&
    filing.sends &&
    (facts.directSendsDay >= limits.directSendsPerDay || facts.directSends10Min >= limits.directSendsPer10Min)
  ) {
    reasons.push('send_limit');
  }
  if (reasons.length === 0) return { kind: 'run' };
  if (facts.filedToday >= limits.filedPerDay) {
    return refuse('quota_exceeded', { details: { resets_at: nextUtcMidnight(now).toISOString() } });
  }
  if (facts.waitingOfKey >= limits.waitingPerKey || facts.waitingOfOwner >= limits.waitingPerOwner) {
    return refuse('too_many_pending', { details: { retry_after_s: 60 } });
  }
  return { kind: 'ask', reasons };
}

/**
 * Decides about a failed request that its owner files again: it waits for the owner, who sees its checks done anew. What
 * the owner rejected before, a pause and the caps do not apply, because the program does not ask. The same request and one
 * for the same target still answer it, so that the program's retry and the owner's lead to one action.
 */
export function decideAgain(facts: CallFacts, filing: CallFiling): CallVerdict {
  const refuse = (...error: ErrorArguments): CallVerdict => ({
    kind: 'refuse',
    error: new ServiceError(...error),
  });
  if (facts.mode === undefined) return refuse('invalid_token');
  if (facts.denial !== undefined && facts.denial.reason !== 'paused') {
    return refuse('not_permitted', { details: facts.denial });
  }
  const existing = facts.samePending ?? facts.sameUnfinished ?? facts.targetPending;
  if (existing !== undefined) return { kind: 'existing', approval: existing };
  const repeats = filing.repeatable && facts.executedLately ? ['likely_repeat'] : [];
  return { kind: 'ask', reasons: ['tried_again', ...filing.holds, ...repeats] };
}

/** How far back the send limit looks. */
export const SENDS_DAY_MS = 24 * HOUR_MS;
export const SENDS_SHORT_MS = 10 * MINUTE_MS;
