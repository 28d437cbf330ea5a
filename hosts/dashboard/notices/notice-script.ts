/**
 * The part of the page's script that turns on notices in this browser. It subscribes only when the owner presses the
 * button. It fills in the form with the subscription, which the other part then signs and sends. A page that opens closes
 * the notices that are still shown.
 */
export const NOTICE_SCRIPT = `(() => {
  'use strict';
  const { worker } = document.currentScript.dataset;
  if (worker === undefined || !('serviceWorker' in navigator)) return;
  const scope = worker.slice(0, worker.lastIndexOf('/') + 1);
  const registered = () => navigator.serviceWorker.getRegistration(scope);

  async function closeShown() {
    const registration = await registered();
    for (const shown of (await registration?.getNotifications()) ?? []) shown.close();
  }

  const base64url = (bytes) =>
    btoa(String.fromCharCode(...new Uint8Array(bytes)))
      .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  const bytesOf = (text) =>
    Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));

  async function subscribe(key) {
    const registration = await navigator.serviceWorker.register(worker, { scope });
    if (await Notification.requestPermission() !== 'granted') return undefined;
    await navigator.serviceWorker.ready;
    // One of an earlier key does not work any more.
    const before = await registration.pushManager.getSubscription();
    const used = before?.options.applicationServerKey;
    if (before && used && base64url(used) === key) return before;
    await before?.unsubscribe();
    return registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytesOf(key) });
  }

  async function turnOn(form, say) {
    const subscription = await subscribe(form.dataset.pushKey);
    if (subscription === undefined) return say('This browser does not allow notices from this site. Allow them in its settings.');
    const fields = {
      endpoint: subscription.endpoint,
      p256dh: base64url(subscription.getKey('p256dh')),
      auth: base64url(subscription.getKey('auth')),
    };
    for (const [name, value] of Object.entries(fields)) form.elements.namedItem(name).value = value;
    form.requestSubmit();
  }

  async function prepare() {
    const form = document.querySelector('form[data-push-key]');
    if (form === null || !('PushManager' in window) || !('Notification' in window)) return;
    const status = document.getElementById('push-status');
    const say = (text) => {
      status.textContent = text;
    };
    say('');
    form.hidden = false;
    form.querySelector('button').addEventListener('click', () => {
      say('One moment.');
      turnOn(form, say).catch(() => say('The browser could not subscribe to notices.'));
    });
    const subscription = await (await registered())?.pushManager.getSubscription();
    if (!subscription) return;
    const known = document.querySelector('[data-endpoint="' + CSS.escape(subscription.endpoint) + '"]');
    known?.querySelector('.this-browser')?.removeAttribute('hidden');
  }

  document.addEventListener('DOMContentLoaded', () => {
    closeShown().catch(() => undefined);
    prepare().catch(() => undefined);
  });
})();
`;
