import { SHOWN_FIELD, SHOWN_FOR_MS } from '../forms/shown-since.tsx';

/**
 * The part of the page's script that ignores presses meant for the page before. A button that decides counts a press only
 * if the press began when the button had been visible for a second, with what its form shows now. Until then it is
 * dimmed. It runs before the parts that send forms and press buttons.
 */
export const DECISION_SCRIPT = `(() => {
  'use strict';
  const WAIT_MS = ${SHOWN_FOR_MS};
  const shownIn = (button) => button.form?.elements.namedItem('${SHOWN_FIELD}')?.value;
  const buttons = () =>
    [...document.querySelectorAll('main button[type=submit]')].filter((button) => shownIn(button) !== undefined);
  // By button; only those that are visible.
  const visible = new Map();

  function hide(button) {
    clearTimeout(visible.get(button)?.timer);
    visible.delete(button);
    button.setAttribute('aria-disabled', 'true');
  }
  function show(button) {
    hide(button);
    const timer = setTimeout(() => button.removeAttribute('aria-disabled'), WAIT_MS);
    visible.set(button, { sinceMs: performance.now(), shown: shownIn(button), timer });
  }
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) isIntersecting ? show(target) : hide(target);
  }, { threshold: 0.5 });

  const watched = new WeakSet();
  function watch() {
    for (const button of buttons()) {
      if (!watched.has(button)) {
        watched.add(button);
        hide(button);
        observer.observe(button);
      } else if (visible.has(button) && visible.get(button).shown !== shownIn(button)) {
        show(button);
      }
    }
  }
  document.addEventListener('DOMContentLoaded', () => {
    watch();
    const changes = { childList: true, subtree: true, attributes: true, attributeFilter: ['value'] };
    new MutationObserver(watch).observe(document.querySelector('main'), changes);
  });
  const again = () => {
    for (const button of [...visible.keys()]) show(button);
  };
  document.addEventListener('visibilitychange', again);
  addEventListener('pageshow', again);

  // Undefined: no press is under way, as for a click by an assistive device.
  let beganMs;
  document.addEventListener('pointerdown', () => {
    beganMs = performance.now();
  }, true);
  document.addEventListener('keydown', ({ repeat }) => {
    // The key was already held on the page before.
    if (repeat) beganMs ??= 0;
    else beganMs = performance.now();
  }, true);
  document.addEventListener('click', (event) => {
    const pressMs = beganMs ?? performance.now();
    beganMs = undefined;
    const button = event.target.closest?.('button[type=submit]');
    if (!button || shownIn(button) === undefined) return;
    const since = visible.get(button);
    if (since !== undefined && since.shown === shownIn(button) && pressMs - since.sinceMs >= WAIT_MS) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);
})();
`;
