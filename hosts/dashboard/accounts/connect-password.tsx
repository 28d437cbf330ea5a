import type { CalendarInfo } from '../../../core/ports/calendar.ts';
import { Kept, KeptNotes, Notes } from '../forms/carried-fields.tsx';
import { Choice, Field, Form, Problems } from '../forms/forms.tsx';
import { Quoted } from '../third-party-text.tsx';
import { visibleText } from '../visible-text.ts';
import { type OwnerVisit, type PageReply, page } from '../visit.ts';
import {
  ACCOUNT_FIELD_NAMES,
  type CalendarFields,
  readAccount,
  SECURITY_TITLES,
  type ServerFields,
} from './account-fields.ts';
import { serversPage } from './connect-servers.tsx';

/** The confirmed servers, with a field for the password. */
export function passwordPage(
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
        <Field
          label="Password"
          name="password"
          type="password"
          required
          autofocus
          autocomplete="new-password"
        />
        <p class="quiet">
          Countersign sends it to these servers only, and stores it encrypted. It signs in to each server
          first, and saves nothing if a mail server refuses. A calendar can be connected later.
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

/** The names come from the server: untrusted text. */
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
