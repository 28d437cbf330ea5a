import { type NoticeMessage, TEST_NOTICE, waitingText } from '../../../../core/ports/notice-message.ts';
import { APPROVAL_ID } from '../../requests/approval-id.ts';

/**
 * The service worker. It shows notices that were pushed to this browser, and opens the page of what waits. It reads no
 * request of the pages and keeps nothing. A message carries a count and at most one id: the text is made here.
 */

declare const self: ServiceWorkerGlobalScope;

/** What can be used of a message. */
interface Read {
  /** Undefined: they cannot be read. */
  readonly counts: { readonly waiting: number; readonly toMend: number } | undefined;
  readonly hasAccessChanged: boolean;
  readonly id: string | undefined;
}

const NOTHING: Read = { counts: undefined, hasAccessChanged: false, id: undefined };
const ID = new RegExp(`^${APPROVAL_ID}$`);

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
const isFields = (value: unknown): value is { readonly [Name in keyof NoticeMessage]?: unknown } =>
  typeof value === 'object' && value !== null;

function readMessage(data: PushMessageData | null): Read {
  let message: unknown;
  try {
    message = data?.json();
  } catch {
    return NOTHING;
  }
  if (!isFields(message)) return NOTHING;
  const { waiting, approval_id: id, accounts_to_mend: toMend = 0, access_changed } = message;
  return {
    counts: isCount(waiting) && isCount(toMend) ? { waiting, toMend } : undefined,
    hasAccessChanged: access_changed === true,
    id: typeof id === 'string' && ID.test(id) ? id : undefined,
  };
}

function textOf({ counts, hasAccessChanged }: Read): string {
  if (counts === undefined) return 'Requests may wait for your decision.';
  if (counts.waiting + counts.toMend === 0 && !hasAccessChanged) return TEST_NOTICE;
  return waitingText({ ...counts, hasAccessChanged });
}

/** The page to open, from the worker's scope. */
function pageOf({ counts, hasAccessChanged, id }: Read): string {
  if (hasAccessChanged) return 'settings';
  if (counts?.waiting === 0 && counts.toMend > 0) return 'accounts';
  return id === undefined ? 'approvals' : `approvals/${id}`;
}

function show(message: Read): Promise<void> {
  // A variable, because TypeScript does not know `renotify`.
  const options = {
    body: textOf(message),
    // One notice at a time: a later one replaces it.
    tag: 'waiting',
    renotify: true,
    data: pageOf(message),
  };
  return self.registration.showNotification('Countersign', options);
}

async function open(page: string): Promise<WindowClient | null> {
  const { href } = new URL(page, self.registration.scope);
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const found = pages.find(({ url }) => url === href);
  return found === undefined ? self.clients.openWindow(href) : found.focus();
}

self.addEventListener('install', () => void self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('push', (event) => event.waitUntil(show(readMessage(event.data))));
self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(String(event.notification.data)));
});
