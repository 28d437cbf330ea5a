import type { PasskeyPlace } from '../../../core/secrets/webauthn.ts';
import { Field, Form, Problems } from '../forms/forms.tsx';
import { Notice } from '../notice.tsx';
import { type PageReply, page } from '../visit.ts';
import { PasskeyForm } from './passkeys.tsx';

export function signInPage(shown: {
  token: string;
  /** The page to open afterwards. */
  next: string;
  /** This page under the dashboard's own host name, if it was opened under another. */
  saferAddress: string | undefined;
  /** There is no owner yet. */
  isUnclaimed?: boolean;
  /** Undefined: browsers have no passkeys here. */
  passkey: PasskeyOffer | undefined;
  /** The code of what was just done. */
  notice?: string | null;
  email?: string;
  problem?: string;
  status?: number;
}): PageReply {
  return page(
    'Sign in',
    <section class="narrow centered">
      <h1>Sign in</h1>
      <Notice code={shown.notice ?? null} />
      {shown.isUnclaimed === true ? (
        <p class="note">
          There is no owner yet. Open the setup link that <code>countersign serve</code> printed, or run{' '}
          <code>countersign setup-link</code> on the server for a new one.
        </p>
      ) : (
        <SignInForms {...shown} />
      )}
      {shown.saferAddress === undefined ? null : (
        <p class="quiet">
          Safer: open <a href={shown.saferAddress}>{new URL(shown.saferAddress).host}</a>. At this address,
          the browser shares the session cookie with every other server you open on the same host name.
        </p>
      )}
    </section>,
    shown.status,
  );
}

function SignInForms(shown: {
  token: string;
  next: string;
  passkey: PasskeyOffer | undefined;
  email?: string;
  problem?: string;
}) {
  return (
    <>
      <Problems problems={shown.problem === undefined ? [] : [shown.problem]} />
      <Form action="/sign-in" token={shown.token} proves="password">
        <input type="hidden" name="next" value={shown.next} />
        <Field
          label="Email"
          name="email"
          type="email"
          required
          autocomplete="username"
          autofocus={shown.email === undefined}
          value={shown.email}
        />
        <Field
          label="Password"
          name="password"
          type="password"
          required
          autocomplete="current-password"
          autofocus={shown.email !== undefined}
        />
        <button type="submit">Sign in</button>
      </Form>
      <PasskeySignIn token={shown.token} next={shown.next} offer={shown.passkey} />
    </>
  );
}

/** What a browser needs to use a passkey. */
export interface PasskeyOffer {
  readonly place: PasskeyPlace;
  readonly challenge: string;
}

export function PasskeySignIn(props: { token: string; next: string; offer: PasskeyOffer | undefined }) {
  const { token, next, offer } = props;
  if (offer === undefined) return null;
  return (
    <PasskeyForm action="/sign-in/passkey" token={token} label="Passkey" button="Use a passkey" {...offer}>
      <input type="hidden" name="next" value={next} />
    </PasskeyForm>
  );
}

/** A path on the dashboard to continue with; anything else becomes the first page. */
export function safeNext(next: string | null): string {
  return next !== null && /^(\/[A-Za-z0-9_-]+)+$/.test(next) ? next : '/approvals';
}
