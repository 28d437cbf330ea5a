import type { VNode } from 'preact';
import type { SecondStepView } from '../../../core/owners/second-steps.ts';
import { Field, Form, Problems, SubmitOrLeave } from '../forms/forms.tsx';
import { notFoundPage } from '../problem.tsx';
import { type OwnerVisit, type PageReply, page, type Reply, redirect } from '../visit.ts';
import { When } from '../when.tsx';
import { PasskeyRow } from './passkey-settings.tsx';
import { QrCode } from './qr-code.tsx';
import { inGroups, recoveryCodesPage } from './recovery-codes.tsx';
import { SettingsRow } from './settings-row.tsx';

/** What the owner shows besides the password, on the settings page. */
export function SecondStepSection(props: {
  shown: SecondStepView | null;
  token: string;
  zone: string;
  /** The form that adds a passkey, or why there is none. */
  newPasskey: VNode;
  /** The host name of this page. */
  host: string | undefined;
}) {
  const { shown, token, zone, newPasskey, host } = props;
  return (
    <section aria-labelledby="second-step">
      <h2 id="second-step">Second step</h2>
      <p class="quiet">
        What you show after your password when you sign in, and when Countersign asks for your password again.
        With it, somebody who learns your password cannot use it.
      </p>
      {shown === null ? (
        <p>
          <strong>Off.</strong> The password alone is enough.
        </p>
      ) : (
        <ul class="rows">
          {shown.app === null ? null : (
            <SettingsRow
              title="Authenticator app"
              button="Remove the app"
              action="/settings/authenticator/remove"
              token={token}
            >
              added <When at={shown.app.addedAt} zone={zone} />
            </SettingsRow>
          )}
          {shown.passkeys.map((passkey) => (
            <PasskeyRow passkey={passkey} token={token} zone={zone} host={host} />
          ))}
          <SettingsRow
            title="Recovery codes"
            button="Create new codes"
            action="/settings/recovery-codes"
            token={token}
          >
            {codesLeft(shown.recoveryCodesLeft)}
          </SettingsRow>
        </ul>
      )}
      <div class="actions">
        <Form action="/settings/authenticator" token={token}>
          <button type="submit" class="outline">
            {shown === null || shown.app === null ? 'Set up an authenticator app' : 'Move to another app'}
          </button>
        </Form>
      </div>
      {newPasskey}
    </section>
  );
}

function codesLeft(count: number): string {
  if (count === 0) return 'All are used. Create new ones now.';
  return `${count} left. Each one works once.`;
}

export async function setUpAuthenticatorApp(visit: OwnerVisit): Promise<Reply> {
  const { service, owner, session, token } = visit;
  if (session.kind === 'app') return notFoundPage();
  const { setup, secret, uri } = await service.secondSteps.newApp(owner.ownerId);
  return setupPage(
    { token, setup },
    <>
      <ol>
        <li>
          Install an authenticator app on your phone if you have none. Any app for one-time codes works.
        </li>
        <li>
          Scan this code with the app, or type the key below it. Anyone who sees it can create your codes.
        </li>
        <li>Enter the code that the app then shows.</li>
      </ol>
      <QrCode text={uri} label="QR code for your authenticator app" />
      <p>
        <code class="secret" id="authenticator-key">
          {inGroups(secret)}
        </code>
      </p>
    </>,
  );
}

export async function addAuthenticatorApp(visit: OwnerVisit): Promise<Reply> {
  const { service, owner, session, token, fields } = visit;
  if (session.kind === 'app') return notFoundPage();
  const setup = fields.get('setup') ?? '';
  const added = await service.secondSteps.addApp(owner.ownerId, setup, fields.get('code') ?? '');
  if (added === 'wrong_code') {
    const problem =
      'The code is wrong. Enter the one that the app shows now. If it stays wrong, check the clock of your phone.';
    return setupPage({ token, setup, problem });
  }
  if (added === 'over') return redirect('/settings?notice=set_up_again');
  if (added.recoveryCodes === null) return redirect('/settings?notice=app_added');
  return recoveryCodesPage('The authenticator app is added.', added.recoveryCodes);
}

export async function removeAuthenticatorApp({ service, owner, session }: OwnerVisit): Promise<Reply> {
  if (session.kind === 'app') return notFoundPage();
  await service.secondSteps.removeApp(owner.ownerId);
  return redirect('/settings?notice=app_removed');
}

export async function renewRecoveryCodes({ service, owner, session }: OwnerVisit): Promise<Reply> {
  if (session.kind === 'app') return notFoundPage();
  const codes = await service.secondSteps.newRecoveryCodes(owner.ownerId);
  if (codes === undefined) return redirect('/settings');
  return recoveryCodesPage('These codes replace the ones before.', codes);
}

function setupPage(
  { token, setup, problem }: { token: string; setup: string; problem?: string },
  steps: VNode | null = null,
): PageReply {
  return page(
    'Authenticator app',
    <section class="narrow">
      <h1>Set up an authenticator app</h1>
      <Problems problems={problem === undefined ? [] : [problem]} />
      {steps}
      <Form action="/settings/authenticator/add" token={token}>
        <input type="hidden" name="setup" value={setup} />
        <Field
          label="Code"
          name="code"
          required
          inputMode="numeric"
          autocomplete="one-time-code"
          maxLength={10}
        />
        <SubmitOrLeave submit="Add the app" leave="Cancel" to="/settings" />
      </Form>
    </section>,
    problem === undefined ? 200 : 422,
  );
}
