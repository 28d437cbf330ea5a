import type { ComponentChildren } from 'preact';
import { Form } from '../forms/forms.tsx';

/** A row of the settings page: its title, a button beside it, and its facts below. */
export function SettingsRow(props: {
  title: ComponentChildren;
  /** The text of the button. */
  button: string;
  /** Where the button posts to. */
  action: string;
  token: string;
  children: ComponentChildren;
}) {
  return (
    <li>
      <div class="row-head">
        <strong>{props.title}</strong>
        <div class="actions">
          <Form action={props.action} token={props.token}>
            <button type="submit" class="outline secondary">
              {props.button}
            </button>
          </Form>
        </div>
      </div>
      <div class="quiet">{props.children}</div>
    </li>
  );
}
