import type { NewPasskeyOptions, PasskeyOptions } from '../../owners/passkey-options.ts';
import { DATA } from '../../page-protocol.ts';
import { hasFields, isListOf, isNumber, isText, readJson } from './checked.ts';
import { clickedButton, elements, firstElement } from './elements.ts';
import { createPasskey, usePasskey } from './passkey-use.ts';

/**
 * Creates and uses passkeys. It shows their forms, which nobody can use without it, and fills in what the authenticator
 * answers. The form is then signed and sent like others.
 */

const USE = { challenge: isText, host: isText };
const isUse = hasFields<PasskeyOptions>(USE);
const isCreation = hasFields<NewPasskeyOptions>({
  ...USE,
  handle: isText,
  email: isText,
  exclude: isListOf(isText),
  algorithms: isListOf(isNumber),
});

/** What a form with a passkey consists of, besides the fields of its page. */
function partsOf(form: HTMLFormElement) {
  const answer = firstElement(HTMLInputElement, `[${DATA.answer}]`, form);
  const status = firstElement(HTMLElement, '[role="status"]', form);
  if (answer === undefined || status === undefined) throw new Error('not a form for passkeys');
  return { answer, status };
}

async function answerOf(options: PasskeyOptions): Promise<string> {
  return JSON.stringify(await (isCreation(options) ? createPasskey(options) : usePasskey(options)));
}

async function fillIn(form: HTMLFormElement, options: PasskeyOptions): Promise<void> {
  if (!form.reportValidity()) return;
  const { answer, status } = partsOf(form);
  status.textContent = '';
  try {
    answer.value = await answerOf(options);
    form.requestSubmit();
  } catch (error) {
    status.textContent =
      error instanceof Error && error.name === 'InvalidStateError'
        ? 'This device already has a passkey for you.'
        : 'No passkey was used. Try again, or go another way.';
  }
}

function prepare(form: HTMLFormElement): void {
  const options = readJson(form.getAttribute(DATA.passkey), isUse);
  form.hidden = false;
  form.querySelector('button')?.addEventListener('click', () => void fillIn(form, options));
}

/** The passkey answers for what the page shows, and the same press sends the form. */
async function prove(button: HTMLButtonElement, form: HTMLFormElement): Promise<void> {
  const { answer, status } = partsOf(form);
  status.hidden = true;
  try {
    const options = readJson(button.getAttribute(DATA.proves), isUse);
    answer.value = JSON.stringify(await usePasskey(options));
  } catch {
    status.hidden = false;
    return;
  }
  form.requestSubmit(button);
}

export function usePasskeys(): void {
  if (!('PublicKeyCredential' in window)) return;
  document.addEventListener('click', (event) => {
    const button = clickedButton(event, `button[${DATA.proves}]`);
    if (button === undefined) return;
    event.preventDefault();
    const { form } = button;
    if (form?.reportValidity()) void prove(button, form);
  });
  document.addEventListener('DOMContentLoaded', () => {
    for (const form of elements(HTMLFormElement, `form[${DATA.passkey}]`)) prepare(form);
  });
}
