import type { ComponentChildren } from 'preact';
import { Kept, KeptNotes, Notes } from '../forms/carried-fields.tsx';
import { Choice, Field, Form, Problems, SubmitOrLeave } from '../forms/forms.tsx';
import { Quoted } from '../third-party-text.tsx';
import { type OwnerVisit, type PageReply, page } from '../visit.ts';
import { type FoundServers, SECURITY_TITLES, serverTexts } from './account-fields.ts';

/** The result of a search for servers that the page can show. */
type Shown = Exclude<FoundServers, { kind: 'unusable' }>;

/** The servers of an account, to be confirmed or typed. */
export function serversPage(
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
        <Kept
          fields={fields}
          names={[
            ...['email', 'label', 'account', 'caldav_calendar'],
            ...['imap_fingerprint', 'smtp_fingerprint', 'caldav_fingerprint'],
          ]}
        />
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
          placeholder="optional: the next page shows it"
        />
        <label>
          Signature
          <textarea name="signature" rows={3} placeholder="optional: goes below every message that is sent">
            {shown.get('signature') ?? ''}
          </textarea>
        </label>
        <p class="quiet">
          Nothing has been sent to these servers yet. You enter the password on a later page.
        </p>
        <SubmitOrLeave submit="Use these servers" leave="Cancel" to="/accounts" />
      </Form>
    </section>,
    problems.length === 0 ? 200 : 422,
  );
}

/** The result of the search; without a search, what to type. */
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
  /** Port and security if nothing was typed. */
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
          autofocus={which === 'imap' && !shown.has('imap_host')}
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
