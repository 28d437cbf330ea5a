import type { ApprovalError, ApprovalState } from '../approvals/approval.ts';

export const ACTIVITY_KINDS = ['call', 'decision', 'settlement'] as const;

/** One row per admitted call, decision and settlement. Without content. */
export interface Activity {
  readonly kind: (typeof ACTIVITY_KINDS)[number];
  readonly credentialId: string | null;
  readonly tool: string | null;
  /**
   * `ok`, `empty`, `pending_approval`, an error code, or the state of an approval. An
   * error code with a reason: `not_permitted:fence`.
   */
  readonly outcome: string;
  readonly approvalId: string | null;
  readonly durationMs: number;
  /** Ids of messages (Countersign's ids) and other objects that were shown in full or changed. */
  readonly shown: readonly string[];
  /** Short hashes of the listed rows. */
  readonly listed: readonly string[];
}

export interface ActivityRecord extends Activity {
  readonly at: Date;
}

export interface NumberedActivity {
  /** An owner's rows count from 1. */
  readonly id: number;
  readonly activity: ActivityRecord;
}

/** A row with the request that it is about. */
export interface ListedActivity extends ActivityRecord {
  /** Its number. An owner's rows count from 1. */
  readonly id: number;
  /** The request as it is now. Null: the row is not about one. */
  readonly request: {
    readonly state: ApprovalState;
    readonly approvedBy: 'owner' | 'policy' | null;
    readonly error: ApprovalError | null;
    /** Undefined once it is erased, null if it was never kept. */
    readonly sealedGist: string | null | undefined;
  } | null;
}

/** Selects rows. A filter that is missing selects all. */
export interface ActivityFilter {
  readonly credentialId?: string;
  readonly tool?: string;
  /** Rows at this instant or later. */
  readonly from?: Date;
}

/** The place of a row in the order of time. */
export interface ActivityPlace {
  readonly at: Date;
  readonly id: number;
}
