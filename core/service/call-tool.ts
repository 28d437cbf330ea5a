import { hash } from 'node:crypto';
import { mailCall } from '../accounts/mail-call.ts';
import type { LookUpPorts, OwnPorts, RunPorts } from '../accounts/tool-ports.ts';
import { isLight, type LightAction } from '../actions/action.ts';
import type { Approval } from '../approvals/approval.ts';
import { claimInProgress } from '../approvals/idempotency.ts';
import type { CallContext } from '../call/context.ts';
import { largestFitting, withFittingItems } from '../call/fitting.ts';
import type { Identifiers } from '../call/identifiers.ts';
import {
  approvalOutcome,
  endedOutcome,
  type Failure,
  failureOf,
  type Outcome,
  storedOutcome,
} from '../call/outcome.ts';
import { type ServiceError as Refusal, ServiceError } from '../contract/errors.ts';
import { withoutPurpose } from '../contract/purpose.ts';
import type { Result } from '../contract/result.ts';
import { normalAddress } from '../contract/schema.ts';
import type { Executor } from '../execution/execute-approval.ts';
import { runFailure } from '../execution/run-end.ts';
import type { OpenWords } from '../execution/sealed-words.ts';
import { crossedFence, isAccountInside } from '../gate/fences.ts';
import { denialOf } from '../gate/grant.ts';
import { limitsOf } from '../gate/limits.ts';
import { effectiveMode, type Group, type Mode } from '../gate/permissions.ts';
import type { Planned, Purposed } from '../plans/planned.ts';
import type { Activity } from '../ports/activity.ts';
import type { Caller, ClaimRef, Held } from '../ports/call-storage.ts';
import type { Credential } from '../ports/credential-storage.ts';
import { errorName } from '../ports/log.ts';
import { MailError } from '../ports/mail.ts';
import type { Owner } from '../ports/owner-storage.ts';
import type { Ports } from '../ports/ports.ts';
import { hashedRead, hashersOf, readRecord, type ShownPassage } from '../provenance/read-record.ts';
import { holdsOf } from '../safety/finding.ts';
import { flagUntrusted } from '../safety/untrusted.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { approvalId as newApprovalId } from '../secrets/record-ids.ts';
import { STORED } from '../secrets/stored-purposes.ts';
import { canonicalJson, digestOf } from '../text/canonical-json.ts';
import { findTool } from '../tools/catalogue.ts';
import type { Found, OwnTool, ReadTool, Tool, WriteTool } from '../tools/define-tool.ts';
import type { ApprovalWaits } from './approval-waits.ts';
import { filingOf } from './filing.ts';
import type { Answer, ToolCall } from './service.ts';
import { traceRequest } from './trace-request.ts';
import { waitAtMost } from './wait-at-most.ts';

/**
 * Runs a call: tool, permission, arguments, then run or file, then finish. The only way in. Source: DESIGN,
 * the way of a call.
 */
export type CallTool = (caller: Caller, call: ToolCall) => Promise<Answer>;

export interface CallToolParts {
  readonly ports: Ports;
  readonly lookUps: LookUpPorts;
  readonly ownPorts: OwnPorts;
  readonly runPorts: RunPorts;
  readonly keyring: Keyring;
  readonly identifiers: Identifiers;
  readonly executor: Executor;
  readonly waits: ApprovalWaits;
  readonly dashboardUrl: string;
  readonly ownerWords: OpenWords;
  readonly leaseMs: number;
  /** Notifies that something waits for the owner. */
  readonly onPending: (notice: { ownerId: string; approvalId: string }) => void;
}

/** How long a caller waits for a direct write, and for a mailbox. */
export const WAIT_MS = 25_000;

/** An Idempotency-Key that this call holds. */
type HeldClaim = ClaimRef & { readonly requestId: string };

/** The answer of a call, with what must be recorded about it. */
interface Answered extends Answer {
  readonly approvalId: string | null;
  /** Null: the call holds no Idempotency-Key. */
  readonly claim: HeldClaim | null;
  /** After the call has ended, its caller waits for a change. */
  readonly wait?: Extract<Found, { kind: 'wait' }>;
}

/** The result of a tool. */
type Ran = Pick<Answered, 'outcome' | 'approvalId' | 'wait'>;

/** What the activity records of content: ids that were shown in full or changed, and ids that were listed. */
interface Notes {
  readonly shown: Set<string>;
  readonly listed: Set<string>;
  /** The texts of others that the call read. */
  readonly read: ShownPassage[];
}

/** A call whose tool, permission and arguments are valid. */
interface CheckedCall {
  readonly tool: Tool;
  /** The effective mode of the tool's group. */
  readonly mode: Mode;
  run(context: CallContext, claim: HeldClaim | null): Promise<Ran>;
}

export function createCallTool(parts: CallToolParts): CallTool {
  const { workObserver, clock } = parts.ports;
  return async (caller, call) => {
    const began = clock.now();
    const ended = workObserver?.began(findTool(call.tool)?.name ?? 'an unknown tool');
    const notes: Notes = { shown: new Set(), listed: new Set(), read: [] };
    const run = async () => {
      const answered = await answerCall(parts, caller, call, notes, began);
      const outcome = await recordCall(parts, caller, call, answered, notes, began);
      return { ...answered, outcome, isRecorded: outcome === answered.outcome };
    };
    const { outcome, replayed, wait, isRecorded } = await run().finally(ended);
    if (wait === undefined || !isRecorded) return { outcome, replayed };
    return { outcome: await waitForChange(parts, caller, call, wait), replayed };
  };
}

/**
 * Waits after the call has ended: it is recorded and holds no slot. A crash therefore leaves nothing behind.
 * @returns the newest state of the approval
 */
async function waitForChange(
  { waits, ports: { log } }: CallToolParts,
  { credential: { credentialId } }: Caller,
  { gone, onWaiting, sizeBytes }: ToolCall,
  wait: Extract<Found, { kind: 'wait' }>,
): Promise<Outcome> {
  try {
    return withFittingItems(await waits.changed({ ...wait, credentialId, gone, onWaiting }), sizeBytes);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal.cause !== undefined) log.warn('a wait for an approval failed', errorName(refusal.cause));
    return failureOf(refusal);
  }
}

/** Checks the call, claims its Idempotency-Key, runs the tool. Never throws: an error becomes a Failure. */
async function answerCall(
  parts: CallToolParts,
  caller: Caller,
  call: ToolCall,
  notes: Notes,
  now: Date,
): Promise<Answered> {
  const { log } = parts.ports;
  let claim: HeldClaim | null = null;
  try {
    const checked = checkCall(parts, caller, call, notes);
    const claimed = await claimKey(parts, caller, call, checked.tool, now);
    if (claimed.kind === 'answered') {
      const { outcome } = claimed.answered;
      return { ...claimed.answered, outcome: withFittingItems(outcome, call.sizeBytes) };
    }
    claim = claimed.claim;
    const ran = await whileHeld(parts, caller, claim, (signal) =>
      checked.run(contextOf(parts, caller, call, checked, notes, now, signal), claim),
    );
    return { ...ran, outcome: withFittingItems(ran.outcome, call.sizeBytes), claim, replayed: false };
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal.cause !== undefined) log.warn('a call failed', errorName(refusal.cause));
    return { outcome: failureOf(refusal), approvalId: null, claim, replayed: false };
  }
}

/**
 * Checks the form of the Idempotency-Key, the tool, its permission and its arguments, in this order.
 * @throws ServiceError
 */
function checkCall(
  parts: CallToolParts,
  { owner, credential }: Caller,
  call: ToolCall,
  notes: Notes,
): CheckedCall {
  if (call.idempotencyKey !== undefined && !/^[\x21-\x7e]{1,255}$/.test(call.idempotencyKey)) {
    throw new ServiceError('invalid_idempotency_key');
  }
  const tool = findTool(call.tool);
  if (tool === undefined) throw new ServiceError('not_found', { details: { reason: 'tool' } });
  const mode = modeOf(tool, credential, owner, parts.ports.clock.now());
  return { tool, mode, run: boundTool(parts, tool, call, notes) };
}

/** The effective mode of the tool's group. @throws ServiceError not_permitted if the key may not use it now */
function modeOf({ group }: Tool, credential: Credential, { plan }: Owner, now: Date): Mode {
  if (group === null) return 'on';
  const denial = denialOf(credential, group, plan, now);
  if (denial !== undefined) throw new ServiceError('not_permitted', { details: denial });
  return effectiveMode(group, credential.modes[group], plan);
}

/** Binds the tool to its arguments. @throws ServiceError invalid_arguments */
function boundTool(parts: CallToolParts, tool: Tool, call: ToolCall, notes: Notes): CheckedCall['run'] {
  if (tool.kind === 'read') {
    const read = tool.bind(call.args);
    return async (context) => {
      const what = await read(context);
      const outcome = fitted(tool, what, parts, call.sizeBytes);
      return what.kind === 'wait' ? { ...found(outcome), wait: what } : found(outcome);
    };
  }
  if (tool.kind === 'own') {
    const change = tool.bind(call.args);
    return async (context) =>
      found(fitted(tool, await change({ ...context, ports: parts.ownPorts }), parts, call.sizeBytes));
  }
  const plan = tool.bind(call.args);
  return async (context, claim) => {
    const planned = await plan(context);
    const { action, findings } = planned;
    // A tool refuses this itself and names the argument. This holds if it forgets one.
    if (crossedFence(context.fences, action.reach, context.now) !== undefined) throw context.outsideFence('');
    if (
      tool.kind === 'light' &&
      context.mode === 'direct' &&
      holdsOf(findings).length === 0 &&
      isLight(action)
    ) {
      return performLight(parts, tool, action, context, claim);
    }
    return fileRequest(parts, tool, call.args, planned, context, claim, notes);
  };
}

function found(outcome: Outcome): Ran {
  return { outcome, approvalId: null };
}

/** The context in which a tool runs or plans. */
export function contextOf(
  parts: CallToolParts,
  { owner, credential, accounts }: Omit<Caller, 'slotId'>,
  call: Pick<ToolCall, 'args'>,
  { tool, mode }: Pick<CheckedCall, 'tool' | 'mode'>,
  notes: Notes,
  now: Date,
  signal: AbortSignal,
): CallContext {
  return {
    ports: parts.lookUps,
    owner,
    credential,
    accounts: accounts.filter(({ accountId }) => isAccountInside(credential.fences, accountId)),
    get ownAddresses() {
      return new Set([owner.email, ...accounts.map(({ email }) => email)].map(normalAddress));
    },
    fences: credential.fences,
    limits: limitsOf(owner.plan, owner.limits),
    mode,
    signal,
    identifiers: parts.identifiers,
    now,
    dashboardUrl: parts.dashboardUrl,
    ownerWords: parts.ownerWords,
    get cursorScope() {
      return cursorScope(tool.name, call.args);
    },
    outsideFence: (field) => outsideFence(tool.group, field),
    mailCall: (account) => mailCall(parts.ports, parts.keyring, account, signal, WAIT_MS),
    shown: (id) => notes.shown.add(id),
    listed: (id) => notes.listed.add(id),
    read: (passages) => notes.read.push(...passages),
  };
}

/** Tools without a group touch no account and nobody. */
function outsideFence(group: Group | null, field: string): ServiceError {
  if (group === null) throw new Error('a tool without a permission group has no fences');
  return new ServiceError('not_permitted', { details: { group, reason: 'fence', field } });
}

/** Renews the leases of the call while it runs, and ends the work when the caller stops waiting. */
async function whileHeld<T>(
  { ports: { storage, clock, log }, leaseMs }: CallToolParts,
  caller: Caller,
  claim: HeldClaim | null,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  const stops = [
    clock.after(WAIT_MS, () => abort.abort()),
    clock.every(leaseMs / 3, () => {
      storage
        .renew(heldBy(caller, claim), leaseMs)
        .catch((error: unknown) => log.warn('a lease was not renewed', errorName(error)));
    }),
  ];
  try {
    return await work(abort.signal);
  } finally {
    for (const stop of stops) stop();
  }
}

function heldBy(caller: Caller, claim: HeldClaim | null): Held {
  const { ownerId } = caller.owner;
  const { credentialId } = caller.credential;
  return {
    ownerId,
    slotId: caller.slotId,
    ...(claim === null ? {} : { claim: { key: claim.key, fence: claim.fence, credentialId } }),
  };
}

/** Ends the call: slot, claim and activity. @returns the answer to the caller */
async function recordCall(
  { ports: { storage, clock, log }, keyring }: CallToolParts,
  caller: Caller,
  call: ToolCall,
  { outcome, claim, approvalId }: Answered,
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
      read: readOf(keyring, caller, call, outcome, notes),
      now,
    });
    return outcome;
  } catch (error) {
    log.warn('a call was not recorded', errorName(error));
    // An effect stays the answer, whether or not it is recorded. A read that cannot be recorded is not
    // returned.
    const isRead = findTool(call.tool)?.kind === 'read';
    return isRead && outcome.status !== 'error' ? failureOf(unavailable(error)) : outcome;
  }
}

/** The error code, with its reason if it has one: `not_permitted:fence`. */
function recordedCode({ code, details }: Failure): string {
  return typeof details?.reason === 'string' ? `${code}:${details.reason}` : code;
}

/** What the call showed. A call that failed showed nothing, and a write shows only what it did. */
function readOf(
  keyring: Keyring,
  { owner, credential }: Caller,
  call: ToolCall,
  outcome: Outcome,
  notes: Notes,
) {
  if (findTool(call.tool)?.kind !== 'read' || outcome.status === 'error' || notes.read.length === 0)
    return undefined;
  const [hasher] = hashersOf(keyring, owner.ownerId);
  if (hasher === undefined) throw new Error('the keyring has a writing key');
  const { ownerId } = owner;
  return readRecord(
    keyring,
    { ownerId, credentialId: credential.credentialId },
    hashedRead(notes.read, hasher),
  );
}

function endedClaim(keyring: Keyring, caller: Caller, { key, fence }: HeldClaim, outcome: Outcome) {
  const sealedOutcome = outcome.status === 'error' ? null : sealOutcome(keyring, caller, outcome);
  return { key, fence, sealedOutcome };
}

type Claimed =
  | { readonly kind: 'go_on'; readonly claim: HeldClaim | null }
  /** An earlier call with the same key has the answer. */
  | { readonly kind: 'answered'; readonly answered: Answered };

/** Claims the Idempotency-Key of a call that changes something. @throws ServiceError */
async function claimKey(
  parts: CallToolParts,
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
    answered: { outcome, approvalId, claim: null, replayed: true },
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

/** Performs a light write in mode `direct`: no approval, its own result. */
async function performLight(
  { runPorts }: CallToolParts,
  tool: WriteTool,
  action: LightAction<unknown, Result, Result>,
  context: CallContext,
  claim: HeldClaim | null,
): Promise<Ran> {
  const { owner, accounts, ports } = context;
  let isStarted = false;
  const result = await action.perform({
    ports: runPorts,
    ownerId: owner.ownerId,
    requestId: claim?.requestId ?? newApprovalId(ports.random),
    date: context.now,
    // There is no approval to check. It only does not start for a caller that has stopped waiting.
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
  return found({
    status: 'ok',
    executed: true,
    auto_approved: true,
    result: flagUntrusted(action.direct(result), tool.untrusted, [], ''),
  });
}

/** Files a request. The judge in storage decides whether it runs at once or waits. */
async function fileRequest(
  parts: CallToolParts,
  tool: WriteTool,
  args: unknown,
  untraced: Purposed<Planned>,
  context: CallContext,
  claim: HeldClaim | null,
  notes: Notes,
): Promise<Ran> {
  const { ports, keyring, executor, leaseMs } = parts;
  const { ownerId } = context.owner;
  const planned = await traceRequest(ports.storage, keyring, context, untraced, notes.read);
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
  const { approval } = filed;
  if (filed.kind === 'ask') parts.onPending({ ownerId, approvalId: id });
  if (filed.kind !== 'run') {
    return { outcome: approvalOutcome(approval, context, context.now), approvalId: approval.id };
  }
  const settled = await settledWithin(executor.executeApproval(approval, filing.sealedPlan), approval, ports);
  return { outcome: writeOutcome(settled, context, context.now), approvalId: approval.id };
}

/** Returns the approval after its run, or its current state once the caller has waited long enough. */
export async function settledWithin(
  run: Promise<Approval>,
  approval: Approval,
  { clock }: Ports,
): Promise<Approval> {
  return (await waitAtMost(clock, WAIT_MS, run)) ?? approval;
}

/** Returns the answer of a write that filed an approval. */
function writeOutcome(
  approval: Approval,
  told: Pick<CallContext, 'dashboardUrl' | 'ownerWords'>,
  now: Date,
): Outcome {
  if (approval.approvedBy !== 'policy') return approvalOutcome(approval, told, now);
  if (approval.state === 'failed') return failureOf(runFailure(approval));
  if (approval.state === 'executed')
    return { ...endedOutcome(approval, told.ownerWords), auto_approved: true };
  return approvalOutcome(approval, told, now);
}

/** Returns the largest part of the result that fits into one answer, with its third-party fields marked. */
function fitted(
  tool: ReadTool | OwnTool,
  found: Found,
  { ports }: CallToolParts,
  sizeBytes: ToolCall['sizeBytes'],
): Outcome {
  if (found.kind === 'outcome') return found.outcome;
  if (found.kind === 'wait') return found.first;
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

export function unavailable(cause: unknown): Refusal {
  return new ServiceError('temporarily_unavailable', { details: { retry_after_s: 5 }, cause });
}

/** Returns what the caller may learn of a thrown error. Everything else becomes the cause. */
export function refusalOf(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (!(error instanceof MailError)) return new ServiceError('internal_error', { cause: error });
  if (error.code === 'not_started') return unavailable(error);
  if (error.code === 'not_found')
    return new ServiceError('not_found', { details: { reason: 'message' }, cause: error });
  return new ServiceError('upstream_mail_error', { details: { reason: error.code }, cause: error });
}
