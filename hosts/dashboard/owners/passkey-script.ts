/**
 * The part of the page's script that creates and uses passkeys. It shows their forms, which nobody can use without it, and
 * fills in what the authenticator answers. The other part then signs and sends the form.
 */
export const PASSKEY_SCRIPT = `(() => {
  'use strict';
  if (!('PublicKeyCredential' in window)) return;
  const base64url = (bytes) =>
    btoa(String.fromCharCode(...new Uint8Array(bytes)))
      .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  const bytesOf = (text) =>
    Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
  const textBytes = (text) => new TextEncoder().encode(text);

  async function created({ challenge, host, handle, email, exclude, algorithms }) {
    const { response } = await navigator.credentials.create({
      publicKey: {
        challenge: textBytes(challenge),
        rp: { id: host, name: 'Countersign' },
        user: { id: bytesOf(handle), name: email, displayName: email },
        pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        excludeCredentials: exclude.map((id) => ({ type: 'public-key', id: bytesOf(id) })),
      },
    });
    return {
      client: base64url(response.clientDataJSON),
      data: base64url(response.getAuthenticatorData()),
      key: base64url(response.getPublicKey()),
    };
  }

  async function used({ challenge, host }) {
    const { id, response } = await navigator.credentials.get({
      publicKey: { challenge: textBytes(challenge), rpId: host, userVerification: 'required' },
    });
    return {
      id,
      user: base64url(response.userHandle),
      client: base64url(response.clientDataJSON),
      data: base64url(response.authenticatorData),
      signature: base64url(response.signature),
    };
  }

  function prepare(form) {
    const options = JSON.parse(form.dataset.passkey);
    const status = form.querySelector('[role="status"]');
    form.hidden = false;
    form.querySelector('button').addEventListener('click', async () => {
      if (!form.reportValidity()) return;
      status.textContent = '';
      try {
        const answer = await (options.handle ? created : used)(options);
        form.querySelector('[data-answer]').value = JSON.stringify(answer);
        form.requestSubmit();
      } catch (error) {
        status.textContent =
          error.name === 'InvalidStateError'
            ? 'This device already has a passkey for you.'
            : 'No passkey was used. Try again, or go another way.';
      }
    });
  }

  // The passkey answers for what the page shows, and the same press sends the form.
  async function prove(button) {
    const { form } = button;
    const answer = form.querySelector('[data-answer]');
    const status = form.querySelector('[role="status"]');
    status.hidden = true;
    try {
      answer.value = JSON.stringify(await used(JSON.parse(button.dataset.proves)));
    } catch {
      status.hidden = false;
      return;
    }
    form.requestSubmit(button);
  }
  document.addEventListener('click', (event) => {
    const button = event.target.closest?.('button[data-proves]');
    if (!button) return;
    event.preventDefault();
    if (button.form.reportValidity()) prove(button);
  });

  document.addEventListener('DOMContentLoaded', () => {
    for (const form of document.querySelectorAll('form[data-passkey]')) prepare(form);
  });
})();
`;
