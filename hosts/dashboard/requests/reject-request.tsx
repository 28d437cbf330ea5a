import { REJECTION_REASONS, type RejectionReason } from '../../../core/approvals/approval.ts';
import type { RejectOptions } from '../../../core/requests/rejection.ts';
import { REJECTION_TITLES } from '../labels.ts';
import { SubmitTo } from '../links.tsx';
import { decidedIn } from '../owners/prove-owner.ts';
import type { OwnerVisit } from '../visit.ts';

/** Where the decision's form goes to reject for this reason. A path, because signed forms name no button. */
function rejectPath(approvalId: string, reason: RejectionReason): string {
  return `/approvals/${approvalId}/reject/${reason}`;
}

/** The reason that the form gives, at the end of its path, and its note. */
export function rejectOptions(visit: OwnerVisit): RejectOptions {
  const { path, fields } = visit;
  const end = path.slice(path.lastIndexOf('/') + 1);
  return {
    reason: REJECTION_REASONS.find((reason) => reason === end),
    note: fields.get('note') ?? '',
    ...decidedIn(visit),
  };
}

/** Part of the form of the decision: a second tap rejects with a reason, which the program reads. */
export function RejectReasons({ approvalId }: { approvalId: string }) {
  return (
    <details class="reasons" id="reject-with-reason">
      <summary>Reject with a reason</summary>
      <label>
        A line for the program, if you like
        <textarea name="note" maxLength={500} rows={2} autocomplete="off" />
      </label>
      <div class="buttons">
        {REJECTION_REASONS.map((reason) => (
          <SubmitTo to={rejectPath(approvalId, reason)} class="outline secondary" formNoValidate>
            {REJECTION_TITLES[reason]}
          </SubmitTo>
        ))}
      </div>
    </details>
  );
}
