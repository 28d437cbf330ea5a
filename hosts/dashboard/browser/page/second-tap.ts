import { SHOWN_FIELD, SHOWN_FOR_MS } from '../../forms/shown-field.ts';
import { clickedButton, elements, fieldOf, firstElement } from './elements.ts';

/** A button that can be seen. */
interface Visible {
  readonly sinceMs: number;
  /** What its form shows since then. */
  readonly shown: string | undefined;
  readonly timer: number;
}

/** Undefined: the button decides nothing. */
function shownIn({ form }: HTMLButtonElement): string | undefined {
  return form === null ? undefined : fieldOf(form, SHOWN_FIELD)?.value;
}

const visible = new Map<HTMLButtonElement, Visible>();

function hide(button: HTMLButtonElement): void {
  clearTimeout(visible.get(button)?.timer);
  visible.delete(button);
  button.setAttribute('aria-disabled', 'true');
}

function show(button: HTMLButtonElement): void {
  hide(button);
  const timer = setTimeout(() => button.removeAttribute('aria-disabled'), SHOWN_FOR_MS);
  visible.set(button, { sinceMs: performance.now(), shown: shownIn(button), timer });
}

function showAgain(): void {
  for (const button of [...visible.keys()]) show(button);
}

/** Undefined: no press is under way, as for a click by an assistive device. */
let beganMs: number | undefined;

function ignoreIfEarly(event: Event): void {
  const pressMs = beganMs ?? performance.now();
  beganMs = undefined;
  const button = clickedButton(event, 'button[type=submit]');
  if (button === undefined) return;
  const shown = shownIn(button);
  if (shown === undefined) return;
  const since = visible.get(button);
  if (since !== undefined && since.shown === shown && pressMs - since.sinceMs >= SHOWN_FOR_MS) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** Watches the buttons that decide, also those that are added later. */
function watchButtons(): void {
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!(target instanceof HTMLButtonElement)) continue;
        if (isIntersecting) show(target);
        else hide(target);
      }
    },
    { threshold: 0.5 },
  );
  const watched = new WeakSet<HTMLButtonElement>();
  const watch = () => {
    for (const button of elements(HTMLButtonElement, 'main button[type=submit]')) {
      const shown = shownIn(button);
      if (shown === undefined) continue;
      const since = visible.get(button);
      if (!watched.has(button)) {
        watched.add(button);
        hide(button);
        observer.observe(button);
      } else if (since !== undefined && since.shown !== shown) {
        show(button);
      }
    }
  };
  watch();
  const main = firstElement(HTMLElement, 'main');
  if (main === undefined) return;
  const changes = { childList: true, subtree: true, attributes: true, attributeFilter: ['value'] };
  new MutationObserver(watch).observe(main, changes);
}

/**
 * Ignores presses meant for the page before. A button that decides counts a press only if the press began when the button
 * had been visible for a second, with what its form shows now. Until then it is dimmed.
 */
export function ignoreEarlyPresses(): void {
  document.addEventListener('DOMContentLoaded', watchButtons);
  document.addEventListener('visibilitychange', showAgain);
  addEventListener('pageshow', showAgain);
  document.addEventListener(
    'pointerdown',
    () => {
      beganMs = performance.now();
    },
    true,
  );
  document.addEventListener(
    'keydown',
    ({ repeat }) => {
      // The key was already held on the page before.
      if (repeat) beganMs ??= 0;
      else beganMs = performance.now();
    },
    true,
  );
  document.addEventListener('click', ignoreIfEarly, true);
}
