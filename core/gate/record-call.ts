import { hash } from 'node:crypto';
import type { Activity } from '../activity/activity.ts';
import { type Failure, failureOf, type Outcome } from '../call/outcome.ts';
import { ServiceStoppedError } from '../contract/errors.ts';
import { unavailable } from '../contract/unavailable.ts';
import type { Caller } from '../keys/call-storage.ts';
import { errorName } from '../ports/log.ts';
import type { ShownPassage } from '../provenance/read-record.ts';
import type { NewRead } from '../provenance/read-state.ts';
import { findTool } from '../tools/catalogue.ts';
import { endedClaim, type HeldClaim } from './call-claim.ts';
import type { CallDependencies } from './call-dependencies.ts';
import type { ToolCall } from './tool-call.ts';

/** What the activity records of content: ids that were shown in full or changed, and ids that were listed. */
export interface Notes {
  readonly shown: Set<string>;
  readonly listed: Set<string>;
  /** The texts of others that the call read. */
  readonly read: ShownPassage[];
}

/** A call that has its answer. */
interface Ended {
  readonly outcome: Outcome;
  readonly approvalId: string | null;
  /** Null: the call holds no Idempotency-Key. */
  readonly claim: HeldClaim | null;
  readonly read?: NewRead | undefined;
}

/** Ends the call: slot, claim and activity. @returns the answer to the caller */
export async function recordCall(
  { ports: { storage, clock, log }, keyring }: CallDependencies,
  caller: Caller,
  call: ToolCall,
  { outcome, claim, approvalId, read }: Ended,
  notes: Notes,
  began: Date,
): Promise<Outcome> {
  const now = clock.now();
  const { ownerId } = caller.owner;
  const { credentialId } = caller.credential;
  const activity: Activity = {
    kind: 'call',
    credentialId,
    tool: findTool(call.tool)?.name ?? null,
    outcome: outcome.status === 'error' ? recordedCode(outcome) : outcome.status,
    approvalId,
    durationMs: Math.max(0, now.getTime() - began.getTime()),
    shown: [...notes.shown],
    listed: [...notes.listed].map((id) => hash('sha256', id).slice(0, 16)),
  };
  try {
    await storage.finish({
      caller: { ownerId, credentialId },
      slotId: caller.slotId,
      claim: claim && endedClaim(keyring, caller, claim, outcome),
      activity,
      read,
      now,
    });
    return outcome;
  } catch (error) {
    log.warn('a call was not recorded', errorName(error));
    // The stop may be the cause of the error.
    if (error instanceof ServiceStoppedError && outcome.status === 'error') return failureOf(error);
    // An effect stays the answer, whether or not it is recorded. A read that cannot be recorded is not
    // returned.
    const isRead = findTool(call.tool)?.kind === 'read';
    return isRead && outcome.status !== 'error' ? failureOf(unavailable(error)) : outcome;
  }
}

/** The error code, with its reason if it has one: `not_permitted:fence`. */
function recordedCode({ code, details }: Failure): string {
  const reason = details !== undefined && 'reason' in details ? details.reason : undefined;
  return reason === undefined ? code : `${code}:${reason}`;
}
