import type { Approval, ApprovalError, ApprovalState, Edit, Rejection } from '../approvals/approval.ts';
import type { CallFiling } from '../approvals/decide-call.ts';
import type { ServiceError } from '../contract/errors.ts';
import type { Reach } from '../gate/fences.ts';
import type { Group } from '../gate/permissions.ts';
import type { MessageSizes } from '../mail/message-sizes.ts';
import type { Signer } from '../secrets/keyring.ts';
import type { ClaimRef } from './call-storage.ts';

/** Requests from filing to their end, and what they leave behind. Makes the same promises as Storage. */
export interface ApprovalStorage {
  /**
   * Decides about a write (`decideCall`, or `decideAgain` for the owner, on facts read here) and files it in the same unit: `approved` by policy with
   * a lease, or `pending`. Binds the claim to the new approval. Reads the credential and its mode again.
   */
  file(
    filing: Filing,
  ): Promise<
    | { readonly kind: 'run'; readonly approval: Approval }
    | { readonly kind: 'ask'; readonly approval: Approval }
    | { readonly kind: 'existing'; readonly approval: Approval }
    | { readonly kind: 'refuse'; readonly error: ServiceError }
  >;

  /**
   * Records the owner's decision, with its event and its activity row. `edited`: in the same unit, another plan takes the
   * place of the one that was asked for.
   * @returns the approval as it is now, whether this call decided it, and the sealed plan if it approved;
   *   undefined if the owner has no such approval
   */
  decide(decision: {
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
  }): Promise<
    { readonly approval: Approval; readonly won: boolean; readonly sealedPlan: string | null } | undefined
  >;

  /**
   * Cancels a pending request of this credential. An overdue one becomes `expired` instead; any other is returned
   * unchanged. Undefined: the credential has no such request.
   */
  cancel(request: {
    ownerId: string;
    credentialId: string;
    approvalId: string;
    now: Date;
  }): Promise<{ readonly approval: Approval; readonly won: boolean } | undefined>;

  /**
   * Records that the next byte cannot be taken back. False: do not send the byte, because the fence is lost, the
   * time is over, credential or permission are off, or the fences exclude `reach`. Durable (survives loss of power)
   * before it resolves.
   * `now` becomes `startedAt`, which is the Date of a sent message.
   * In the same unit, remembers the messages to be moved, copied or labelled by their marks (`relocationMark`),
   * permanently, even after their account is removed. Those that it puts into an inbox are not new mail there.
   */
  start(request: {
    ownerId: string;
    approvalId: string;
    fence: number;
    reach: Reach;
    relocated: readonly Relocated[];
    signer: Signer;
    now: Date;
  }): Promise<boolean>;

  /**
   * Records how a run ended, with its event, its activity row and the addresses that become known. A settlement
   * with a lost fence changes nothing.
   * @returns the approval as it is now; undefined if its owner was removed before it started
   */
  settle(settlement: Settlement): Promise<Approval | undefined>;

  /** Records that the work after an executed action is done (a copy in Sent, \Answered). */
  followedUp(request: { ownerId: string; approvalId: string }): Promise<void>;

  /** Records that it is not done, and why. It is due again after `retryMs` on the store's clock. */
  followUpLater(request: {
    ownerId: string;
    approvalId: string;
    retryMs: number;
    /** Null: nothing that the owner can mend. */
    error: Extract<ApprovalError, 'sent_copy_refused'> | null;
  }): Promise<void>;

  /**
   * Takes over work whose lease has ended, oldest first: approvals to run or to check (with a new fence and lease),
   * and work after executed actions. Ends approvals that the state machine ends instead (`interrupted`,
   * `not_started_in_time`), with their event. `running`: approval ids that this process runs itself; skipped.
   */
  reclaim(request: {
    running: ReadonlySet<string>;
    leaseMs: number;
    limit: number;
    now: Date;
  }): Promise<{ readonly runs: readonly Reclaimed[]; readonly followUps: readonly Reclaimed[] }>;

  /** Ends overdue pending requests. @returns their number */
  expire(now: Date): Promise<number>;

  /**
   * Erases plans, gists, notes and diffs of approvals whose owners keep them until before `plansKeptUntil`, counted in
   * `plansKeptDays` from their end (their digests stay). Erases older events
   * with their deliveries, activity, claims and reads, checkpoints of erased rows except the newest one, and expired
   * counters of password tries, each by its own date. An owner's activity is erased up to the first row that is kept. One
   * call erases at most 250 rows of each kind, so that calls wait milliseconds at most.
   * @returns whether more may be left to erase
   */
  erase(request: {
    plansKeptUntil: Date;
    eventsBefore: Date;
    activityBefore: Date;
    claimsBefore: Date;
    readsBefore: Date;
    passwordTriesBefore: Date;
  }): Promise<boolean>;

  approval(ownerId: string, approvalId: string): Promise<Approval | undefined>;

  /**
   * The open approvals of several owners, in one look-up, because open pages request them often. An owner without
   * approvals is missing in `byOwner`. `storeNowMs`: when they were read, by the store's clock.
   */
  openApprovals(
    ownerIds: readonly string[],
  ): Promise<{ readonly byOwner: ReadonlyMap<string, OpenApprovals>; readonly storeNowMs: number }>;

  /**
   * Calls `listener` with each approval that this process added or changed, once that is committed. Does not report
   * changes of other processes. The listener must not throw. @returns a function that removes it
   */
  onApprovalChange(listener: (approvalId: string, ownerId: string) => void): () => void;

  /** Approvals of one credential, or of the owner, newest first. `open`: pending and approved; `ended`: the others. */
  approvals(query: {
    ownerId: string;
    credentialId: string | undefined;
    state: 'open' | 'ended' | 'all';
    /** Only approvals after this one. */
    after: { readonly createdAtMs: number; readonly id: string } | undefined;
    limit: number;
  }): Promise<{ readonly approvals: readonly Approval[]; readonly more: boolean }>;

  /** The sealed plan. Undefined if there is none, or if it was erased. */
  plan(ownerId: string, approvalId: string): Promise<string | undefined>;

  /** The sealed plan as it was asked for. Undefined if the owner did not change it, or if it was erased. */
  askedPlan(ownerId: string, approvalId: string): Promise<string | undefined>;

  /**
   * The sealed gists of these approvals, without those whose plan was erased. Null: filed before gists were stored.
   */
  gists(ownerId: string, approvalIds: readonly string[]): Promise<ReadonlyMap<string, string | null>>;

  /**
   * Whether the same request of the owner was executed after `executedSince`, or is approved or has had an unknown outcome
   * since `unfinishedSince`, as it was asked or as the owner changed it. By any credential.
   */
  isRepeat(query: {
    ownerId: string;
    requestHash: string;
    executedSince: Date;
    unfinishedSince: Date;
  }): Promise<boolean>;

  /**
   * Filters the normalised addresses to those that the account is known to have written to, each with the number of
   * times, as for `knownDomains`.
   */
  knownRecipients(
    ownerId: string,
    accountId: number,
    addresses: readonly string[],
  ): Promise<ReadonlyMap<string, number>>;
  /** Adds addresses, each listed once per message to it. Known ones stay unchanged. */
  rememberRecipients(
    ownerId: string,
    accountId: number,
    addresses: readonly string[],
    now: Date,
  ): Promise<void>;
  /**
   * The domains that the account has written to (the text after the last `@` of an address) and that matter for the
   * domains whose `usedDomainKeys` are given: each one that such a domain is or belongs to, and, of those that it
   * imitates, contains or ends as `imitatedBy` judges, the one written to most. The result may include others. In the
   * order of their characters, each with the number of times: messages found by a lookup, and executed sends and
   * notices since then. The cost grows with the keys, not with the known domains.
   */
  knownDomains(
    ownerId: string,
    accountId: number,
    usedKeys: readonly number[],
  ): Promise<ReadonlyMap<string, number>>;

  /** Filters the marks to those of messages that requests of the owner's keys moved, copied or labelled. */
  relocatedAmong(ownerId: string, marks: readonly string[]): Promise<ReadonlySet<string>>;
}

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
