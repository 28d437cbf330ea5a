/** The elements of one type that match a selector. */
export function elements<E extends Element>(
  type: new () => E,
  selector: string,
  within: ParentNode = document,
): E[] {
  return [...within.querySelectorAll(selector)].filter((found): found is E => found instanceof type);
}

export function firstElement<E extends Element>(
  type: new () => E,
  selector: string,
  within: ParentNode = document,
): E | undefined {
  return elements(type, selector, within)[0];
}

/** @throws Error if there is none */
export function elementWithId(id: string, within: Document = document): HTMLElement {
  const found = within.getElementById(id);
  if (found === null) throw new Error(`no #${id}`);
  return found;
}

/** A field of a form. */
export function fieldOf(form: HTMLFormElement, name: string): HTMLInputElement | undefined {
  const field = form.elements.namedItem(name);
  return field instanceof HTMLInputElement ? field : undefined;
}

/** The button that a click is meant for, if the selector matches it. */
export function clickedButton({ target }: Event, selector: string): HTMLButtonElement | undefined {
  const button = target instanceof Element ? target.closest(selector) : null;
  return button instanceof HTMLButtonElement ? button : undefined;
}
