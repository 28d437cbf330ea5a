import type { FinishedSignIn, ProviderInfo, SignInPurpose } from '../../../core/accounts/mail-sign-ins.ts';
import { Kept } from '../forms/carried-fields.tsx';
import { Form, SubmitOrLeave } from '../forms/forms.tsx';
import { LinkOut, SubmitTo } from '../links.tsx';
import { pageAfterConnecting } from '../next-step.tsx';
import { notFoundPage } from '../problem.tsx';
import { Quoted } from '../third-party-text.tsx';
import { type OwnerVisit, type PageReply, page, type Reply, redirect } from '../visit.ts';
import { calendarChoicePath } from './account-calendar.tsx';
import { type FoundServers, readAddress } from './account-fields.ts';
import { accountNamed } from './account-name.tsx';
import { accountsPage } from './accounts.tsx';
import { connectionProblems } from './connection-problems.ts';
import { answerPath } from './provider-answer.ts';

// The owner signs in at the provider of the mailbox: a form leads there, and the provider sends the browser back to
// the callback, which belongs to the session that showed the form.

/**
 * The provider of an address, by its domain or by the search for its servers. Undefined if that provider is not set up.
 */
export function providerFor(
  { service }: OwnerVisit,
  email: string,
  found: FoundServers | undefined,
): ProviderInfo | undefined {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  const named = found === undefined || found.kind === 'nothing' ? undefined : found.signIn;
  return service.mailSignIns.providers().find(({ id, domains }) => id === named || domains.includes(domain));
}

/** Offers the sign-in. @param takesPasswords whether the mailbox can be connected with a password, too */
export function offerPage(
  { token, fields }: OwnerVisit,
  { id, name }: ProviderInfo,
  takesPasswords: boolean,
): PageReply {
  return page(
    'Connect account',
    <section class="narrow">
      <h1>Connect account</h1>
      <p>
        <Quoted text={fields.get('email') ?? ''} /> is a mailbox of {name}. Sign in there, and Countersign
        gets access without your password. You can withdraw it at {name} at any time.
      </p>
      <Form action={`/accounts/sign-in/${id}`} token={token} label={`Sign in with ${name}`}>
        <Kept fields={fields} names={['email', 'label']} />
        <SubmitOrLeave submit={`Sign in with ${name}`} leave="Cancel" to="/accounts">
          {takesPasswords ? (
            <SubmitTo to="/accounts/servers" class="outline secondary">
              Use a password
            </SubmitTo>
          ) : null}
        </SubmitOrLeave>
      </Form>
    </section>,
  );
}

/** Leads to the provider, to connect a new account. */
export async function beginProviderSignIn(visit: OwnerVisit): Promise<Reply> {
  if (visit.options.connect === undefined) return { ...(await accountsPage(visit)), status: 403 };
  const address = readAddress(visit.fields);
  if (address.kind === 'wrong') return accountsPage(visit, address.problems);
  const label = (visit.fields.get('label') ?? '').trim();
  const { email } = address;
  return leadTo(visit, visit.param, { kind: 'connect', email, ...(label === '' ? {} : { label }) });
}

/** Leads to the provider of an account, to sign in again. */
export async function beginSignInAgain(visit: OwnerVisit): Promise<Reply> {
  const { service, owner, param } = visit;
  const account = await accountNamed(service, owner, param);
  const state = account && service.mailSignIns.stateOf(account);
  if (account === undefined || state === undefined) return notFoundPage();
  return leadTo(visit, state.providerId, { kind: 'again', accountId: account.accountId });
}

async function leadTo(visit: OwnerVisit, providerId: string, purpose: SignInPurpose): Promise<Reply> {
  const { service, owner, base } = visit;
  let goTo: string;
  try {
    goTo = await service.mailSignIns.begin({
      ownerId: owner.ownerId,
      sessionId: sessionIdOf(visit),
      providerId,
      redirectUri: base.address(answerPath(providerId)),
      purpose,
    });
  } catch (error) {
    return failed(visit, purpose, error);
  }
  const name = service.mailSignIns.providers().find(({ id }) => id === providerId)?.name ?? providerId;
  // By a page instead of a redirect: the policy of the page with the form allows no redirect to another host.
  const reply = page(
    `Sign in with ${name}`,
    <section class="narrow">
      <h1>Sign in with {name}</h1>
      <p role="status">You go on to {name} and come back here afterwards.</p>
      <p>
        <LinkOut class="button-like" to={goTo}>
          Continue to {name}
        </LinkOut>
      </p>
    </section>,
  );
  return { ...reply, goTo };
}

/** The provider sends the browser here. Saves the sign-in, or says what is wrong with it. */
export async function finishProviderSignIn(visit: OwnerVisit): Promise<Reply> {
  const { service, owner, param, query, head } = visit;
  // It would use up the sign-in.
  if (head.method === 'HEAD') return redirect('/accounts');
  let answer: Awaited<ReturnType<typeof service.mailSignIns.takeAnswer>>;
  try {
    answer = await service.mailSignIns.takeAnswer({
      ownerId: owner.ownerId,
      sessionId: sessionIdOf(visit),
      providerId: param,
      parameters: query,
    });
  } catch (error) {
    return accountsPage(visit, connectionProblems(error), 'page');
  }
  let finished: FinishedSignIn;
  try {
    finished = await answer.finish();
  } catch (error) {
    return failed(visit, answer.purpose, error);
  }
  if (finished.kind === 'again') return redirect('/accounts?notice=signed_in_again');
  const choice = await calendarChoicePath(visit, finished.accountId);
  return redirect(choice ?? (await pageAfterConnecting(visit, finished.accountId)));
}

/** The page of accounts, with the problem at the account in question, or at the address that was entered. */
function failed(visit: OwnerVisit, purpose: SignInPurpose, error: unknown): Promise<Reply> {
  const problems = connectionProblems(error);
  if (purpose.kind === 'again') return accountsPage(visit, problems, purpose.accountId);
  const { email, label = '' } = purpose;
  return accountsPage({ ...visit, fields: new URLSearchParams({ email, label }) }, problems);
}

function sessionIdOf({ session }: OwnerVisit): string {
  return session.kind === 'own' ? session.stored.id : session.session.id;
}
