/** What tells an element apart from others beside it. */
export function keyOf(node: Node): string {
  if (!(node instanceof Element)) return '';
  return node.id || (node.nodeName === 'FORM' && node.getAttribute('action')) || '';
}

function matchOf(fresh: Node, next: ChildNode | null): ChildNode | undefined {
  const key = keyOf(fresh);
  const isSame = (node: Node) => node.nodeName === fresh.nodeName && keyOf(node) === key;
  for (let node = next; node !== null; node = node.nextSibling) {
    if (isSame(node) && (key !== '' || node.isEqualNode(fresh))) return node;
  }
  return key === '' && next !== null && isSame(next) ? next : undefined;
}

/** The owner opened it, or the script lets it wait. */
const KEPT_ATTRIBUTES = ['open', 'aria-disabled'];

function takeAttributes(element: Element, fresh: Element): void {
  for (const name of element.getAttributeNames()) {
    if (!fresh.hasAttribute(name) && !KEPT_ATTRIBUTES.includes(name)) element.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  }
}

/**
 * Changes a node into a fresh one of the same name. Elements that stay the same are not touched, and none is moved: that
 * would take its focus.
 */
export function become(node: Node, fresh: Node): void {
  if (node.isEqualNode(fresh)) return;
  if (!(node instanceof Element && fresh instanceof Element)) {
    node.nodeValue = fresh.nodeValue;
    return;
  }
  takeAttributes(node, fresh);
  let next = node.firstChild;
  const removeUntil = (end: ChildNode | null) => {
    while (next !== null && next !== end) {
      const after: ChildNode | null = next.nextSibling;
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
