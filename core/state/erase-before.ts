import { instant } from './column.ts';

/** What is erased: the instants before which, and so the parameters of the statements that erase. */
export const ERASE_LIMITS = {
  /** Plans, gists, notes and diffs of approvals whose owners keep them until before this, counted in `plansKeptDays` from their end. */
  plansKeptUntil: instant(),
  /** Events, with their deliveries. */
  eventsBefore: instant(),
  /** Of an owner up to the first row that is kept; with the checkpoints of erased rows except the newest one. */
  activityBefore: instant(),
  claimsBefore: instant(),
  messageHandlesBefore: instant(),
  readsBefore: instant(),
  /** Expired counters of tries. */
  passwordTriesBefore: instant(),
};

export type EraseBefore = Readonly<Record<keyof typeof ERASE_LIMITS, Date>>;
