import { orProblems } from '../forms/field-errors.ts';
import { Field, Form, Problems, SubmitOrLeave } from '../forms/forms.tsx';
import { notFoundPage } from '../problem.tsx';
import { Quoted } from '../third-party-text.tsx';
import { type OwnerVisit, page, type Reply, redirect } from '../visit.ts';
import { accountNamed } from './account-name.tsx';

/** Shows the label, and the name and signature of mail that the account sends. */
export async function editAccountPage(visit: OwnerVisit, problems: readonly string[] = []): Promise<Reply> {
  const { service, owner, token, param, fields } = visit;
  const account = await accountNamed(service, owner, param);
  if (account === undefined) return notFoundPage();
  const label = fields.get('label') ?? account.label;
  return page(
    'Name and signature',
    <section class="narrow">
      <h1>Name and signature</h1>
      <p>
        The name and the signature in mail from <Quoted text={account.email} />. A change applies to new
        requests. A request that already waits is sent as you see it.
      </p>
      <Problems problems={problems} />
      <Form action={`/accounts/${account.accountId}/edit`} token={token} label="Name and signature">
        <Field
          label="Name"
          name="display_name"
          value={fields.get('display_name') ?? account.displayName}
          placeholder="such as Ann Lee"
          maxLength={100}
        />
        <label>
          Signature
          <textarea name="signature" rows={4} placeholder="added below every message">
            {fields.get('signature') ?? account.signature}
          </textarea>
        </label>
        <Field
          label="Label"
          name="label"
          value={label === account.email ? '' : label}
          placeholder="a name for yourself"
        />
        <SubmitOrLeave submit="Save" leave="Back" to="/accounts" />
      </Form>
    </section>,
    problems.length === 0 ? 200 : 422,
  );
}

const FIELD_TITLES = new Map([
  ['label', 'Label'],
  ['displayName', 'Name'],
  ['signature', 'Signature'],
]);

export async function editAccount(visit: OwnerVisit): Promise<Reply> {
  const { service, owner, param, fields } = visit;
  const account = await accountNamed(service, owner, param);
  if (account === undefined) return notFoundPage();
  const text = (name: string) => (fields.get(name) ?? '').trim();
  const edited = await orProblems(
    () =>
      service.accounts.edit({
        ownerId: owner.ownerId,
        accountId: account.accountId,
        label: text('label') || account.email,
        displayName: text('display_name'),
        signature: (fields.get('signature') ?? '').trimEnd(),
      }),
    FIELD_TITLES,
  );
  return 'problems' in edited
    ? editAccountPage(visit, edited.problems)
    : redirect('/accounts?notice=account_saved');
}
