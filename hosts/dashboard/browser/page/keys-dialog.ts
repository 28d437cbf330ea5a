import { areKeysOff, switchKeys } from './keys-switch.ts';

const DIALOG_ID = 'keys';
const TITLE_ID = 'keys-title';

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  text: string,
  attributes: Readonly<Record<string, string>> = {},
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/** Shows which keys this page has, and the switch for all of them. */
export function showKeys(keys: readonly { readonly key: string; readonly does: string }[]): void {
  document.getElementById(DIALOG_ID)?.remove();
  const dialog = element('dialog', '', { id: DIALOG_ID, 'aria-labelledby': TITLE_ID });
  const box = element('article', '');
  const list = element('dl', '', { class: 'facts' });
  for (const { key, does } of keys) {
    const row = element('div', '');
    const term = element('dt', '');
    term.append(element('kbd', key));
    row.append(term, element('dd', does));
    list.append(row);
  }
  const toggle = element('button', areKeysOff() ? 'Switch the keys on' : 'Switch the keys off', {
    type: 'button',
    class: 'outline secondary',
  });
  toggle.onclick = () => {
    switchKeys(!areKeysOff());
    dialog.close();
  };
  const close = element('button', 'Close', { type: 'button' });
  close.onclick = () => dialog.close();
  const buttons = element('div', '', { class: 'actions' });
  buttons.append(close, toggle);
  box.append(element('h2', 'Keys', { id: TITLE_ID }), list, buttons);
  dialog.append(box);
  document.body.append(dialog);
  dialog.onclose = () => dialog.remove();
  dialog.showModal();
}
