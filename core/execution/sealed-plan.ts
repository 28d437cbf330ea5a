import type { Action } from '../actions/action.ts';
import { actionOf, type StoredAction } from '../actions/stored-action.ts';
import type { Approval } from '../approvals/approval.ts';
import type { Result } from '../contract/result.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { digestOf } from '../text/canonical-json.ts';
import { readPlanText, UnreadablePlan } from './plan.ts';

/** Plans at rest: sealed for their owner and their approval. */

/** Seals a plan. @param text  see `planText` */
export function sealPlan(keyring: Keyring, ownerId: string, approvalId: string, text: string): string {
  return keyring.seal('plan', `${ownerId}\n${approvalId}`, text);
}

/**
 * Opens the action of an approval as it was filed.
 * @param sealedPlan  null once it is erased
 * @throws UnreadablePlan if it cannot be opened, does not match the approval's digest, or is of another
 * version
 */
export function openAction(
  keyring: Keyring,
  approval: Approval,
  sealedPlan: string | null,
): Action<StoredAction, Result> {
  const text = openPlan(keyring, approval, sealedPlan ?? '');
  if (digestOf(text) !== approval.digest) throw new UnreadablePlan('damaged');
  const plan = readPlanText(text);
  if (plan.tool !== approval.tool) throw new UnreadablePlan('damaged');
  return actionOf(plan.action);
}

function openPlan(keyring: Keyring, { ownerId, id }: Approval, sealedPlan: string): string {
  try {
    return keyring.open('plan', `${ownerId}\n${id}`, sealedPlan);
  } catch (cause) {
    throw new UnreadablePlan('damaged', { cause });
  }
}
