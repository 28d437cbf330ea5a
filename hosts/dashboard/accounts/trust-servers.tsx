import { Kept, KeptNotes } from '../forms/carried-fields.tsx';
import { Form, Problems } from '../forms/forms.tsx';
import { SubmitTo } from '../links.tsx';
import { Quoted } from '../third-party-text.tsx';
import { type OwnerVisit, type PageReply, page } from '../visit.ts';
import { ACCOUNT_FIELD_NAMES, type AccountServers, type ProbedServer } from './account-fields.ts';
import { fingerprintText, impostorText, SERVER_TITLES, serverAddress } from './server-words.ts';

type Untrusted = Extract<ProbedServer, { kind: 'untrusted' }>;

/** Shows the certificates that cannot be verified, before any password is sent. The owner may trust each one. */
export function trustPage(
  { token, fields }: OwnerVisit,
  servers: AccountServers,
  untrusted: readonly Untrusted[],
): PageReply {
  const offered = untrusted.filter(({ isKnown }) => !isKnown);
  const names = ACCOUNT_FIELD_NAMES.filter(
    (name) => !offered.some(({ server }) => name === `${server}_fingerprint`),
  );
  const isPossible = offered.length === untrusted.length;
  return page(
    'Trust the servers',
    <section class="narrow">
      <h1>Trust the servers?</h1>
      <p>
        Nothing was sent to them yet. If the server is your own, compare the SHA-256 fingerprint with the one
        that the server shows. If it is not, do not go on.
      </p>
      <Problems
        problems={untrusted
          .filter(({ isKnown }) => isKnown)
          .map(
            ({ server, because }) =>
              `${SERVER_TITLES[server]}: ${impostorText(because)} It cannot be trusted here.`,
          )}
      />
      <Form action="/accounts/password" token={token} label="Trust the servers">
        <Kept fields={fields} names={names} />
        <KeptNotes notes={fields.getAll('note')} />
        {offered.map(({ server, fingerprint, because }) => (
          <fieldset>
            <legend>
              {SERVER_TITLES[server]}, <Quoted text={serverAddress(servers, server)} />
            </legend>
            <p>Its certificate is not verified, because {because}.</p>
            <label class="trust">
              <input type="checkbox" name={`${server}_fingerprint`} value={fingerprint} required />{' '}
              <span>
                Trust this one: <code>{fingerprintText(fingerprint)}</code>
              </span>
            </label>
          </fieldset>
        ))}
        <div class="decision">
          {isPossible ? <button type="submit">Continue</button> : null}
          <SubmitTo to="/accounts/servers" class="outline secondary" formNoValidate>
            Change the servers
          </SubmitTo>
        </div>
      </Form>
    </section>,
    422,
  );
}
