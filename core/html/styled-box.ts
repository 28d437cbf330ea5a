import { sideOf, type Values } from './computed-style.ts';
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
  /** Of the boxes around it. */
  readonly widthPx: number;
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

/** Whether the text certainly needs more room than the box has. */
export function overflows(box: Box): boolean {
  const { chars, lines } = room(box);
  return textLength(box.element) > chars || textLines(box.element) > lines;
}

/** How many characters, and how many lines, fit into a box, generously; infinite if its size is not set. */
function room({ element, get, px, fontPx, widthPx }: Box): {
  readonly chars: number;
  readonly lines: number;
} {
  const fieldSize = element.tagName === 'input' ? inputSize(element) : undefined;
  if (fieldSize !== undefined) {
    const width = px('width') ?? fieldSize * 0.6 * fontPx;
    return { chars: Math.ceil(width / (Math.max(fontPx, 1) * 0.3)), lines: Number.POSITIVE_INFINITY };
  }
  const lines = Number.parseInt(get('line-clamp'), 10);
  const height = Math.min(
    px('height') ?? Number.POSITIVE_INFINITY,
    px('max-height') ?? Number.POSITIVE_INFINITY,
    Number.isNaN(lines) ? Number.POSITIVE_INFINITY : lines * fontPx,
  );
  if (height === Number.POSITIVE_INFINITY) return { chars: height, lines: height };
  const width = Math.min(px('width') ?? widthPx, px('max-width') ?? widthPx);
  const size = Math.max(fontPx, 1);
  return {
    chars: Math.ceil(height / size) * Math.ceil(width / (size * 0.3)),
    lines: Math.max(Math.floor(height / size), 1),
  };
}

const lengths = new WeakMap<HtmlElement, number>();

/** In characters, without elements that are never drawn. */
function textLength(element: HtmlElement): number {
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

const lines = new WeakMap<HtmlElement, Lines>();

interface Lines {
  /** The lines from its breaks and blocks, if each text of its own takes one line. */
  readonly count: number;
  /** Whether there is text outside of its blocks. */
  readonly hasText: boolean;
}

/** How many lines the text takes at least: one for each block with text, one for each break. */
function textLines(element: HtmlElement): number {
  const { count, hasText } = linesOf(element);
  return count + (hasText ? 1 : 0);
}

function linesOf(element: HtmlElement): Lines {
  const known = lines.get(element);
  if (known !== undefined) return known;
  let count = 0;
  let hasText = false;
  for (const node of element.childNodes) {
    if (!isElement(node)) hasText ||= 'value' in node && node.value.trim() !== '';
    else if (node.tagName === 'br') count++;
    else if (!NEVER_DRAWN.has(node.tagName)) {
      const inner = linesOf(node);
      const isInline = INLINE.has(node.tagName) || CELLS.test(node.tagName);
      count += inner.count + (!isInline && inner.hasText ? 1 : 0);
      hasText ||= isInline && inner.hasText;
    }
  }
  const found = { count, hasText };
  lines.set(element, found);
  return found;
}

/** The value of one side, if the property is one of a margin, a padding or a position. */
export function sideIn(property: string, value: string): string {
  const [, side] = /^(?:margin-|padding-)?(top|right|bottom|left)$/.exec(property) ?? [];
  return side === 'top' || side === 'right' || side === 'bottom' || side === 'left'
    ? sideOf(value, side)
    : value;
}
