import { DATA, ID } from '../../page-protocol.ts';
import { elements, firstElement } from './elements.ts';
import { documentIn, fetchPage } from './fetched-page.ts';

const EVERY_MS = 2000;

async function look(part: HTMLElement): Promise<'waiting' | 'ended'> {
  const response = await fetchPage(part.getAttribute(DATA.liveFrom) ?? '');
  // The session has ended, or the key is gone.
  if (response.type === 'opaqueredirect' || response.status === 404) return 'ended';
  const page = await documentIn(response);
  const shown = firstElement(HTMLElement, `#${ID.firstCall}`, part);
  const fresh = page.getElementById(ID.firstCall);
  const state = fresh?.getAttribute(DATA.state);
  if (shown === undefined || !fresh || !state || state === shown.getAttribute(DATA.state)) return 'waiting';
  shown.setAttribute(DATA.state, state);
  shown.replaceChildren(...document.importNode(fresh, true).childNodes);
  return 'ended';
}

async function follow(part: HTMLElement): Promise<void> {
  // The server may be away for a moment.
  const state = await look(part).catch(() => 'waiting');
  if (state === 'waiting') setTimeout(() => void follow(part), EVERY_MS);
}

/**
 * Shows the first call with a new key on the page that shows the key, which cannot be loaded again: it looks at the page
 * of that call until the call has come. Also fills in the browser's time zone.
 */
export function fillFirstRun(): void {
  document.addEventListener('DOMContentLoaded', () => {
    for (const part of elements(HTMLElement, `[${DATA.liveFrom}]`)) void follow(part);
    for (const field of elements(HTMLInputElement, `[${DATA.timeZone}]`)) {
      field.value = Intl.DateTimeFormat().resolvedOptions().timeZone;
    }
  });
}
