import { isIP } from 'node:net';
import type { ComponentChildren } from 'preact';
import type { PasskeyRequest, SecondStepView } from '../../../core/owners/second-steps.ts';
import { PASSKEY_ALGORITHMS, type PasskeyPlace } from '../../../core/secrets/webauthn.ts';
import { Form } from '../forms/forms.tsx';
import { DATA } from '../page-protocol.ts';
import type { OwnerVisit, Visit } from '../visit.ts';
import type { NewPasskeyOptions, PasskeyOptions } from './passkey-options.ts';

/** What a passkey answered, in every form that one sends. */
export const PASSKEY_FIELD = 'owner_passkey';

/**
 * Where this page uses passkeys. Undefined if browsers allow none here. They need a host name, and https unless it is
 * localhost. Source: W3C Web Authentication, section 5.1.3; W3C Secure Contexts, section 3.1.
 */
export function passkeyPlace({ origin }: Pick<Visit, 'origin'>): PasskeyPlace | undefined {
  const { protocol, hostname } = new URL(origin);
  if (isIP(hostname) !== 0 || hostname.startsWith('[')) return undefined;
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost');
  return protocol === 'https:' || isLocal ? { origin, host: hostname } : undefined;
}

/** The same, if the owner has a passkey that works here. */
export function usedPasskeyPlace(
  visit: Pick<Visit, 'origin'>,
  secondStep: SecondStepView | null,
): PasskeyPlace | undefined {
  const place = passkeyPlace(visit);
  return secondStep?.passkeys.some(({ host }) => host === place?.host) === true ? place : undefined;
}

/** What binds a challenge to the browser and to its purpose. @param secret  what only this browser sends */
export function challengeBinding(
  purpose: 'sign_in' | 'confirm' | 'approve' | 'create',
  secret: string,
): string {
  return `${purpose} ${secret}`;
}

/** The same for a new passkey. Undefined in a session of the app. */
export function newPasskeyBinding({ session }: Pick<OwnerVisit, 'session'>): string | undefined {
  return session.kind === 'own' ? challengeBinding('create', session.stored.id) : undefined;
}

/** A form that a passkey fills in. Hidden without the script, and in browsers without passkeys. */
export function PasskeyForm(props: {
  action: string;
  token: string;
  label: string;
  button: string;
  place: PasskeyPlace;
  challenge: string;
  /** For a new passkey. */
  creates?: PasskeyRequest & { readonly email: string };
  children?: ComponentChildren;
}) {
  const { place, challenge, creates } = props;
  const facts: PasskeyOptions = { challenge, host: place.host };
  const options: PasskeyOptions | NewPasskeyOptions =
    creates === undefined
      ? facts
      : {
          ...facts,
          handle: Buffer.from(creates.handle, 'hex').toString('base64url'),
          email: creates.email,
          exclude: creates.exclude,
          algorithms: PASSKEY_ALGORITHMS,
        };
  return (
    <Form
      action={props.action}
      token={props.token}
      label={props.label}
      passkey={JSON.stringify(options)}
      {...(creates === undefined ? { proves: 'password' } : {})}
    >
      <input
        type="hidden"
        name={creates === undefined ? PASSKEY_FIELD : NEW_PASSKEY_FIELD}
        {...{ [DATA.answer]: true }}
      />
      {props.children}
      <button type="button" class="outline">
        {props.button}
      </button>
      <p role="status" />
    </Form>
  );
}

/** The answer of a new passkey. */
export const NEW_PASSKEY_FIELD = 'new_passkey';
