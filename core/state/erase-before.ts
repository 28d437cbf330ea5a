/** What is erased. */
export interface EraseBefore {
  /** Plans, gists, notes and diffs of approvals whose owners keep them until before this, counted in `plansKeptDays` from their end. */
  plansKeptUntil: Date;
  /** Events, with their deliveries. */
  eventsBefore: Date;
  /** Of an owner up to the first row that is kept; with the checkpoints of erased rows except the newest one. */
  activityBefore: Date;
  claimsBefore: Date;
  readsBefore: Date;
  /** Expired counters of tries. */
  passwordTriesBefore: Date;
}
