import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Activity } from '../../../core/activity/activity.ts';
import type { Approval, Approved, Pending, Rejection } from '../../../core/approvals/approval.ts';
import type { EditedPlan } from '../../../core/approvals/approval-storage.ts';
import type { Filing } from '../../../core/approvals/filing-storage.ts';
import type { Settlement } from '../../../core/approvals/run-storage.ts';
import type { Caller } from '../../../core/keys/call-storage.ts';
import { REACHES_NOTHING } from '../../../core/keys/fences.ts';
import type { LimitOverrides } from '../../../core/keys/limits.ts';
import { type Modes, type Plan, PRESETS } from '../../../core/keys/permissions.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import type { NewRead } from '../../../core/provenance/read-state.ts';
import { createKeyring } from '../../../core/secrets/keyring.ts';
import type { EraseBefore } from '../../../core/state/erase-before.ts';

/** Owners, keys and requests for the promises of storage. Racers use them too, without a test runner. */

export const NOON = new Date('2026-03-10T12:00:00.000Z');

export function at(ms: number): Date {
  return new Date(NOON.getTime() + ms);
}

/** Every process of a test has the same secret key. */
export const SIGNER = createKeyring([Buffer.alloc(32, 7)], randomBytes);

/** Long enough not to expire during a test. */
export const LEASE_MS = 60_000;
/** A lease of no length expires at once. */
export const LAPSED_MS = 0;

export const DIRECT: Modes = {
  ...PRESETS.full.modes,
  'mail:send': 'direct',
  'mail:reply': 'direct',
  'mail:manage': 'direct',
  'calendar:write': 'direct',
};

/** Generous limits for tests that are not about caps. */
export const ROOMY: LimitOverrides = {
  filedPerDay: 10_000,
  waitingPerKey: 10_000,
  waitingPerOwner: 10_000,
  directSendsPerDay: 10_000,
  directSendsPer10Min: 10_000,
};

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export interface Key {
  readonly ownerId: string;
  readonly credentialId: string;
  readonly secretHash: string;
}

export async function addOwner(
  storage: Storage,
  { plan = 'paid', limits = ROOMY }: { plan?: Plan; limits?: LimitOverrides } = {},
): Promise<string> {
  const ownerId = randomUUID();
  const email = `${ownerId}@example.org`;
  const added = await storage.addOwner({
    signer: SIGNER,
    ownerId,
    email,
    timezone: 'Europe/Zurich',
    language: 'en-GB',
    plansKeptDays: 30,
    proofFor: 'every_12_hours' as const,
    plan,
    limits,
    passwordHash: null,
    now: NOON,
  });
  if (!added) throw new Error('the owner was not added');
  return ownerId;
}

/** As the service makes it for a new owner. */

export async function addKey(
  storage: Storage,
  ownerId: string,
  { modes = DIRECT, expiresAt = at(90 * 86_400_000) }: { modes?: Modes; expiresAt?: Date } = {},
): Promise<Key> {
  const key = { ownerId, credentialId: `key_${randomUUID()}`, secretHash: sha256(randomUUID()) };
  await storage.addCredential({
    signer: SIGNER,
    ...key,
    kind: 'pat',
    name: 'agent',
    modes,
    expiresAt,
    now: NOON,
  });
  return key;
}

/** Adds a paid owner with one key that may do everything directly. */
export async function addOwnerAndKey(storage: Storage, limits: LimitOverrides = ROOMY): Promise<Key> {
  return addKey(storage, await addOwner(storage, { limits }));
}

/** Builds a send without holds, different from every other. */
export function filing(key: Key, changes: Partial<Filing> = {}): Filing {
  const approvalId = `apr_${randomUUID().slice(0, 22)}`;
  return {
    ownerId: key.ownerId,
    credentialId: key.credentialId,
    approvalId,
    tool: 'send_email',
    group: 'mail:send',
    action: 'send',
    accountId: 1,
    requestHash: sha256(approvalId),
    similarHash: sha256(`similar to ${changes.requestHash ?? approvalId}`),
    targets: [],
    reach: REACHES_NOTHING,
    digest: sha256(`plan of ${approvalId}`),
    sealedPlan: `sealed plan of ${approvalId}`,
    sealedGist: `sealed gist of ${approvalId}`,
    call: { holds: [], sends: true, repeatable: true, targeted: false },
    claim: null,
    leaseMs: LEASE_MS,
    signer: SIGNER,
    now: NOON,
    ...changes,
  };
}

export const HELD = { holds: ['first_time_recipient'], sends: true, repeatable: true, targeted: false };

/** Files a request that becomes pending. */
export async function ask(storage: Storage, key: Key, changes: Partial<Filing> = {}): Promise<Pending> {
  const filed = await storage.file(filing(key, { call: HELD, ...changes }));
  if (filed.kind !== 'ask') throw new Error(`filed as ${JSON.stringify(filed)}, not pending`);
  return filed.approval;
}

/** Files a request that runs by policy. */
export async function run(storage: Storage, key: Key, changes: Partial<Filing> = {}): Promise<Approved> {
  const filed = await storage.file(filing(key, changes));
  if (filed.kind !== 'run') throw new Error(`filed as ${JSON.stringify(filed)}, not running`);
  return filed.approval;
}

export async function approve(
  storage: Storage,
  approval: Approval,
  {
    now = NOON,
    leaseMs = LEASE_MS,
    digest = approval.digest,
    edited,
  }: { now?: Date; leaseMs?: number; digest?: string; edited?: EditedPlan } = {},
): Promise<{ approval: Approval; won: boolean; sealedPlan: string | null }> {
  const decided = await storage.decide({
    signer: SIGNER,
    ownerId: approval.ownerId,
    approvalId: approval.id,
    decision: { type: 'approve', digest, reach: REACHES_NOTHING, edited },
    leaseMs,
    now,
  });
  if (decided === undefined) throw new Error('there is no such approval');
  return decided;
}

export async function reject(
  storage: Storage,
  { ownerId, id }: Approval,
  now = NOON,
  rejection?: Rejection,
): Promise<{ approval: Approval; won: boolean; sealedPlan: string | null }> {
  const decided = await storage.decide({
    signer: SIGNER,
    ownerId,
    approvalId: id,
    decision: { type: 'reject', rejection },
    decidedIn: 'ses_1',
    leaseMs: LEASE_MS,
    now,
  });
  if (decided === undefined) throw new Error('there is no such approval');
  return decided;
}

/** A plan with the owner's changes. */
export function editedPlan(changes: Partial<EditedPlan> = {}): EditedPlan {
  return {
    digest: sha256('the changed plan'),
    sealedPlan: 'the changed plan',
    sealedGist: 'the changed gist',
    sealedAsked: 'the plan as asked',
    edit: { requestHash: sha256('the changed request'), sealedDiff: 'the diff' },
    ...changes,
  };
}

export function start(
  storage: Storage,
  { ownerId, id, fence }: Pick<Approval, 'ownerId' | 'id' | 'fence'>,
  now = NOON,
  marks: readonly string[] = [],
): Promise<boolean> {
  return storage.start({
    signer: SIGNER,
    ownerId,
    approvalId: id,
    fence,
    reach: REACHES_NOTHING,
    relocated: marks.map((mark) => ({ mark, movedIn: null })),
    now,
  });
}

export const DONE: Settlement['end'] = { type: 'succeed', result: { sent: true, recipients: 1 } };
export const REFUSED: Settlement['end'] = { type: 'refuse', error: 'upstream_mail_error' };
export const LOST: Settlement['end'] = { type: 'lose' };

export async function settle(
  storage: Storage,
  { ownerId, id, fence }: Pick<Approval, 'ownerId' | 'id' | 'fence'>,
  end: Settlement['end'],
  changes: Partial<Settlement> = {},
): Promise<Approval> {
  const settled = await storage.settle({
    ownerId,
    approvalId: id,
    fence,
    end,
    recipients: [],
    followUp: false,
    leaseMs: LEASE_MS,
    now: NOON,
    ...changes,
  });
  if (settled === undefined) throw new Error('there is no such approval');
  return settled;
}

/** Files, starts and settles a request that runs by policy. */
export async function execute(
  storage: Storage,
  key: Key,
  changes: Partial<Filing> = {},
  settlement: Partial<Settlement> = {},
): Promise<Approval> {
  const approval = await run(storage, key, changes);
  const now = changes.now ?? NOON;
  if (!(await start(storage, approval, now))) throw new Error('the run was not started');
  return settle(storage, approval, DONE, { now, ...settlement });
}

/** Takes over everything that has lapsed. */
export function reclaim(
  storage: Storage,
  { now = NOON, leaseMs = LEASE_MS, limit = 100, running = new Set<string>() } = {},
): ReturnType<Storage['reclaim']> {
  return storage.reclaim({ running, leaseMs, limit, signer: SIGNER, now });
}

/** Lists the states that webhook events reported of an approval, in order. */
export async function webhookStates(storage: Storage, { ownerId, id }: Approval): Promise<string[]> {
  const events = await storage.events({ ownerId, afterId: 0, limit: 10_000 });
  return events.flatMap((event) =>
    event.type === 'approval.decided' && event.data.approval_id === id ? [event.data.state] : [],
  );
}

/** Lists the outcomes of activity rows about an approval, oldest first. */
export async function activityOutcomes(storage: Storage, { ownerId, id }: Approval): Promise<string[]> {
  const rows = await storage.activity({ ownerId, limit: 10_000 });
  return rows
    .filter(({ approvalId }) => approvalId === id)
    .map(({ kind, outcome }) => `${kind} ${outcome}`)
    .reverse();
}

export async function admit(
  storage: Storage,
  key: Key,
  { now = NOON, leaseMs = LEASE_MS } = {},
): ReturnType<Storage['admit']> {
  return storage.admit({ signer: SIGNER, secretHash: key.secretHash, slotId: randomUUID(), leaseMs, now });
}

/** Admits a call that is within every limit. */
export async function admitted(
  storage: Storage,
  key: Key,
  options: { now?: Date; leaseMs?: number } = {},
): Promise<Caller> {
  const answer = await admit(storage, key, options);
  if (answer.kind !== 'admitted') throw new Error(`not admitted: ${JSON.stringify(answer)}`);
  return answer.caller;
}

export function activity(key: Key, changes: Partial<Activity> = {}): Activity {
  return {
    kind: 'call',
    credentialId: key.credentialId,
    tool: 'list_unread',
    outcome: 'ok',
    approvalId: null,
    durationMs: 12,
    shown: [],
    listed: [],
    ...changes,
  };
}

/** Finishes an admitted call. */
export function finish(
  storage: Storage,
  key: Key,
  caller: Pick<Caller, 'slotId'>,
  {
    claim = null,
    read,
    now = NOON,
  }: {
    claim?: { key: string; fence: number; sealedOutcome: string | null } | null;
    read?: NewRead;
    now?: Date;
  } = {},
): Promise<void> {
  return storage.finish({ caller: key, slotId: caller.slotId, claim, activity: activity(key), read, now });
}

/** Admits and finishes one call. @returns the kind of the answer of admit */
export async function call(storage: Storage, key: Key, now = NOON): Promise<string> {
  const answer = await admit(storage, key, { now });
  if (answer.kind === 'admitted') await finish(storage, key, answer.caller, { now });
  return answer.kind === 'over' ? answer.verdict.code : answer.kind;
}

/** What is erased: what `limits` name, and the others before `others`. Default: nothing else. */
export function erasing(limits: Partial<EraseBefore> = {}, others = new Date(0)): EraseBefore {
  return {
    plansKeptUntil: others,
    eventsBefore: others,
    activityBefore: others,
    claimsBefore: others,
    messageHandlesBefore: others,
    readsBefore: others,
    passwordTriesBefore: others,
    ...limits,
  };
}
