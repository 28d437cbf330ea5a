import { type DefaultTreeAdapterTypes, defaultTreeAdapter, Parser, type TreeAdapter } from 'parse5';

/**
 * Parses HTML as a browser without scripts does (WHATWG HTML, 13.2), with limits on its size: a few bytes can create
 * many elements, because a browser reopens unclosed elements in every paragraph.
 */

type Nodes = DefaultTreeAdapterTypes.DefaultTreeAdapterMap;
export type HtmlElement = DefaultTreeAdapterTypes.Element;
export type HtmlNode = DefaultTreeAdapterTypes.ChildNode;
export type HtmlDocument = DefaultTreeAdapterTypes.Document;

/** The remaining budget for the documents of a message. */
export interface TreeBudget {
  elements: number;
  /** Names and values of all attributes: an element that is reopened gets copies of all of them. */
  attributeChars: number;
}

/** Chromium's limit is 512. Later passes over the tree may recurse this deep. */
const MAX_DEPTH = 512;

class TreeTooLarge extends Error {}

/** @returns `complete`: false if the rest of the document is too large and not in the tree */
export function readHtml(html: string, budget: TreeBudget): { document: HtmlDocument; complete: boolean } {
  let depth = 0;
  const treeAdapter: TreeAdapter<Nodes> = {
    ...defaultTreeAdapter,
    createElement(name, namespace, attributes) {
      for (const { name: attribute, value } of attributes)
        budget.attributeChars -= attribute.length + value.length;
      if (budget.elements-- <= 0 || budget.attributeChars < 0) throw new TreeTooLarge();
      return defaultTreeAdapter.createElement(name, namespace, attributes);
    },
    onItemPush() {
      if (++depth > MAX_DEPTH) throw new TreeTooLarge();
    },
    onItemPop() {
      depth--;
    },
    // The reference element is among the last; the default searches from the first.
    insertBefore(parent, node, before) {
      const at = parent.childNodes.lastIndexOf(before);
      parent.childNodes.splice(at === -1 ? parent.childNodes.length : at, 0, node);
      node.parentNode = parent;
    },
  };
  const parser = new Parser<Nodes>({ treeAdapter, scriptingEnabled: false });
  try {
    parser.tokenizer.write(html, true);
    return { document: parser.document, complete: true };
  } catch (error) {
    if (!(error instanceof TreeTooLarge)) throw error;
    return { document: parser.document, complete: false };
  }
}

export function isElement(node: HtmlNode | Nodes['parentNode'] | null): node is HtmlElement {
  return node !== null && 'tagName' in node;
}

export function parentOf(element: HtmlElement): HtmlElement | undefined {
  return isElement(element.parentNode) ? element.parentNode : undefined;
}

const NO_ELEMENTS: readonly HtmlElement[] = [];
const elementsWithin = new WeakMap<object, readonly HtmlElement[]>();

/** The elements directly in a node. */
export function childElements(parent: Nodes['parentNode']): readonly HtmlElement[] {
  const known = elementsWithin.get(parent);
  if (known !== undefined) return known;
  if (!parent.childNodes.some(isElement)) return NO_ELEMENTS;
  const found = parent.childNodes.filter(isElement);
  elementsWithin.set(parent, found);
  return found;
}

const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();
const attributes = new WeakMap<HtmlElement, ReadonlyMap<string, string>>();

/** Names in lower case. */
export function attributesOf(element: HtmlElement): ReadonlyMap<string, string> {
  const known = attributes.get(element);
  if (known !== undefined) return known;
  if (element.attrs.length === 0) return NO_ATTRIBUTES;
  const found = new Map(element.attrs.map(({ name, value }) => [name.toLowerCase(), value]));
  attributes.set(element, found);
  return found;
}

/** Visits the elements within a node in document order. */
export function* elementsIn(node: Nodes['parentNode']): Generator<HtmlElement> {
  const waiting = childElements(node).toReversed();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    yield next;
    for (const child of childElements(next).toReversed()) waiting.push(child);
  }
}

/** The text directly in an element. */
export function textIn({ childNodes }: HtmlElement): string {
  return childNodes.map((node) => (node.nodeName === '#text' && 'value' in node ? node.value : '')).join('');
}
