import { ServiceError } from '../../../core/contract/errors.ts';
import type { ApprovalView } from '../../../core/requests/approval-views.ts';
import { Form } from '../forms/forms.tsx';
import { problemPage } from '../problem.tsx';
import { type OwnerVisit, type PageReply, type RedirectReply, redirect } from '../visit.ts';

/** Files a failed request again, and shows it: it waits for one more tap. */
export async function tryAgain({ service, owner, param }: OwnerVisit): Promise<RedirectReply | PageReply> {
  try {
    const again = await service.approvals.tryAgain(owner.ownerId, param);
    if (again !== undefined) return redirect(`/approvals/${again.id}`);
    return problemPage(409, NOTHING, 'This request cannot be tried again.');
  } catch (error) {
    const text = error instanceof ServiceError ? PROBLEMS.get(error.code) : undefined;
    if (text === undefined) throw error;
    return problemPage(409, NOTHING, text);
  }
}

const NOTHING = 'Nothing was done';

const PROBLEMS: ReadonlyMap<string, string> = new Map([
  [
    'invalid_token',
    'Its key or sign-in is no longer valid. Give the program a new one; it then has to ask again.',
  ],
  [
    'not_permitted',
    'Its key may no longer do this, or it is outside the fences of its key. Change that under Integrations.',
  ],
  [
    'not_found',
    'The message, folder or event is no longer there. The program has to look again and ask anew.',
  ],
  [
    'upstream_mail_error',
    'The server still cannot be reached. Check the account under Accounts, and try it again later.',
  ],
  ['no_mail_account_connected', 'Its account is no longer connected.'],
  ['invalid_arguments', 'It cannot be done any more as it was asked. The program has to ask anew.'],
]);

/** Renders nothing for a request that cannot be tried again. */
export function TryAgain({ view, token }: { view: ApprovalView; token: string }) {
  if (!view.canTryAgain) return null;
  return (
    <Form action={`/approvals/${view.approval.id}/again`} token={token} label="Try again">
      <p>Nothing was done, so you can try it again. It is checked anew, and you see it before it runs.</p>
      <button type="submit">Try again</button>
    </Form>
  );
}
