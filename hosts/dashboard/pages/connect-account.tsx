import type { ComponentChildren } from 'preact';
import * as z from 'zod';
import { ServiceError } from '../../../core/contract/errors.ts';
import type { CalendarInfo } from '../../../core/ports/calendar.ts';
import { MailError } from '../../../core/ports/mail.ts';
import {
  ACCOUNT_FIELD_NAMES,
  type CalendarFields,
  type FoundServers,
  readAccount,
  readAddress,
  SECURITY_TITLES,
  type ServerFields,
  serverTexts,
} from '../account-fields.ts';
import { Choice, Field, Form, Problems } from '../forms.tsx';
import { Link } from '../links.tsx';
import { Quoted } from '../third-party-text.tsx';
import { visibleText } from '../visible-text.ts';
import {
  type DashboardOptions,
  type OwnerVisit,
  type PageReply,
  page,
  type Reply,
  redirect,
} from '../visit.ts';
import { accountsPage } from './accounts.tsx';

// An account is connected in three steps: its address; its servers, found or typed, which the owner confirms; and
// only then its password. Every step carries what was typed before it. Where there are several calendars the owner
// picks one and types the password again: no page carries it.

/** Looks for the servers of the address. */
export const findServers = whereOffered(async (visit) => {
  const { discover } = visit.options;
  const address = readAddress(visit.fields);
  if (address.kind === 'wrong') return accountsPage(visit, address.problems);
  const found = await discover?.(address.email);
  return found?.kind === 'unusable' ? accountsPage(visit, [found.reason]) : serversPage(visit, { found });
});

/** Shows the servers as they were typed so far, to be typed by hand. */
export const showServers = whereOffered(async (visit) => {
  const address = readAddress(visit.fields);
  return address.kind === 'wrong' ? accountsPage(visit, address.problems) : serversPage(visit, {});
});

/** The owner has confirmed the servers. */
export const askPassword = whereOffered(async (visit) => passwordPage(visit, {}));

export const connectAccount = whereOffered(async (visit, accountSettings) => {
  const { fields, service, owner } = visit;
  const account = readAccount(fields);
  if (account.kind === 'wrong') return serversPage(visit, { problems: account.problems });
  const { email, label, signature, servers } = account;
  const password = fields.get('password') ?? '';
  if (password === '') {
    return passwordPage(visit, { problems: ['Password: it is needed to sign in to the servers.'] });
  }
  try {
    const settings = accountSettings({ ...servers, password });
    if (servers.caldav !== undefined && servers.caldav.writeTo === undefined) {
      const all = await service.accounts.calendars({ ownerId: owner.ownerId, email, settings });
      const calendars = all.filter(({ writable }) => writable);
      if (calendars.length > 1) return passwordPage(visit, { calendars });
    }
    await service.accounts.connect({
      ownerId: owner.ownerId,
      email,
      ...(label === '' ? {} : { label }),
      ...(signature === '' ? {} : { signature }),
      settings,
    });
  } catch (error) {
    return passwordPage(visit, { problems: problemsOf(error) });
  }
  return redirect('/accounts?notice=account_connected');
});

/** What there is to show of a search. */
type Shown = Exclude<FoundServers, { kind: 'unusable' }>;

type AccountSettings = NonNullable<DashboardOptions['accountSettings']>;

/** Where accounts cannot be connected, the page of the accounts says so. */
function whereOffered(step: (visit: OwnerVisit, accountSettings: AccountSettings) => Promise<Reply>) {
  return async (visit: OwnerVisit): Promise<Reply> => {
    const { accountSettings } = visit.options;
    if (accountSettings === undefined) return { ...(await accountsPage(visit)), status: 403 };
    return step(visit, accountSettings);
  };
}

const MAIL_PROBLEMS: Record<MailError['code'], string> = {
  auth: 'The server does not accept this user and password.',
  refused: 'The server refused.',
  unavailable: 'The server could not be reached, or did not answer in time.',
  not_found: 'The server has no such mailbox.',
  outcome_unknown: 'The server did not answer to the end.',
  not_started: 'Signing in was not begun.',
  conflict: 'The server says that what is there has changed.',
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

function serversPage(
  { token, fields }: OwnerVisit,
  { found, problems = [] }: { found?: Shown | undefined; problems?: readonly string[] },
): PageReply {
  const servers = found?.kind === 'found' ? found : undefined;
  const notes = servers?.notes ?? fields.getAll('note');
  const shown = new Map(fields);
  if (servers?.caldav !== undefined) {
    shown.set('caldav_url', servers.caldav.url);
    shown.set('caldav_user', servers.caldav.user);
  }
  if (servers !== undefined) {
    for (const [name, text] of [...serverTexts('imap', servers.imap), ...serverTexts('smtp', servers.smtp)]) {
      shown.set(name, text);
    }
  }
  return page(
    'Connect account',
    <section>
      <h1>Connect account</h1>
      <Finding found={found} email={fields.get('email') ?? ''} />
      <Notes notes={notes} />
      <Form action="/accounts/password" token={token} label="Servers">
        <Problems problems={problems} />
        <Kept fields={fields} names={['email', 'label']} />
        <KeptNotes notes={notes} />
        <Server title="IMAP" which="imap" shown={shown} otherwise={['993', 'tls']}>
          <Source of={servers?.imap.source} />
        </Server>
        <Server title="SMTP" which="smtp" shown={shown} otherwise={['465', 'tls']}>
          <Source of={servers?.smtp.source} />
        </Server>
        <Calendar shown={shown}>
          <Source of={servers?.caldav?.source} />
        </Calendar>
        <Field
          label="Certificate fingerprint"
          name="fingerprint"
          value={shown.get('fingerprint') ?? ''}
          placeholder="SHA-256, for a private certificate"
        />
        <label>
          Signature
          <textarea name="signature" rows={3} placeholder="stands under every mail that is sent">
            {shown.get('signature') ?? ''}
          </textarea>
        </label>
        <p class="quiet">The password is asked for next. Nothing has been sent to these servers yet.</p>
        <div class="decision">
          <button type="submit">Use these servers</button>
          <Link class="button-like" to="/accounts">
            Cancel
          </Link>
        </div>
      </Form>
    </section>,
    problems.length === 0 ? 200 : 422,
  );
}

/** What came of looking for the servers; without that, what is to be typed. */
function Finding({ found, email }: { found: Shown | undefined; email: string }) {
  if (found?.kind === 'found') {
    return (
      <p>
        These servers were found for <Quoted text={email} />. The password will go to them: make sure that
        they are your provider's.
      </p>
    );
  }
  return (
    <>
      <p>
        {found === undefined ? null : 'No servers were found. '}
        Type the servers of <Quoted text={email} />, as your provider names them.
      </p>
      {found === undefined ? null : (
        <details>
          <summary>What was tried</summary>
          <ul id="tried">
            {found.tried.map((line) => (
              <li>{line}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function Server(props: {
  title: 'IMAP' | 'SMTP';
  which: 'imap' | 'smtp';
  shown: ReadonlyMap<string, string>;
  /** Port and security where nothing was typed. */
  otherwise: readonly [port: string, security: string];
  children: ComponentChildren;
}) {
  const { title, which, shown } = props;
  const [port, security] = props.otherwise;
  return (
    <fieldset>
      <legend>
        {title}, for {which === 'imap' ? 'reading' : 'sending'}
      </legend>
      {props.children}
      <div class="columns">
        <Field
          label={`${title} host`}
          name={`${which}_host`}
          value={shown.get(`${which}_host`) ?? ''}
          required
        />
        <Field
          label={`${title} port`}
          name={`${which}_port`}
          value={shown.get(`${which}_port`) ?? port}
          type="number"
          min={1}
          max={65_535}
          required
        />
        <Choice
          id={`${which}-security`}
          label={`${title} security`}
          name={`${which}_security`}
          value={shown.get(`${which}_security`) ?? security}
          options={Object.entries(SECURITY_TITLES)}
        />
        <Field
          label={`${title} user`}
          name={`${which}_user`}
          value={shown.get(`${which}_user`) ?? ''}
          placeholder="the email address"
        />
      </div>
    </fieldset>
  );
}

function Calendar({ shown, children }: { shown: ReadonlyMap<string, string>; children: ComponentChildren }) {
  return (
    <fieldset>
      <legend>CalDAV, for the calendar</legend>
      {children}
      <div class="columns">
        <Field
          label="Calendar address"
          name="caldav_url"
          value={shown.get('caldav_url') ?? ''}
          placeholder="https://…; empty: no calendar"
        />
        <Field
          label="Calendar user"
          name="caldav_user"
          value={shown.get('caldav_user') ?? ''}
          placeholder="the email address"
        />
      </div>
      <p class="quiet">An account works without a calendar: then its address stays empty.</p>
    </fieldset>
  );
}

function Source({ of: source }: { of: string | undefined }) {
  return source === undefined ? null : <p class="quiet source">from {source}</p>;
}

function passwordPage(
  visit: OwnerVisit,
  { problems = [], calendars = [] }: { problems?: readonly string[]; calendars?: readonly CalendarInfo[] },
): PageReply {
  const { token, fields } = visit;
  const account = readAccount(fields);
  if (account.kind === 'wrong') return serversPage(visit, { problems: account.problems });
  const { email, servers } = account;
  const notes = fields.getAll('note');
  return page(
    'Connect account',
    <section>
      <h1>Connect account</h1>
      <Problems problems={problems} />
      <dl class="facts">
        <ServerFact title="IMAP, for reading" server={servers.imap} />
        <ServerFact title="SMTP, for sending" server={servers.smtp} />
        <CalendarFact calendar={servers.caldav} />
        {servers.fingerprint === undefined ? null : (
          <div>
            <dt>Certificate</dt>
            <dd>
              only the one with the SHA-256 fingerprint <code>{servers.fingerprint}</code>
            </dd>
          </div>
        )}
      </dl>
      <Notes notes={notes} />
      <Form action="/accounts" token={token} label="Connect account" class="narrow">
        <Kept fields={fields} names={ACCOUNT_FIELD_NAMES.filter((name) => !isChosenHere(name, calendars))} />
        <KeptNotes notes={notes} />
        <CalendarChoice calendars={calendars} />
        <Field label="Email" name="email" type="email" value={email} readonly autocomplete="username" />
        <Field label="Password" name="password" type="password" required autocomplete="new-password" />
        <p class="quiet">
          It goes to these servers only, and is kept sealed. Each is signed in to first; nothing is saved when
          that fails.
        </p>
        <button type="submit">Connect account</button>
      </Form>
      <div class="actions">
        <Form action="/accounts/servers" token={token} label="Change the servers">
          <Kept fields={fields} names={ACCOUNT_FIELD_NAMES} />
          <KeptNotes notes={notes} />
          <button type="submit" class="outline secondary">
            Change the servers
          </button>
        </Form>
      </div>
    </section>,
    problems.length === 0 ? 200 : 422,
  );
}

function isChosenHere(name: string, calendars: readonly CalendarInfo[]): boolean {
  return name === 'email' || (name === 'caldav_calendar' && calendars.length > 0);
}

/** The names are the server's: a stranger's words, in a list of which one is taken. */
function CalendarChoice({ calendars }: { calendars: readonly CalendarInfo[] }) {
  const [first] = calendars;
  if (first === undefined) return null;
  return (
    <>
      <p>
        The calendar server accepted the password, and has several calendars. Pick the one that new events are
        put into, and type the password once more. All of them are read.
      </p>
      <Choice
        id="caldav-calendar"
        label="Calendar for new events"
        name="caldav_calendar"
        value={first.calendar}
        options={calendars.map(({ calendar, name }) => [calendar, visibleText(name)])}
      />
    </>
  );
}

function CalendarFact({ calendar }: { calendar: CalendarFields | undefined }) {
  return (
    <div>
      <dt>CalDAV, for the calendar</dt>
      <dd>
        {calendar === undefined ? (
          'none'
        ) : (
          <>
            <strong>
              <Quoted text={calendar.url} />
            </strong>
            , user <Quoted text={calendar.user} />
          </>
        )}
      </dd>
    </div>
  );
}

function ServerFact({ title, server }: { title: string; server: ServerFields }) {
  const { host, port, security, user } = server;
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        <strong>
          <Quoted text={host} />
        </strong>
        , port {port}, security {SECURITY_TITLES[security]}, user <Quoted text={user} />
      </dd>
    </div>
  );
}

/** What was typed in another step, carried along. */
function Kept({ fields, names }: { fields: URLSearchParams; names: readonly string[] }) {
  return (
    <>
      {names.map((name) => (
        <input type="hidden" name={name} value={fields.get(name) ?? ''} />
      ))}
    </>
  );
}

/** What the owner should know of the provider: of use above all where the password is asked for. */
function Notes({ notes }: { notes: readonly string[] }) {
  if (notes.length === 0) return null;
  return (
    <ul class="note" id="notes">
      {notes.map((note) => (
        <li>{note}</li>
      ))}
    </ul>
  );
}

function KeptNotes({ notes }: { notes: readonly string[] }) {
  return (
    <>
      {notes.map((note) => (
        <input type="hidden" name="note" value={note} />
      ))}
    </>
  );
}
