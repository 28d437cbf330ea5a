import * as z from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { MailError } from '../../../core/ports/mail.ts';
import type { Account } from '../../../core/ports/storage.ts';
import { readAccountForm, SECURITY_TITLES } from '../account-fields.ts';
import { Choice, Field, Form, Problems } from '../forms.tsx';
import { Notice } from '../notice.tsx';
import { Quoted } from '../third-party-text.tsx';
import { type OwnerVisit, type PageReply, page, type Reply, redirect } from '../visit.ts';
import { notFoundPage } from './problem.tsx';

export function accountsPage(visit: OwnerVisit): Promise<Reply> {
  return listPage(visit, []);
}

export async function connectAccount(visit: OwnerVisit): Promise<Reply> {
  const { accountSettings } = visit.options;
  if (accountSettings === undefined) return { ...(await listPage(visit, [])), status: 403 };
  const form = readAccountForm(visit.fields);
  if (form.kind === 'wrong') return listPage(visit, form.problems);
  try {
    await visit.service.accounts.connect({
      ownerId: visit.owner.ownerId,
      email: form.email,
      ...(form.label === '' ? {} : { label: form.label }),
      ...(form.signature === '' ? {} : { signature: form.signature }),
      settings: accountSettings(form.fields),
    });
  } catch (error) {
    return listPage(visit, problemsOf(error));
  }
  return redirect('/accounts?notice=account_connected');
}

export async function activateAccount({ service, owner, param }: OwnerVisit): Promise<Reply> {
  await service.accounts.activate(owner.ownerId, Number(param));
  return redirect('/accounts?notice=account_active');
}

/** Asks once more: what waits for the account is cancelled with it. */
export async function removeAccountPage({ service, owner, token, param }: OwnerVisit): Promise<Reply> {
  const account = (await service.accounts.list(owner.ownerId)).find(
    ({ accountId }) => String(accountId) === param,
  );
  if (account === undefined) return notFoundPage();
  return page(
    'Remove account',
    <section class="narrow">
      <h1>Remove account</h1>
      <p>
        Remove <Quoted text={account.email} />? Requests that wait for it are cancelled, and its password is
        deleted here. The mailbox itself stays as it is.
      </p>
      <Form action={`/accounts/${account.accountId}/remove`} token={token} class="decision">
        <button type="submit">Remove</button>
        <a class="button-like" href="/accounts">
          Keep it
        </a>
      </Form>
    </section>,
  );
}

export async function removeAccount({ service, owner, param }: OwnerVisit): Promise<Reply> {
  await service.accounts.remove(owner.ownerId, Number(param));
  return redirect('/accounts?notice=account_removed');
}

async function listPage(visit: OwnerVisit, problems: readonly string[]): Promise<PageReply> {
  const { service, owner, options, token, query, fields } = visit;
  const accounts = await service.accounts.list(owner.ownerId);
  return page(
    'Accounts',
    <>
      <h1>Accounts</h1>
      <Notice code={query.get('notice')} />
      {accounts.length === 0 ? <p class="quiet">No account is connected yet.</p> : null}
      <ul class="rows">
        {accounts.map((account) => (
          <Row account={account} active={account.accountId === owner.activeAccountId} token={token} />
        ))}
      </ul>
      <section aria-labelledby="connect">
        <h2 id="connect">Connect an account</h2>
        {options.accountSettings === undefined ? (
          <p>
            This is the demo: it has a sandbox mailbox only. Connecting a real account needs{' '}
            <code>countersign serve</code>.
          </p>
        ) : (
          <ConnectForm token={token} fields={fields} problems={problems} />
        )}
      </section>
    </>,
    problems.length === 0 ? 200 : 422,
  );
}

function Row({ account, active, token }: { account: Account; active: boolean; token: string }) {
  return (
    <li>
      <div class="row-head">
        <strong>
          <Quoted text={account.email} />
        </strong>
        {active ? <span class="state">Active</span> : null}
      </div>
      <div class="quiet">
        {account.label === '' || account.label === account.email ? null : (
          <>
            <Quoted text={account.label} /> ·{' '}
          </>
        )}
        account {account.accountId}
        {account.isPrimary ? ' · the first one connected' : ''}
      </div>
      <div class="actions">
        {active ? null : (
          <Form action={`/accounts/${account.accountId}/activate`} token={token}>
            <button type="submit" class="outline">
              Set active
            </button>
          </Form>
        )}
        <a class="button-like" href={`/accounts/${account.accountId}/remove`}>
          Remove
        </a>
      </div>
    </li>
  );
}

/** Shows again what was typed, but never the password. */
function ConnectForm(props: { token: string; fields: URLSearchParams; problems: readonly string[] }) {
  const typed = (name: string, otherwise = '') => props.fields.get(name) ?? otherwise;
  const server = (title: 'IMAP' | 'SMTP', name: 'imap' | 'smtp', port: string, security: string) => (
    <fieldset>
      <legend>
        {title}, for {name === 'imap' ? 'reading' : 'sending'}
      </legend>
      <div class="columns">
        <Field label={`${title} host`} name={`${name}_host`} value={typed(`${name}_host`)} required />
        <Field
          label={`${title} port`}
          name={`${name}_port`}
          value={typed(`${name}_port`, port)}
          type="number"
          min={1}
          max={65_535}
          required
        />
        <Choice
          id={`${name}-security`}
          label={`${title} security`}
          name={`${name}_security`}
          value={typed(`${name}_security`, security)}
          options={Object.entries(SECURITY_TITLES)}
        />
        <Field
          label={`${title} user`}
          name={`${name}_user`}
          value={typed(`${name}_user`)}
          placeholder="the email address"
        />
      </div>
    </fieldset>
  );
  return (
    <Form action="/accounts" token={props.token} label="Connect account">
      <Problems problems={props.problems} />
      <div class="columns">
        <Field label="Email" name="email" type="email" value={typed('email')} required />
        <Field label="Label" name="label" value={typed('label')} placeholder="how you call it" />
      </div>
      {server('IMAP', 'imap', '993', 'tls')}
      {server('SMTP', 'smtp', '465', 'tls')}
      <div class="columns">
        <Field label="Password" name="password" type="password" required autocomplete="new-password" />
        <Field
          label="Certificate fingerprint"
          name="fingerprint"
          value={typed('fingerprint')}
          placeholder="SHA-256, for a private certificate"
        />
      </div>
      <label>
        Signature
        <textarea name="signature" rows={3} placeholder="stands under every mail that is sent">
          {typed('signature')}
        </textarea>
      </label>
      <p class="quiet">Signs in to both servers first; nothing is saved when that fails.</p>
      <button type="submit">Connect account</button>
    </Form>
  );
}

const MAIL_PROBLEMS: Record<MailError['code'], string> = {
  auth: 'The server does not accept this user and password.',
  refused: 'The server refused.',
  unavailable: 'The server could not be reached, or did not answer in time.',
  not_found: 'The server has no such mailbox.',
  outcome_unknown: 'The server did not answer to the end.',
  not_started: 'Signing in was not begun.',
};

const fieldErrors = z.object({ errors: z.array(z.object({ field: z.string(), message: z.string() })) });

/** In plain words; what is no fault of the owner's input or of the server's goes on. */
function problemsOf(error: unknown): string[] {
  if (error instanceof MailError)
    return ['Nothing was saved.', `${MAIL_PROBLEMS[error.code]} (${error.message})`];
  if (error instanceof ServiceError && error.code === 'invalid_arguments') {
    const details = fieldErrors.safeParse(error.details);
    if (!details.success) return ['Nothing was saved.', error.message];
    return ['Nothing was saved.', ...details.data.errors.map(({ field, message }) => `${field}: ${message}`)];
  }
  throw error;
}
