import { newApproval } from '../approvals/approval.ts';
import {
  type CallFacts,
  decideAgain,
  decideCall,
  EXECUTED_LATELY_MS,
  REJECTED_MS,
  SAME_UNFINISHED_MS,
  SENDS_DAY_MS,
  SENDS_SHORT_MS,
} from '../approvals/decide-call.ts';
import { claimInProgress } from '../approvals/idempotency.ts';
import { ServiceError } from '../contract/errors.ts';
import { crossedFence } from '../gate/fences.ts';
import { denialOf } from '../gate/grant.ts';
import type { Filing } from '../ports/approval-storage.ts';
import type { Storage } from '../ports/storage.ts';
import type { AnyChange, FilingFacts, FilingNeed, Judged, Standing } from '../ports/store.ts';
import { DAY_MS } from '../time/durations.ts';
import { heldClaim } from './claims.ts';
import { limitsNow, modeNow } from './standing.ts';

type Filed = Awaited<ReturnType<Storage['file']>>;

/** Returns how far back the facts of a request look. */
export function filingNeed(filing: Filing): FilingNeed {
  const { ownerId, credentialId, requestHash, similarHash, targets, claim, now } = filing;
  const nowMs = now.getTime();
  return {
    ownerId,
    credentialId,
    requestHash,
    similarHash,
    targets,
    key: claim?.key ?? null,
    nowMs,
    unfinishedSinceMs: nowMs - SAME_UNFINISHED_MS,
    rejectedSinceMs: nowMs - REJECTED_MS,
    executedSinceMs: nowMs - EXECUTED_LATELY_MS,
    daySendsMs: SENDS_DAY_MS,
    shortSendsMs: SENDS_SHORT_MS,
    dayMs: DAY_MS,
  };
}

/** Decides about a write and files it: approved by policy with a lease, or pending. Binds its claim. */
export function file(facts: FilingFacts, filing: Filing, storeNowMs: number): Judged<Filed> {
  const { ownerId, credentialId, approvalId, group, claim, signer, now } = filing;
  const refused = (answer: Filed): Judged<Filed> => ({ answer, changes: [] });
  const held = claim === null ? undefined : heldClaim(facts.claim, claim);
  // Another run has won the claim since, or it is bound. This run cannot file the request.
  if (claim !== null && held?.approvalId !== null) {
    return refused({ kind: 'refuse', error: claimInProgress() });
  }
  const { standing } = facts;
  if (standing === undefined) return refused({ kind: 'refuse', error: new ServiceError('invalid_token') });
  const mode = modeNow(standing, group, signer, now);
  const found = callFacts(facts, mode, denialAt(standing, filing, now));
  const verdict =
    filing.isOwners === true
      ? decideAgain(found, filing.call)
      : decideCall(found, filing.call, limitsNow(standing), new Date(storeNowMs));
  if (verdict.kind === 'existing' || verdict.kind === 'refuse') return refused(verdict);
  const { accountId, tool, action, digest } = filing;
  const approval = newApproval(
    { ownerId, id: approvalId, credentialId, accountId, tool, group, action, digest },
    verdict,
    storeNowMs + filing.leaseMs,
    now,
  );
  const { sealedPlan, sealedGist, requestHash, similarHash } = filing;
  const targets = verdict.kind === 'ask' ? filing.targets : [];
  const filed = {
    sealedPlan,
    sealedGist,
    requestHash,
    similarHash,
    sends: filing.call.sends,
    filedAtMs: storeNowMs,
    targets,
  };
  const changes: AnyChange[] = [{ type: 'add_approval', approval, filed }];
  if (claim !== null && held !== undefined) {
    const of = { ownerId, credentialId, key: claim.key };
    changes.push({ type: 'save_claim', of, claim: { ...held, approvalId } });
  }
  return { answer: { kind: verdict.kind, approval }, changes };
}

/** A tool refuses what is outside the fences. This also holds if they have changed since. */
function denialAt(standing: Standing, { group, reach }: Filing, now: Date): CallFacts['denial'] {
  const { credential, plan } = standing;
  const denial = denialOf(credential, group, plan, now);
  if (denial !== undefined) return denial;
  const isOutside = crossedFence(credential.fences, reach, now) !== undefined;
  return isOutside ? { group, reason: 'fence', field: '' } : undefined;
}

function callFacts(facts: FilingFacts, mode: CallFacts['mode'], denial: CallFacts['denial']): CallFacts {
  return {
    mode,
    denial,
    samePending: facts.samePending,
    sameUnfinished: facts.sameUnfinished,
    rejectedAt: facts.rejectedAt,
    targetPending: facts.targetPending,
    executedLately: facts.isExecuted || facts.isUnfinishedElsewhere,
    directSendsDay: facts.daySends,
    directSends10Min: facts.shortSends,
    filedToday: facts.filed,
    waitingOfKey: facts.waitingOfKey,
    waitingOfOwner: facts.waitingOfOwner,
  };
}
