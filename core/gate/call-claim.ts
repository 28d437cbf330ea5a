import { claimInProgress } from '../approvals/idempotency.ts';
import { type Outcome, storedOutcome } from '../call/outcome.ts';
import { ServiceError } from '../contract/errors.ts';
import { withoutPurpose } from '../contract/purpose.ts';
import type { Caller, ClaimRef } from '../keys/call-storage.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { STORED } from '../secrets/stored-purposes.ts';
import { canonicalJson, digestOf } from '../text/canonical-json.ts';
import type { Tool } from '../tools/define-tool.ts';
import type { CallDependencies } from './call-dependencies.ts';
import type { ToolCall } from './tool-call.ts';
import { writeOutcome } from './write-outcome.ts';

/** An Idempotency-Key that this call holds. */
export type HeldClaim = ClaimRef & { readonly requestId: string };

type Claimed =
  | { readonly kind: 'go_on'; readonly claim: HeldClaim | null }
  /** An earlier call with the same key has the answer. */
  | { readonly kind: 'answered'; readonly outcome: Outcome; readonly approvalId: string | null };

/** Claims the Idempotency-Key of a call that changes something. @throws ServiceError */
export async function claimKey(
  parts: CallDependencies,
  caller: Caller,
  call: ToolCall,
  tool: Tool,
  now: Date,
): Promise<Claimed> {
  const key = call.idempotencyKey;
  if (key === undefined || tool.kind === 'read') return { kind: 'go_on', claim: null };
  const { ownerId } = caller.owner;
  const { credentialId } = caller.credential;
  const fingerprint = digestOf(canonicalJson([call.tool, withoutPurpose(call.args)]));
  const { storage } = parts.ports;
  const claimed = await storage.claim({
    ownerId,
    credentialId,
    key,
    fingerprint,
    leaseMs: parts.leaseMs,
    now,
  });
  const replayed = (outcome: Outcome, approvalId: string | null): Claimed => ({
    kind: 'answered',
    outcome,
    approvalId,
  });
  switch (claimed.kind) {
    case 'won':
      return { kind: 'go_on', claim: { key, fence: claimed.fence, requestId: claimed.requestId } };
    case 'in_progress':
      throw claimInProgress();
    case 'reused':
      throw new ServiceError('idempotency_key_reused');
    case 'stored':
      return replayed(openOutcome(parts.keyring, caller, claimed.sealedOutcome), null);
    case 'bound': {
      const { approvalId } = claimed;
      const approval = await storage.approval(ownerId, approvalId);
      if (approval === undefined) throw new Error('the approval to which a claim is bound is missing');
      return replayed(writeOutcome(approval, parts, now), approvalId);
    }
  }
}

/** The end of a claim: with the answer that repeated calls get, or none if the call failed. */
export function endedClaim(keyring: Keyring, caller: Caller, { key, fence }: HeldClaim, outcome: Outcome) {
  const sealedOutcome = outcome.status === 'error' ? null : sealOutcome(keyring, caller, outcome);
  return { key, fence, sealedOutcome };
}

function sealOutcome(keyring: Keyring, { owner, credential }: Caller, outcome: Outcome): string {
  return keyring.seal(
    STORED.outcome,
    `${owner.ownerId}\n${credential.credentialId}`,
    JSON.stringify(outcome),
  );
}

function openOutcome(keyring: Keyring, { owner, credential }: Caller, sealed: string): Outcome {
  return storedOutcome.parse(
    JSON.parse(keyring.open(STORED.outcome, `${owner.ownerId}\n${credential.credentialId}`, sealed)),
  );
}
