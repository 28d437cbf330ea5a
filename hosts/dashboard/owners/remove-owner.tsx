import { ServiceError } from '../../../core/contract/errors.ts';
import { normalAddress } from '../../../core/contract/schema.ts';
import { Form, Problems, SubmitOrLeave } from '../forms/forms.tsx';
import { notFoundPage } from '../problem.tsx';
import { Quoted } from '../third-party-text.tsx';
import { type OwnerVisit, page, type Reply, redirect } from '../visit.ts';

export async function removeOwnerPage(visit: OwnerVisit): Promise<Reply> {
  return shownPage(visit, []);
}

export async function removeOwner(visit: OwnerVisit): Promise<Reply> {
  const { service, owner, session, fields, cookies } = visit;
  if (session.kind === 'app') return notFoundPage();
  if (normalAddress(fields.get('typed_email')?.trim() ?? '') !== normalAddress(owner.email)) {
    return shownPage(visit, ['That is not your email. Nothing was removed.']);
  }
  try {
    await service.owners.remove(owner.ownerId);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'busy') throw error;
    const problem =
      'An approved action is under way, so nothing was removed. Try again when it has ended, in a few seconds.';
    return shownPage(visit, [problem]);
  }
  const gone = [cookies.clear(cookies.session), cookies.clear(cookies.device)];
  return { ...redirect('/sign-in?notice=owner_removed'), headers: { 'set-cookie': gone } };
}

async function shownPage({ owner, session, token }: OwnerVisit, problems: readonly string[]): Promise<Reply> {
  if (session.kind === 'app') return notFoundPage();
  return page(
    'Remove everything',
    <section class="narrow">
      <h1>Remove everything</h1>
      <Problems problems={problems} />
      <p>
        Countersign removes you and all that it stores about you: accounts with their passwords, keys,
        sign-ins, sessions, requests, trackers, webhooks, notices and activity. What is approved and has not
        started does not happen. Programs lose their access at once. Your mailboxes and calendars do not
        change.
      </p>
      <p>
        <strong>This cannot be undone.</strong> Export your data first if you want to keep it.
      </p>
      <Form action="/settings/remove" token={token}>
        <label>
          Type your email, <Quoted text={owner.email} />
          <input name="typed_email" required autocomplete="off" spellcheck={false} inputMode="email" />
        </label>
        <SubmitOrLeave submit="Remove everything" leave="Keep it" to="/settings" />
      </Form>
    </section>,
    problems.length === 0 ? 200 : 422,
  );
}
