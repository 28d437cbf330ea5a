import type { TogetherMember } from '../../../core/requests/approvals.ts';
import { APPROVAL_ID } from './approval-id.ts';

/** The field of each selected request on a page that decides several: `id.digest`. */
export const MEMBER_FIELD = 'member';
const MEMBER = new RegExp(`^(${APPROVAL_ID})\\.([0-9a-f]{64})$`);

/** Undefined: a value is not a member. */
export function readMembers(fields: URLSearchParams): TogetherMember[] | undefined {
  const values = fields.getAll(MEMBER_FIELD);
  const members = values.flatMap((value) => {
    const [, approvalId, digest] = MEMBER.exec(value) ?? [];
    return approvalId === undefined || digest === undefined ? [] : [{ approvalId, digest }];
  });
  return members.length === values.length ? members : undefined;
}
