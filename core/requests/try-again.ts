import type { Approval, ApprovalError } from '../approvals/approval.ts';
import type { CallDependencies } from '../gate/call-dependencies.ts';
import { filingOf } from '../gate/filing.ts';
import { approvalId as newApprovalId } from '../secrets/record-ids.ts';
import { planAnew } from './plan-anew.ts';

/** The owner files a failed request again. */

/** Errors after which the same request cannot succeed. */
const FINAL: ReadonlySet<ApprovalError> = new Set([
  'plan_unreadable',
  'account_removed',
  'message_too_large',
  'too_many_recipients',
]);

/** Whether it failed with nothing done, and may succeed if it is planned anew. */
export function mayTryAgain(approval: Approval): boolean {
  return approval.state === 'failed' && !FINAL.has(approval.error);
}

/**
 * Plans the request anew and files it for its key, as pending. In the same storage unit it is compared with the requests
 * of the program.
 * @returns the approval that waits now, or the one of an equal request
 * @throws ServiceError if it cannot be planned now, or its key may no longer make it
 */
export async function fileAgain(
  parts: CallDependencies,
  failed: Approval,
  args: Readonly<Record<string, unknown>>,
): Promise<Approval> {
  const { ports, keyring, leaseMs } = parts;
  const { ownerId, credentialId } = failed;
  const id = newApprovalId(ports.random);
  const request = await planAnew(parts, failed, args);
  const filed = await ports.storage.file({
    ...filingOf(keyring, { ownerId, id }, request),
    ownerId,
    credentialId,
    approvalId: id,
    claim: null,
    isOwners: true,
    leaseMs,
    signer: keyring,
    now: ports.clock.now(),
  });
  if (filed.kind === 'refuse') throw filed.error;
  return filed.approval;
}
