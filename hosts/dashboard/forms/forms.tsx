import type { ComponentChildren, JSX } from 'preact';
import type { PublicBase } from '../../http/public-base.ts';
import { Base, Link } from '../links.tsx';
import { DATA } from '../page-protocol.ts';
import { KEY_FIELD, PROOF_FIELD } from './signed-form.ts';

/**
 * Every form of the dashboard: posts the form token that the handler checks; the script fills in the rest.
 * `proves`: `signature` by the session's key, or `password`, which vouches for a new key. `action` has no query.
 */
export function Form(props: {
  action: string;
  token: string;
  proves?: 'signature' | 'password';
  class?: string;
  /** For buttons that stand outside of it. */
  id?: string;
  label?: string;
  /** The script subscribes to notices with this key and fills in the form. Hidden without the script. */
  pushKey?: string;
  /** The script lets a passkey fill in the form, with these options (JSON). Hidden without the script. */
  passkey?: string;
  children: ComponentChildren;
}) {
  return (
    <Base.Consumer>
      {(base: PublicBase) => (
        <form
          method="post"
          action={base.path(props.action)}
          class={props.class}
          id={props.id}
          aria-label={props.label}
          {...{ [DATA.pushKey]: props.pushKey, [DATA.passkey]: props.passkey }}
          hidden={props.pushKey !== undefined || props.passkey !== undefined}
        >
          <input type="hidden" name="form_token" value={props.token} />
          <input type="hidden" name={props.proves === 'password' ? KEY_FIELD : PROOF_FIELD} />
          {props.children}
        </form>
      )}
    </Base.Consumer>
  );
}

/** A form that only chooses what its page shows: its fields become the query of the address. */
export function SearchForm(props: { action: string; label: string; children: ComponentChildren }) {
  return (
    <Base.Consumer>
      {(base: PublicBase) => (
        <form method="get" action={base.path(props.action)} aria-label={props.label}>
          {props.children}
        </form>
      )}
    </Base.Consumer>
  );
}

/** A labelled input. Browsers do not autofill it unless `autocomplete` says otherwise. */
export function Field({ label, ...input }: { label: string } & JSX.IntrinsicElements['input']) {
  return (
    <label>
      {label}
      <input autocomplete="off" spellcheck={false} {...input} />
    </label>
  );
}

/**
 * Options are `[value, text]`. The label stands beside the list: if it wrapped the list, the texts of the options would
 * become part of its name.
 */
export function Choice(props: {
  /** Unique on the page. */
  id: string;
  label: ComponentChildren;
  name: string;
  options: readonly (readonly [value: string, text: string])[];
  value: string;
}) {
  return (
    <div>
      <label for={props.id}>{props.label}</label>
      <select id={props.id} name={props.name}>
        {props.options.map(([value, text]) => (
          <option value={value} selected={value === props.value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

/**
 * The end of a form: the button that submits it, and the link that leaves it without a change.
 * `children`: buttons that stand between the two.
 */
export function SubmitOrLeave(props: {
  submit: ComponentChildren;
  /** The text of the link. */
  leave: string;
  /** The page behind the link. */
  to: string;
  children?: ComponentChildren;
}) {
  return (
    <div class="decision">
      <button type="submit">{props.submit}</button>
      {props.children}
      <Link class="button-like" to={props.to}>
        {props.leave}
      </Link>
    </div>
  );
}

/** The problems of a form, shown above it. Renders nothing if there are none. */
export function Problems({ problems }: { problems: readonly string[] }) {
  if (problems.length === 0) return null;
  return (
    <div class="problem" role="alert">
      {problems.map((problem) => (
        <p>{problem}</p>
      ))}
    </div>
  );
}
