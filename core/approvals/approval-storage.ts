import type { Reach } from '../keys/fences.ts';
import type { Signer } from '../secrets/keyring.ts';
import type { Random } from '../secrets/random.ts';
import { type RowChange, update } from '../state/change.ts';
import type { OnCommit } from '../state/committed-changes.ts';
import { all, clockStatements, first, single } from '../state/query.ts';
import { type StateStore, unchanged, type Verdict } from '../state/store.ts';
import { FAR_MS } from '../time/durations.ts';
import {
  type Approval,
  type ApprovalEvent,
  type ApprovalState,
  type Edit,
  type Rejection,
  transition,
} from './approval.ts';
import {
  type ApprovalFacts,
  type ApprovalRow,
  approvalById,
  approvalColumns,
  approvalFacts,
  approvalOf,
  approvalQueries,
  approvalStatements,
  approvals,
  askedPlanOfApproval,
  gistsOfApprovals,
  planOfApproval,
  plans,
} from './approval-state.ts';
import { refusalNow } from './key-status.ts';
import { decisionRow, writesOfMove } from './move-storage.ts';
import { isDecisionIntact, signedDecision } from './signed-decision.ts';

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

/** @param random  source of the ids of events */
export function approvalStorage({ unit, dueUnit, look }: StateStore, random: Random, onCommit: OnCommit) {
  return {
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
        return unit('durable', { ownerId }, facts, (found, storeNowMs) =>
          decide(approvalFacts(found), null, request, storeNowMs, random),
        );
      }
      const withPlan = { ...facts, plan: first(planOfApproval, { ownerId, approvalId }) };
      return unit('durable', { ownerId }, withPlan, (found, storeNowMs) =>
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
      return unit('durable', { ownerId }, facts, ({ row }) => {
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
      return found.filter((row) => !isDecisionIntact(row, signer)).map(({ approvalId }) => approvalId);
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
     * Whether the same request of the owner was executed lately, or is unfinished (`precedentOf`), as it was asked or as the
     * owner changed it. By any credential.
     */
    async isRepeat(query: { ownerId: string; requestHash: string; now: Date }): Promise<boolean> {
      const { requestHash: similarHash } = query;
      // No credential has this id, so the others are all.
      const values = { ...query, similarHash, credentialId: '' };
      const { same } = await look({ same: single(approvalStatements.same_of_owner, values) });
      return same.executed || same.unfinishedElsewhere;
    },
  };
}

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
  rows: readonly (Pick<ApprovalRow, 'ownerId' | 'approvalId' | 'state'> & { readonly isNewest: boolean })[],
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

/** Approves or rejects for the owner. @param stored  the sealed plan that was asked for */
function decide(
  facts: ApprovalFacts | undefined,
  stored: string | null,
  { decision, decidedIn, leaseMs, signer, now }: Decision,
  storeNowMs: number,
  random: Random,
): Verdict<Decided> {
  if (facts === undefined) return unchanged(undefined);
  const { approval: before, keyStatus } = facts;
  const event: ApprovalEvent =
    decision.type === 'reject'
      ? { type: 'reject', rejection: decision.rejection, decidedIn }
      : {
          type: 'approve',
          digest: decision.digest,
          edited: decision.edited,
          decidedIn,
          allowed: refusalNow(keyStatus, before, decision.reach, signer, now) === undefined,
          leaseUntilMs: storeNowMs + leaseMs,
        };
  const after = transition(before, event, now);
  if (after === undefined) return unchanged({ approval: before, won: false, sealedPlan: null });
  const edited = decision.type === 'approve' ? decision.edited : undefined;
  const sealedPlan = decision.type === 'approve' ? (edited?.sealedPlan ?? stored) : null;
  const signed = after.state === 'approved' ? signedDecision(approvalColumns(after), signer) : {};
  const changes: RowChange[] = [...writesOfMove(before, after, now, random, signed), decisionRow(after, now)];
  if (edited !== undefined) {
    const { ownerId, id: approvalId } = after;
    const { sealedPlan: changed, sealedGist, sealedAsked } = edited;
    changes.push(update(plans, { ownerId, approvalId }, { sealedPlan: changed, sealedGist, sealedAsked }));
  }
  return { answer: { approval: after, won: true, sealedPlan }, changes };
}
