import { APPROVAL_ID } from '../requests/approval-id.ts';

/**
 * The service worker. It shows notices that were pushed to this browser, and opens the page of what waits. It reads no
 * request of the pages and keeps nothing. A message carries a count and at most one id: the text is made here.
 */
export const SERVICE_WORKER = `'use strict';
addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));

function readMessage(data) {
  try {
    const { waiting, approval_id: id, accounts_to_mend: toMend = 0, access_changed: access = false } = data.json();
    const isCount = (number) => Number.isSafeInteger(number) && number >= 0;
    return {
      waiting: isCount(waiting) && isCount(toMend) ? waiting : undefined,
      toMend,
      access: access === true,
      id: typeof id === 'string' && /^${APPROVAL_ID}$/.test(id) ? id : undefined,
    };
  } catch {
    return {};
  }
}

function textOf(waiting, toMend, access) {
  if (waiting === undefined) return 'Requests may wait for your decision.';
  if (waiting + toMend === 0 && !access) return 'This is a test. Notices of Countersign arrive here.';
  const requests = waiting === 1 ? '1 request waits for your decision.' : waiting + ' requests wait for your decision.';
  const accounts = toMend === 1 ? '1 account does not work until you mend it.' : toMend + ' accounts do not work until you mend them.';
  const changed = 'How you sign in has changed. Check under Settings that it was you.';
  return [access ? changed : '', waiting === 0 ? '' : requests, toMend === 0 ? '' : accounts].filter((text) => text !== '').join(' ');
}

addEventListener('push', (event) => {
  const { waiting, id, toMend, access } = readMessage(event.data);
  event.waitUntil(registration.showNotification('Countersign', {
    body: textOf(waiting, toMend, access),
    // One notice at a time: a later one replaces it.
    tag: 'waiting',
    renotify: true,
    data: access ? 'settings' : waiting === 0 && toMend > 0 ? 'accounts' : id === undefined ? 'approvals' : 'approvals/' + id,
  }));
});

addEventListener('notificationclick', (event) => {
  event.notification.close();
  const { href } = new URL(event.notification.data, registration.scope);
  event.waitUntil((async () => {
    const pages = await clients.matchAll({ type: 'window', includeUncontrolled: true });
    const open = pages.find((page) => page.url === href);
    return open === undefined ? clients.openWindow(href) : open.focus();
  })());
});
`;
