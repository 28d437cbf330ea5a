import type { ApprovalState } from '../../../core/approvals/approval.ts';
import { STATE_TITLES } from '../labels.ts';

export function StateBadge({ state }: { state: ApprovalState }) {
  return (
    <span class="state" data-state={state}>
      {STATE_TITLES[state]}
    </span>
  );
}
