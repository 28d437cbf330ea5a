import { PRESETS } from '../../../core/keys/permissions.ts';
import { programScheme, receivingHost } from '../../../core/keys/sign-in/redirect-uri.ts';
import { type SignInRequest, signInName } from '../../../core/keys/sign-in/request.ts';
import { Form, Problems } from '../forms/forms.tsx';
import { LinkOut, SubmitTo } from '../links.tsx';
import { problemPage } from '../problem.tsx';
import { Quoted } from '../third-party-text.tsx';
import { type OwnerVisit, page, type Reply } from '../visit.ts';
import { confirmDirect } from './confirm-direct.tsx';
import { AccountFields, readFences } from './fence-fields.tsx';
import { PermissionFields, permissionForm, readModes } from './permission-fields.tsx';

/** The field that names the assistant, so that the page that asks for the password shows it too. */
const ASSISTANT = 'assistant';

/** Asks the owner whether an assistant may sign in. The browser comes from the sign-in host. */
export async function signInRequestPage(visit: OwnerVisit, problems: readonly string[] = []): Promise<Reply> {
  const { service, owner, param, token, fields } = visit;
  const request = service.signIns.find(param);
  if (request === undefined) return tooOld();
  const accounts = await service.accounts.list(owner.ownerId);
  const read = readFences(fields, owner.timezone);
  const path = `/integrations/sign-in/${param}`;
  return page(
    'Sign-in of an assistant',
    <section class="narrow">
      <h1>Let this assistant in?</h1>
      <Problems problems={problems} />
      <Asking request={request} />
      <dl class="facts">
        <div>
          <dt>Your account here</dt>
          <dd>
            <Quoted text={owner.email} />
          </dd>
        </div>
      </dl>
      <p>
        Allow it only if you have just started this yourself. You can withdraw it at any time under
        Integrations.
      </p>
      <Form action={`${path}/allow`} token={token} label="Sign-in">
        <input type="hidden" name={ASSISTANT} value={signInName(request)} />
        <AccountFields
          of="sign-in"
          chosen={'fences' in read ? read.fences.accounts : null}
          accounts={accounts}
        />
        <PermissionFields plan={owner.plan} fields={fields} />
        <div class="decision">
          <button type="submit">Allow</button>
          <SubmitTo to={`${path}/deny`} class="outline secondary">
            Deny
          </SubmitTo>
        </div>
      </Form>
    </section>,
    problems.length === 0 ? 200 : 422,
  );
}

/** First what is certain, then what the assistant says. */
function Asking({ request }: { request: SignInRequest }) {
  const { clientName, documentHost, redirectUri } = request;
  const receiver = receivingHost(redirectUri);
  const scheme = programScheme(redirectUri);
  return (
    <>
      <dl class="facts">
        <div>
          <dt>The access goes to</dt>
          <dd id="receiver">
            <strong>
              <Receiver request={request} />
            </strong>
          </dd>
        </div>
        <div>
          <dt>Vouched for by</dt>
          <dd id="voucher">{documentHost === null ? 'nobody' : <Quoted text={documentHost} />}</dd>
        </div>
        <div>
          <dt>It calls itself</dt>
          <dd>
            “<Quoted text={clientName} />”
          </dd>
        </div>
      </dl>
      {receiver === undefined ? (
        <p class="note">
          Any program on this computer can use this name
          {scheme !== undefined && (
            <>
              , and can register for <Quoted text={scheme} /> addresses
            </>
          )}
          .
        </p>
      ) : documentHost === null ? (
        <p class="note">Nobody has checked the name. Rely on the host.</p>
      ) : null}
    </>
  );
}

function Receiver({ request: { redirectUri } }: { request: SignInRequest }) {
  const host = receivingHost(redirectUri);
  if (host !== undefined) return <Quoted text={host} />;
  const scheme = programScheme(redirectUri);
  if (scheme === undefined) return <>a program on this computer</>;
  return (
    <>
      the program on this computer that opens <Quoted text={scheme} /> addresses
    </>
  );
}

export async function allowSignIn(visit: OwnerVisit): Promise<Reply> {
  const { service, owner, param, fields } = visit;
  const request = service.signIns.find(param);
  // The page that asks for the password shows this field. It must not name a different assistant.
  if (request === undefined || fields.get(ASSISTANT) !== signInName(request)) return tooOld();
  const form = permissionForm.safeParse({
    preset: fields.get('preset') ?? '',
    days: fields.get('days') ?? '',
  });
  if (!form.success) {
    return signInRequestPage(visit, [...new Set(form.error.issues.map((issue) => issue.message))]);
  }
  const modes = readModes(fields);
  if (modes === undefined) return signInRequestPage(visit, ['Modes: choose one from each list.']);
  const read = readFences(fields, owner.timezone);
  if ('problems' in read) return signInRequestPage(visit, read.problems);
  const asks = confirmDirect(visit, request.clientName, PRESETS[form.data.preset].modes, modes);
  if (asks !== undefined) return asks;
  const allowed = await service.signIns.allow({
    ownerId: owner.ownerId,
    request: param,
    ...form.data,
    modes,
    accounts: read.fences.accounts,
  });
  return allowed === undefined ? tooOld() : goBack(request, allowed.goTo, 'You have let the assistant in.');
}

export async function denySignIn({ service, param }: OwnerVisit): Promise<Reply> {
  const request = service.signIns.find(param);
  const denied = service.signIns.deny(param);
  if (request === undefined || denied === undefined) return tooOld();
  return goBack(request, denied.goTo, 'You have denied the sign-in. Nothing was granted.');
}

/**
 * Sends the browser back by a page instead of a redirect: the policy of the page with the form allows no redirect of
 * the form to another host, and a link opens programs that a browser does not open by itself.
 */
function goBack({ redirectUri }: SignInRequest, goTo: string, done: string): Reply {
  const receiver = receivingHost(redirectUri);
  const reply = page(
    'Back to the assistant',
    <section class="narrow">
      <h1>Back to the assistant</h1>
      <p role="status">{done}</p>
      <p>
        <LinkOut class="button-like" to={goTo}>
          Continue to {receiver === undefined ? 'the program' : <Quoted text={receiver} />}
        </LinkOut>
      </p>
    </section>,
  );
  return { ...reply, goTo };
}

function tooOld(): Reply {
  return problemPage(
    404,
    'Nothing was granted',
    'This request is too old, or was changed on its way. Start the sign-in again in the assistant.',
  );
}
