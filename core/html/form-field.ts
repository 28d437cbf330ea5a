import { attributesOf, elementsIn, type HtmlElement, parentOf } from './html-tree.ts';

/** What form fields show before anyone fills them in. Pure. */

const BUTTONS = /^(?:button|submit|reset)$/;
/** Browsers drop anything except digits and signs. */
const NUMBERS = /^(?:number|date|time|datetime-local|month|week)$/;
const WITHOUT_TEXT = /^(?:hidden|checkbox|radio|file|color|range)$/;

/** The text that an `<input>` shows: its value, or its placeholder. Empty if it shows none. */
export function inputText(input: HtmlElement): string {
  const attributes = attributesOf(input);
  const type = typeOf(input);
  const value = (attributes.get('value') ?? '').replace(/[\r\n]/g, '');
  if (WITHOUT_TEXT.test(type)) return '';
  if (type === 'image') return attributes.get('alt') ?? '';
  if (BUTTONS.test(type)) return value;
  if (NUMBERS.test(type)) return /^[-+\d.:TWe]*$/i.test(value) ? value : '';
  if (value === '') return attributes.get('placeholder') ?? '';
  return type === 'password' ? '' : value;
}

const SIZE = 20;
const MAX_SIZE = 1000;

/** The width of an `<input>` in characters if no style sets it. Undefined if it is as wide as its text. */
export function inputSize(input: HtmlElement): number | undefined {
  if (BUTTONS.test(typeOf(input))) return undefined;
  const size = Number.parseInt(attributesOf(input).get('size') ?? '', 10);
  return size > 0 ? Math.min(size, MAX_SIZE) : SIZE;
}

function typeOf(input: HtmlElement): string {
  return (attributesOf(input).get('type') ?? 'text').toLowerCase();
}

/** A closed list only shows the chosen option. */
export function isBehindAnother(option: HtmlElement): boolean {
  const outer = parentOf(option);
  const select = outer?.tagName === 'optgroup' ? parentOf(outer) : outer;
  if (select?.tagName !== 'select') return false;
  const attributes = attributesOf(select);
  const isOpen = attributes.has('multiple') || Number.parseInt(attributes.get('size') ?? '', 10) > 1;
  return !isOpen && chosenIn(select) !== option;
}

const chosen = new WeakMap<HtmlElement, HtmlElement | undefined>();

function chosenIn(select: HtmlElement): HtmlElement | undefined {
  if (!chosen.has(select)) {
    const options = [...elementsIn(select)].filter(({ tagName }) => tagName === 'option');
    const has = (name: string) => (option: HtmlElement) => attributesOf(option).has(name);
    const first = options.find((option) => !has('disabled')(option));
    chosen.set(select, options.findLast(has('selected')) ?? first);
  }
  return chosen.get(select);
}
