import type { Demand } from '../../../core/owners/step-up.ts';
import type { Account } from '../../../core/ports/account.ts';
import { MailError } from '../../../core/ports/mail.ts';
import { orProblems } from '../forms/field-errors.ts';
import { Form, Problems, SubmitOrLeave } from '../forms/forms.tsx';
import { Link } from '../links.tsx';
import { notFoundPage } from '../problem.tsx';
import { Quoted } from '../third-party-text.tsx';
import { type OwnerVisit, type PageReply, page, type Reply, redirect } from '../visit.ts';
import { accountNamed } from './account-name.tsx';

// Whose word Countersign takes for the senders of an account's mail.

export async function accountSendersPage(
  visit: OwnerVisit,
  problems: readonly string[] = [],
): Promise<PageReply> {
  const { service, owner, param } = visit;
  const account = await accountNamed(service, owner, param);
  if (account === undefined) return notFoundPage();
  const looked = await lookedFor(visit, account.accountId);
  const all = [...problems, ...('problems' in looked ? looked.problems : [])];
  return page(
    'Senders',
    <section class="narrow">
      <h1>Senders</h1>
      <p>
        Anybody can put a false sender into a message. The mail server of <Quoted text={account.email} /> may
        check that, and write what it found into each message under its own name (Authentication-Results).
        Once you confirm that name, a message that passed counts as written by the person it names. Any other
        counts as a stranger's, and what a request takes from it is flagged.
      </p>
      <Problems problems={all} />
      <Confirmed account={account} visit={visit} />
      {'problems' in looked ? (
        <p>
          <Link to="/accounts">Back to the accounts</Link>
        </p>
      ) : (
        <Found account={account} found={looked.found} visit={visit} />
      )}
    </section>,
    all.length === 0 ? 200 : 422,
  );
}

async function lookedFor(
  { service, owner }: OwnerVisit,
  accountId: number,
): Promise<{ readonly found: string | undefined } | { readonly problems: readonly string[] }> {
  try {
    return { found: await service.accounts.authservId(owner.ownerId, accountId) };
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    return { problems: [`The inbox could not be read: ${error.message}.`] };
  }
}

interface Props {
  readonly account: Account;
  readonly visit: OwnerVisit;
}

function Confirmed({ account: { accountId, authservId }, visit }: Props) {
  if (authservId === null) return null;
  return (
    <Form action={`/accounts/${accountId}/senders`} token={visit.token} label="Confirmed name">
      <p>
        You confirmed the name{' '}
        <strong>
          <Quoted text={authservId} />
        </strong>
        .
      </p>
      <button type="submit" class="outline">
        Stop believing it
      </button>
    </Form>
  );
}

function Found({ account: { accountId, authservId }, found, visit }: Props & { found: string | undefined }) {
  if (found === undefined) {
    return (
      <p id="none-found">
        The newest 50 messages of the inbox do not show such a name: it has to stand at the top of nearly all
        of them, and they have to come from at least ten domains.{' '}
        <Link to="/accounts">Back to the accounts</Link>
      </p>
    );
  }
  if (found === authservId) {
    return (
      <p>
        The newest messages still carry it. <Link to="/accounts">Back to the accounts</Link>
      </p>
    );
  }
  return (
    <Form action={`/accounts/${accountId}/senders`} token={visit.token} label="Found name">
      <input type="hidden" name="authserv_id" value={found} />
      <p>
        The newest messages of the inbox carry results of{' '}
        <strong>
          <Quoted text={found} />
        </strong>
        . Confirm it if that is your own mail server, or your provider's.
      </p>
      <SubmitOrLeave submit="Confirm" leave="Back" to="/accounts" />
    </Form>
  );
}

/** To believe nobody only restricts. */
export async function demandForSenders({ fields }: OwnerVisit): Promise<Demand> {
  return fields.has('authserv_id') ? 'grant' : 'change';
}

export async function confirmSenders(visit: OwnerVisit): Promise<Reply> {
  const { service, owner, param, fields } = visit;
  const { ownerId } = owner;
  const authservId = fields.get('authserv_id') ?? null;
  try {
    const saved = await orProblems(
      () => service.accounts.confirmAuthservId(ownerId, Number(param), authservId),
      new Map([['authservId', 'The name']]),
    );
    if ('problems' in saved) return await accountSendersPage(visit, saved.problems);
  } catch (error) {
    // The page says what is wrong with the server.
    if (!(error instanceof MailError)) throw error;
    return accountSendersPage(visit);
  }
  return redirect(`/accounts?notice=${authservId === null ? 'senders_unproven' : 'senders_confirmed'}`);
}
