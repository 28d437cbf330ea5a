import { elements, firstElement } from './elements.ts';
import { showKeys } from './keys-dialog.ts';
import { areKeysOff } from './keys-switch.ts';

/**
 * A key presses the button that names it in `aria-keyshortcuts`, so a page without this button has no such key, and a form
 * with an empty required box is stopped as it is for a click. The keys are off in text fields and while the help is open.
 */

function isTyping({ target }: Event): boolean {
  if (!(target instanceof Element)) return false;
  if (target instanceof HTMLElement && target.isContentEditable) return true;
  return target.matches('textarea, select, input:not([type=checkbox], [type=radio])');
}

const isVisible = ({ offsetParent }: HTMLElement) => offsetParent !== null;

function buttonOf(key: string): HTMLElement | undefined {
  return elements(HTMLElement, `main [aria-keyshortcuts="${key}"]`).find(isVisible);
}

/** The links of the requests in a list. Requests of one thread are a list within a row. */
function requestLinks(): HTMLAnchorElement[] {
  return elements(HTMLElement, 'main .rows > li:not(:has(.rows))')
    .flatMap((row) => firstElement(HTMLAnchorElement, 'a[href*="/approvals/"]', row) ?? [])
    .filter(isVisible);
}

function step(by: number): void {
  const links = requestLinks();
  const at = links.findIndex((link) => link.closest('li')?.contains(document.activeElement));
  const next = links[at === -1 ? 0 : Math.min(links.length - 1, Math.max(0, at + by))];
  next?.focus();
  next?.closest('li')?.scrollIntoView({ block: 'nearest' });
}

function help(): void {
  showKeys([
    ...(requestLinks().length === 0
      ? []
      : [
          { key: 'j', does: 'Next request' },
          { key: 'k', does: 'Previous request' },
          { key: 'Enter', does: 'Open it' },
        ]),
    ...['a', 'r'].flatMap((key) => {
      const button = buttonOf(key);
      return button === undefined ? [] : [{ key, does: button.textContent }];
    }),
    { key: '?', does: 'This help' },
  ]);
}

function pressed(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey, isComposing, repeat, defaultPrevented } = event;
  if (ctrlKey || metaKey || altKey || isComposing || defaultPrevented) return;
  if (areKeysOff() || isTyping(event) || document.querySelector('dialog[open]') !== null) return;
  if (key === 'j' || key === 'k') {
    step(key === 'j' ? 1 : -1);
  } else if (repeat) {
    return;
  } else if (key === '?') {
    help();
  } else if (key === 'a' || key === 'r') {
    buttonOf(key)?.click();
  } else {
    return;
  }
  event.preventDefault();
}

function addHelpButton(): void {
  const foot = document.querySelector('body > footer');
  if (foot === null) return;
  const open = document.createElement('button');
  open.textContent = 'Keys';
  open.type = 'button';
  open.className = 'outline secondary';
  open.setAttribute('aria-haspopup', 'dialog');
  open.onclick = help;
  foot.append(open);
}

export function listenToKeys(): void {
  document.addEventListener('keydown', pressed);
  document.addEventListener('DOMContentLoaded', addHelpButton);
}
