export const ACTIVITY_KINDS = ['call', 'decision', 'settlement', 'upgrade'] as const;

/** One row per admitted call, decision and settlement, and for the upgrade that signed the keys. Without content. */
export interface Activity {
  readonly kind: (typeof ACTIVITY_KINDS)[number];
  readonly credentialId: string | null;
  readonly tool: string | null;
  /** `ok`, `empty`, `pending_approval`, an error code, the state of an approval, or how many keys an upgrade signed. */
  readonly outcome: string;
  readonly approvalId: string | null;
  readonly durationMs: number;
  /** Ids of messages (Countersign's ids) and other objects that were shown in full or changed. */
  readonly shown: readonly string[];
  /** Short hashes of the listed rows. */
  readonly listed: readonly string[];
}

export interface StoredActivity extends Activity {
  readonly at: Date;
}
