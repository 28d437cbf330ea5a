import type { SignInState } from '../../../core/accounts/mail-sign-ins.ts';
import type { AccountIndex } from '../../../core/mail-index/mail-indexes.ts';
import type { Account } from '../../../core/ports/account.ts';
import type { ServerHealth } from '../../../core/ports/account-health.ts';
import { Field, Form, Problems, SubmitOrLeave } from '../forms/forms.tsx';
import { Link, SubmitTo } from '../links.tsx';
import { Notice } from '../notice.tsx';
import { notFoundPage } from '../problem.tsx';
import { Quoted } from '../third-party-text.tsx';
import { type OwnerVisit, type PageReply, page, type Reply, redirect } from '../visit.ts';
import { pinnedInWords } from './account-folders.tsx';
import { AccountHealth, isForOwner } from './account-health.tsx';
import { indexInWords } from './account-index.tsx';
import { accountNamed } from './account-name.tsx';
import { SignInAgain, SignInButtons, SignInLine } from './sign-in-parts.tsx';

/**
 * @param problems  what is wrong, for the owner
 * @param of  where they show: at the form that connects an account, at one account, or above everything
 */
export async function accountsPage(
  visit: OwnerVisit,
  problems: readonly string[] = [],
  of: 'form' | 'page' | number = 'form',
): Promise<PageReply> {
  const problemsOf = (part: typeof of) => (part === of ? problems : []);
  const { service, owner, options, query } = visit;
  const [accounts, health] = await Promise.all([
    service.accounts.list(owner.ownerId),
    service.accounts.health(owner.ownerId),
  ]);
  const { mailIndexes } = service;
  const indexes = mailIndexes.isThere ? await Promise.all(accounts.map(mailIndexes.stateOf)) : [];
  // The owner sees it here, so no notice has to say it.
  if (isForOwner(health)) await service.notices.looked(owner.ownerId);
  return page(
    'Accounts',
    <>
      <h1>Accounts</h1>
      <Notice code={query.get('notice')} />
      <Problems problems={problemsOf('page')} />
      {accounts.length === 0 ? (
        <p class="quiet">
          No account is connected yet. An agent can read and answer mail once one is: enter its address below.
        </p>
      ) : null}
      <ul class="rows">
        {accounts.map((account, at) => (
          <Row
            account={account}
            servers={health.filter(({ accountId }) => accountId === account.accountId)}
            index={indexes[at]}
            signIn={service.mailSignIns.stateOf(account)}
            visit={visit}
            problems={problemsOf(account.accountId)}
          />
        ))}
      </ul>
      <section aria-labelledby="connect">
        <h2 id="connect">Connect an account</h2>
        {options.connect === undefined ? (
          <p>
            Accounts cannot be connected on this page. If this is the demo: it only has a sandbox mailbox. To
            connect a real account, run <code>countersign serve</code>.
          </p>
        ) : (
          <AddressForm visit={visit} problems={problemsOf('form')} />
        )}
      </section>
    </>,
    problems.length === 0 ? 200 : 422,
  );
}

export async function activateAccount({ service, owner, param }: OwnerVisit): Promise<Reply> {
  await service.accounts.activate(owner.ownerId, Number(param));
  return redirect('/accounts?notice=account_active');
}

/** Asks for confirmation, because removing an account cancels its waiting requests. */
export async function removeAccountPage({ service, owner, token, param }: OwnerVisit): Promise<Reply> {
  const account = await accountNamed(service, owner, param);
  if (account === undefined) return notFoundPage();
  return page(
    'Remove account',
    <section class="narrow">
      <h1>Remove account</h1>
      <p>
        Remove <Quoted text={account.email} />? Its waiting requests are cancelled, and Countersign deletes
        its password. The mailbox itself does not change.
      </p>
      <Form action={`/accounts/${account.accountId}/remove`} token={token}>
        <SubmitOrLeave submit="Remove" leave="Keep it" to="/accounts" />
      </Form>
    </section>,
  );
}

export async function removeAccount({ service, owner, param }: OwnerVisit): Promise<Reply> {
  await service.accounts.remove(owner.ownerId, Number(param));
  return redirect('/accounts?notice=account_removed');
}

interface RowProps {
  account: Account;
  servers: readonly ServerHealth[];
  /** Undefined: there is none. */
  index: AccountIndex | undefined;
  /** Undefined: the account has a password. */
  signIn: SignInState | undefined;
  visit: OwnerVisit;
  problems: readonly string[];
}

function Row({ account, servers, index, signIn, visit, problems }: RowProps) {
  const { owner, options, token } = visit;
  const active = account.accountId === owner.activeAccountId;
  const path = `/accounts/${account.accountId}`;
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
        {account.isPrimary ? ' · connected first' : ''}
      </div>
      <AccountHealth servers={servers} zone={owner.timezone} />
      <div class="quiet">
        <bdi>{pinnedInWords(account.folderRoles)}</bdi>
      </div>
      {index === undefined ? null : <div class="quiet">{indexInWords(index)}</div>}
      <SignInLine state={signIn} />
      <Problems problems={problems} />
      <div class="actions">
        <SignInAgain accountId={account.accountId} state={signIn} token={token} />
        {account.grant !== null || options.connect?.withPassword === undefined ? null : (
          <Link class={isForOwner(servers) ? 'button-like urgent' : 'button-like'} to={`${path}/password`}>
            Update password
          </Link>
        )}
        {account.grant !== null || options.connect?.fieldsOf === undefined ? null : (
          <Link class="button-like" to={`${path}/servers`}>
            Change servers
          </Link>
        )}
        <Form action={`${path}/check`} token={token}>
          <button type="submit" class="outline secondary">
            Check now
          </button>
        </Form>
        {active ? null : (
          <Form action={`${path}/activate`} token={token}>
            <button type="submit" class="outline">
              Set active
            </button>
          </Form>
        )}
        <Link class="button-like" to={`${path}/edit`}>
          Name and signature
        </Link>
        <Link class="button-like" to={`${path}/folders`}>
          Folders
        </Link>
        <Link class="button-like" to={`${path}/senders`}>
          Senders
        </Link>
        {index === undefined ? null : (
          <Link class="button-like" to={`${path}/index`}>
            Index
          </Link>
        )}
        {options.connect?.withCalendar === undefined ||
        !servers.some(({ server }) => server === 'calendar') ? null : (
          <Link class="button-like" to={`${path}/calendar`}>
            Calendar
          </Link>
        )}
        <Link class="button-like" to={`${path}/remove`}>
          Remove
        </Link>
      </div>
    </li>
  );
}

/** The first step of connecting an account. Keeps what was entered. */
export function AddressForm({ visit, problems }: { visit: OwnerVisit; problems: readonly string[] }) {
  const { token, fields, options } = visit;
  return (
    <Form action="/accounts/find" token={token} label="Connect account">
      <Problems problems={problems} />
      <div class="columns">
        <Field label="Email" name="email" type="email" value={fields.get('email') ?? ''} required />
        <Field
          label="Label"
          name="label"
          value={fields.get('label') ?? ''}
          placeholder="optional: a name for the account"
        />
      </div>
      {options.connect?.discover === undefined ? null : (
        <p class="quiet">
          Countersign looks up the servers in the DNS and at the domain of the address. It shows them before
          it asks for your password.
        </p>
      )}
      <div class="decision">
        <button type="submit">Connect account</button>
        {options.connect?.discover === undefined ? null : (
          <SubmitTo to="/accounts/servers" class="outline secondary">
            Type the servers by hand
          </SubmitTo>
        )}
        <SignInButtons providers={visit.service.mailSignIns.providers()} />
      </div>
    </Form>
  );
}
