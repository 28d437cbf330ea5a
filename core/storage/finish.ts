import { appendedActivity } from '../activity/activity-storage.ts';
import type { Storage } from '../ports/storage.ts';
import type { AnyChange, ClaimFacts } from '../ports/store.ts';
import { rememberedRead } from '../provenance/read-storage.ts';
import { endedClaim } from './claims.ts';

type End = Parameters<Storage['finish']>[0];

/** Ends a call: frees the slot, and writes one activity row and what the call showed. */
export function finishCall({ caller, slotId, activity, read, now }: End): readonly AnyChange[] {
  const { ownerId, credentialId } = caller;
  return [
    { type: 'give_slot', ownerId, credentialId, slotId },
    appendedActivity(ownerId, { ...activity, at: now }),
    ...(read === undefined ? [] : [rememberedRead({ ownerId, credentialId, read, now })]),
  ];
}

/** Ends a call with an Idempotency-Key. */
export function finishedWithClaim(
  facts: ClaimFacts,
  end: End,
  claim: NonNullable<End['claim']>,
): readonly AnyChange[] {
  const { ownerId, credentialId } = end.caller;
  return [...finishCall(end), ...endedClaim(facts, { ownerId, credentialId, key: claim.key }, claim)];
}
