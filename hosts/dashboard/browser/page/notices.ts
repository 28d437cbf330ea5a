import { PUSH_FIELDS, type PushField } from '../../notices/push-fields.ts';
import { DATA, ID } from '../../page-protocol.ts';
import { base64url, bytesOf } from './base64url.ts';
import { elementWithId, fieldOf, firstElement } from './elements.ts';
import { scriptData } from './script-data.ts';

/**
 * Turns on notices in this browser. It subscribes only when the owner presses the button, and fills in the form with the
 * subscription, which is then signed and sent like other forms. A page that opens closes the notices that are still shown.
 */

const scopeOf = (worker: string) => worker.slice(0, worker.lastIndexOf('/') + 1);
const registered = (worker: string) => navigator.serviceWorker.getRegistration(scopeOf(worker));

async function closeShown(worker: string): Promise<void> {
  const registration = await registered(worker);
  for (const shown of (await registration?.getNotifications()) ?? []) shown.close();
}

/** @returns undefined if the owner or the browser does not allow notices */
async function subscribe(worker: string, key: string): Promise<PushSubscription | undefined> {
  const registration = await navigator.serviceWorker.register(worker, { scope: scopeOf(worker) });
  if ((await Notification.requestPermission()) !== 'granted') return undefined;
  await navigator.serviceWorker.ready;
  // One of an earlier key does not work any more.
  const before = await registration.pushManager.getSubscription();
  const used = before?.options.applicationServerKey;
  if (before && used && base64url(used) === key) return before;
  await before?.unsubscribe();
  return registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytesOf(key) });
}

async function turnOn(worker: string, form: HTMLFormElement, say: (text: string) => void): Promise<void> {
  const subscription = await subscribe(worker, form.getAttribute(DATA.pushKey) ?? '');
  if (subscription === undefined) {
    say('This browser does not allow notices from this site. Allow them in its settings.');
    return;
  }
  const values: Record<PushField, string> = {
    endpoint: subscription.endpoint,
    p256dh: base64url(subscription.getKey('p256dh')),
    auth: base64url(subscription.getKey('auth')),
  };
  for (const name of PUSH_FIELDS) {
    const field = fieldOf(form, name);
    if (field !== undefined) field.value = values[name];
  }
  form.requestSubmit();
}

async function prepare(worker: string): Promise<void> {
  const form = firstElement(HTMLFormElement, `form[${DATA.pushKey}]`);
  if (form === undefined || !('PushManager' in window) || !('Notification' in window)) return;
  const status = elementWithId(ID.pushStatus);
  const say = (text: string) => {
    status.textContent = text;
  };
  say('');
  form.hidden = false;
  form.querySelector('button')?.addEventListener('click', () => {
    say('One moment.');
    turnOn(worker, form, say).catch(() => say('The browser could not subscribe to notices.'));
  });
  const subscription = await (await registered(worker))?.pushManager.getSubscription();
  if (!subscription) return;
  const channel = document.querySelector(`[${DATA.endpoint}="${CSS.escape(subscription.endpoint)}"]`);
  channel?.querySelector('.this-browser')?.removeAttribute('hidden');
}

export function offerNotices(): void {
  const worker = scriptData('worker');
  if (worker === undefined || !('serviceWorker' in navigator)) return;
  document.addEventListener('DOMContentLoaded', () => {
    closeShown(worker).catch(() => undefined);
    prepare(worker).catch(() => undefined);
  });
}
