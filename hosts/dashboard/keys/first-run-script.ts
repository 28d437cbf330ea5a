import { REFRESH_HEADER } from '../live/live-protocol.ts';

/**
 * The part of the page's script for the first run. It shows the first call with a new key on the page that shows the key,
 * which cannot be loaded again: it looks at the page of that call until the call has come. It fills in the browser's time
 * zone.
 */
export const FIRST_RUN_SCRIPT = `(() => {
  'use strict';
  const EVERY_MS = 2000;

  async function look(part) {
    const headers = { '${REFRESH_HEADER}': '1' };
    const response = await fetch(part.dataset.liveFrom, { redirect: 'manual', cache: 'no-store', headers });
    // The session has ended, or the key is gone.
    if (response.type === 'opaqueredirect' || response.status === 404) return 'ended';
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const [shown, fresh] = [part.querySelector('#first-call'), page.getElementById('first-call')];
    if (fresh === null || fresh.dataset.state === shown.dataset.state) return 'waiting';
    shown.dataset.state = fresh.dataset.state;
    shown.replaceChildren(...document.importNode(fresh, true).childNodes);
    return 'ended';
  }

  function follow(part) {
    // The server may be away for a moment.
    look(part).catch(() => 'waiting').then((state) => {
      if (state === 'waiting') setTimeout(follow, EVERY_MS, part);
    });
  }

  document.addEventListener('DOMContentLoaded', () => {
    for (const part of document.querySelectorAll('[data-live-from]')) follow(part);
    for (const field of document.querySelectorAll('[data-time-zone]')) {
      field.value = Intl.DateTimeFormat().resolvedOptions().timeZone;
    }
  });
})();
`;
