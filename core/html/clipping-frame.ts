import { FONT_PX, lengthPx, SCREEN_PX, valuesIn } from './css-length.ts';
import { type Box, CELLS, sideIn } from './styled-box.ts';
import { READABLE_PX, unclearIf, type Visibility, worst } from './visibility.ts';

/**
 * What a box that clips shows of the boxes in it: one that is pushed out of it by margins, paddings, positions or
 * transforms is cut off. Pure. Sizes of neighbours are not known here, so a box that they push out counts as shown.
 */

/** The innermost box that clips, as seen from the place of an element in it. */
export interface Frame {
  /** Of the visible part. Infinite if it is not set. */
  readonly width: number;
  readonly height: number;
  /** How far the element is pushed to the right and down, in pixels; negative to the left and up. */
  readonly right: number;
  readonly down: number;
}

/** @param frame  around the element; undefined if nothing clips */
export function inFrame(
  box: Box,
  frame: Frame | undefined,
): { readonly inside: Frame | undefined; readonly seen: Visibility } {
  const placed = frame === undefined ? undefined : pushedBy(box, frame);
  const own = clips(box) ? frameOf(box, placed) : placed && padded(box, placed);
  const seen = worst([
    ...[placed, own].map((one) => unclearIf(one !== undefined && isOutside(one, box))),
    unclearIf(frame !== undefined && isPlacedOutside(box, frame)),
  ]);
  return { inside: own, seen };
}

function clips({ element, get, display, isBlock }: Box): boolean {
  const isCell = display === '' ? CELLS.test(element.tagName) : display.startsWith('table');
  return isBlock && !isCell && /hidden|clip/.test(`${get('overflow-x')} ${get('overflow-y')}`);
}

/** Of the contents of a box that clips: what is left of the frame around it also limits them. */
function frameOf(box: Box, around: Frame | undefined): Frame {
  const isBorderBox = box.get('box-sizing') === 'border-box';
  const size = (one: 'width' | 'height', paddings: number) =>
    Math.min(set(box.px(one)), set(box.px(`max-${one}`))) + (isBorderBox ? 0 : paddings);
  const [top, bottom, left] = [padding(box, 'top'), padding(box, 'bottom'), padding(box, 'left')];
  const { width, height, right, down } = around ?? UNLIMITED;
  return {
    width: Math.min(size('width', left), width - Math.max(right, 0)),
    height: Math.min(size('height', top + bottom), height - Math.max(down, 0)),
    right: Math.min(right, 0) + left,
    down: Math.min(down, 0) + top,
  };
}

const UNLIMITED: Frame = {
  width: Number.POSITIVE_INFINITY,
  height: Number.POSITIVE_INFINITY,
  right: 0,
  down: 0,
};

function set(px: number | undefined): number {
  return px ?? Number.POSITIVE_INFINITY;
}

function padding(box: Box, side: 'top' | 'bottom' | 'left'): number {
  return sideLength(box, `padding-${side}`, SCREEN_PX);
}

function padded(box: Box, frame: Frame): Frame {
  return {
    ...frame,
    right: frame.right + sideLength(box, 'padding-left', wide(frame)),
    down: frame.down + sideLength(box, 'padding-top', wide(frame)),
  };
}

/** Percentages of margins and paddings are of the width. */
function wide({ width }: Frame): number {
  return width === Number.POSITIVE_INFINITY ? SCREEN_PX : width;
}

function pushedBy(box: Box, frame: Frame): Frame {
  const { get, isBlock, isPlaced } = box;
  const isMoved = isPlaced && !/sticky/.test(get('position'));
  const high = frame.height === Number.POSITIVE_INFINITY ? 0 : frame.height;
  const place = (property: string, whole: number) => (isMoved ? sideLength(box, property, whole) : 0);
  const [x, y] = isBlock ? translated(box) : [0, 0];
  const back = /relative/.test(get('position'));
  return {
    ...frame,
    right:
      frame.right +
      sideLength(box, 'margin-left', wide(frame)) +
      place('left', wide(frame)) -
      (back ? place('right', wide(frame)) : 0) +
      (isBlock ? sideLength(box, 'text-indent', wide(frame)) : 0) +
      x,
    down:
      frame.down +
      (isBlock ? sideLength(box, 'margin-top', wide(frame)) : 0) +
      place('top', high) -
      (back ? place('bottom', high) : 0) +
      y,
  };
}

function sideLength({ get, fontPx }: Box, property: string, wholePx: number): number {
  const value = sideIn(property, get(property));
  return value === '' ? 0 : (lengthPx(value, fontPx, wholePx) ?? 0);
}

/** By `translate`, to the right and down. Much of its own size is out of any frame. */
function translated({ get }: Box): readonly [number, number] {
  let [x, y] = [0, 0];
  const add = (values: readonly string[], axis: string) => {
    const [first = 0, second = 0] = values.map((value) => {
      const px = lengthPx(value.trim(), FONT_PX, 100) ?? 0;
      return value.includes('%') ? (Math.abs(px) > OWN_SIZE_PERCENT ? px * SCREEN_PX : 0) : px;
    });
    if (axis === 'y') y += first;
    else [x, y] = [x + first, y + (axis === 'x' ? 0 : second)];
  };
  for (const one of valuesIn(get('transform'))) {
    const [, axis, inner = ''] = /^translate(x|y|3d)?\((.*)\)$/.exec(one) ?? [];
    if (inner !== '') add(inner.split(/,(?![^(]*\))/), axis ?? '');
  }
  const own = valuesIn(get('translate'));
  if (own.length > 0) add(own, '');
  return [x, y];
}

/** Half of its own size is how boxes are centred. */
const OWN_SIZE_PERCENT = 60;

/** Gutters go a little to the left. */
const GUTTER_EMS = 2;

function isOutside({ width, height, right, down }: Frame, { fontPx }: Box): boolean {
  const line = Math.max(fontPx, READABLE_PX);
  return right >= width || down >= height || down <= -line || right <= -GUTTER_EMS * line;
}

/** By its right or lower side. */
function isPlacedOutside({ get, fontPx }: Box, { width, height }: Frame): boolean {
  if (!/absolute|fixed/.test(get('position'))) return false;
  const isBeyond = (side: 'right' | 'bottom', whole: number) => {
    const value = sideIn(side, get(side));
    const distance = lengthPx(value, fontPx, whole) ?? 0;
    return distance <= -fontPx || distance >= whole;
  };
  return isBeyond('right', width) || isBeyond('bottom', height);
}
