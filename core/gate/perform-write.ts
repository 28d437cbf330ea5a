import type { LightAction } from '../actions/action.ts';
import type { Approval } from '../approvals/approval.ts';
import type { CallContext } from '../call/context.ts';
import { approvalOutcome, type Outcome } from '../call/outcome.ts';
import type { Result } from '../contract/result.ts';
import type { Planned, Purposed } from '../plans/planned.ts';
import { MailError } from '../ports/mail.ts';
import type { Ports } from '../ports/ports.ts';
import type { ShownPassage } from '../provenance/read-record.ts';
import { flagUntrusted } from '../safety/untrusted.ts';
import { approvalId as newApprovalId } from '../secrets/record-ids.ts';
import type { LightTool, WriteTool } from '../tools/define-tool.ts';
import { waitAtMost } from '../work/wait-at-most.ts';
import { WAIT_MS } from '../work/within-limit.ts';
import type { HeldClaim } from './call-claim.ts';
import type { CallDependencies } from './call-dependencies.ts';
import { filingOf } from './filing.ts';
import { traceRequest } from './trace-request.ts';
import { writeOutcome } from './write-outcome.ts';

/** The answer of a write. */
interface Written {
  readonly outcome: Outcome;
  /** Null: it needed no approval. */
  readonly approvalId: string | null;
}

/** Performs a light write in mode `direct`: no approval, its own result. */
export async function performLight(
  { runPorts }: CallDependencies,
  tool: LightTool,
  action: LightAction<unknown, Result, Result>,
  context: CallContext,
  claim: HeldClaim | null,
): Promise<Written> {
  const { owner, accounts, ports } = context;
  let isStarted = false;
  const result = await action.perform({
    ports: runPorts,
    ownerId: owner.ownerId,
    requestId: claim?.requestId ?? newApprovalId(ports.random),
    date: context.now,
    isAutomatic: true,
    // There is no approval to check. The write starts unless the caller has stopped waiting.
    start: async () => {
      isStarted ||= !context.signal.aborted;
      return isStarted;
    },
    mailbox: async (accountId) => {
      const account = accounts.find((one) => one.accountId === accountId);
      if (account === undefined) throw new MailError('refused', 'the account is no longer connected');
      return { account, call: context.mailCall(account) };
    },
  });
  const outcome = {
    status: 'ok',
    executed: true,
    auto_approved: true,
    result: flagUntrusted(action.direct(result), tool.thirdParty, ''),
  } as const;
  return { outcome, approvalId: null };
}

/**
 * Files a request. The judge in storage decides whether it runs at once or waits.
 * @param read  what this call read itself
 */
export async function fileRequest(
  parts: CallDependencies,
  tool: WriteTool,
  args: unknown,
  untraced: Purposed<Planned>,
  context: CallContext,
  claim: HeldClaim | null,
  read: readonly ShownPassage[],
): Promise<Written> {
  const { ports, keyring, executor, leaseMs } = parts;
  const { ownerId } = context.owner;
  const planned = await traceRequest(ports.storage, keyring, context, untraced, read);
  const id = newApprovalId(ports.random);
  const filing = filingOf(keyring, { ownerId, id }, { tool, args, planned });
  const filed = await ports.storage.file({
    ...filing,
    ownerId,
    credentialId: context.credential.credentialId,
    approvalId: id,
    claim,
    leaseMs,
    signer: keyring,
    now: context.now,
  });
  if (filed.kind === 'refuse') throw filed.error;
  const { id: approvalId } = filed.approval;
  if (filed.kind === 'ask') parts.onPending({ ownerId, approvalId });
  if (filed.kind !== 'run') {
    return { outcome: approvalOutcome(filed.approval, context, context.now), approvalId };
  }
  const run = executor.executeApproval(filed.approval, filing.sealedPlan);
  const settled = await settledWithin(run, filed.approval, ports);
  return { outcome: writeOutcome(settled, context, context.now), approvalId };
}

/** Returns the approval after its run, or its current state once the caller has waited long enough. */
export async function settledWithin(
  run: Promise<Approval>,
  approval: Approval,
  { clock }: Ports,
): Promise<Approval> {
  return (await waitAtMost(clock, WAIT_MS, run)) ?? approval;
}
