import { fontSizeIn, readStyles, type Styles, sideOf, type Values } from './computed-style.ts';
import { type Color, lookTheSame, over, readColor } from './css-color.ts';
import { FONT_PX, lengthPx, numberIn, SCREEN_PX, valuesIn } from './css-length.ts';
import type { Budget } from './css-syntax.ts';
import type { CustomProperties } from './custom-property.ts';
import { inputSize, inputText, isBehindAnother } from './form-field.ts';
import {
  attributesOf,
  childElements,
  elementsIn,
  type HtmlDocument,
  type HtmlElement,
  isElement,
  parentOf,
} from './html-tree.ts';

/**
 * What of an HTML message a person sees on a usual screen, before doing anything: by tags, attributes, style sheets and
 * styles. Hidden is what is certain not to be seen. Unclear is what mail programs show differently, what one click
 * would show, and what only a layout or the pictures could tell. Two limits are accepted: text that another element
 * covers without being taken out of the flow, and fonts that are loaded from elsewhere, count as shown.
 */
export type Visibility = 'shown' | 'unclear' | 'hidden';

export interface Sight {
  /** The element, with all that is in it. */
  readonly element: Visibility;
  /** Text directly in it. */
  readonly text: Visibility;
  /** A picture that it is. */
  readonly picture: Visibility;
}

/** @param steps what the work on styles may cost; when it is spent, all that is not hidden by its tag is unclear */
export function seenIn(document: HtmlDocument, steps: Budget): (element: HtmlElement) => Sight {
  const styles = readStyles(document, RELEVANT, steps);
  const computed = new Map<HtmlElement, Style>();
  const page: Style = { ...PAGE, custom: styles.custom };
  const styleOf = (element: HtmlElement): Style => {
    const known = computed.get(element);
    if (known !== undefined) return known;
    const parent = parentOf(element);
    const style = styled(element, parent === undefined ? page : styleOf(parent), styles);
    computed.set(element, style);
    return style;
  };
  let covers = 0;
  for (const element of elementsIn(document)) if (styleOf(element).covers) covers++;
  return (element) => {
    const style = styleOf(element);
    const picture = worst(style.drawn, style.visible, unclearIf(covers > (style.isOnTop ? 1 : 0)));
    const isClosed = element.tagName === 'details' && !attributesOf(element).has('open');
    return {
      element: style.drawn,
      text: worst(picture, style.letters, textSight(style), unclearIf(isClosed)),
      picture,
    };
  };
}

/** What an element hands down to those in it. */
interface Style {
  readonly drawn: Visibility;
  readonly visible: Visibility;
  /** Whether letters have their usual form and size. */
  readonly letters: Visibility;
  readonly opacity: number;
  readonly fontPx: number;
  /** All that the colour may be: a gradient is several. Undefined: not known. */
  readonly color: readonly Color[] | undefined;
  readonly linkColor: readonly Color[] | undefined;
  readonly background: readonly Color[] | undefined;
  /** Something else than the colour draws the letters: a shadow, an outline. */
  readonly isOutlined: boolean;
  readonly laysOut: boolean;
  /** The element is taken out of the flow and painted: it may lie on any text. */
  readonly covers: boolean;
  /** It is one that covers, or in one. */
  readonly isOnTop: boolean;
  readonly custom: CustomProperties | undefined;
}

const BLACK: Color = { red: 0, green: 0, blue: 0, alpha: 1 };
const WHITE: Color = { red: 255, green: 255, blue: 255, alpha: 1 };
const LINK: Color = { red: 0, green: 0, blue: 238, alpha: 1 };

const PAGE: Style = {
  drawn: 'shown',
  visible: 'shown',
  letters: 'shown',
  opacity: 1,
  fontPx: FONT_PX,
  color: [BLACK],
  linkColor: [LINK],
  background: [WHITE],
  isOutlined: false,
  laysOut: false,
  covers: false,
  isOnTop: false,
  custom: undefined,
};

const READABLE_PX = 3;
const SEEN_OPACITY = 0.1;

const ORDER = ['shown', 'unclear', 'hidden'] as const;

/** The least visible of them. */
export function worst(...all: readonly Visibility[]): Visibility {
  return all.reduce((a, b) => (ORDER.indexOf(b) > ORDER.indexOf(a) ? b : a), 'shown');
}

/** Hidden if something is the case, unclear if it cannot be told. */
function hiddenIf(is: boolean | undefined): Visibility {
  return is === undefined ? 'unclear' : is ? 'hidden' : 'shown';
}

function unclearIf(is: boolean): Visibility {
  return is ? 'unclear' : 'shown';
}

function styled(element: HtmlElement, parent: Style, styles: Styles): Style {
  if (parent.drawn === 'hidden') return { ...parent, covers: false };
  const byTag = worst(parent.drawn, drawnByTag(element));
  const values = styles.valuesOf(element, parent.custom);
  if (values === undefined) return { ...parent, covers: false, drawn: worst(byTag, 'unclear') };
  const { get, custom } = values;
  const display = get('display');
  const fontSize = get('font-size');
  const computedPx = fontSizeIn(fontSize, parent.fontPx);
  const isFontKnown = computedPx !== undefined || !fontSize.includes('(');
  const fontPx = computedPx ?? parent.fontPx;
  const box: Box = {
    element,
    get,
    display,
    fontPx,
    px: (property) => lengthPx(sideIn(property, get(property)), fontPx, SCREEN_PX),
    isBlock: isBlock(element, get, parent.laysOut),
    isPlaced: /absolute|fixed|relative|sticky/.test(get('position')),
  };
  const opacity = numberIn(get('opacity') || '1');
  const faded = fadedBy(get('filter'));
  const total = parent.opacity * Math.min(Math.max((opacity ?? 1) * (faded ?? 1), 0), 1);
  const visibility = get('visibility');
  const isLink = element.tagName === 'a' && attributesOf(element).has('href');
  const painted = paint(box, { ...parent, color: isLink ? parent.linkColor : parent.color });
  const drawn = worst(
    byTag,
    hiddenByDisplay(element, display),
    hiddenIf(is(get('content-visibility'), /hidden/)),
    total < SEEN_OPACITY ? 'hidden' : unclearIf(opacity === undefined || faded === undefined),
    ...(display === 'contents' ? [] : [moved(box), clipped(box)]),
    unclearIf(doubtful(box)),
    hiddenIf(element.tagName === 'img' && isDot(box)),
  );
  const covers = drawn !== 'hidden' && mayCover(box, painted.background !== parent.background);
  return {
    drawn,
    visible:
      visibility === '' || /inherit|unset|revert/.test(visibility)
        ? parent.visible
        : hiddenIf(is(visibility, /hidden|collapse/)),
    letters: lettersOf(
      box,
      fontSize === '' || computedPx !== undefined ? undefined : isFontKnown,
      parent,
      styles,
    ),
    opacity: total,
    fontPx,
    ...painted,
    linkColor: linkColorOf(element) ?? parent.linkColor,
    isOutlined: isOutlined(get, parent),
    laysOut: /flex|grid|box/.test(display),
    covers,
    isOnTop: covers || parent.isOnTop,
    custom,
  };
}

/** Smaller ones lie on a corner, or are lines. */
const COVER_PX = 24;

function mayCover({ element, get, px }: Box, isPainted: boolean): boolean {
  if (!/absolute|fixed|\(/.test(get('position')) || !(isPainted || element.tagName === 'img')) return false;
  return ['width', 'height'].every((one) => (px(one) ?? Number.POSITIVE_INFINITY) > COVER_PX);
}

/** Whether a keyword is one of some; undefined for a value that is not known. */
function is(value: string, which: RegExp): boolean | undefined {
  return value.includes('(') ? undefined : which.test(value);
}

interface Box {
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

/** Drawn by no browser, however it is styled. */
const NEVER_DRAWN = new Set(
  (
    'template datalist noembed noframes title iframe meter progress rp desc metadata defs annotation ' +
    'annotation-xml audio video head script style param source track'
  ).split(' '),
);
/** Drawn by some mail programs, or once somebody opens it. */
const OFTEN_LEFT_OUT = new Set('object svg bdo canvas frameset'.split(' '));

function drawnByTag(element: HtmlElement): Visibility {
  const name = element.tagName.toLowerCase();
  const attributes = attributesOf(element);
  if (name === 'input' && attributes.get('type')?.toLowerCase() === 'hidden') return 'hidden';
  if (NEVER_DRAWN.has(name) || (name === 'dialog' && !attributes.has('open'))) return 'hidden';
  const parent = parentOf(element);
  const isClosed = parent?.tagName === 'details' && !attributesOf(parent).has('open');
  if (isClosed && !(name === 'summary' && childElements(parent)[0] === element)) return 'unclear';
  const hasShadowTree = childElements(element).some((one) => attributesOf(one).has('shadowrootmode'));
  return unclearIf(
    OFTEN_LEFT_OUT.has(name) || hasShadowTree || (name === 'option' && isBehindAnother(element)),
  );
}

function hiddenByDisplay(element: HtmlElement, display: string): Visibility {
  const attributes = attributesOf(element);
  if (display === '' || display === 'revert')
    return hiddenIf(attributes.has('hidden') || attributes.has('popover'));
  return hiddenIf(is(display, /^none$/));
}

const INLINE = new Set(
  (
    'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q s samp small span strike ' +
    'strong sub sup time tt u var wbr'
  ).split(' '),
);

function isBlock(element: HtmlElement, get: Values, laysOut: boolean): boolean {
  const display = get('display');
  if (laysOut || /absolute|fixed/.test(get('position')) || /left|right/.test(get('float'))) return true;
  return display === '' ? !INLINE.has(element.tagName) : !/^(?:inline|contents)$/.test(display);
}

/** So far to the left or above nothing is seen, and nobody scrolls so far to the right or down. */
const OFF_PAGE_PX = -300;
const OUT_OF_REACH_PX = 5000;

function moved(box: Box): Visibility {
  const { get, px, isPlaced, isBlock: canMove } = box;
  const sight = (property: string, isSideways = false): Visibility => {
    const value = sideIn(property, get(property));
    if (value === '' || /^(?:auto|inherit|initial|unset|revert|normal|none)$/.test(value)) return 'shown';
    const distance = px(property);
    if (distance === undefined) return 'unclear';
    return awayBy(distance, isSideways);
  };
  return worst(
    ...(canMove ? [sight('margin-left'), sight('margin-top'), sight('text-indent')] : [sight('margin-left')]),
    ...(isPlaced && !/sticky/.test(get('position'))
      ? [sight('left', true), sight('right', true), sight('top'), sight('bottom')]
      : []),
    ...(canMove ? [transformed(get('transform')), transformed(ownTransforms(get))] : []),
    hiddenIf(isFlat(get('zoom'))),
  );
}

/** What lies to the right of the screen is seen by those who scroll. */
function awayBy(px: number, isSideways: boolean): Visibility {
  if (px <= OFF_PAGE_PX || px >= OUT_OF_REACH_PX) return 'hidden';
  return unclearIf(isSideways && px >= SCREEN_PX);
}

/** `translate`, `scale` and `rotate` as the functions that they stand for. */
function ownTransforms(get: Values): string {
  const [translate, scale, rotate] = ['translate', 'scale', 'rotate'].map((one) =>
    valuesIn(get(one)).join(','),
  );
  return [translate && `translate(${translate})`, scale && `scale(${scale})`, rotate && `rotate(${rotate})`]
    .filter((one) => one && !/\((?:none|initial|unset)\)/.test(one))
    .join(' ');
}

const MAX_TURN_DEG = 60;

function transformed(transform: string): Visibility {
  return worst(
    ...valuesIn(transform).map((one) => {
      const [, name = '', inner = ''] = /^([a-z0-9]+)\((.*)\)$/.exec(one) ?? [];
      const parts = inner.split(/,(?![^(]*\))/).map((part) => part.trim());
      if (/^(?:none|initial|unset|inherit)$/.test(one)) return 'shown';
      if (/^scale(?:x|y|3d)?$/.test(name)) return worst(...parts.map((part) => hiddenIf(isFlat(part))));
      if (/^translate(?:x|y|3d)?$/.test(name)) return worst(...parts.map(translatedBy));
      if (name === 'rotate' || name === 'rotatez') return unclearIf(parts.length !== 1);
      if (/^(?:rotate|skew)[xy]?$/.test(name)) return turnedBy(parts);
      if (name === 'matrix') return inMatrix(parts.map(Number));
      return 'unclear';
    }),
  );
}

function translatedBy(distance: string): Visibility {
  // A percentage is one of the element's own size.
  const px = lengthPx(distance, FONT_PX, 100);
  if (px === undefined) return 'unclear';
  return distance.includes('%') ? unclearIf(Math.abs(px) > 100) : awayBy(px, false);
}

function turnedBy(parts: readonly string[]): Visibility {
  const turns = parts.map((part) => {
    const [, digits, unit] = /^(-?[\d.]+)(deg|turn|rad|grad)?$/.exec(part) ?? [];
    const perUnit = { turn: 360, rad: 180 / Math.PI, grad: 0.9 }[unit ?? ''] ?? 1;
    return digits === undefined ? undefined : Math.abs(Number(digits) * perUnit) % 180;
  });
  if (turns.some((turn) => turn === 90)) return 'hidden';
  return unclearIf(turns.some((turn) => turn === undefined || turn > MAX_TURN_DEG));
}

function inMatrix([a = Number.NaN, b = 0, c = 0, d = 0, x = 0, y = 0]: readonly number[]): Visibility {
  const size = Math.sqrt(Math.abs(a * d - b * c));
  if (Number.isNaN(size + x + y)) return 'unclear';
  return worst(hiddenIf(size <= READABLE_PX / FONT_PX), awayBy(x, false), awayBy(y, false));
}

/** So much smaller that letters are no more than dots. */
function isFlat(scale: string): boolean | undefined {
  if (scale === '' || !/[\d(]/.test(scale)) return false;
  const number = numberIn(scale);
  return number === undefined ? undefined : Math.abs(number) <= READABLE_PX / FONT_PX;
}

const CELLS = /^(?:td|th|tr|tbody|thead|tfoot|table|caption)$/;

function clipped(box: Box): Visibility {
  return worst(clippedByPath(box.get('clip-path')), clippedByRect(box), clippedByOverflow(box));
}

function clippedByOverflow(box: Box): Visibility {
  const { element, get, px, isBlock: hasSize, display, fontPx } = box;
  const overflow = `${get('overflow-x')} ${get('overflow-y')}`;
  const isCell = display === '' ? CELLS.test(element.tagName) : display.startsWith('table');
  if (overflow.trim() === '' || !/hidden|clip|scroll|auto|\(/.test(overflow) || !hasSize || isCell)
    return 'shown';
  const sizes = ['height', 'max-height', 'width', 'max-width'];
  const isUnknown =
    sizes.some((one) => get(one).includes('(') && px(one) === undefined) || overflow.includes('(');
  if (isUnknown) return 'unclear';
  if (sizes.some((one) => (px(one) ?? READABLE_PX) < READABLE_PX)) {
    // The text may stand in the padding.
    const padding = sideIn('padding-bottom', get('padding-bottom'));
    return padding !== '' && lengthPx(padding, fontPx, SCREEN_PX) !== 0 ? 'unclear' : 'hidden';
  }
  if (!/hidden|clip/.test(overflow)) return 'shown';
  return unclearIf(textLength(element) > room(box));
}

/** How many characters fit into a box, generously; infinite if its size is not set. */
function room({ element, get, px, fontPx }: Box): number {
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

function clippedByPath(path: string): Visibility {
  if (!path.includes('(')) return 'shown';
  if (/^(?:inset\((?:[^,()]*\s)?(?:[5-9]\d|100)(?:\.\d+)?%|circle\(\s*0|ellipse\(\s*0)/.test(path))
    return 'hidden';
  if (/^(?:rect|polygon)\([\s0,pxem%auto]*\)$/.test(path)) return 'hidden';
  return unclearIf(!/^inset\(0[0-9a-z.% ]{0,3}( round [^()]*)?\)$/.test(path));
}

function clippedByRect({ get }: Box): Visibility {
  const clip = get('clip');
  if (!clip.includes('(') || !/absolute|fixed|\(/.test(get('position'))) return 'shown';
  const sides = (/^rect\(([^()]*)\)$/.exec(clip)?.[1] ?? '').split(/[\s,]+/).filter((side) => side !== '');
  if (sides.length === 4 && sides.every((side) => side === 'auto')) return 'shown';
  const [top, right, bottom, left] = sides.map((side) => lengthPx(side, FONT_PX, 0));
  if (top === undefined || right === undefined || bottom === undefined || left === undefined)
    return 'unclear';
  return bottom - top <= 1 || right - left <= 1 ? 'hidden' : 'unclear';
}

/** A picture of one point counts the readers; its alternative text is seen by nobody. */
function isDot({ element, px }: Box): boolean {
  const attributes = attributesOf(element);
  return ['width', 'height'].every((one) => {
    const styled = px(one);
    return styled === undefined ? /^\s*[01](?:px)?\s*$/.test(attributes.get(one) ?? '') : styled <= 1;
  });
}

/** @returns how much of the opacity a filter leaves; undefined if it cannot be told what it leaves to see */
function fadedBy(filter: string): number | undefined {
  let left = 1;
  for (const one of valuesIn(filter)) {
    const [, name = '', inner = ''] = /^([\w.:-]+)\((.*)\)$/.exec(one) ?? [];
    if (name === '' || name === 'drop-shadow') continue;
    // Of old browsers, and no filter for others.
    if (name === 'alpha' || name.startsWith('progid')) continue;
    const share = name === 'opacity' ? numberIn(inner) : undefined;
    if (share === undefined) return undefined;
    left *= share;
  }
  return left;
}

/** Properties that only a layout can judge, and the values of them that hide nothing. */
const HARMLESS: Readonly<Record<string, RegExp>> = {
  'mix-blend-mode': /^normal$/,
  'mask-image': /^none/,
  '-webkit-mask-box-image': /^none/,
  'mask-border': /^none/,
  animation: /^none/,
  'animation-name': /^none$/,
  offset: /^none$/,
  'offset-path': /^none$/,
  'position-area': /^none$/,
  content: /^[^(]*$/,
  all: /^$/,
  'unicode-bidi': /^(?:normal|embed|isolate|plaintext)$/,
  '-webkit-text-security': /^none$/,
  contain: /^(?:none|content|layout|paint|style|inline-size| )+$/,
  'outline-offset': /^[^-]/,
};

function doubtful({ get, isPlaced }: Box): boolean {
  const value = (property: string) =>
    property === 'all' ? get(property) : get(property).replace(/^(?:initial|unset|inherit|revert)$/, '');
  if (Object.entries(HARMLESS).some(([property, ok]) => value(property) !== '' && !ok.test(value(property))))
    return true;
  return isPlaced && /^-|\(/.test(value('z-index'));
}

function lettersOf(
  box: Box,
  isFontKnown: boolean | undefined,
  parent: Style,
  { ownFonts }: Styles,
): Visibility {
  const { get, px, fontPx } = box;
  const spacing = (property: string) => {
    const value = get(property);
    if (value === '' || /^(?:normal|inherit|initial|unset)$/.test(value)) return false;
    return (px(property) ?? Number.NEGATIVE_INFINITY) < -0.3 * fontPx;
  };
  const family = get('font-family');
  const hasOwnFont = ownFonts.size > 0 && [...ownFonts].some((name) => family.includes(name));
  const size = fontPx < READABLE_PX ? 'hidden' : unclearIf(isFontKnown === false);
  const inherited = get('font-size') === '' ? parent.letters : 'shown';
  return worst(
    size,
    inherited,
    unclearIf(hasOwnFont || spacing('letter-spacing') || spacing('word-spacing')),
  );
}

function linkColorOf(element: HtmlElement): readonly Color[] | undefined {
  if (element.tagName !== 'body') return undefined;
  const color = readColor(attributesOf(element).get('link') ?? '');
  return color === undefined || color === 'unknown' ? undefined : [color];
}

function isOutlined(get: Values, parent: Style): boolean {
  const own = `${get('text-shadow')}${get('-webkit-text-stroke')}${get('-webkit-text-stroke-width')}`;
  return own === '' ? parent.isOutlined : !/^(?:none|initial)$/.test(own);
}

type Painted = Pick<Style, 'color' | 'background'>;

/** The colours of the text in a box, and behind it. */
function paint(box: Box, parent: Style): Painted {
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

function textColors(value: string, { color: inherited }: Style): readonly Color[] | undefined {
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
  const overflows = box.isBlock && !CELLS.test(element.tagName) && textLength(element) > room(box);
  return overflows && own !== behind ? [...own, ...behind].slice(0, MAX_COLORS) : own;
}

/** Whether the letters differ from what is behind them. */
function textSight({ color, background, opacity, isOutlined: isDrawnOtherwise }: Style): Visibility {
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

function sideIn(property: string, value: string): string {
  const [, side] = /^(?:margin-|padding-)?(top|right|bottom|left)$/.exec(property) ?? [];
  return side === 'top' || side === 'right' || side === 'bottom' || side === 'left'
    ? sideOf(value, side)
    : value;
}

/** All properties that this file reads. */
const RELEVANT = new Set([
  ...Object.keys(HARMLESS),
  ...(
    'display visibility opacity filter content-visibility font-size font-family line-height color text-shadow ' +
    '-webkit-text-fill-color -webkit-text-stroke -webkit-text-stroke-width background-color background-image ' +
    'background-size background-clip backdrop-filter box-shadow position float z-index left right top bottom ' +
    'text-indent letter-spacing word-spacing margin-left margin-top padding-bottom transform translate scale rotate ' +
    'line-clamp zoom clip clip-path overflow-x overflow-y width height max-width max-height'
  ).split(' '),
]);
