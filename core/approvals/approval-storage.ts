import { rememberedRecipients, rememberedRelocated } from '../accounts/known-storage.ts';
import { ServiceError } from '../contract/errors.ts';
import { crossedFence, type Reach } from '../gate/fences.ts';
import { denialOf } from '../gate/grant.ts';
import type { Group } from '../gate/permissions.ts';
import { claimOfKey, claims, type StoredClaim } from '../keys/call-state.ts';
import { type ClaimRef, heldClaim } from '../keys/call-storage.ts';
import type { Standing } from '../keys/key-state.ts';
import type { MessageSizes } from '../mail/message-sizes.ts';
import type { Signer } from '../secrets/keyring.ts';
import type { Random } from '../secrets/random.ts';
import { insert, put, type RowChange, remove, run, update } from '../state/change.ts';
import { all, clockStatements, first, single } from '../state/query.ts';
import { type StateStore, unchanged, type Verdict } from '../state/store.ts';
import type { ValuesOf } from '../state/table.ts';
import { DAY_MS, FAR_MS } from '../time/durations.ts';
import { movedIntoInbox } from '../watching/inbox-state.ts';
import {
  type Approval,
  type ApprovalError,
  type ApprovalEvent,
  type ApprovalState,
  type Edit,
  newApproval,
  type Rejection,
  transition,
} from './approval.ts';
import {
  type APPROVAL_COLUMNS,
  approvalById,
  approvalCommands,
  approvalOf,
  approvalStatements,
  approvals,
  approvalWithSignature,
  askedPlanOfApproval,
  followUpOfApproval,
  followUps,
  gistsOfApprovals,
  movedColumns,
  planOfApproval,
  plans,
} from './approval-state.ts';
import {
  type CallFacts,
  type CallFiling,
  decideAgain,
  decideCall,
  EXECUTED_LATELY_MS,
  REJECTED_MS,
  SAME_UNFINISHED_MS,
  SENDS_DAY_MS,
  SENDS_SHORT_MS,
} from './decide-call.ts';
import { claimInProgress } from './idempotency.ts';
import { decisionRow, savedApproval, settlementRow, writesOfEnd, writesOfMove } from './move-storage.ts';
import { isDecisionIntact, signedDecision } from './signed-decision.ts';
import { limitsNow, modeNow, refusalNow } from './standing.ts';

/** Enough to see that an owner's approvals have changed: each change changes one of the two. */
export interface OpenApprovals {
  /** The newest approval, open or not. */
  readonly newestId: string;
  /** The pending and approved ones by id, with their states. */
  readonly states: ReadonlyMap<string, ApprovalState>;
}

/** The plan of a request that the owner changed. */
export interface EditedPlan {
  readonly digest: string;
  readonly sealedPlan: string;
  readonly sealedGist: string;
  /** The plan that was asked for, sealed for the owner to read. */
  readonly sealedAsked: string;
  readonly edit: Edit;
}

/** A message that a run moves, copies or labels. */
export interface Relocated {
  /** See `relocationMark`. */
  readonly mark: string;
  /** The inbox that it puts the message into, and the message's `arrivalIdentity`. Null: not into an inbox. */
  readonly movedIn: { readonly accountId: number; readonly identity: string } | null;
}

export interface Filing {
  readonly ownerId: string;
  readonly credentialId: string;
  readonly approvalId: string;
  readonly tool: string;
  readonly group: Group;
  readonly action: string | null;
  readonly accountId: number | null;
  /** SHA-256 of tool and resolved arguments, hex. */
  readonly requestHash: string;
  /** The same hash with the caller's words in comparable form. A rejection applies to all requests with this hash. */
  readonly similarHash: string;
  /**
   * What the action would change, hashed (except a message's account). A message is the same target in every folder.
   */
  readonly targets: readonly string[];
  readonly reach: Reach;
  readonly digest: string;
  readonly sealedPlan: string;
  readonly sealedGist: string;
  readonly call: CallFiling;
  readonly claim: ClaimRef | null;
  /** The owner files a failed request again: `decideAgain` decides. Default: a call of the key files it. */
  readonly isOwners?: boolean;
  readonly leaseMs: number;
  readonly signer: Signer;
  readonly now: Date;
}

export interface Settlement {
  readonly ownerId: string;
  readonly approvalId: string;
  readonly fence: number;
  readonly end:
    | { readonly type: 'succeed'; readonly result: Readonly<Record<string, unknown>> }
    | { readonly type: 'refuse'; readonly error: ApprovalError; readonly sizes?: MessageSizes | undefined }
    | { readonly type: 'not_now'; readonly error: ApprovalError; readonly retryMs: number }
    | { readonly type: 'lose' };
  /** Addresses that become known through an executed send. */
  readonly recipients: readonly string[];
  /** There is work after success. It is leased to the caller for `leaseMs`. */
  readonly followUp: boolean;
  readonly leaseMs: number;
  readonly now: Date;
}

export interface Reclaimed {
  readonly approval: Approval;
  readonly sealedPlan: string | null;
}

interface Decision {
  ownerId: string;
  approvalId: string;
  decision:
    | {
        readonly type: 'approve';
        readonly digest: string;
        /** Judged by the fences of the credential. Null: the plan cannot be read, so it will not run. */
        readonly reach: Reach | null;
        /** The plan with the owner's changes, whose reach that is. Default: what was asked is approved unchanged. */
        readonly edited?: EditedPlan | undefined;
      }
    | { readonly type: 'reject'; readonly rejection?: Rejection | undefined };
  /** See `decidedIn` of an approval. */
  decidedIn?: string;
  leaseMs: number;
  signer: Signer;
  now: Date;
}

interface Start {
  ownerId: string;
  approvalId: string;
  fence: number;
  reach: Reach;
  relocated: readonly Relocated[];
  signer: Signer;
  now: Date;
}

type Filed =
  | { readonly kind: 'run'; readonly approval: Approval }
  | { readonly kind: 'ask'; readonly approval: Approval }
  | { readonly kind: 'existing'; readonly approval: Approval }
  | { readonly kind: 'refuse'; readonly error: ServiceError };

type Decided =
  | { readonly approval: Approval; readonly won: boolean; readonly sealedPlan: string | null }
  | undefined;

interface Page {
  ownerId: string;
  credentialId: string | undefined;
  state: 'open' | 'ended' | 'all';
  /** Only approvals after this one. */
  after: { readonly createdAtMs: number; readonly id: string } | undefined;
  limit: number;
}

/** Requests from filing to their end. */
export type ApprovalStorage = ReturnType<typeof approvalStorage>;

/**
 * @param random  source of the ids of events
 * @param onCommit  calls a listener with the changes of each unit of this process, once they are committed
 */
export function approvalStorage(
  { ownerUnit, dueUnit, look }: StateStore,
  random: Random,
  onCommit: (listener: (changes: readonly RowChange[]) => void) => () => void,
) {
  return {
    /**
     * Decides about a write (`decideCall`, or `decideAgain` for the owner, on facts read here) and files it in the same unit:
     * `approved` by policy with a lease, or `pending`. Binds the claim to the new approval. Reads the credential and its mode
     * again.
     */
    file: (filing: Filing): Promise<Filed> =>
      ownerUnit('durable', filing.ownerId, filingQueries(filing), (found, storeNowMs) =>
        file(found, filing, storeNowMs),
      ),

    /**
     * Records the owner's decision, with its event and its activity row. `edited`: in the same unit, another plan takes the
     * place of the one that was asked for.
     * @returns the approval as it is now, whether this call decided it, and the sealed plan if it approved;
     *   undefined if the owner has no such approval
     */
    decide: (request: Decision): Promise<Decided> => {
      const { ownerId, approvalId } = request;
      const facts = approvalQueries(request);
      // A rejection carries nothing out.
      if (request.decision.type === 'reject') {
        return ownerUnit('durable', ownerId, facts, (found, storeNowMs) =>
          decide(approvalFacts(found), null, request, storeNowMs, random),
        );
      }
      const withPlan = { ...facts, plan: first(planOfApproval, { ownerId, approvalId }) };
      return ownerUnit('durable', ownerId, withPlan, (found, storeNowMs) =>
        decide(approvalFacts(found), found.plan?.sealedPlan ?? null, request, storeNowMs, random),
      );
    },

    /**
     * Cancels a pending request of this credential. An overdue one becomes `expired` instead; any other is returned
     * unchanged. Undefined: the credential has no such request.
     */
    cancel: (request: {
      ownerId: string;
      credentialId: string;
      approvalId: string;
      now: Date;
    }): Promise<{ readonly approval: Approval; readonly won: boolean } | undefined> => {
      const { ownerId, approvalId, credentialId, now } = request;
      const facts = { row: first(approvalById, { ownerId, approvalId }) };
      return ownerUnit('durable', ownerId, facts, ({ row }) => {
        if (row?.credentialId !== credentialId) return unchanged(undefined);
        const before = approvalOf(row);
        const after = transition(before, { type: 'cancel', error: 'cancelled_by_agent' }, now);
        if (after === undefined) return unchanged({ approval: before, won: false });
        return {
          answer: { approval: after, won: after.state === 'cancelled' },
          changes: writesOfMove(before, after, now, random),
        };
      });
    },

    /**
     * Records that the next byte cannot be taken back. False: do not send the byte, because the fence is lost, the
     * time is over, credential or permission are off, the fences exclude `reach`, or Countersign did not write the decision
     * (`altered`). Durable (survives loss of power)
     * before it resolves.
     * `now` becomes `startedAt`, which is the Date of a sent message.
     * In the same unit, remembers the messages to be moved, copied or labelled by their marks (`relocationMark`),
     * permanently, even after their account is removed. Those that it puts into an inbox are not new mail there.
     */
    start: (request: Start): Promise<boolean> => {
      const { ownerId, approvalId } = request;
      const facts = {
        ...approvalQueries(request),
        row: first(approvalWithSignature, { ownerId, approvalId }),
      };
      return ownerUnit('durable', ownerId, facts, (found) =>
        start(approvalFacts(found), found.row?.decisionSignature ?? null, request, random),
      );
    },

    /**
     * Records how a run ended, with its event, its activity row and the addresses that become known. A settlement
     * with a lost fence changes nothing.
     * @returns the approval as it is now; undefined if its owner was removed before it started
     */
    settle: (settlement: Settlement): Promise<Approval | undefined> => {
      const { ownerId, approvalId } = settlement;
      const facts = { row: first(approvalById, { ownerId, approvalId }) };
      return ownerUnit('durable', ownerId, facts, ({ row }, storeNowMs) =>
        row === undefined ? unchanged(undefined) : settle(approvalOf(row), settlement, storeNowMs, random),
      );
    },

    /** Records that the work after an executed action is done (a copy in Sent, \Answered). */
    followedUp: (request: { ownerId: string; approvalId: string }): Promise<void> => {
      const { ownerId, approvalId } = request;
      const facts = { row: first(approvalById, { ownerId, approvalId }) };
      return ownerUnit('relaxed', ownerId, facts, ({ row }) => ({
        answer: undefined,
        changes: [remove(followUps, { ownerId, approvalId }), ...withFault(row, null)],
      }));
    },

    /**
     * Records that it is not done, and why. It is due again after `retryMs` on the store's clock.
     * @param request  `error` null: nothing that the owner can mend
     */
    followUpLater: (request: {
      ownerId: string;
      approvalId: string;
      retryMs: number;
      error: Extract<ApprovalError, 'sent_copy_refused'> | null;
    }): Promise<void> => {
      const { ownerId, approvalId, retryMs, error } = request;
      const facts = {
        row: first(approvalById, { ownerId, approvalId }),
        followUp: first(followUpOfApproval, { ownerId, approvalId }),
      };
      return ownerUnit('relaxed', ownerId, facts, ({ row, followUp }, storeNowMs) => {
        if (followUp === undefined) return unchanged(undefined);
        const later = put(followUps, { ownerId, approvalId, dueAtMs: storeNowMs + retryMs });
        return { answer: undefined, changes: [later, ...withFault(row, error)] };
      });
    },

    /**
     * Takes over work whose lease has ended, oldest first: approvals to run or to check (with a new fence and lease),
     * and work after executed actions. The oldest of every owner comes before the second of any owner. Ends approvals that the
     * state machine ends instead (`interrupted`, `not_started_in_time`), and those whose decision Countersign did not write
     * (`altered`), with their event.
     * @param request  `running`: approval ids that this process runs itself; skipped
     */
    reclaim: (request: {
      running: ReadonlySet<string>;
      leaseMs: number;
      limit: number;
      signer: Signer;
      now: Date;
    }): Promise<{ readonly runs: readonly Reclaimed[]; readonly followUps: readonly Reclaimed[] }> => {
      const { limit } = request;
      const runningList = [...request.running];
      return dueUnit(
        'durable',
        all(approvalStatements.owners_of_lapsed, { runningList, limit }),
        (ownerIdList, dueBy) => ({
          lapsed: all(approvalStatements.lapsed, { ownerIdList, runningList, dueBy, limit }),
          due: all(approvalStatements.due_follow_ups, { ownerIdList, runningList, dueBy, limit }),
        }),
        (found, storeNowMs) => reclaim(found, request, storeNowMs, random),
      );
    },

    /** Ends overdue pending requests. @returns their number */
    expire: (now: Date): Promise<number> =>
      dueUnit(
        'durable',
        all(approvalStatements.owners_of_overdue, { now }),
        (ownerIdList) => ({ overdue: all(approvalStatements.overdue, { ownerIdList, now }) }),
        ({ overdue }) => {
          const ends = overdue.map(approvalOf).flatMap((before) => {
            const after = transition(before, { type: 'expire' }, now);
            return after === undefined ? [] : [writesOfMove(before, after, now, random)];
          });
          return { answer: ends.length, changes: ends.flat() };
        },
      ),

    /** The ids of the owner's approved requests that have not ended, and whose decision Countersign did not write. */
    async alteredDecisions(ownerId: string, signer: Signer): Promise<readonly string[]> {
      const { found } = await look({ found: all(approvalStatements.approved_of_owner, { ownerId }) });
      return found
        .filter((row) => !isDecisionIntact(approvalOf(row), row.decisionSignature, signer))
        .map(({ approvalId }) => approvalId);
    },

    async approval(ownerId: string, approvalId: string): Promise<Approval | undefined> {
      const { row } = await look({ row: first(approvalById, { ownerId, approvalId }) });
      return row && approvalOf(row);
    },

    /**
     * The open approvals of several owners, in one look-up, because open pages request them often. An owner without
     * approvals is missing in `byOwner`. `storeNowMs`: when they were read, by the store's clock.
     */
    async openApprovals(
      ownerIds: readonly string[],
    ): Promise<{ readonly byOwner: ReadonlyMap<string, OpenApprovals>; readonly storeNowMs: number }> {
      const { found, clock } = await look({
        found: all(approvalStatements.open_states, { ownerIdList: ownerIds }),
        clock: single(clockStatements.clock, {}),
      });
      return { byOwner: openApprovals(found), storeNowMs: clock.now.getTime() };
    },

    /**
     * Calls `listener` with each approval that this process added or changed, once that is committed. Does not report
     * changes of other processes. The listener must not throw. @returns a function that removes it
     */
    onApprovalChange: (listener: (approvalId: string, ownerId: string) => void): (() => void) =>
      onCommit((changes) => {
        for (const change of changes) {
          if (change.op !== 'insert' && change.op !== 'update') continue;
          const { approval_id: id, owner_id: ownerId } = change.key;
          if (change.table === approvals.name) listener(String(id), String(ownerId));
        }
      }),

    /** Approvals of one credential, or of the owner, newest first. `open`: pending and approved; `ended`: the others. */
    async approvals(
      query: Page,
    ): Promise<{ readonly approvals: readonly Approval[]; readonly more: boolean }> {
      const { limit } = query;
      const { found } = await look({ found: page(query) });
      return { approvals: found.slice(0, limit).map(approvalOf), more: found.length > limit };
    },

    /** The sealed plan. Undefined if there is none, or if it was erased. */
    async plan(ownerId: string, approvalId: string): Promise<string | undefined> {
      return (await look({ plan: first(planOfApproval, { ownerId, approvalId }) })).plan?.sealedPlan;
    },

    /** The sealed plan as it was asked for. Undefined if the owner did not change it, or if it was erased. */
    async askedPlan(ownerId: string, approvalId: string): Promise<string | undefined> {
      const { plan } = await look({ plan: first(askedPlanOfApproval, { ownerId, approvalId }) });
      return plan?.sealedAsked ?? undefined;
    },

    /** The sealed gists of these approvals, without those whose plan was erased. Null: there is none. */
    async gists(
      ownerId: string,
      approvalIds: readonly string[],
    ): Promise<ReadonlyMap<string, string | null>> {
      const { found } = await look({
        found: all(gistsOfApprovals, { ownerId, approvalIdList: approvalIds }),
      });
      return new Map(found.map(({ approvalId, sealedGist }) => [approvalId, sealedGist]));
    },

    /**
     * Whether the same request of the owner was executed after `executedSince`, or is approved or has had an unknown outcome
     * since `unfinishedSince`, as it was asked or as the owner changed it. By any credential.
     */
    async isRepeat(query: {
      ownerId: string;
      requestHash: string;
      executedSince: Date;
      unfinishedSince: Date;
    }): Promise<boolean> {
      const { requestHash: similarHash } = query;
      // No credential has this id, so the others are all.
      const values = { ...query, similarHash, credentialId: '', rejectedSince: new Date(FAR_MS) };
      const { same } = await look({ same: single(approvalStatements.same_of_owner, values) });
      return same.executed || same.unfinishedElsewhere;
    },
  };
}

type Row = ValuesOf<typeof APPROVAL_COLUMNS>;

/** A page of approvals, and one row beyond it, which shows whether there are more. */
function page({ ownerId, credentialId, state, after, limit }: Page) {
  const createdAt = new Date(after?.createdAtMs ?? FAR_MS);
  const values = { ownerId, createdAt, id: after?.id ?? '', limit: limit + 1 };
  const { approvals_of_owner, open_of_owner, ended_of_owner } = approvalStatements;
  const { approvals_of_credential, open_of_credential, ended_of_credential } = approvalStatements;
  return credentialId === undefined
    ? all({ all: approvals_of_owner, open: open_of_owner, ended: ended_of_owner }[state], values)
    : all({ all: approvals_of_credential, open: open_of_credential, ended: ended_of_credential }[state], {
        ...values,
        credentialId,
      });
}

/** The approvals of each owner in the rows. */
function openApprovals(
  rows: readonly (Pick<Row, 'ownerId' | 'approvalId' | 'state'> & { readonly isNewest: boolean })[],
): ReadonlyMap<string, OpenApprovals> {
  const found = new Map<string, { newestId: string; readonly states: Map<string, ApprovalState> }>();
  for (const { ownerId, approvalId, state, isNewest } of rows) {
    const owned = found.get(ownerId) ?? { newestId: '', states: new Map() };
    found.set(ownerId, owned);
    if (isNewest) owned.newestId = approvalId;
    else owned.states.set(approvalId, state);
  }
  return found;
}

interface ApprovalFacts {
  readonly approval: Approval;
  readonly standing: Standing;
}

function approvalQueries({ ownerId, approvalId }: { ownerId: string; approvalId: string }) {
  const of = { ownerId, approvalId };
  return { row: first(approvalById, of), standing: first(approvalStatements.standing_of_approval, of) };
}

/** Undefined: the owner has no such approval. */
function approvalFacts(found: {
  readonly row: Row | undefined;
  readonly standing: Standing | undefined;
}): ApprovalFacts | undefined {
  const { row, standing } = found;
  return row && standing && { approval: approvalOf(row), standing };
}

/**
 * "Same" means the same `requestHash`, "similar" the same `similarHash`. Instants are the service's. Limits count on
 * the store's clock, back from its current time.
 */
function filingQueries(filing: Filing) {
  const { ownerId, credentialId, requestHash, similarHash, targets, claim, now } = filing;
  const nowMs = now.getTime();
  const unfinishedSince = new Date(nowMs - SAME_UNFINISHED_MS);
  const since = {
    unfinishedSince,
    rejectedSince: new Date(nowMs - REJECTED_MS),
    executedSince: new Date(nowMs - EXECUTED_LATELY_MS),
  };
  const of = { ownerId, credentialId };
  const asked = approvalStatements;
  return {
    claim: first(claimOfKey, { ...of, key: claim?.key ?? '' }),
    standing: first(asked.standing, of),
    samePending: first(asked.same_pending, { ...of, requestHash, now }),
    sameUnfinished: first(asked.same_unfinished, { ...of, requestHash, unfinishedSince }),
    targetPending: first(asked.target_pending, { ...of, targetList: targets, now }),
    ofOwner: single(asked.same_of_owner, { ...of, requestHash, similarHash, ...since }),
    sends: single(asked.direct_sends, { ...of, daySendsMs: SENDS_DAY_MS, shortSendsMs: SENDS_SHORT_MS }),
    filed: single(asked.filed, { ...of, dayMs: DAY_MS }),
    waiting: single(asked.waiting, { ...of, now }),
  };
}

interface FilingFacts {
  readonly claim: StoredClaim | undefined;
  /** Undefined: the credential does not exist. */
  readonly standing: Standing | undefined;
  readonly samePending: Row | undefined;
  readonly sameUnfinished: Row | undefined;
  readonly targetPending: Row | undefined;
  readonly ofOwner: {
    readonly rejectedAt: Date | null;
    readonly executed: boolean;
    readonly unfinishedElsewhere: boolean;
  };
  readonly sends: { readonly day: number; readonly short: number };
  readonly filed: { readonly filed: number };
  readonly waiting: { readonly ofKey: number; readonly ofOwner: number };
}

/** Decides about a write and files it: approved by policy with a lease, or pending. Binds its claim. */
function file(facts: FilingFacts, filing: Filing, storeNowMs: number): Verdict<Filed> {
  const { ownerId, credentialId, approvalId, group, claim, signer, now } = filing;
  const refused = (answer: Filed): Verdict<Filed> => ({ answer, changes: [] });
  const held = claim === null ? undefined : heldClaim(facts.claim, claim);
  // Another run has won the claim since, or it is bound. This run cannot file the request.
  if (claim !== null && held?.approvalId !== null) {
    return refused({ kind: 'refuse', error: claimInProgress() });
  }
  const { standing } = facts;
  if (standing === undefined) return refused({ kind: 'refuse', error: new ServiceError('invalid_token') });
  const mode = modeNow(standing, group, signer, now);
  const found = callFacts(facts, mode, denialAt(standing, filing, now));
  const verdict =
    filing.isOwners === true
      ? decideAgain(found, filing.call)
      : decideCall(found, filing.call, limitsNow(standing), new Date(storeNowMs));
  if (verdict.kind === 'existing' || verdict.kind === 'refuse') return refused(verdict);
  const { accountId, tool, action, digest } = filing;
  const approval = newApproval(
    { ownerId, id: approvalId, credentialId, accountId, tool, group, action, digest },
    verdict,
    storeNowMs + filing.leaseMs,
    now,
  );
  const changes = [...filed(approval, filing, storeNowMs)];
  if (held !== undefined) changes.push(put(claims, { ...held, approvalId }));
  return { answer: { kind: verdict.kind, approval }, changes };
}

/** The rows of a new approval. One that is pending keeps its targets until it moves. */
function filed(approval: Approval, filing: Filing, storeNowMs: number): readonly RowChange[] {
  const { ownerId, id: approvalId, credentialId, accountId, tool, group, action, reasons } = approval;
  const { createdAt, expiresAt } = approval;
  const { requestHash, similarHash, sealedPlan, sealedGist, targets } = filing;
  const isPending = approval.state === 'pending';
  const added = insert(approvals, {
    ...{ ownerId, approvalId, credentialId, accountId, tool, action, reasons, createdAt, expiresAt },
    ...movedColumns(approval),
    ...{ permissionGroup: group, requestHash, similarHash },
    ...{ asked: isPending, sends: filing.call.sends, filedAtMs: storeNowMs },
    ...{ isCovered: false, hasPlan: true },
    decisionSignature: isPending ? null : signedDecision(approval, filing.signer),
  });
  const plan = insert(plans, { ownerId, approvalId, sealedGist, sealedPlan, sealedAsked: null });
  if (!isPending || targets.length === 0) return [added, plan];
  return [added, plan, run(approvalCommands.add_targets, { ownerId, approvalId, targetList: targets })];
}

/** A tool refuses what is outside the fences. This also holds if they have changed since. */
function denialAt(standing: Standing, { group, reach }: Filing, now: Date): CallFacts['denial'] {
  const denial = denialOf(standing, group, standing.plan, now);
  if (denial !== undefined) return denial;
  const isOutside = crossedFence(standing.fences, reach, now) !== undefined;
  return isOutside ? { group, reason: 'fence', field: '' } : undefined;
}

function callFacts(facts: FilingFacts, mode: CallFacts['mode'], denial: CallFacts['denial']): CallFacts {
  const { samePending, sameUnfinished, targetPending, ofOwner, sends, filed: day, waiting } = facts;
  return {
    mode,
    denial,
    samePending: samePending && approvalOf(samePending),
    sameUnfinished: sameUnfinished && approvalOf(sameUnfinished),
    rejectedAt: ofOwner.rejectedAt ?? undefined,
    targetPending: targetPending && approvalOf(targetPending),
    executedLately: ofOwner.executed || ofOwner.unfinishedElsewhere,
    directSendsDay: sends.day,
    directSends10Min: sends.short,
    filedToday: day.filed,
    waitingOfKey: waiting.ofKey,
    waitingOfOwner: waiting.ofOwner,
  };
}

/** Approves or rejects for the owner. @param stored  the sealed plan that was asked for */
function decide(
  facts: ApprovalFacts | undefined,
  stored: string | null,
  { decision, decidedIn, leaseMs, signer, now }: Decision,
  storeNowMs: number,
  random: Random,
): Verdict<Decided> {
  if (facts === undefined) return unchanged(undefined);
  const { approval: before, standing } = facts;
  const event: ApprovalEvent =
    decision.type === 'reject'
      ? { type: 'reject', rejection: decision.rejection, decidedIn }
      : {
          type: 'approve',
          digest: decision.digest,
          edited: decision.edited,
          decidedIn,
          allowed: refusalNow(standing, before, decision.reach, signer, now) === undefined,
          leaseUntilMs: storeNowMs + leaseMs,
        };
  const after = transition(before, event, now);
  if (after === undefined) return unchanged({ approval: before, won: false, sealedPlan: null });
  const edited = decision.type === 'approve' ? decision.edited : undefined;
  const sealedPlan = decision.type === 'approve' ? (edited?.sealedPlan ?? stored) : null;
  const signed = after.state === 'approved' ? { decisionSignature: signedDecision(after, signer) } : {};
  const changes: RowChange[] = [...writesOfMove(before, after, now, random, signed), decisionRow(after, now)];
  if (edited !== undefined) {
    const { ownerId, id: approvalId } = after;
    const { sealedPlan: changed, sealedGist, sealedAsked } = edited;
    changes.push(update(plans, { ownerId, approvalId }, { sealedPlan: changed, sealedGist, sealedAsked }));
  }
  return { answer: { approval: after, won: true, sealedPlan }, changes };
}

/** Ends a request that its key's pause or fences keep from starting, or whose decision was altered. */
function start(
  facts: ApprovalFacts | undefined,
  signature: string | null,
  { fence, reach, relocated, signer, now }: Start,
  random: Random,
): Verdict<boolean> {
  if (facts === undefined) return unchanged(false);
  const { approval: before, standing } = facts;
  const isIntact = isDecisionIntact(before, signature, signer);
  const refusal = isIntact ? refusalNow(standing, before, reach, signer, now) : 'altered';
  const ends: readonly (ApprovalError | undefined)[] = ['credential_paused', 'outside_fence', 'altered'];
  if (before.startedAt === null && ends.includes(refusal)) {
    const ended = transition(before, { type: 'refuse', fence, error: refusal ?? 'altered' }, now);
    return { answer: false, changes: ended === undefined ? [] : writesOfEnd(before, ended, now, random) };
  }
  const after = transition(before, { type: 'start', fence, allowed: refusal === undefined }, now);
  if (after === undefined) return unchanged(false);
  const { ownerId } = after;
  return {
    answer: true,
    changes: [...writesOfMove(before, after, now, random), ...remembered(ownerId, relocated, now)],
  };
}

function remembered(ownerId: string, relocated: readonly Relocated[], now: Date): readonly RowChange[] {
  if (relocated.length === 0) return [];
  const marks = relocated.map(({ mark }) => mark);
  return [
    rememberedRelocated(ownerId, marks),
    ...relocated.flatMap(({ movedIn }) =>
      movedIn === null ? [] : [put(movedIntoInbox, { ownerId, ...movedIn, at: now })],
    ),
  ];
}

function settle(
  before: Approval,
  settlement: Settlement,
  storeNowMs: number,
  random: Random,
): Verdict<Approval> {
  const { recipients, followUp, leaseMs, now } = settlement;
  const after = transition(before, eventOf(settlement, storeNowMs), now);
  if (after === undefined) return unchanged(before);
  const { ownerId, id: approvalId, accountId } = after;
  const changes: RowChange[] = [...writesOfMove(before, after, now, random)];
  if (after.state !== before.state) changes.push(settlementRow(after, now));
  if (after.state === 'executed') {
    if (accountId !== null && recipients.length > 0) {
      const addresses = [...new Set(recipients)];
      for (const one of rememberedRecipients({ ownerId, accountId, addresses, isSend: true, now }))
        changes.push(one);
    }
    if (followUp) {
      changes.push(put(followUps, { ownerId, approvalId, dueAtMs: storeNowMs + leaseMs }));
    }
  }
  return { answer: after, changes };
}

function eventOf({ end, fence }: Settlement, storeNowMs: number): ApprovalEvent {
  if (end.type !== 'not_now') return { ...end, fence };
  return { type: 'not_now', fence, error: end.error, retryAtMs: storeNowMs + end.retryMs };
}

/** What keeps the follow-up of an executed approval from being done. */
function withFault(row: Row | undefined, error: Approval['error']): readonly RowChange[] {
  if (row?.state !== 'executed' || row.error === error) return [];
  return [savedApproval({ ...approvalOf(row), error })];
}

type TakenRow = ValuesOf<(typeof approvalStatements.lapsed)['columns']>;

function reclaimed(row: TakenRow, signer: Signer): Reclaimed & { readonly isIntact: boolean } {
  const approval = approvalOf(row);
  const isIntact = isDecisionIntact(approval, row.decisionSignature, signer);
  return { approval, sealedPlan: row.sealedPlan, isIntact };
}

/** Takes over runs whose lease has ended, and ends those that must not run anymore. */
function reclaim(
  { lapsed, due }: { readonly lapsed: readonly TakenRow[]; readonly due: readonly TakenRow[] },
  { leaseMs, limit, signer, now }: { leaseMs: number; limit: number; signer: Signer; now: Date },
  storeNowMs: number,
  random: Random,
): Verdict<{ readonly runs: readonly Reclaimed[]; readonly followUps: readonly Reclaimed[] }> {
  const leaseUntilMs = storeNowMs + leaseMs;
  const changes: RowChange[] = [];
  const runs: Reclaimed[] = [];
  for (const row of lapsed) {
    const { approval: before, sealedPlan, isIntact } = reclaimed(row, signer);
    const event: ApprovalEvent = isIntact
      ? { type: 'reclaim', storeNowMs, leaseUntilMs }
      : endOfAltered(before);
    const after = transition(before, event, now);
    if (after === undefined) continue;
    for (const change of writesOfMove(before, after, now, random)) changes.push(change);
    if (after.state === 'approved') runs.push({ approval: after, sealedPlan });
    else changes.push(settlementRow(after, now));
  }
  const taken: Reclaimed[] = [];
  for (const row of due.slice(0, limit - runs.length)) {
    const { approval, sealedPlan, isIntact } = reclaimed(row, signer);
    const { ownerId, id: approvalId } = approval;
    if (isIntact) {
      taken.push({ approval, sealedPlan });
      changes.push(put(followUps, { ownerId, approvalId, dueAtMs: leaseUntilMs }));
    } else {
      changes.push(remove(followUps, { ownerId, approvalId }));
    }
  }
  return { answer: { runs, followUps: taken }, changes };
}

/** Nobody knows what happened if somebody wrote that it had started. */
function endOfAltered({ startedAt, lease: { fence } }: Approval): ApprovalEvent {
  return startedAt === null ? { type: 'refuse', fence, error: 'altered' } : { type: 'lose', fence };
}
