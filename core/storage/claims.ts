import { isAnswer, judgeClaim } from '../approvals/idempotency.ts';
import { ServiceError } from '../contract/errors.ts';
import type { ClaimRef, Held } from '../ports/call-storage.ts';
import type { Storage } from '../ports/storage.ts';
import type { AnyChange, ClaimFacts, ClaimKey, HeldFacts, Judged, StoredClaim } from '../ports/store.ts';

type Claimed = Awaited<ReturnType<Storage['claim']>>;

/**
 * @param newRequestId  used if the key belongs to a different request from now on
 * @throws ServiceError invalid_token if the owner was removed after the call was admitted
 */
export function claim(
  { hasOwner, claim: before, approval }: ClaimFacts,
  request: ClaimKey & { fingerprint: string; leaseMs: number; now: Date },
  storeNowMs: number,
  newRequestId: string,
): Judged<Claimed> {
  const { ownerId, credentialId, key, fingerprint, leaseMs, now } = request;
  if (!hasOwner) throw new ServiceError('invalid_token');
  const verdict = judgeClaim(before, { fingerprint, approval, now, leasesAt: new Date(storeNowMs) });
  if (verdict.kind !== 'win') return { answer: verdict, changes: [] };
  const won: StoredClaim = {
    fence: (before?.fence ?? 0) + 1,
    requestId: before !== undefined && verdict.again ? before.requestId : newRequestId,
    fingerprint,
    released: false,
    leaseUntil: new Date(storeNowMs + leaseMs),
    sealedOutcome: null,
    approvalId: null,
    createdAt: now,
  };
  return {
    answer: { kind: 'won', fence: won.fence, requestId: won.requestId },
    changes: [{ type: 'save_claim', of: { ownerId, credentialId, key }, claim: won }],
  };
}

/** Returns the claim if this run's fence is its newest and the run has not ended it. */
export function heldClaim(claim: StoredClaim | undefined, { fence }: ClaimRef): StoredClaim | undefined {
  if (claim === undefined || claim.fence !== fence || claim.released) return undefined;
  return claim.sealedOutcome === null ? claim : undefined;
}

/** Completes or releases a claim. Does nothing if it is no longer held. */
export function endedClaim(
  { claim, approval }: ClaimFacts,
  of: ClaimKey,
  end: ClaimRef & { readonly sealedOutcome: string | null },
): readonly AnyChange[] {
  const held = heldClaim(claim, end);
  if (held === undefined) return [];
  const over = { ...held, leaseUntil: new Date(0) };
  if (end.sealedOutcome !== null) {
    return [{ type: 'save_claim', of, claim: { ...over, sealedOutcome: end.sealedOutcome } }];
  }
  // The key becomes free, unless it is bound to an approval that will be its result.
  const stays = approval !== undefined && isAnswer(approval);
  return [{ type: 'save_claim', of, claim: stays ? over : { ...over, released: true, approvalId: null } }];
}

/** Extends the leases that are still held. */
export function renew(
  facts: HeldFacts,
  { ownerId, slotId, claim, approval, followUp }: Held,
  leaseMs: number,
  storeNowMs: number,
): Judged<void> {
  const untilMs = storeNowMs + leaseMs;
  const changes: AnyChange[] = [];
  // A slot whose lease has ended no longer counts. Extending it could allow one call too many.
  if (slotId !== undefined && facts.slot !== undefined && facts.slot.leaseUntilMs > storeNowMs) {
    const { credentialId } = facts.slot;
    changes.push({ type: 'keep_slot', ownerId, credentialId, slotId, leaseUntilMs: untilMs });
  }
  const held = claim && heldClaim(facts.claim, claim);
  if (claim !== undefined && held !== undefined) {
    const of = { ownerId, credentialId: claim.credentialId, key: claim.key };
    changes.push({ type: 'save_claim', of, claim: { ...held, leaseUntil: new Date(untilMs) } });
  }
  const run = facts.approval;
  if (approval !== undefined && run?.state === 'approved' && run.lease.fence === approval.fence) {
    changes.push({ type: 'save_approval', approval: { ...run, lease: { ...run.lease, untilMs } } });
  }
  if (followUp !== undefined && facts.hasFollowUp) {
    changes.push({ type: 'keep_follow_up', ownerId, approvalId: followUp, dueAtMs: untilMs });
  }
  return { answer: undefined, changes };
}
