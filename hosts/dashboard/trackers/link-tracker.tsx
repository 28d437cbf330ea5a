import type { ComponentChildren, VNode } from 'preact';
import { ServiceError } from '../../../core/contract/errors.ts';
import type { Account } from '../../../core/ports/account.ts';
import type { LinkableEvent, LinkableMessage } from '../../../core/trackers/linkable.ts';
import { Choice, Field, Form, Problems, SearchForm } from '../forms/forms.tsx';
import { Link } from '../links.tsx';
import { notFoundPage, problemPage } from '../problem.tsx';
import { Quoted } from '../third-party-text.tsx';
import { type OwnerVisit, page, type Reply, redirect } from '../visit.ts';
import { When } from '../when.tsx';

const MESSAGES = 20;
const EVENTS = 50;
/** The limit of the tool that searches. */
const WORDS_CHARS_MAX = 200;

/** Messages and events of an account, each with a button that links it to the tracker. */
export async function linkTrackerPage(visit: OwnerVisit): Promise<Reply> {
  const { service, owner, param, query } = visit;
  const { ownerId } = owner;
  const found = await service.trackers.show(ownerId, Number(param), { limit: 0 });
  if (found === undefined) return notFoundPage();
  const accounts = await service.accounts.list(ownerId);
  const chosen = Number(query.get('account') ?? owner.activeAccountId);
  const account = accounts.find(({ accountId }) => accountId === chosen) ?? accounts[0];
  const words = (query.get('q') ?? '').slice(0, WORDS_CHARS_MAX).trim();
  const path = `/trackers/${param}`;
  return page(
    'Link to a tracker',
    <>
      <h1>
        Link to <Quoted text={found.tracker.title} />
      </h1>
      <p>
        <Link to={path}>Back to the tracker</Link>
      </p>
      {account === undefined ? (
        <p>
          No mailbox is connected. <Link to="/accounts">Connect one</Link>
        </p>
      ) : (
        <>
          <FindForm path={path} accounts={accounts} words={words} accountId={account.accountId} />
          {await linkable(visit, account.accountId, words)}
        </>
      )}
    </>,
  );
}

/** Messages with these words. Without words, those of the last weeks, and events. */
async function linkable(
  { service, owner, param, token }: OwnerVisit,
  accountId: number,
  words: string,
): Promise<readonly VNode[]> {
  const { ownerId, timezone: zone } = owner;
  const path = `/trackers/${param}`;
  const messages = orProblem(
    () => service.trackers.findMessages(ownerId, { accountId, words, limit: MESSAGES }),
    (found) => <Messages messages={found} words={words} path={path} token={token} zone={zone} />,
  );
  if (words !== '') return [await messages];
  const events = orProblem(
    () => service.trackers.findEvents(ownerId, accountId),
    (found) => <Events events={found.slice(0, EVENTS)} path={path} token={token} zone={zone} />,
  );
  return Promise.all([messages, events]);
}

function FindForm(props: { path: string; accounts: readonly Account[]; accountId: number; words: string }) {
  const { path, accounts, accountId, words } = props;
  return (
    <SearchForm action={`${path}/link`} label="Find a message">
      {accounts.length === 1 ? null : (
        <Choice
          id="account"
          label="Account"
          name="account"
          options={accounts.map(({ accountId: id, email }) => [String(id), email])}
          value={String(accountId)}
        />
      )}
      <Field
        label="Words in the sender, recipient, subject or text"
        name="q"
        maxLength={WORDS_CHARS_MAX}
        value={words}
      />
      <button type="submit" class="outline">
        Find
      </button>
    </SearchForm>
  );
}

function Messages(props: {
  messages: readonly LinkableMessage[];
  words: string;
  path: string;
  token: string;
  zone: string;
}) {
  const { messages, words, path, token, zone } = props;
  return (
    <section aria-labelledby="messages">
      <h2 id="messages">{words === '' ? 'Messages of the last two weeks' : 'Messages found'}</h2>
      {messages.length > 0 ? null : <p class="quiet">There are none.</p>}
      <ul class="rows">
        {messages.map(({ id, subject, from, date }) => (
          <LinkRow path={path} token={token} field="message" value={id} title={subject || '(no subject)'}>
            mail from <Quoted text={from} /> · <When at={date} zone={zone} />
          </LinkRow>
        ))}
      </ul>
      {messages.length < MESSAGES ? null : (
        <p class="quiet">There may be more. Find others by the words in them.</p>
      )}
    </section>
  );
}

function Events(props: { events: readonly LinkableEvent[]; path: string; token: string; zone: string }) {
  const { events, path, token, zone } = props;
  if (events.length === 0) return null;
  return (
    <section aria-labelledby="events">
      <h2 id="events">Events</h2>
      <p class="quiet">From two weeks ago to two months ahead.</p>
      <ul class="rows">
        {events.map(({ eventId, title, start }) => (
          <LinkRow path={path} token={token} field="event" value={String(eventId)} title={title}>
            <When at={start} zone={zone} />
          </LinkRow>
        ))}
      </ul>
    </section>
  );
}

function LinkRow(props: {
  path: string;
  token: string;
  field: 'message' | 'event';
  value: string;
  title: string;
  children: ComponentChildren;
}) {
  const { path, token, field, value, title, children } = props;
  return (
    <li>
      <div class="row-head">
        <strong>
          <Quoted text={title} />
        </strong>
        <div class="actions">
          <Form action={`${path}/link`} token={token}>
            <input type="hidden" name={field} value={value} />
            <button type="submit" class="outline secondary">
              Link
            </button>
          </Form>
        </div>
      </div>
      <div class="quiet">{children}</div>
    </li>
  );
}

/** Shows what was found. If the account's server fails, says so, and the rest of the page still works. */
async function orProblem<T>(find: () => Promise<T>, shown: (found: T) => VNode): Promise<VNode> {
  try {
    return shown(await find());
  } catch (error) {
    if (!isUpstream(error)) throw error;
    return <Problems problems={[FAILED]} />;
  }
}

const FAILED = 'The server of this account did not answer as it should. Accounts says what is wrong.';

function isUpstream(error: unknown): boolean {
  return (
    error instanceof ServiceError &&
    (error.code === 'upstream_mail_error' || error.code === 'temporarily_unavailable')
  );
}

export async function linkToTracker({ service, owner, param, fields }: OwnerVisit): Promise<Reply> {
  const link = { ownerId: owner.ownerId, trackerId: Number(param) };
  const [messageId, event] = [fields.get('message'), fields.get('event') ?? ''];
  try {
    if (messageId !== null) await service.trackers.linkMessage({ ...link, messageId });
    else if (/^[1-9]\d{0,8}$/.test(event))
      await service.trackers.linkEvent({ ...link, eventId: Number(event) });
    else return notFoundPage();
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid_message_id') return notFoundPage();
    if (!isUpstream(error)) throw error;
    return problemPage(502, 'Nothing was linked', FAILED);
  }
  return redirect(`/trackers/${param}?notice=linked`);
}
