import { ServiceError } from '../../../core/contract/errors.ts';
import { PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN } from '../../../core/secrets/password.ts';
import { Field, Form, Problems, SubmitOrLeave } from '../forms/forms.tsx';
import { notFoundPage } from '../problem.tsx';
import { type OwnerVisit, page, type Reply, redirect } from '../visit.ts';
import { CODE_FIELD, PASSWORD_FIELD } from './confirm-page.tsx';
import { CodeField } from './second-step.tsx';

export async function passwordPage(visit: OwnerVisit): Promise<Reply> {
  return shownPage(visit, []);
}

/** Ends every session, this one too: the browser goes on to the page that asks for the new password. */
export async function changePassword(visit: OwnerVisit): Promise<Reply> {
  const { service, owner, session, fields, cookies } = visit;
  if (session.kind === 'app') return notFoundPage();
  const password = fields.get('new_password') ?? '';
  if (password !== (fields.get('new_password_again') ?? '')) {
    return shownPage(visit, ['The new passwords differ. Nothing was changed.']);
  }
  try {
    await service.owners.setPassword(owner.ownerId, password);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'invalid_arguments') throw error;
    return shownPage(visit, [
      `A password has ${PASSWORD_CHARS_MIN} to ${PASSWORD_CHARS_MAX} characters. Nothing was changed.`,
    ]);
  }
  return {
    ...redirect('/sign-in?notice=password_changed'),
    headers: { 'set-cookie': cookies.clear(cookies.session) },
  };
}

async function shownPage(visit: OwnerVisit, problems: readonly string[]): Promise<Reply> {
  const { service, owner, session, token } = visit;
  if (session.kind === 'app') return notFoundPage();
  const hasSecondStep = (await service.secondSteps.show(owner.ownerId)) !== null;
  return page(
    'Change password',
    <section class="narrow">
      <h1>Change password</h1>
      <Problems problems={problems} />
      <p>A new password ends all sessions. You then sign in again.</p>
      <Form action="/settings/password" token={token} proves="password">
        <Field label="Email" type="email" value={owner.email} readonly autocomplete="username" />
        <Field
          label="Current password"
          name={PASSWORD_FIELD}
          type="password"
          required
          autocomplete="current-password"
        />
        {hasSecondStep ? <CodeField name={CODE_FIELD} focus={false} /> : null}
        <Field
          label="New password"
          name="new_password"
          type="password"
          required
          minLength={PASSWORD_CHARS_MIN}
          maxLength={PASSWORD_CHARS_MAX}
          autocomplete="new-password"
        />
        <Field
          label="New password again"
          name="new_password_again"
          type="password"
          required
          autocomplete="new-password"
        />
        <SubmitOrLeave submit="Change the password" leave="Cancel" to="/settings" />
      </Form>
    </section>,
    problems.length === 0 ? 200 : 422,
  );
}
