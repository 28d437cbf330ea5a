import { ENDED_CODE, type LiveMessage } from '../../live/live-protocol.ts';
import { DATA, ID } from '../../page-protocol.ts';
import { timeFromNow } from '../../time-from-now.ts';
import { become } from './changed-elements.ts';
import { tellOfChanges } from './changed-members.ts';
import { hasFields, isNumber, isText, readJson } from './checked.ts';
import { elements, firstElement } from './elements.ts';
import { documentIn, fetchPage } from './fetched-page.ts';
import { keepShown } from './kept-shown.ts';
import { dataOf, scriptData } from './script-data.ts';
import { countIn, readCount, showCount } from './waiting-count.ts';

/**
 * Keeps an open page up to date. A socket reports how many requests wait and the version of all of them, never content.
 * If the page shows requests and its version differs, the script fetches the page again by its own address and changes
 * what differs, so typed text, focus and scroll position stay. Without the socket it fetches the page every half minute.
 * It asks for no socket where the server takes none: a browser reports each refusal as a fault of the page.
 */

const FIRST_MS = 1000;
const MOST_MS = 30_000;
const SENDING_MS = 5000;

const isLiveMessage = hasFields<LiveMessage>({ waiting: isNumber, version: isText });

/** Undefined: the page shows no requests. */
let version = scriptData('version');
let refreshS = Number(scriptData('refresh') ?? 0);
let socket: WebSocket | undefined;
let failures = 0;
let isLoading = false;
/** Something has changed since the page began to load. */
let isOutdated = false;
let connectTimer: number | undefined;
let refreshTimer: number | undefined;
let sentAt = -SENDING_MS;
let renderedAt = performance.now();

const socketAddress = addressOf(scriptData('socket'));

function addressOf(path: string | undefined): URL | undefined {
  if (path === undefined) return undefined;
  const address = new URL(path, location.href);
  address.protocol = address.protocol.replace('http', 'ws');
  return address;
}

const delayMs = (tries: number) => Math.min(MOST_MS, FIRST_MS * 2 ** (tries - 1)) * (0.5 + Math.random() / 2);

function isTyped(): boolean {
  return (
    elements(HTMLInputElement, 'main input:not([type=hidden])').some(
      (field) => field.value !== field.defaultValue || field.checked !== field.defaultChecked,
    ) ||
    elements(HTMLTextAreaElement, 'main textarea').some(({ value, defaultValue }) => value !== defaultValue)
  );
}

function renewTimes(): void {
  const passedS = (performance.now() - renderedAt) / 1000;
  for (const time of elements(HTMLTimeElement, `time[${DATA.fromNow}]`)) {
    time.textContent = timeFromNow(Number(time.getAttribute(DATA.fromNow)) - passedS);
  }
}

/** The owner is signed out. The page goes to the sign-in, unless that would lose what was typed. */
function leave(): void {
  if (!isTyped()) location.reload();
}

function mainOf(page: Document): HTMLElement {
  const main = firstElement(HTMLElement, 'main', page);
  if (main === undefined) throw new Error('no main');
  return main;
}

async function load(): Promise<void> {
  const response = await fetchPage(location.href);
  if (response.type === 'opaqueredirect') return leave();
  if (response.status === 429 || response.status >= 500) throw new Error('not now');
  const page = await documentIn(response);
  const script = elements(HTMLScriptElement, 'script', page).find(
    (one) => dataOf(one, 'worker') !== undefined,
  );
  if (script === undefined) return leave();
  // Its fields must stay as they were signed.
  if (Date.now() - sentAt < SENDING_MS) throw new Error('not now');
  const line = document.getElementById(ID.changed);
  if (line === null) {
    keepShown(page);
    become(mainOf(document), mainOf(page));
    renderedAt = performance.now();
  } else {
    tellOfChanges(line, page);
  }
  showCount(countIn(page));
  document.title = page.title;
  version = dataOf(script, 'version');
  refreshS = Number(dataOf(script, 'refresh') ?? 0);
}

async function refresh(tries = 1): Promise<void> {
  if (isLoading) {
    isOutdated = true;
    return;
  }
  isLoading = true;
  clearTimeout(refreshTimer);
  let nextMs = 0;
  do {
    isOutdated = false;
    try {
      await load();
      tries = 1;
      nextMs = refreshS * 1000;
    } catch {
      // The server is away or busy, or a form is being sent.
      nextMs = delayMs(tries);
      tries += 1;
    }
  } while (isOutdated && tries === 1);
  isLoading = false;
  if (nextMs > 0) refreshTimer = setTimeout(() => void refresh(tries), nextMs);
}

function connect(): void {
  clearTimeout(connectTimer);
  if (socket !== undefined || socketAddress === undefined) return;
  socket = new WebSocket(socketAddress);
  socket.onmessage = ({ data }) => {
    failures = 0;
    const now = readJson(data, isLiveMessage);
    showCount(now.waiting);
    if (version !== undefined && version !== now.version) void refresh();
  };
  socket.onclose = ({ code }) => {
    socket = undefined;
    if (code === ENDED_CODE) return leave();
    failures += 1;
    // There is no socket to be had: at least keep the page fresh.
    if (failures > 1 && version !== undefined) void refresh();
    connectTimer = setTimeout(connect, delayMs(failures));
  };
}

function disconnect(): void {
  if (socket === undefined) return;
  socket.onclose = null;
  // The browser drops one that is not open yet, and would report a close as a fault.
  if (socket.readyState === WebSocket.OPEN) socket.close();
  socket = undefined;
}

export function keepUpToDate(): void {
  // Only pages of a signed-in owner have one.
  if (scriptData('worker') === undefined) return;
  setInterval(renewTimes, 30_000);
  document.addEventListener(
    'submit',
    () => {
      sentAt = Date.now();
    },
    true,
  );
  document.addEventListener('DOMContentLoaded', () => {
    readCount();
    if (refreshS > 0) refreshTimer = setTimeout(() => void refresh(), refreshS * 1000);
    if (socketAddress === undefined && version !== undefined) setInterval(() => void refresh(), MOST_MS);
    connect();
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') connect();
  });
  addEventListener('online', connect);
  // A page with an open socket cannot go to the browser's cache.
  addEventListener('pagehide', disconnect);
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) connect();
  });
}
