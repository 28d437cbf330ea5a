import type { Approval } from '../approvals/approval.ts';
import { type OpenedPlan, openPlan } from '../execution/sealed-plan.ts';
import { errorName } from '../ports/log.ts';
import type { Ports } from '../ports/ports.ts';
import type { Keyring } from '../secrets/keyring.ts';

/** A request, for the owner's decision. */
export interface FiledRequest {
  readonly approval: Approval;
  /** Null: it was erased or cannot be read. A run fails for that reason. */
  readonly plan: OpenedPlan | null;
}

/** Undefined: the owner has no such request. */
export async function filedRequest(
  { storage, log }: Pick<Ports, 'storage' | 'log'>,
  keyring: Keyring,
  ownerId: string,
  approvalId: string,
): Promise<FiledRequest | undefined> {
  const [approval, sealedPlan] = await Promise.all([
    storage.approval(ownerId, approvalId),
    storage.plan(ownerId, approvalId),
  ]);
  if (approval === undefined) return undefined;
  if (sealedPlan === undefined) return { approval, plan: null };
  try {
    return { approval, plan: openPlan(keyring, approval, sealedPlan) };
  } catch (error) {
    log.error('a plan could not be read', { approval: approvalId, ...errorName(error) });
    return { approval, plan: null };
  }
}
