import type { ProviderInfo, SignInState } from '../../../core/accounts/mail-sign-ins.ts';
import { Form } from '../forms/forms.tsx';
import { SubmitTo } from '../links.tsx';

// What the accounts page shows of sign-ins at providers of mailboxes.

/** Buttons in the form with the address. */
export function SignInButtons({ providers }: { providers: readonly ProviderInfo[] }) {
  return (
    <>
      {providers.map(({ id, name }) => (
        <SubmitTo to={`/accounts/sign-in/${id}`} class="outline secondary">
          Sign in with {name}
        </SubmitTo>
      ))}
    </>
  );
}

export function SignInLine({ state }: { state: SignInState | undefined }) {
  if (state === undefined) return null;
  if (!state.isWithdrawn) return <div class="quiet">signed in at {state.name}</div>;
  return (
    <p class="note">
      {state.name} has withdrawn the sign-in, so Countersign cannot reach this mailbox. Sign in again. What
      waits for you stays.
    </p>
  );
}

export function SignInAgain(props: { accountId: number; state: SignInState | undefined; token: string }) {
  const { accountId, state, token } = props;
  if (state === undefined) return null;
  return (
    <Form action={`/accounts/${accountId}/sign-in`} token={token}>
      <button type="submit" class={state.isWithdrawn ? undefined : 'outline secondary'}>
        Sign in again
      </button>
    </Form>
  );
}
