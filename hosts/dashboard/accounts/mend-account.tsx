import { Field, Form, Problems, SubmitOrLeave } from '../forms/forms.tsx';
import { notFoundPage } from '../problem.tsx';
import { Quoted } from '../third-party-text.tsx';
import { type OwnerVisit, page, type Reply, redirect } from '../visit.ts';
import { accountNamed, passwordAccount } from './account-name.tsx';
import { connectionProblems } from './connection-problems.ts';

// Mends an account in place: it keeps its id, its folders and its requests.

/** Asks for the current password. */
export async function passwordUpdatePage(
  { service, owner, options, token, param }: OwnerVisit,
  problems: readonly string[] = [],
): Promise<Reply> {
  const account = await passwordAccount(service, owner, param);
  if (account === undefined || options.connect?.withPassword === undefined) return notFoundPage();
  return page(
    'Update password',
    <section class="narrow">
      <h1>Update password</h1>
      <p>
        The password of <Quoted text={account.email} /> at its servers. Countersign signs in to each server
        first, and saves nothing if that fails. What waits for the account goes on by itself.
      </p>
      <Problems problems={problems} />
      <Form action={`/accounts/${account.accountId}/password`} token={token} label="Update password">
        <Field
          label="Email"
          name="email"
          type="email"
          value={account.email}
          readonly
          autocomplete="username"
        />
        <Field
          label="New password"
          name="password"
          type="password"
          required
          autofocus
          autocomplete="new-password"
        />
        <SubmitOrLeave submit="Update password" leave="Back" to="/accounts" />
      </Form>
    </section>,
    problems.length === 0 ? 200 : 422,
  );
}

export async function updatePassword(visit: OwnerVisit): Promise<Reply> {
  const { service, owner, options, param, fields } = visit;
  const { ownerId } = owner;
  const accountId = Number(param);
  const password = fields.get('password') ?? '';
  const { withPassword } = options.connect ?? {};
  if (withPassword === undefined || (await passwordAccount(service, owner, param)) === undefined) {
    return notFoundPage();
  }
  if (password === '') {
    return passwordUpdatePage(visit, ['Password: it is needed to sign in to the servers.']);
  }
  try {
    const settings = withPassword(await service.accounts.settings(ownerId, accountId), password);
    await service.accounts.changeSettings({ ownerId, accountId, settings });
  } catch (error) {
    return passwordUpdatePage(visit, connectionProblems(error));
  }
  return redirect('/accounts?notice=password_updated');
}

/** Signs in to each server of the account now. */
export async function checkAccount({ service, owner, param }: OwnerVisit): Promise<Reply> {
  if ((await accountNamed(service, owner, param)) === undefined) return notFoundPage();
  await service.accounts.check(owner.ownerId, Number(param));
  return redirect('/accounts?notice=account_checked');
}
