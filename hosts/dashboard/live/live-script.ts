import { SHOWN_FIELD } from '../forms/shown-since.tsx';
import { ENDED_CODE, REFRESH_HEADER } from './live-protocol.ts';

/**
 * The part of the page's script that keeps an open page up to date. A socket reports how many requests wait and the
 * version of all of them, never content. If the page shows requests and its version differs, the script fetches the page
 * again by its own address and changes what differs. Elements that stay the same are not touched, so typed text, focus
 * and scroll position stay. Without the socket it fetches the page every half minute. It asks for no socket where the
 * server takes none: a browser reports each refusal as a fault of the page.
 */
export const LIVE_SCRIPT = `(() => {
  'use strict';
  const { worker, socket: path, version: shownVersion, refresh: shownRefresh } = document.currentScript.dataset;
  // Only pages of a signed-in owner have one.
  if (worker === undefined) return;
  const ENDED = ${ENDED_CODE};
  const FIRST_MS = 1000;
  const MOST_MS = 30000;
  const SENDING_MS = 5000;
  const address = path && new URL(path, location.href);
  if (address) address.protocol = address.protocol.replace('http', 'ws');

  // Undefined: the page shows no requests.
  let version = shownVersion;
  let refreshS = Number(shownRefresh ?? 0);
  let waiting = 0;
  let socket;
  let failures = 0;
  let loading = 'idle';
  let connectTimer;
  let refreshTimer;
  let sentAt = -SENDING_MS;
  let renderedAt = performance.now();

  const delayMs = (tries) => Math.min(MOST_MS, FIRST_MS * 2 ** (tries - 1)) * (0.5 + Math.random() / 2);
  const prefixOf = (count) => (count === 0 ? '' : '(' + count + ') ');
  const countIn = (page) => Number(page.getElementById('waiting-count').textContent);

  // Says it once: in the navigation, in the title, and to a screen reader.
  function show(count) {
    if (count === waiting) return;
    document.title = prefixOf(count) + document.title.slice(prefixOf(waiting).length);
    waiting = count;
    document.getElementById('waiting-count').textContent = count === 0 ? '' : String(count);
    document.getElementById('announcement').textContent =
      count === 0 ? 'No request waits for you.'
      : count === 1 ? '1 request waits for you.'
      : count + ' requests wait for you.';
  }

  const keyOf = (node) => node.id || (node.nodeName === 'FORM' && node.getAttribute('action')) || '';

  function matchOf(fresh, next) {
    const key = keyOf(fresh);
    const isSame = (node) => node.nodeName === fresh.nodeName && keyOf(node) === key;
    for (let node = next; node !== null; node = node.nextSibling) {
      if (isSame(node) && (key !== '' || node.isEqualNode(fresh))) return node;
    }
    return key === '' && next !== null && isSame(next) ? next : undefined;
  }

  // Changes a node into a fresh one, and never moves a node: that would take its focus.
  function become(node, fresh) {
    if (node.isEqualNode(fresh)) return;
    if (node.nodeType !== Node.ELEMENT_NODE) {
      node.nodeValue = fresh.nodeValue;
      return;
    }
    for (const name of node.getAttributeNames()) {
      // The owner opened it, or the script lets it wait.
      if (!fresh.hasAttribute(name) && !['open', 'aria-disabled'].includes(name)) node.removeAttribute(name);
    }
    for (const { name, value } of fresh.attributes) {
      if (node.getAttribute(name) !== value) node.setAttribute(name, value);
    }
    let next = node.firstChild;
    const removeUntil = (end) => {
      while (next !== end) {
        const after = next.nextSibling;
        next.remove();
        next = after;
      }
    };
    for (const child of fresh.childNodes) {
      const match = matchOf(child, next);
      if (match === undefined) {
        node.insertBefore(document.importNode(child, true), next);
      } else {
        removeUntil(match);
        next = match.nextSibling;
        become(match, child);
      }
    }
    removeUntil(null);
  }

  // A form that shows the same as before has been shown since then.
  function keepShown(page) {
    const fieldsOf = (form) =>
      JSON.stringify([...form.querySelectorAll('input:not([name=${SHOWN_FIELD}])')]
        .map((field) => [field.name, field.getAttribute('value')]));
    for (const fresh of page.querySelectorAll('input[name=${SHOWN_FIELD}]')) {
      const form = [...document.forms].find((one) => keyOf(one) === keyOf(fresh.form));
      if (form === undefined || fieldsOf(form) !== fieldsOf(fresh.form)) continue;
      fresh.setAttribute('value', form.elements.namedItem('${SHOWN_FIELD}').value);
    }
  }

  const isTyped = () =>
    [...document.querySelectorAll('main input:not([type=hidden]), main textarea')]
      .some((field) => field.value !== field.defaultValue || field.checked !== field.defaultChecked);

  // The owner chooses among what this page shows, so it only says that something has changed.
  function tellOfChanges(line, page) {
    const idsIn = (from) => [...from.querySelectorAll('#members > li')].map(({ id }) => id);
    const [shown, now] = [idsIn(document), idsIn(page)];
    const added = now.filter((id) => !shown.includes(id)).length;
    const gone = shown.filter((id) => !now.includes(id)).length;
    const counts = [[added, 'new'], [gone, 'decided or withdrawn']].filter(([count]) => count > 0);
    line.hidden = counts.length === 0;
    const link = document.createElement('a');
    link.href = location.href;
    link.textContent = 'Show them as they are now';
    line.replaceChildren(counts.map((words) => words.join(' ')).join(', ') + '. ', link);
  }

  // The server's words, counted on.
  function relativeTime(seconds) {
    const away = Math.abs(seconds);
    for (const [unit, one, from] of [['day', 86400, 172800], ['hour', 3600, 3600], ['minute', 60, 60]]) {
      if (away < from) continue;
      const count = Math.round(away / one);
      const words = count + ' ' + unit + (count === 1 ? '' : 's');
      return seconds < 0 ? words + ' ago' : 'in ' + words;
    }
    return seconds > 0 ? 'in less than a minute' : 'just now';
  }
  setInterval(() => {
    const passedS = (performance.now() - renderedAt) / 1000;
    for (const time of document.querySelectorAll('time[data-from-now]')) {
      time.textContent = relativeTime(Number(time.dataset.fromNow) - passedS);
    }
  }, 30000);

  // The owner is signed out. The page goes to the sign-in, unless that would lose what was typed.
  function leave() {
    if (!isTyped()) location.reload();
  }

  async function load() {
    const headers = { '${REFRESH_HEADER}': '1' };
    const response = await fetch(location.href, { redirect: 'manual', cache: 'no-store', headers });
    if (response.type === 'opaqueredirect') return leave();
    if (response.status === 429 || response.status >= 500) throw new Error('not now');
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const script = page.querySelector('script[data-worker]');
    if (script === null) return leave();
    // Its fields must stay as they were signed.
    if (Date.now() - sentAt < SENDING_MS) throw new Error('not now');
    const line = document.getElementById('changed');
    if (line === null) {
      keepShown(page);
      become(document.querySelector('main'), page.querySelector('main'));
      renderedAt = performance.now();
    } else {
      tellOfChanges(line, page);
    }
    show(countIn(page));
    document.title = page.title;
    version = script.dataset.version;
    refreshS = Number(script.dataset.refresh ?? 0);
  }

  async function refresh(tries = 1) {
    if (loading !== 'idle') {
      loading = 'again';
      return;
    }
    clearTimeout(refreshTimer);
    let nextMs = 0;
    do {
      loading = 'once';
      try {
        await load();
        tries = 1;
        nextMs = refreshS * 1000;
      } catch {
        // The server is away or busy, or a form is being sent.
        nextMs = delayMs(tries);
        tries += 1;
      }
    } while (loading === 'again' && tries === 1);
    loading = 'idle';
    if (nextMs > 0) refreshTimer = setTimeout(refresh, nextMs, tries);
  }

  function connect() {
    clearTimeout(connectTimer);
    if (socket !== undefined || !address) return;
    socket = new WebSocket(address);
    socket.onmessage = ({ data }) => {
      failures = 0;
      const now = JSON.parse(data);
      show(now.waiting);
      if (version !== undefined && version !== now.version) refresh();
    };
    socket.onclose = ({ code }) => {
      socket = undefined;
      if (code === ENDED) return leave();
      failures += 1;
      // There is no socket to be had: at least keep the page fresh.
      if (failures > 1 && version !== undefined) refresh();
      connectTimer = setTimeout(connect, delayMs(failures));
    };
  }

  document.addEventListener('submit', () => {
    sentAt = Date.now();
  }, true);
  document.addEventListener('DOMContentLoaded', () => {
    waiting = countIn(document);
    if (refreshS > 0) refreshTimer = setTimeout(refresh, refreshS * 1000);
    if (!address && version !== undefined) setInterval(refresh, MOST_MS);
    connect();
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') connect();
  });
  addEventListener('online', connect);
  // A page with an open socket cannot go to the browser's cache.
  addEventListener('pagehide', () => {
    if (socket === undefined) return;
    socket.onclose = null;
    // The browser drops one that is not open yet, and would report a close as a fault.
    if (socket.readyState === WebSocket.OPEN) socket.close();
    socket = undefined;
  });
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) connect();
  });
})();
`;
