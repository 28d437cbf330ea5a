import { mailCall } from '../accounts/mail-call.ts';
import { isLight } from '../actions/action.ts';
import { IDEMPOTENCY_KEY } from '../approvals/idempotency.ts';
import type { CallContext } from '../call/context.ts';
import { largestFitting, withFittingItems } from '../call/fitting.ts';
import { withWantedItems } from '../call/items.ts';
import { failureOf, type Outcome } from '../call/outcome.ts';
import { leftBehindPassages } from '../call/shown-passages.ts';
import { ServiceError } from '../contract/errors.ts';
import type { Result } from '../contract/result.ts';
import { normalAddress } from '../contract/schema.ts';
import type { Caller, Held } from '../keys/call-storage.ts';
import { crossedFence, isAccountInside } from '../keys/fences.ts';
import { denialOf } from '../keys/grant.ts';
import { limitsOf } from '../keys/limits.ts';
import type { Credential } from '../keys/live-key.ts';
import { effectiveMode, type Group, type Mode } from '../keys/permissions.ts';
import type { Owner } from '../owners/owner-state.ts';
import { errorName } from '../ports/log.ts';
import type { ShownPassage } from '../provenance/read-record.ts';
import type { NewRead } from '../provenance/read-state.ts';
import { holdsOf } from '../safety/finding.ts';
import { fenceNonce, flagUntrusted } from '../safety/untrusted.ts';
import { canonicalJson } from '../text/canonical-json.ts';
import { findTool } from '../tools/catalogue.ts';
import type { Found, OwnTool, ReadTool, Tool } from '../tools/define-tool.ts';
import { refusalOf } from '../work/refusal-of.ts';
import { endedAfter, WAIT_MS } from '../work/within-limit.ts';
import { claimKey, type HeldClaim } from './call-claim.ts';
import type { CallDependencies } from './call-dependencies.ts';
import { fileRequest, performLight } from './perform-write.ts';
import { type Notes, recordCall } from './record-call.ts';
import type { Answer, ToolCall } from './tool-call.ts';

/**
 * Runs a call: tool, permission, arguments, then run or file, then finish. The only way in. See
 * docs/architecture.md.
 */
export type RunTool = (caller: Caller, call: ToolCall) => Promise<Answer>;

/** The answer of a call, with what must be recorded about it. */
interface Answered extends Answer {
  readonly approvalId: string | null;
  /** Null: the call holds no Idempotency-Key. */
  readonly claim: HeldClaim | null;
  /** What it showed of others' texts. */
  readonly read?: NewRead | undefined;
  /** After the call has ended, its caller waits for the end of an approval. */
  readonly wait?: Extract<Found, { kind: 'wait' }>;
}

/** The result of a tool. */
type Ran = Pick<Answered, 'outcome' | 'approvalId' | 'wait'>;

/** A call whose tool, permission and arguments are valid. */
interface CheckedCall {
  readonly tool: Tool;
  /** The effective mode of the tool's group. */
  readonly mode: Mode;
  run(context: CallContext, claim: HeldClaim | null): Promise<Ran>;
}

export function createRunTool(parts: CallDependencies): RunTool {
  const { workObserver, clock } = parts.ports;
  return async (caller, call) => {
    const began = clock.now();
    const ended = workObserver?.began(findTool(call.tool)?.name ?? 'an unknown tool');
    const notes: Notes = { shown: new Set(), listed: new Set(), read: [] };
    const run = async () => {
      const answered = await endedAfter(clock, WAIT_MS, (signal) =>
        answerCall(parts, caller, call, notes, began, signal),
      );
      const outcome = await recordCall(parts, caller, call, answered, notes, began);
      return { ...answered, outcome, isRecorded: outcome === answered.outcome };
    };
    const { outcome, replayed, wait, isRecorded } = await run().finally(ended);
    if (wait === undefined || !isRecorded) return { outcome, replayed };
    return { outcome: await waitForEnd(parts, caller, call, wait), replayed };
  };
}

/**
 * Waits after the call has ended: it is recorded and holds no slot. A crash therefore leaves nothing behind.
 * @returns the newest state of the approval
 */
async function waitForEnd(
  parts: CallDependencies,
  caller: Caller,
  call: ToolCall,
  wait: Extract<Found, { kind: 'wait' }>,
): Promise<Outcome> {
  const { waits, ports } = parts;
  const { gone, onWaiting } = call;
  const { storage, clock, log } = ports;
  const { ownerId } = caller.owner;
  const { credentialId } = caller.credential;
  try {
    const ended = await waits.ofCall({ ...wait, credentialId, gone, onWaiting });
    const outcome = asWanted(ended, call);
    const read = await endedAfter(clock, WAIT_MS, (signal) =>
      recorded(parts, caller, leftBehindPassages(outcome), signal),
    );
    if (read !== undefined) await storage.rememberRead({ ownerId, credentialId, read, now: clock.now() });
    return outcome;
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal.cause !== undefined) log.warn('a wait for an approval failed', errorName(refusal.cause));
    return failureOf(refusal);
  }
}

/** Checks the call, claims its Idempotency-Key, runs the tool. Never throws: an error becomes a Failure. */
async function answerCall(
  parts: CallDependencies,
  caller: Caller,
  call: ToolCall,
  notes: Notes,
  now: Date,
  signal: () => AbortSignal,
): Promise<Answered> {
  const { log } = parts.ports;
  let claim: HeldClaim | null = null;
  try {
    const checked = checkCall(parts, caller, call, notes);
    const claimed = await claimKey(parts, caller, call, checked.tool, now);
    if (claimed.kind === 'answered') {
      const outcome = asWanted(claimed.outcome, call);
      const read = await recorded(parts, caller, leftBehindPassages(outcome), signal);
      return { outcome, approvalId: claimed.approvalId, claim: null, read, replayed: true };
    }
    claim = claimed.claim;
    const ran = await whileHeld(parts, caller, claim, async () => {
      const run = await checked.run(contextOf(parts, caller, call, checked, notes, now, signal), claim);
      return { ...run, read: await readOf(parts, caller, checked.tool, run.outcome, notes, signal) };
    });
    return { ...ran, outcome: asWanted(ran.outcome, call), claim, replayed: false };
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
  parts: CallDependencies,
  { owner, credential }: Caller,
  call: ToolCall,
  notes: Notes,
): CheckedCall {
  if (call.idempotencyKey !== undefined && !IDEMPOTENCY_KEY.test(call.idempotencyKey)) {
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
function boundTool(parts: CallDependencies, tool: Tool, call: ToolCall, notes: Notes): CheckedCall['run'] {
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
    return fileRequest(parts, tool, call.args, planned, context, claim, notes.read);
  };
}

/** The record of what the call showed of others' texts. A call that failed showed nothing, and a write only what it did. */
async function readOf(
  parts: CallDependencies,
  caller: Caller,
  { kind }: Tool,
  outcome: Outcome,
  { read }: Notes,
  signal: () => AbortSignal,
): Promise<NewRead | undefined> {
  if (outcome.status === 'error') return undefined;
  const left = leftBehindPassages(outcome);
  if (kind === 'read') return recorded(parts, caller, [...read, ...left], signal);
  try {
    return await recorded(parts, caller, left, signal);
  } catch (error) {
    // An effect stays the answer. Later sends wait, because nobody knows what it showed.
    parts.ports.log.warn('what a write showed could not be read', errorName(error));
    return parts.recordRead(caller.credential.credentialId, left, { ownerId: caller.owner.ownerId });
  }
}

async function recorded(
  { recordRead }: CallDependencies,
  { owner: { ownerId }, credential: { credentialId } }: Caller,
  shown: readonly ShownPassage[],
  signal: () => AbortSignal,
): Promise<NewRead | undefined> {
  if (shown.length === 0) return undefined;
  return await recordRead(credentialId, shown, {
    ownerId,
    get signal() {
      return signal();
    },
  });
}

/** The items that the call wants, as many as fit. */
function asWanted(outcome: Outcome, { args, sizeBytes }: ToolCall): Outcome {
  return withFittingItems(withWantedItems(outcome, args), sizeBytes);
}

function found(outcome: Outcome): Ran {
  return { outcome, approvalId: null };
}

/** The context in which a tool runs or plans. */
export function contextOf(
  parts: CallDependencies,
  { owner, credential, accounts }: Omit<Caller, 'slotId'>,
  call: Pick<ToolCall, 'args'>,
  { tool, mode }: Pick<CheckedCall, 'tool' | 'mode'>,
  notes: Notes,
  now: Date,
  signal: () => AbortSignal,
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
    get signal() {
      return signal();
    },
    cursors: parts.cursors,
    handles: parts.handles,
    now,
    dashboardUrl: parts.dashboardUrl,
    ownerWords: parts.ownerWords,
    requestSummary: parts.requestSummary,
    get cursorScope() {
      return cursorScope(tool.name, call.args);
    },
    outsideFence: (field) => outsideFence(tool.group, field),
    mailCall: (account) => mailCall(parts.ports, parts.keyring, account, signal(), WAIT_MS),
    shown: (id) => notes.shown.add(id),
    listed: (id) => notes.listed.add(id),
    read: (passages) => {
      for (const one of passages) notes.read.push(one);
    },
  };
}

/** Tools without a group touch no account and nobody. */
function outsideFence(group: Group | null, field: string): ServiceError {
  if (group === null) throw new Error('a tool without a permission group has no fences');
  return new ServiceError('not_permitted', { details: { group, reason: 'fence', field } });
}

/** Renews the leases of the call while it runs. */
async function whileHeld<T>(
  { ports: { storage, clock, log }, leaseMs }: CallDependencies,
  caller: Caller,
  claim: HeldClaim | null,
  work: () => Promise<T>,
): Promise<T> {
  const stop = clock.every(leaseMs / 3, () => {
    storage
      .renew(heldBy(caller, claim), leaseMs)
      .catch((error: unknown) => log.warn('a lease was not renewed', errorName(error)));
  });
  try {
    return await work();
  } finally {
    stop();
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

/** Returns the largest part of the result that fits into one answer, with its third-party fields marked. */
function fitted(
  tool: ReadTool | OwnTool,
  found: Found,
  { ports }: CallDependencies,
  sizeBytes: ToolCall['sizeBytes'],
): Outcome {
  if (found.kind === 'outcome') return found.outcome;
  if (found.kind === 'wait') return found.first;
  const nonce = tool.thirdParty.wrapped.length === 0 ? '' : fenceNonce(ports.random);
  const flagged = (result: Result, status: 'ok' | 'empty' = 'ok'): Outcome => ({
    status,
    result: flagUntrusted(result, tool.thirdParty, nonce),
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
