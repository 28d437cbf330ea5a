import type { ApprovalSummary } from '../../../core/requests/approval-views.ts';
import type { Service } from '../../../core/service/service.ts';

/** More than can wait at once by default. */
const READ = 1000;

/** The owner's open requests: those that wait for a decision, and those that run. */
export interface WaitingRequests {
  readonly pending: readonly ApprovalSummary[];
  /** Approved, and not ended. */
  readonly running: readonly ApprovalSummary[];
  /** There are more open requests than these. */
  readonly more: boolean;
  readonly now: Date;
}

export async function waitingRequests(
  { approvals }: Pick<Service, 'approvals'>,
  ownerId: string,
): Promise<WaitingRequests> {
  const { approvals: open, more, now } = await approvals.list(ownerId, { state: 'open', limit: READ });
  const isPending = ({ approval }: ApprovalSummary) => approval.state === 'pending';
  return { pending: open.filter(isPending), running: open.filter((one) => !isPending(one)), more, now };
}
