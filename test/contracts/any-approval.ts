import type { Approval, Approved, Executed } from '../../core/approvals/approval.ts';

/** An approval with the fields that only some states have, for tests that know its state. */
export type AnyApproval = Approval &
  Partial<Pick<Approved, 'authorization' | 'startedAt'>> &
  Partial<Pick<Executed, 'endedAt' | 'result'>> & { readonly error?: string | null };
