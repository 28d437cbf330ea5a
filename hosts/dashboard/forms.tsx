import type { ComponentChildren, JSX } from 'preact';
import { KEY_FIELD, PROOF_FIELD } from './form-proof.ts';

/**
 * Every form of the dashboard: posted, with the token that the handler asks for. The script fills in the rest.
 * `proves`: `signature`, with the session's key; or `password`, which vouches for a new key. An address has no query.
 */
export function Form(props: {
  action: string;
  token: string;
  proves?: 'signature' | 'password';
  class?: string;
  label?: string;
  children: ComponentChildren;
}) {
  return (
    <form method="post" action={props.action} class={props.class} aria-label={props.label}>
      <input type="hidden" name="form_token" value={props.token} />
      <input type="hidden" name={props.proves === 'password' ? KEY_FIELD : PROOF_FIELD} />
      {props.children}
    </form>
  );
}

/** One line to fill in. Browsers remember nothing of it unless `autocomplete` says otherwise. */
export function Field({ label, ...input }: { label: string } & JSX.IntrinsicElements['input']) {
  return (
    <label>
      {label}
      <input autocomplete="off" spellcheck={false} {...input} />
    </label>
  );
}

/**
 * Options are `[value, what it says]`. The label stands beside the list, not around it: around it, the texts of the
 * options would be part of its name.
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

/** What is wrong with a form, above it; nothing where nothing is. */
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
