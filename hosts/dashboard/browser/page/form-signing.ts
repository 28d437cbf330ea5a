import { KEY_FIELD, PROOF_FIELD, signedText } from '../../forms/signed-form.ts';
import { base64url } from './base64url.ts';
import { fieldOf } from './elements.ts';
import { newFormKey, signWithKey } from './form-keys.ts';
import { scriptData } from './script-data.ts';

/**
 * Signs forms with a key of this browser and origin. Without this, or if it fails, the form is sent unsigned and the
 * dashboard asks for the password.
 */

async function proofOf(form: HTMLFormElement, submitter: HTMLElement | null): Promise<string> {
  const [sessionId, key] = [scriptData('session'), scriptData('key')];
  if (sessionId === undefined || key === undefined) throw new Error('the session has no key');
  const nonce = base64url(crypto.getRandomValues(new Uint8Array(16)));
  const fields = [...new FormData(form)]
    .filter(([name]) => name !== PROOF_FIELD)
    // A form sends the name of a file.
    .map(([name, value]) => [name, typeof value === 'string' ? value : value.name] as const);
  const action = submitter?.getAttribute('formaction') ?? form.getAttribute('action') ?? '';
  const { pathname: path } = new URL(action, location.href);
  const text = signedText({ origin: location.origin, sessionId, path, fields }, nonce);
  return `${nonce}.${base64url(await signWithKey(key, text))}`;
}

async function prepare(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  const proof = fieldOf(form, PROOF_FIELD);
  if (proof !== undefined) proof.value = await proofOf(form, submitter);
  const publicKey = fieldOf(form, KEY_FIELD);
  if (publicKey !== undefined) publicKey.value = await newFormKey();
}

let state: 'idle' | 'preparing' | 'ready' | 'sent' = 'idle';

function submitted(event: SubmitEvent): void {
  const { target: form, submitter } = event;
  // It only chooses what the page shows, so there is nothing to sign.
  if (!(form instanceof HTMLFormElement) || form.method === 'get') return;
  if (state === 'ready') {
    state = 'sent';
    // If the page did not load, the owner may try again.
    setTimeout(() => {
      state = 'idle';
    }, 3000);
    return;
  }
  event.preventDefault();
  // Ignore the second click of a double click.
  if (state !== 'idle') return;
  state = 'preparing';
  const send = () => {
    state = 'ready';
    form.requestSubmit(submitter);
    // The browser rejected a field.
    if (state === 'ready') state = 'idle';
  };
  // Later, because a browser ignores it while it still tells others of this event.
  void prepare(form, submitter)
    .catch(() => undefined)
    .then(() => setTimeout(send));
}

export function signForms(): void {
  if (typeof HTMLFormElement.prototype.requestSubmit !== 'function') return;
  document.addEventListener('submit', submitted);
  // The page was restored from the browser's cache.
  addEventListener('pageshow', () => {
    state = 'idle';
  });
}
