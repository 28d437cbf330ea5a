import type { Action } from '../actions/action.ts';
import { actionOf, type StoredAction } from '../actions/stored-action.ts';
import type { Approval } from '../approvals/approval.ts';
import type { Result } from '../contract/result.ts';
import type { PriorRead } from '../provenance/read-lines.ts';
import type { Finding } from '../safety/finding.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { STORED } from '../secrets/stored-purposes.ts';
import { digestOf } from '../text/canonical-json.ts';
import { readPlanText, UnreadablePlan } from './plan.ts';

/** Plans at rest: sealed for their owner and their approval. */

/** Seals a plan. @param text  see `planText` */
export function sealPlan(keyring: Keyring, ownerId: string, approvalId: string, text: string): string {
  return keyring.seal(STORED.plan, `${ownerId}\n${approvalId}`, text);
}

/** An opened plan. */
export interface OpenedPlan {
  readonly action: Action<StoredAction, Result>;
  readonly findings: readonly Finding[];
  /** Why the agent asks, in its own words. Null: it did not say. */
  readonly purpose: string | null;
  /** The arguments of the call. */
  readonly args: Readonly<Record<string, unknown>>;
  /** As it was sealed. */
  readonly text: string;
  /** What was read before it was asked. */
  readonly reads: readonly PriorRead[];
}

/** The action of `openPlan`. @throws UnreadablePlan */
export function openAction(...of: Parameters<typeof openPlan>): OpenedPlan['action'] {
  return openPlan(...of).action;
}

/**
 * Opens the action of an approval as it was filed, with the findings about it.
 * @param sealedPlan  null once it is erased
 * @throws UnreadablePlan if it cannot be opened, does not match the approval's digest, or is of another
 * version
 */
export function openPlan(keyring: Keyring, approval: Approval, sealedPlan: string | null): OpenedPlan {
  const text = openText(keyring, approval, sealedPlan ?? '');
  if (digestOf(text) !== approval.digest) throw new UnreadablePlan('damaged');
  return openedPlan(approval, text);
}

/**
 * Reads the text of a plan of this approval.
 * @throws UnreadablePlan if it is of another tool or version
 */
export function openedPlan({ tool }: Approval, text: string): OpenedPlan {
  const plan = readPlanText(text);
  if (plan.tool !== tool) throw new UnreadablePlan('damaged');
  const { findings, reads, purpose, args } = plan;
  return { action: actionOf(plan.action), findings, reads, purpose, args, text };
}

function openText(keyring: Keyring, { ownerId, id }: Approval, sealedPlan: string): string {
  try {
    return keyring.open(STORED.plan, `${ownerId}\n${id}`, sealedPlan);
  } catch (cause) {
    throw new UnreadablePlan('damaged', { cause });
  }
}
