/**
 * The part of the page's script for the keyboard. A key presses the button that names it in `aria-keyshortcuts`, so a page
 * without this button has no such key, and a form with an empty required box is stopped as it is for a click. The keys are
 * off in text fields and while the help is open. The owner can switch them off (WCAG 2.1.4).
 */
export const KEYBOARD_SCRIPT = `(() => {
  'use strict';
  const OFF = 'countersign-keys-off';
  const isOff = () => {
    try {
      return localStorage.getItem(OFF) !== null;
    } catch {
      return false;
    }
  };
  const switchKeys = (off) => {
    try {
      if (off) localStorage.setItem(OFF, '1');
      else localStorage.removeItem(OFF);
    } catch {
      // The browser keeps nothing: the keys stay on.
    }
  };
  const isTyping = ({ target }) =>
    target.isContentEditable || target.matches('textarea, select, input:not([type=checkbox], [type=radio])');
  const buttonOf = (key) =>
    [...document.querySelectorAll('main [aria-keyshortcuts="' + key + '"]')]
      .find((button) => button.offsetParent !== null);
  // Requests of one thread are a list within a row.
  const rows = () =>
    [...document.querySelectorAll('main .rows > li:not(:has(.rows))')]
      .map((row) => row.querySelector('a[href*="/approvals/"]'))
      .filter((link) => link !== null && link.offsetParent !== null);

  function step(by) {
    const links = rows();
    const at = links.findIndex((link) => link.closest('li').contains(document.activeElement));
    const next = links[at === -1 ? 0 : Math.min(links.length - 1, Math.max(0, at + by))];
    next?.focus();
    next?.closest('li').scrollIntoView({ block: 'nearest' });
  }

  function element(name, text, attributes = {}) {
    const made = document.createElement(name);
    made.textContent = text;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  function help() {
    document.getElementById('keys')?.remove();
    const keys = [
      ...(rows().length === 0 ? [] : [['j', 'Next request'], ['k', 'Previous request'], ['Enter', 'Open it']]),
      ...['a', 'r'].flatMap((key) => (buttonOf(key) ? [[key, buttonOf(key).textContent]] : [])),
      ['?', 'This help'],
    ];
    const dialog = element('dialog', '', { id: 'keys', 'aria-labelledby': 'keys-title' });
    const box = element('article', '');
    const list = element('dl', '', { class: 'facts' });
    for (const [key, does] of keys) {
      const row = element('div', '');
      const term = element('dt', '');
      term.append(element('kbd', key));
      row.append(term, element('dd', does));
      list.append(row);
    }
    const toggle = element('button', isOff() ? 'Switch the keys on' : 'Switch the keys off', {
      type: 'button', class: 'outline secondary',
    });
    toggle.onclick = () => {
      switchKeys(!isOff());
      dialog.close();
    };
    const close = element('button', 'Close', { type: 'button' });
    close.onclick = () => dialog.close();
    const buttons = element('div', '', { class: 'actions' });
    buttons.append(close, toggle);
    box.append(element('h2', 'Keys', { id: 'keys-title' }), list, buttons);
    dialog.append(box);
    document.body.append(dialog);
    dialog.onclose = () => dialog.remove();
    dialog.showModal();
  }

  document.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, isComposing, repeat, defaultPrevented } = event;
    if (ctrlKey || metaKey || altKey || isComposing || defaultPrevented) return;
    if (isOff() || isTyping(event) || document.querySelector('dialog[open]') !== null) return;
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
  });
  document.addEventListener('DOMContentLoaded', () => {
    const foot = document.querySelector('body > footer');
    if (foot === null) return;
    const open = element('button', 'Keys', { type: 'button', class: 'outline secondary', 'aria-haspopup': 'dialog' });
    open.onclick = help;
    foot.append(open);
  });
})();
`;
