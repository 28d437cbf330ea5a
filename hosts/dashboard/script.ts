/**
 * The part of the page's script that signs forms, with a key of this browser and origin. Without it, or if it fails,
 * the form is sent unsigned and the dashboard asks for the password. It is a string, so it survives any bundler.
 * `form-proof.ts` says what is signed.
 */
export const SCRIPT = `(() => {
  'use strict';
  if (typeof HTMLFormElement.prototype.requestSubmit !== 'function') return;
  const { session, key } = document.currentScript.dataset;
  const KEPT = 8;
  let state = 'idle';

  const result = (request) =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const base64url = (bytes) =>
    btoa(String.fromCharCode(...new Uint8Array(bytes)))
      .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  const lines = (text) => text.replace(/\\r\\n|\\r|\\n/g, '\\r\\n');

  async function inStore(mode, work) {
    const opening = indexedDB.open('countersign', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore('keys', { keyPath: 'publicKey' });
    const database = await result(opening);
    try {
      const transaction = database.transaction('keys', mode);
      const done = new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onabort = () => reject(transaction.error);
      });
      const worked = await work(transaction.objectStore('keys'));
      await done;
      return worked;
    } finally {
      database.close();
    }
  }

  // For signing in and confirming the password. Pages name their session's key, so older keys do no harm.
  async function newKey() {
    const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify']);
    const publicKey = base64url(await crypto.subtle.exportKey('raw', pair.publicKey));
    await inStore('readwrite', async (keys) => {
      const known = await result(keys.getAll());
      known.sort((one, other) => other.madeAt - one.madeAt);
      for (const old of known.slice(KEPT - 1)) keys.delete(old.publicKey);
      keys.put({ publicKey, privateKey: pair.privateKey, madeAt: Date.now() });
    });
    return publicKey;
  }

  async function proofOf(form, submitter) {
    const { privateKey } = await inStore('readonly', (keys) => result(keys.get(key)));
    const nonce = base64url(crypto.getRandomValues(new Uint8Array(16)));
    const fields = [...new FormData(form)]
      .filter(([name]) => name !== 'form_proof')
      .map(([name, value]) => [lines(name), lines(value)]);
    const action = submitter?.getAttribute('formaction') ?? form.getAttribute('action');
    const { pathname } = new URL(action, location.href);
    const text = JSON.stringify(
      ['countersign form 1', location.origin, session, 'POST', pathname, nonce, fields]);
    const signature = await crypto.subtle.sign(
      { name: 'ECDSA', hash: 'SHA-256' }, privateKey, new TextEncoder().encode(text));
    return nonce + '.' + base64url(signature);
  }

  async function prepare(form, submitter) {
    const proof = form.elements.namedItem('form_proof');
    if (proof !== null) proof.value = await proofOf(form, submitter);
    const publicKey = form.elements.namedItem('proof_key');
    if (publicKey !== null) publicKey.value = await newKey();
  }

  document.addEventListener('submit', (event) => {
    const { target: form, submitter } = event;
    // It only chooses what the page shows, so there is nothing to sign.
    if (form.method === 'get') return;
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
    prepare(form, submitter)
      .catch(() => undefined)
      .then(() => {
        state = 'ready';
        form.requestSubmit(submitter);
        // The browser rejected a field.
        if (state === 'ready') state = 'idle';
      });
  });
  // The page was restored from the browser's cache.
  addEventListener('pageshow', () => {
    state = 'idle';
  });
})();
`;
