import { ServiceError } from '../contract/errors.ts';
import { claimOfKey, claims } from '../keys/call-state.ts';
import { type ClaimRef, heldClaim } from '../keys/call-storage.ts';
import { crossedFence, type Reach } from '../keys/fences.ts';
import { denialOf } from '../keys/grant.ts';
import type { KeyStatus } from '../keys/key-state.ts';
import type { Group } from '../keys/permissions.ts';
import type { Signer } from '../secrets/keyring.ts';
import { insert, put, type RowChange, run } from '../state/change.ts';
import { first, type ResultsOf, single } from '../state/query.ts';
import { type StateStore, unchanged, type Verdict } from '../state/store.ts';
import { DAY_MS } from '../time/durations.ts';
import { type Approval, type Approved, newApproval, type Pending } from './approval.ts';
import {
  approvalColumns,
  approvalCommands,
  approvalOf,
  approvalStatements,
  approvals,
  plans,
} from './approval-state.ts';
import {
  type CallFacts,
  type CallFiling,
  decideAgain,
  decideCall,
  SENDS_DAY_MS,
  SENDS_SHORT_MS,
} from './decide-call.ts';
import { claimInProgress } from './idempotency.ts';
import { limitsNow, modeNow } from './key-status.ts';
import { signedDecision } from './signed-decision.ts';

export interface Filing {
  readonly ownerId: string;
  readonly credentialId: string;
  readonly approvalId: string;
  readonly tool: string;
  readonly group: Group;
  readonly action: string | null;
  readonly accountId: number | null;
  /** SHA-256 of tool and resolved arguments, hex. */
  readonly requestHash: string;
  /** The same hash with the caller's words in comparable form. A rejection applies to all requests with this hash. */
  readonly similarHash: string;
  /**
   * What the action would change, hashed (except a message's account). A message is the same target in every folder.
   */
  readonly targets: readonly string[];
  readonly reach: Reach;
  readonly digest: string;
  readonly sealedPlan: string;
  readonly sealedGist: string;
  readonly call: CallFiling;
  readonly claim: ClaimRef | null;
  /** The owner files a failed request again: `decideAgain` decides. Default: a call of the key files it. */
  readonly isOwners?: boolean;
  readonly leaseMs: number;
  readonly signer: Signer;
  readonly now: Date;
}

type Filed =
  | { readonly kind: 'run'; readonly approval: Approved }
  | { readonly kind: 'ask'; readonly approval: Pending }
  | { readonly kind: 'existing'; readonly approval: Approval }
  | { readonly kind: 'refuse'; readonly error: ServiceError };

/** How requests are filed. */
export type FilingStorage = ReturnType<typeof filingStorage>;

export function filingStorage({ unit }: StateStore) {
  return {
    /**
     * Decides about a write (`decideCall`, or `decideAgain` for the owner, on facts read here) and files it in the same unit:
     * `approved` by policy with a lease, or `pending`. Binds the claim to the new approval. Reads the credential and its mode
     * again.
     */
    file: (filing: Filing): Promise<Filed> =>
      unit('durable', { ownerId: filing.ownerId }, filingQueries(filing), (found, storeNowMs) =>
        file(found, filing, storeNowMs),
      ),
  };
}

/**
 * "Same" means the same `requestHash`, "similar" the same `similarHash`. Instants are the service's. Limits count on
 * the store's clock, back from its current time.
 */
function filingQueries(filing: Filing) {
  const { ownerId, credentialId, requestHash, similarHash, targets, claim, now } = filing;
  const of = { ownerId, credentialId };
  const asked = approvalStatements;
  return {
    claim: first(claimOfKey, { ...of, key: claim?.key ?? '' }),
    keyStatus: first(asked.key_status, of),
    samePending: first(asked.same_pending, { ...of, requestHash, now }),
    sameUnfinished: first(asked.same_unfinished, { ...of, requestHash, now }),
    targetPending: first(asked.target_pending, { ...of, targetList: targets, now }),
    ofOwner: single(asked.same_of_owner, { ...of, requestHash, similarHash, now }),
    sends: single(asked.direct_sends, { ...of, daySendsMs: SENDS_DAY_MS, shortSendsMs: SENDS_SHORT_MS }),
    filed: single(asked.filed, { ...of, dayMs: DAY_MS }),
    waiting: single(asked.waiting, { ...of, now }),
  };
}

type FilingFacts = ResultsOf<ReturnType<typeof filingQueries>>;

/** Decides about a write and files it: approved by policy with a lease, or pending. Binds its claim. */
function file(facts: FilingFacts, filing: Filing, storeNowMs: number): Verdict<Filed> {
  const { ownerId, credentialId, approvalId, group, claim, signer, now } = filing;
  const held = claim === null ? undefined : heldClaim(facts.claim, claim);
  // Another run has won the claim since, or it is bound. This run cannot file the request.
  if (claim !== null && held?.approvalId !== null) {
    return unchanged({ kind: 'refuse', error: claimInProgress() });
  }
  const { keyStatus } = facts;
  if (keyStatus === undefined) return unchanged({ kind: 'refuse', error: new ServiceError('invalid_token') });
  const mode = modeNow(keyStatus, group, signer, now);
  const found = callFacts(facts, mode, denialAt(keyStatus, filing, now));
  const verdict =
    filing.isOwners === true
      ? decideAgain(found, filing.call)
      : decideCall(found, filing.call, limitsNow(keyStatus), new Date(storeNowMs));
  if (verdict.kind === 'existing' || verdict.kind === 'refuse') return unchanged(verdict);
  const { accountId, tool, action, digest } = filing;
  const approval = newApproval(
    { ownerId, id: approvalId, credentialId, accountId, tool, group, action, digest },
    verdict,
    storeNowMs + filing.leaseMs,
    now,
  );
  const changes = [...filed(approval, filing, storeNowMs)];
  if (held !== undefined) changes.push(put(claims, { ...held, approvalId }));
  const answer: Filed = approval.state === 'pending' ? { kind: 'ask', approval } : { kind: 'run', approval };
  return { answer, changes };
}

/** The rows of a new approval. One that is pending keeps its targets until it moves. */
function filed(approval: Pending | Approved, filing: Filing, storeNowMs: number): readonly RowChange[] {
  const { ownerId, id: approvalId } = approval;
  const { requestHash, similarHash, sealedPlan, sealedGist, targets } = filing;
  const isPending = approval.state === 'pending';
  const columns = approvalColumns(approval);
  const added = insert(approvals, {
    countsAsSend: !isPending && filing.call.sends,
    ...columns,
    ...{ requestHash, similarHash },
    ...{ asked: isPending, filedAtMs: storeNowMs },
    ...{ isCovered: false, hasPlan: true },
    ...(isPending ? { decisionSignature: null } : signedDecision(columns, filing.signer)),
  });
  const plan = insert(plans, { ownerId, approvalId, sealedGist, sealedPlan, sealedAsked: null });
  if (!isPending || targets.length === 0) return [added, plan];
  return [added, plan, run(approvalCommands.add_targets, { ownerId, approvalId, targetList: targets })];
}

/** A tool refuses what is outside the fences. This also holds if they have changed since. */
function denialAt(keyStatus: KeyStatus, { group, reach }: Filing, now: Date): CallFacts['denial'] {
  const denial = denialOf(keyStatus, group, keyStatus.plan, now);
  if (denial !== undefined) return denial;
  const isOutside = crossedFence(keyStatus.fences, reach, now) !== undefined;
  return isOutside ? { group, reason: 'fence', field: '' } : undefined;
}

function callFacts(facts: FilingFacts, mode: CallFacts['mode'], denial: CallFacts['denial']): CallFacts {
  const { samePending, sameUnfinished, targetPending, ofOwner, sends, filed: day, waiting } = facts;
  return {
    mode,
    denial,
    samePending: samePending && approvalOf(samePending),
    sameUnfinished: sameUnfinished && approvalOf(sameUnfinished),
    rejectedUntil: ofOwner.rejectedUntil ?? undefined,
    targetPending: targetPending && approvalOf(targetPending),
    executedLately: ofOwner.executed || ofOwner.unfinishedElsewhere,
    directSendsDay: sends.day,
    directSends10Min: sends.short,
    filedToday: day.filed,
    waitingOfKey: waiting.ofKey,
    waitingOfOwner: waiting.ofOwner,
  };
}
