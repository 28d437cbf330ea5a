export const ACTIVITY_KINDS = ['call', 'decision', 'settlement', 'upgrade'] as const;

/** One row for each admitted call, decision and settlement, and for the upgrade that signed the keys. No content. */
export interface Activity {
  readonly kind: (typeof ACTIVITY_KINDS)[number];
  readonly credentialId: string | null;
  readonly tool: string | null;
  /** `ok`, `empty`, `pending_approval`, an error code, the state of an approval, or how many keys an upgrade signed. */
  readonly outcome: string;
  readonly approvalId: string | null;
  readonly durationMs: number;
  /** Message ids (ours) and the like that were shown in full or changed. */
  readonly shown: readonly string[];
  /** Short hashes of rows that were listed. */
  readonly listed: readonly string[];
}

export interface StoredActivity extends Activity {
  readonly at: Date;
}
