import { hash } from 'node:crypto';
import type { Approval } from './approval.ts';
import { type ServiceError as Refusal, ServiceError } from './errors.ts';
import { type Executor, failureCode, sealPlan } from './execute-approval.ts';
import { largestFitting, withFittingItems } from './fitting.ts';
import { type Identifiers, approvalId as newApprovalId } from './identifiers.ts';
import type { Keyring } from './keyring.ts';
import { limitsOf } from './limits.ts';
import { mailCall } from './mail-call.ts';
import {
  approvalOutcome,
  endedOutcome,
  failureOf,
  type Outcome,
  type Result,
  storedOutcome,
} from './outcome.ts';
import { effectiveMode } from './permissions.ts';
import { canonicalJson, digestOf, planText } from './plan.ts';
import { named } from './ports/log.ts';
import { MailError } from './ports/mail.ts';
import type { Ports } from './ports/ports.ts';
import type { Activity, Caller, ClaimRef, Held } from './ports/storage.ts';
import { requestHash, similarHash } from './same-request.ts';
import type { Answer, ToolCall } from './service.ts';
import type { LookUpPorts, OwnPorts, RunPorts } from './tool-ports.ts';
import { toolNamed } from './tools/catalogue.ts';
import {
  type CallContext,
  type Found,
  filedTarget,
  isWrite,
  type OwnTool,
  type Planned,
  type ReadTool,
  type WriteTool,
} from './tools/define-tool.ts';
import { flagUntrusted } from './untrusted.ts';

/** The one way in: tool, permission, arguments, then run or file, then finish. Source: DESIGN, the way of a call. */
export type CallTool = (caller: Caller, call: ToolCall) => Promise<Answer>;

export interface CallToolParts {
  readonly ports: Ports;
  readonly lookUps: LookUpPorts;
  readonly ownPorts: OwnPorts;
  readonly runPorts: RunPorts;
  readonly keyring: Keyring;
  readonly identifiers: Identifiers;
  readonly executor: Executor;
  readonly dashboardUrl: string;
  readonly leaseMs: number;
  /** Something waits for the owner. */
  readonly onPending: (notice: { ownerId: string; approvalId: string }) => void;
}

/** How long a caller waits for a direct write, and for a mailbox. */
const WAIT_MS = 25_000;

/** What becomes of one call on its way. */
interface Progress {
  claim: (ClaimRef & { readonly requestId: string }) | undefined;
  approvalId: string | null;
  replayed: boolean;
  readonly shown: Set<string>;
  readonly listed: Set<string>;
}

export function createCallTool(parts: CallToolParts): CallTool {
  const { ports, keyring, leaseMs } = parts;
  const { storage, clock, log } = ports;

  return async (caller, call) => {
    const began = clock.now();
    const progress: Progress = {
      claim: undefined,
      approvalId: null,
      replayed: false,
      shown: new Set(),
      listed: new Set(),
    };
    const abort = new AbortController();
    const ended = ports.workObserver?.began(toolNamed(call.tool)?.name ?? 'an unknown tool');
    const stops = [
      clock.after(WAIT_MS, () => abort.abort()),
      clock.every(leaseMs / 3, () => {
        storage
          .renew(held(caller, progress), leaseMs)
          .catch((error: unknown) => log.warn('a lease was not renewed', named(error)));
      }),
    ];
    let outcome: Outcome;
    try {
      const found = await answer(parts, caller, call, progress, began, abort.signal);
      outcome = withFittingItems(found, call.sizeBytes);
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal.cause !== undefined) log.warn('a call failed', named(refusal.cause));
      outcome = failureOf(refusal);
    } finally {
      for (const stop of stops) stop();
    }
    try {
      await storage.finish(ending(caller, call, progress, outcome, began));
    } catch (error) {
      log.warn('a call was not written down', named(error));
      // An effect stays the answer whatever becomes of its record; a read that cannot be recorded is not given out.
      const reads = toolNamed(call.tool)?.kind === 'read';
      if (reads && outcome.status !== 'error') outcome = failureOf(unavailable(error));
    } finally {
      ended?.();
    }
    return { outcome, replayed: progress.replayed };
  };

  function ending(caller: Caller, call: ToolCall, progress: Progress, outcome: Outcome, began: Date) {
    const { ownerId } = caller.owner;
    const { credentialId } = caller.credential;
    const now = clock.now();
    const activity: Activity = {
      kind: 'call',
      credentialId,
      tool: toolNamed(call.tool)?.name ?? null,
      outcome: outcome.status === 'error' ? outcome.code : outcome.status,
      approvalId: progress.approvalId,
      durationMs: Math.max(0, now.getTime() - began.getTime()),
      shown: [...progress.shown],
      listed: [...progress.listed].map((id) => hash('sha256', id).slice(0, 16)),
    };
    const claim = progress.claim === undefined ? null : endedClaim(caller, progress.claim, outcome);
    return { caller: { ownerId, credentialId }, slotId: caller.slotId, claim, activity, now };
  }

  function endedClaim(caller: Caller, { key, fence }: ClaimRef, outcome: Outcome) {
    const sealedOutcome = outcome.status === 'error' ? null : sealOutcome(keyring, caller, outcome);
    return { key, fence, sealedOutcome };
  }
}

async function answer(
  parts: CallToolParts,
  caller: Caller,
  call: ToolCall,
  progress: Progress,
  now: Date,
  signal: AbortSignal,
): Promise<Outcome> {
  if (call.idempotencyKey !== undefined && !/^[\x21-\x7e]{1,255}$/.test(call.idempotencyKey)) {
    throw new ServiceError('invalid_idempotency_key');
  }
  const tool = toolNamed(call.tool);
  if (tool === undefined) throw new ServiceError('not_found', { details: { reason: 'tool' } });
  const { owner, credential, accounts } = caller;
  const mode =
    tool.group === null ? 'on' : effectiveMode(tool.group, credential.modes[tool.group], owner.plan);
  if (mode === 'off') throw new ServiceError('not_permitted', { details: { group: tool.group } });

  const context: CallContext = {
    ports: parts.lookUps,
    owner,
    credential,
    accounts,
    limits: limitsOf(owner.plan, owner.limits),
    mode,
    signal,
    identifiers: parts.identifiers,
    now,
    dashboardUrl: parts.dashboardUrl,
    get cursorScope() {
      return cursorScope(tool.name, call.args);
    },
    mailCall: (account) => mailCall(parts.keyring, account, signal, WAIT_MS),
    shown: (id) => progress.shown.add(id),
    listed: (id) => progress.listed.add(id),
  };
  if (isWrite(tool)) {
    const plan = tool.bind(call.args);
    const stored = await claim(parts, caller, call, progress, now);
    if (stored !== undefined) return stored;
    const planned = await plan(context);
    if (tool.kind === 'light' && mode === 'direct' && planned.plan.holds.length === 0) {
      return performLight(parts, tool, planned, context, progress);
    }
    return file(parts, tool, planned, context, progress);
  }
  if (tool.kind === 'own') {
    const run = tool.bind(call.args);
    const stored = await claim(parts, caller, call, progress, now);
    return stored ?? fitted(tool, await run({ ...context, ports: parts.ownPorts }), parts, call.sizeBytes);
  }
  const run = tool.bind(call.args);
  return fitted(tool, await run(context), parts, call.sizeBytes);
}

/** Claims the Idempotency-Key of a write. @returns the answer of an earlier run, if there is one */
async function claim(
  parts: CallToolParts,
  caller: Caller,
  call: ToolCall,
  progress: Progress,
  now: Date,
): Promise<Outcome | undefined> {
  const key = call.idempotencyKey;
  if (key === undefined) return undefined;
  const { ownerId } = caller.owner;
  const { credentialId } = caller.credential;
  const fingerprint = digestOf(canonicalJson([call.tool, call.args]));
  const { storage } = parts.ports;
  const claimed = await storage.claim({
    ownerId,
    credentialId,
    key,
    fingerprint,
    leaseMs: parts.leaseMs,
    now,
  });
  switch (claimed.kind) {
    case 'won':
      progress.claim = { key, fence: claimed.fence, requestId: claimed.requestId };
      return undefined;
    case 'in_progress':
      throw new ServiceError('idempotency_in_progress', { details: { retry_after_s: 1 } });
    case 'reused':
      throw new ServiceError('idempotency_key_reused');
    case 'stored':
      progress.replayed = true;
      return openOutcome(parts.keyring, caller, claimed.sealedOutcome);
    case 'bound': {
      progress.replayed = true;
      progress.approvalId = claimed.approvalId;
      const approval = await storage.approval(ownerId, claimed.approvalId);
      if (approval === undefined) throw new Error('a claim is bound to an approval that is not there');
      return writeOutcome(approval, parts.dashboardUrl, now);
    }
  }
}

/** A light write in mode `direct`: no approval, its own result. */
async function performLight(
  { runPorts }: CallToolParts,
  tool: WriteTool,
  { plan }: Planned,
  context: CallContext,
  progress: Progress,
): Promise<Outcome> {
  const { owner, accounts, ports } = context;
  const result = await tool.perform(plan, {
    ports: runPorts,
    ownerId: owner.ownerId,
    requestId: progress.claim?.requestId ?? newApprovalId(ports.random),
    date: context.now,
    start: async () => true,
    mailbox: async (accountId) => {
      const account = accounts.find((one) => one.accountId === accountId);
      if (account === undefined) throw new MailError('refused', 'the account is no longer connected');
      return { account, call: context.mailCall(account) };
    },
  });
  return {
    status: 'ok',
    executed: true,
    auto_approved: true,
    result: flagUntrusted(tool.direct?.(plan, result) ?? result, tool.untrusted, [], ''),
  };
}

async function file(
  parts: CallToolParts,
  tool: WriteTool,
  planned: Planned,
  context: CallContext,
  progress: Progress,
): Promise<Outcome> {
  const { ports, keyring, executor, leaseMs, dashboardUrl } = parts;
  const { ownerId } = context.owner;
  if (tool.group === null) throw new Error(`the write tool ${tool.name} has no permission group`);
  const text = planText(planned.plan);
  const id = newApprovalId(ports.random);
  const sealedPlan = sealPlan(keyring, ownerId, id, text);
  const filed = await ports.storage.file({
    ownerId,
    credentialId: context.credential.credentialId,
    approvalId: id,
    tool: tool.name,
    group: tool.group,
    action: tool.action,
    accountId: planned.plan.account?.accountId ?? null,
    requestHash: requestHash(tool.name, planned.request),
    similarHash: similarHash(tool.name, planned.request),
    targets: planned.targets.map(filedTarget),
    digest: digestOf(text),
    sealedPlan,
    call: {
      holds: planned.plan.holds,
      sends: tool.sends && tool.recipients?.(planned.plan).length !== 0,
      repeatable: tool.repeatable,
      targeted: planned.targets.length > 0,
    },
    claim: progress.claim ?? null,
    leaseMs,
    now: context.now,
  });
  if (filed.kind === 'refuse') throw new ServiceError(filed.code, { details: filed.details });
  progress.approvalId = filed.approval.id;
  if (filed.kind === 'ask') parts.onPending({ ownerId, approvalId: id });
  if (filed.kind !== 'run') return approvalOutcome(filed.approval, dashboardUrl, context.now);
  const settled = await settledWithin(executor.run(filed.approval, sealedPlan), filed.approval, ports);
  return writeOutcome(settled, dashboardUrl, context.now);
}

/** The approval as its run leaves it, or as it stands when the caller has waited long enough. */
export async function settledWithin(
  run: Promise<Approval>,
  approval: Approval,
  { clock }: Ports,
): Promise<Approval> {
  let stop = (): void => {};
  const patience = new Promise<Approval>((resolve) => {
    stop = clock.after(WAIT_MS, () => resolve(approval));
  });
  try {
    return await Promise.race([run, patience]);
  } finally {
    stop();
  }
}

/** What the write that filed an approval answers. */
function writeOutcome(approval: Approval, dashboardUrl: string, now: Date): Outcome {
  if (approval.approvedBy !== 'policy') return approvalOutcome(approval, dashboardUrl, now);
  if (approval.state === 'failed') return failureOf(new ServiceError(failureCode(approval.error)));
  if (approval.state === 'executed') return { ...endedOutcome(approval), auto_approved: true };
  return approvalOutcome(approval, dashboardUrl, now);
}

/** The largest part of what was found that fits into one answer, with its third-party fields marked. */
function fitted(
  tool: ReadTool | OwnTool,
  found: Found,
  { ports }: CallToolParts,
  sizeBytes: ToolCall['sizeBytes'],
): Outcome {
  if (found.kind === 'outcome') return found.outcome;
  const nonce = tool.wrapped.length === 0 ? '' : Buffer.from(ports.random(16)).toString('hex');
  const flagged = (result: Result, status: 'ok' | 'empty' = 'ok'): Outcome => ({
    status,
    result: flagUntrusted(result, tool.untrusted, tool.wrapped, nonce),
  });
  if (found.kind !== 'cut') return flagged(found.result, found.kind === 'empty' ? 'empty' : 'ok');
  const largest = largestFitting(found.most, (n) => flagged(found.at(n)), sizeBytes);
  if (largest === undefined)
    throw new Error(`not even one row or character of ${tool.name} fits into an answer`);
  return largest;
}

/** A cursor belongs to the tool and to the arguments other than the cursor. */
function cursorScope(tool: string, args: unknown): string {
  if (typeof args !== 'object' || args === null) return tool;
  const { cursor: _cursor, ...others } = args as { cursor?: unknown };
  return canonicalJson([tool, others]);
}

function held(caller: Caller, progress: Progress): Held {
  const { ownerId } = caller.owner;
  const { credentialId } = caller.credential;
  const { claim } = progress;
  return {
    ownerId,
    slotId: caller.slotId,
    ...(claim === undefined ? {} : { claim: { key: claim.key, fence: claim.fence, credentialId } }),
  };
}

function sealOutcome(keyring: Keyring, { owner, credential }: Caller, outcome: Outcome): string {
  return keyring.seal('outcome', `${owner.ownerId}\n${credential.credentialId}`, JSON.stringify(outcome));
}

function openOutcome(keyring: Keyring, { owner, credential }: Caller, sealed: string): Outcome {
  return storedOutcome.parse(
    JSON.parse(keyring.open('outcome', `${owner.ownerId}\n${credential.credentialId}`, sealed)),
  );
}

export function unavailable(cause: unknown): Refusal {
  return new ServiceError('temporarily_unavailable', { details: { retry_after_s: 5 }, cause });
}

/** What the caller is told of something that was thrown; what is not for the caller becomes the cause. */
function refusalOf(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (!(error instanceof MailError)) return new ServiceError('internal_error', { cause: error });
  if (error.code === 'not_found')
    return new ServiceError('not_found', { details: { reason: 'message' }, cause: error });
  return new ServiceError('upstream_mail_error', { details: { reason: error.code }, cause: error });
}
