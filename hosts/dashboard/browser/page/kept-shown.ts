import { SHOWN_FIELD } from '../../forms/shown-field.ts';
import { keyOf } from './changed-elements.ts';
import { elements, fieldOf } from './elements.ts';

/** A form that shows the same as before has been shown since then. */
export function keepShown(page: Document): void {
  const fieldsOf = (form: HTMLFormElement) =>
    JSON.stringify(
      elements(HTMLInputElement, `input:not([name=${SHOWN_FIELD}])`, form).map((field) => [
        field.name,
        field.getAttribute('value'),
      ]),
    );
  for (const fresh of elements(HTMLInputElement, `input[name=${SHOWN_FIELD}]`, page)) {
    const freshForm = fresh.form;
    if (freshForm === null) continue;
    const form = [...document.forms].find((one) => keyOf(one) === keyOf(freshForm));
    if (form === undefined || fieldsOf(form) !== fieldsOf(freshForm)) continue;
    const shown = fieldOf(form, SHOWN_FIELD);
    if (shown !== undefined) fresh.setAttribute('value', shown.value);
  }
}
