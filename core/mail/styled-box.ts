import { sideOf, type Values } from './computed-style.ts';
import { SCREEN_PX } from './css-length.ts';
import { NEVER_DRAWN } from './drawn-by-tag.ts';
import { inputSize, inputText } from './form-field.ts';
import { type HtmlElement, isElement } from './html-tree.ts';

/** An element with its computed style, and the room that it has for its text. Pure. */

export interface Box {
  readonly element: HtmlElement;
  readonly get: Values;
  readonly display: string;
  readonly fontPx: number;
  /** @returns undefined if it is not set, or cannot be computed */
  px(property: string): number | undefined;
  /** Sizes and overflow count only for blocks, and moves for all but plain inline text. */
  readonly isBlock: boolean;
  readonly isPlaced: boolean;
}

const INLINE = new Set(
  (
    'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q s samp small span strike ' +
    'strong sub sup time tt u var wbr'
  ).split(' '),
);

export function isBlock(element: HtmlElement, get: Values, laysOut: boolean): boolean {
  const display = get('display');
  if (laysOut || /absolute|fixed/.test(get('position')) || /left|right/.test(get('float'))) return true;
  return display === '' ? !INLINE.has(element.tagName) : !/^(?:inline|contents)$/.test(display);
}

export const CELLS = /^(?:td|th|tr|tbody|thead|tfoot|table|caption)$/;

/** How many characters fit into a box, generously; infinite if its size is not set. */
export function room({ element, get, px, fontPx }: Box): number {
  const fieldSize = element.tagName === 'input' ? inputSize(element) : undefined;
  if (fieldSize !== undefined) {
    const width = px('width') ?? fieldSize * 0.6 * fontPx;
    return Math.ceil(width / (Math.max(fontPx, 1) * 0.3));
  }
  const lines = Number.parseInt(get('line-clamp'), 10);
  const height = Math.min(
    px('height') ?? Number.POSITIVE_INFINITY,
    px('max-height') ?? Number.POSITIVE_INFINITY,
    Number.isNaN(lines) ? Number.POSITIVE_INFINITY : lines * fontPx,
  );
  if (height === Number.POSITIVE_INFINITY) return height;
  const width = Math.min(px('width') ?? SCREEN_PX, px('max-width') ?? SCREEN_PX);
  const size = Math.max(fontPx, 1);
  return Math.ceil(height / size) * Math.ceil(width / (size * 0.3));
}

const lengths = new WeakMap<HtmlElement, number>();

/** In characters, without elements that are never drawn. */
export function textLength(element: HtmlElement): number {
  const known = lengths.get(element);
  if (known !== undefined) return known;
  let length = element.tagName === 'input' ? inputText(element).length : 0;
  for (const node of element.childNodes) {
    if (isElement(node)) length += NEVER_DRAWN.has(node.tagName) ? 0 : textLength(node);
    else if ('value' in node) length += node.value.trim().length;
  }
  lengths.set(element, length);
  return length;
}

/** The value of one side, if the property is one of a margin, a padding or a position. */
export function sideIn(property: string, value: string): string {
  const [, side] = /^(?:margin-|padding-)?(top|right|bottom|left)$/.exec(property) ?? [];
  return side === 'top' || side === 'right' || side === 'bottom' || side === 'left'
    ? sideOf(value, side)
    : value;
}
