import type { ActionFacts } from '../actions/action.ts';
import type { ActionGist } from '../actions/gist.ts';
import type { ActingAccount } from '../actions/message-target.ts';
import type { Approval } from '../approvals/approval.ts';
import type { DecisionNotes } from '../execution/sealed-words.ts';
import type { OwnerProof } from '../owners/owner-proof.ts';
import type { Draft } from '../plans/edit-diff.ts';
import type { PriorRead } from '../provenance/read-lines.ts';
import type { Finding, NamedFinding } from '../safety/finding.ts';
import type { FindingSentence } from '../safety/finding-text.ts';

/** Where the owner decides. */
export interface DecidedWhere {
  /** The session of the dashboard. Default: the app that embeds Countersign decides for its user. */
  readonly sessionId?: string | undefined;
  /** A proof of presence that the owner has just given. Only needed if the owner's `proofFor` requires it. */
  readonly proven?: OwnerProof | undefined;
}

/** What every view of a request shows. */
export interface ApprovalHeading {
  readonly approval: Approval;
  /** The name of the requesting key. */
  readonly keyName: string;
  /** The title of the tool in the owner's words. */
  readonly title: string;
}

/** A row of the owner's list. */
export interface ApprovalSummary extends ApprovalHeading {
  readonly gist: ApprovalGist;
  /**
   * What the owner should know before a decision, the most severe first, without its evidence. It is not mentioned if
   * the key always asks.
   */
  readonly findings: readonly NamedFinding[];
}

/** What the owner's list shows of a request. */
export type ApprovalGist =
  | ActionGist
  /** It is erased together with the plan. */
  | { readonly kind: 'erased' }
  /** The request was filed by a version of Countersign that kept no gists. */
  | { readonly kind: 'not_kept' }
  /** It is damaged, or its key is missing. */
  | { readonly kind: 'unreadable' };

/** Everything that would happen, as the plan says. */
export interface ApprovalView extends ApprovalHeading {
  readonly content: ApprovalContent;
  /** Its key is paused. It runs only if the owner approves it. */
  readonly isKeyPaused: boolean;
  /** It is outside the fences of its key, so it cannot be approved. */
  readonly isOutsideFence: boolean;
  /** The owner's settings require a new proof before such a request is approved. */
  readonly needsProof: boolean;
  /** Whether its key asks before every action of this kind. */
  readonly isAlwaysAsked: boolean;
  /** What the owner should know before a decision, the most severe first. */
  readonly findings: readonly ShownFinding[];
  /** What agents read before it was requested, newest first. */
  readonly reads: readonly PriorRead[];
  /** Why the agent asks, in its own words. Null: it did not say, or the plan is not shown. */
  readonly purpose: string | null;
  /** Null: the owner did not decide. */
  readonly decidedIn: DecidedIn | null;
  /** What the owner wrote when rejecting it, and what the owner changed before approving it. */
  readonly words: DecisionNotes;
  /** What the owner may change before approving it. Null: nothing. */
  readonly draft: Draft | null;
  /** It failed, nothing was done, and `tryAgain` can file it again. */
  readonly canTryAgain: boolean;
  /** What was asked for, if the owner changed it before approving it. */
  readonly asked: ApprovalContent | null;
}

/** Where the owner decided. */
export type DecidedIn =
  | { readonly kind: 'session'; readonly browser: string; readonly signedInAt: Date }
  /** A session of the dashboard that has ended since. */
  | { readonly kind: 'ended_session' }
  /** The app that embeds Countersign. */
  | { readonly kind: 'app' };

/** A finding as the owner's page shows it. */
export interface ShownFinding extends Pick<Finding, 'severity' | 'marks'> {
  /** The name of its rule. */
  readonly rule: string;
  readonly sentence: FindingSentence;
}

/** The request as the owner sees it. Only a request that can be shown can be approved. */
export type ApprovalContent =
  /** `account`: the one for which it acts; null: several, or none. */
  | ({ readonly kind: 'shown'; readonly account: ActingAccount | null } & ActionFacts)
  /** Its plan was erased some time after its end. */
  | { readonly kind: 'erased' }
  /** Another version of Countersign wrote its plan. */
  | { readonly kind: 'other_version' }
  /** Its plan is damaged, or contains something that cannot be shown. */
  | { readonly kind: 'unreadable' };
