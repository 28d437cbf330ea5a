import { type Color, lookTheSame, over, readColor } from './css-color.ts';
import { lengthPx, valuesIn } from './css-length.ts';
import { attributesOf, type HtmlElement } from './html-tree.ts';
import { type Box, CELLS, overflows } from './styled-box.ts';
import { SEEN_OPACITY, type Visibility } from './visibility.ts';

/** The colours of the text in a box, and of what is behind it. Pure. */

export const BLACK: Color = { red: 0, green: 0, blue: 0, alpha: 1 };

export const WHITE: Color = { red: 255, green: 255, blue: 255, alpha: 1 };

export const LINK: Color = { red: 0, green: 0, blue: 238, alpha: 1 };

export function linkColorOf(element: HtmlElement): readonly Color[] | undefined {
  if (element.tagName !== 'body') return undefined;
  const color = readColor(attributesOf(element).get('link') ?? '');
  return color === undefined || color === 'unknown' ? undefined : [color];
}

/** All possible values of a colour: a gradient has several. Undefined: unknown. */
export interface Painted {
  readonly color: readonly Color[] | undefined;
  readonly background: readonly Color[] | undefined;
}

/** The colours of the text in a box, and behind it. */
export function paint(box: Box, parent: Painted): Painted {
  const { get } = box;
  const fill = get('-webkit-text-fill-color');
  const value = fill === '' || fill === 'currentcolor' ? get('color') : fill;
  const color = textColors(value, parent);
  if (box.display === 'contents') return { color, background: parent.background };
  const own = backgroundColors(box, parent.background);
  const isInText = /\btext\b/.test(get('background-clip'));
  return isInText
    ? { color: own, background: parent.background }
    : { color, background: ownBackground(box, own, parent.background) };
}

function textColors(value: string, { color: inherited }: Painted): readonly Color[] | undefined {
  if (value === 'initial') return [BLACK];
  if (/^(?:|inherit|unset|revert|currentcolor)$/.test(value)) return inherited;
  const color = readColor(value);
  return color === undefined ? inherited : color === 'unknown' ? undefined : [color];
}

const MAX_COLORS = 16;

/** What the background of a box shows, over what is behind it. */
function backgroundColors(box: Box, behind: readonly Color[] | undefined): readonly Color[] | undefined {
  const flat = layer(colorIn(box.get('background-color')), behind);
  const image = box.get('background-image');
  if (!/\(/.test(image) || !isPicture(image)) return flat;
  if (/(?:url|image|image-set|element|paint|cross-fade|unknown)\(/.test(image) || flat === undefined)
    return undefined;
  const stops = gradientStops(image);
  if (stops === undefined) return undefined;
  const painted = stops.flatMap((stop) => flat.map((one) => over(stop, one)));
  const coversAll = !/no-repeat|\//.test(image) && !box.get('background-size').match(/^\d|\//);
  const all = coversAll ? painted : [...painted, ...flat];
  return all.length > MAX_COLORS ? undefined : all;
}

function isPicture(image: string): boolean {
  return /(?:url|gradient|image|image-set|element|paint|cross-fade|unknown)\(/.test(image);
}

/** The colours of a gradient; undefined if one of them is not known. */
function gradientStops(image: string): Color[] | undefined {
  const words =
    image.replace(/^[^(]*\(|\)[^)]*$/g, '').match(/[#\w-]+(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?/g) ?? [];
  const colors = words.filter((word) => !/^(?:to|from|at|in|deg|\d.*)$/.test(word)).map(readColor);
  if (colors.includes('unknown')) return undefined;
  const known = colors.filter((one) => one !== undefined && one !== 'unknown');
  return known.length === 0 ? undefined : known;
}

/** The colour in a background: transparent if there is none. */
function colorIn(value: string): Color | 'unknown' {
  if (value === '') return { ...WHITE, alpha: 0 };
  for (const part of valuesIn(value)) {
    const color = /gradient\(|url\(/.test(part) ? undefined : readColor(part);
    if (color !== undefined) return color;
  }
  return value === 'currentcolor' ? 'unknown' : { ...WHITE, alpha: 0 };
}

function layer(color: Color | 'unknown', behind: readonly Color[] | undefined): readonly Color[] | undefined {
  if (color === 'unknown') return undefined;
  if (color.alpha >= 1) return [color];
  return color.alpha === 0 ? behind : behind?.map((one) => over(color, one));
}

const INNER_SHADOW_PX = 10;

/** What is behind the text of a box: its own background, as far as that reaches, and nothing that changes it. */
function ownBackground(
  box: Box,
  own: readonly Color[] | undefined,
  behind: readonly Color[] | undefined,
): readonly Color[] | undefined {
  const { get, element, fontPx } = box;
  const shadow = get('box-shadow');
  const isShaded =
    shadow.includes('inset') &&
    valuesIn(shadow).some((one) => (lengthPx(one, fontPx, 0) ?? 0) >= INNER_SHADOW_PX);
  const backdrop = get('backdrop-filter');
  if (isShaded || (backdrop !== '' && backdrop !== 'none') || own === undefined || behind === undefined)
    return isShaded || (backdrop !== '' && backdrop !== 'none') ? undefined : own;
  if (own === behind || !box.isBlock || CELLS.test(element.tagName)) return own;
  return overflows(box) ? [...own, ...behind].slice(0, MAX_COLORS) : own;
}

/** Whether the letters differ from what is behind them. */
export function textSight({
  color,
  background,
  opacity,
  isOutlined: isDrawnOtherwise,
}: Painted & { readonly opacity: number; readonly isOutlined: boolean }): Visibility {
  if (color === undefined || background === undefined) return 'unclear';
  const isSeen = color.flatMap((front) =>
    background.map((back) => {
      const alpha = front.alpha * opacity;
      return alpha >= SEEN_OPACITY && !lookTheSame(over({ ...front, alpha }, back), back);
    }),
  );
  if (isSeen.every((one) => one)) return 'shown';
  return isDrawnOtherwise || isSeen.some((one) => one) ? 'unclear' : 'hidden';
}
