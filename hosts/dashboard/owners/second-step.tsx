import { Field, Form, Problems, SubmitOrLeave } from '../forms/forms.tsx';
import { type PageReply, page } from '../visit.ts';
import { type PasskeyOffer, PasskeySignIn } from './sign-in.tsx';

/** Asks for what the owner shows besides the password. The page has no address of its own: it answers the password. */
export function secondStepPage(shown: {
  token: string;
  /** The page to open afterwards. */
  next: string;
  /** Of the sign-in that the password began. */
  ticket: string;
  /** Undefined: browsers have no passkeys here. */
  passkey: PasskeyOffer | undefined;
  problem?: string;
  status?: number;
}): PageReply {
  return page(
    'Second step',
    <section class="narrow centered">
      <h1>Second step</h1>
      <Problems problems={shown.problem === undefined ? [] : [shown.problem]} />
      <p>
        Your password is right. Now enter the code that your authenticator app shows, or one of your recovery
        codes. If you have a passkey, you can use it instead.
      </p>
      <Form action="/sign-in/second-step" token={shown.token} proves="password">
        <input type="hidden" name="next" value={shown.next} />
        <input type="hidden" name="ticket" value={shown.ticket} />
        <CodeField name="code" />
        <SubmitOrLeave submit="Sign in" leave="Cancel" to="/sign-in" />
      </Form>
      <PasskeySignIn token={shown.token} next={shown.next} offer={shown.passkey} />
    </section>,
    shown.status,
  );
}

/** Takes a code of the authenticator app, or a recovery code. */
export function CodeField({ name, focus = true }: { name: string; focus?: boolean }) {
  return (
    <Field
      label="Code from your authenticator app, or a recovery code"
      name={name}
      required
      autofocus={focus}
      autocomplete="one-time-code"
      autocapitalize="characters"
      maxLength={40}
    />
  );
}
