import * as z from 'zod';
import { filedTarget } from '../actions/message-target.ts';
import type { Filing } from '../approvals/filing-storage.ts';
import { requestHash, similarHash } from '../approvals/same-request.ts';
import { planText } from '../execution/plan.ts';
import { sealGist } from '../execution/sealed-gist.ts';
import { sealPlan } from '../execution/sealed-plan.ts';
import { holdsOf } from '../safety/finding.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { digestOf } from '../text/canonical-json.ts';
import type { WriteTool } from '../tools/define-tool.ts';
import type { Traced } from './trace-request.ts';

const storedArguments = z.record(z.string(), z.unknown());

/** A planned request with the arguments that it was planned from. */
export interface PlannedRequest {
  readonly tool: WriteTool;
  readonly args: unknown;
  readonly planned: Traced;
}

/** What is stored of a plan: sealed, with its digest. @param id  the approval's */
export function sealedRequest(
  keyring: Keyring,
  { ownerId, id }: { readonly ownerId: string; readonly id: string },
  { tool, args, planned }: PlannedRequest,
): Pick<Filing, 'digest' | 'sealedPlan' | 'sealedGist' | 'requestHash'> {
  const { action, findings, reads, purpose, gist, request } = planned;
  const text = planText({
    tool: tool.name,
    args: storedArguments.parse(args),
    findings: [...findings],
    reads: [...reads],
    purpose,
    action: action.stored,
  });
  return {
    digest: digestOf(text),
    sealedPlan: sealPlan(keyring, ownerId, id, text),
    sealedGist: sealGist(keyring, ownerId, id, gist, findings),
    requestHash: requestHash(tool.name, request),
  };
}

/** What storage needs to file a planned request, except whose it is. */
export function filingOf(
  keyring: Keyring,
  of: { readonly ownerId: string; readonly id: string },
  request: PlannedRequest,
): Omit<Filing, 'ownerId' | 'credentialId' | 'approvalId' | 'claim' | 'leaseMs' | 'signer' | 'now'> {
  const { tool, planned } = request;
  const { action, findings, targets } = planned;
  return {
    ...sealedRequest(keyring, of, request),
    tool: tool.name,
    group: tool.group,
    action: tool.action,
    accountId: action.account?.accountId ?? null,
    similarHash: similarHash(tool.name, planned.request),
    targets: targets.map(filedTarget),
    reach: action.reach,
    call: {
      holds: holdsOf(findings),
      sends: action.recipients.length > 0,
      repeatable: action.isHeldWhenRepeated,
      targeted: targets.length > 0,
    },
  };
}
