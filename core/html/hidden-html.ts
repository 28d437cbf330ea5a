import { clipped } from './clipped-box.ts';
import { type Frame, inFrame } from './clipping-frame.ts';
import {
  type Declared,
  fontSizeIn,
  type Sheets,
  type Styles,
  styleReader,
  type Values,
} from './computed-style.ts';
import type { Color } from './css-color.ts';
import { FONT_PX, lengthPx, numberIn, SCREEN_PX, valuesIn } from './css-length.ts';
import type { Budget } from './css-syntax.ts';
import type { CustomProperties } from './custom-property.ts';
import { drawnByTag } from './drawn-by-tag.ts';
import {
  attributesOf,
  childElements,
  elementsIn,
  type HtmlDocument,
  type HtmlElement,
  parentOf,
} from './html-tree.ts';
import { moved } from './moved-away.ts';
import { BLACK, LINK, linkColorOf, type Painted, paint, textSight, WHITE } from './painted-colors.ts';
import { type Box, isBlock, sideIn } from './styled-box.ts';
import { hiddenIf, is, READABLE_PX, SEEN_OPACITY, unclearIf, type Visibility, worst } from './visibility.ts';

/**
 * Decides which parts of an HTML message a person sees on a common screen, before any interaction. Evaluates tags,
 * attributes, style sheets and inline styles. A part is hidden if it is certainly invisible. It is unclear if mail
 * programs differ, if one click would show it, or if it depends on the layout or on pictures. Two limits are accepted:
 * text counts as shown if an element in the normal flow covers it or pushes it out of a box that clips, or if its font is
 * loaded from elsewhere.
 */
export interface Sight {
  /** The element, with all its contents. */
  readonly element: Visibility;
  /** The text directly in it. */
  readonly text: Visibility;
  /** The picture that it is. */
  readonly picture: Visibility;
}

/** @param steps the budget for styles; when it is used up, everything not hidden by its tag is unclear */
export function sightReader(steps: Budget): (document: HtmlDocument) => (element: HtmlElement) => Sight {
  const styles = styleReader(RELEVANT, steps);
  /** By the style that is around them. A message repeats the same few elements, and a book its chapters. */
  const alike = new WeakMap<Style, Map<string, Style>>();
  const pages = new Map<Sheets, Style>();
  return (document) => {
    const read = styles.read(document);
    const page = pages.get(read.sheets) ?? { ...PAGE, custom: read.sheets.custom };
    pages.set(read.sheets, page);
    return seenIn(document, read, page, alike);
  };
}

function seenIn(
  document: HtmlDocument,
  styles: Styles,
  page: Style,
  alike: WeakMap<Style, Map<string, Style>>,
): (element: HtmlElement) => Sight {
  const computed = new Map<HtmlElement, Style>();
  const styleOf = (element: HtmlElement): Style => {
    const known = computed.get(element);
    if (known !== undefined) return known;
    const around = parentOf(element);
    const parent = around === undefined ? page : styleOf(around);
    const style = parent.drawn === 'hidden' ? { ...parent, covers: false } : styleWithin(parent, element);
    computed.set(element, style);
    return style;
  };
  const styleWithin = (parent: Style, element: HtmlElement): Style => {
    const declared = styles.valuesOf(element);
    if (declared?.key === undefined || !isPlain(element))
      return styled(element, parent, declared, styles.sheets);
    const key = `${element.tagName} ${declared.key}`;
    const known = alike.get(parent) ?? new Map<string, Style>();
    alike.set(parent, known);
    const style = known.get(key) ?? styled(element, parent, declared, styles.sheets);
    known.set(key, style);
    return style;
  };
  let covers = 0;
  for (const element of elementsIn(document)) if (styleOf(element).covers) covers++;
  const sights = new WeakMap<Style, Sight>();
  return (element) => {
    const style = styleOf(element);
    const known = sights.get(style);
    if (known !== undefined) return known;
    const picture = worst([style.drawn, style.visible, unclearIf(covers > (style.isOnTop ? 1 : 0))]);
    const isClosed = element.tagName === 'details' && !attributesOf(element).has('open');
    const sight = {
      element: style.drawn,
      text: worst([picture, style.letters, textSight(style), unclearIf(isClosed)]),
      picture,
    };
    // The styles of `details` are not shared.
    sights.set(style, sight);
    return sight;
  };
}

/** The properties that an element passes on to its contents. */
interface Style extends Painted {
  readonly drawn: Visibility;
  readonly visible: Visibility;
  /** Whether letters have their usual shape and size. */
  readonly letters: Visibility;
  readonly opacity: number;
  readonly fontPx: number;
  readonly linkColor: readonly Color[] | undefined;
  /** A shadow or an outline also draws the letters, in addition to their colour. */
  readonly isOutlined: boolean;
  readonly laysOut: boolean;
  /** The element is out of the flow and painted, so it may cover any text. */
  readonly covers: boolean;
  /** It covers others, or is inside an element that does. */
  readonly isOnTop: boolean;
  readonly custom: CustomProperties | undefined;
  /** The height of a line, in pixels or as a factor of the font size. */
  readonly line: { readonly px: number } | { readonly factor: number };
  /** Of the contents. */
  readonly widthPx: number;
  /** The box around it that clips, if there is one. */
  readonly frame: Frame | undefined;
  /** It is turned in space, so that its back may be in front. */
  readonly isTurned: boolean;
}

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
  line: { factor: 1.2 },
  widthPx: SCREEN_PX,
  frame: undefined,
  isTurned: false,
};

/** Elements whose style depends on nothing but their tag, what is declared for them, and their parent's style. */
const PLAIN_TAGS = new Set(
  (
    'abbr article aside b big blockquote center cite code dd div dl dt em figure footer h1 h2 h3 h4 h5 h6 header i li ' +
    'main nav ol p pre s section small span strike strong sub sup table tbody td tfoot th thead tr tt u ul'
  ).split(' '),
);

function isPlain(element: HtmlElement): boolean {
  if (!PLAIN_TAGS.has(element.tagName) || element.namespaceURI !== HTML) return false;
  const attributes = attributesOf(element);
  if (attributes.has('hidden') || attributes.has('popover') || parentOf(element)?.tagName === 'details')
    return false;
  return !childElements(element).some(({ tagName }) => tagName === 'template');
}

const HTML = 'http://www.w3.org/1999/xhtml';

function styled(element: HtmlElement, parent: Style, declared: Declared | undefined, sheets: Sheets): Style {
  const byTag = worst([parent.drawn, drawnByTag(element)]);
  if (declared === undefined) return { ...parent, covers: false, drawn: worst([byTag, 'unclear']) };
  const { get, custom } = declared.within(parent.custom);
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
    widthPx: parent.widthPx,
  };
  const hasBox = display !== 'contents';
  const framed = hasBox ? inFrame(box, parent.frame) : { inside: parent.frame, seen: 'shown' as const };
  const line = lineOf(get('line-height'), fontPx) ?? parent.line;
  const isTurned =
    parent.isTurned || /rotate(?:x|y|3d)|matrix3d/.test(get('transform')) || / /.test(get('rotate'));
  const opacity = numberIn(get('opacity') || '1');
  const faded = fadedBy(get('filter'));
  const total = parent.opacity * Math.min(Math.max((opacity ?? 1) * (faded ?? 1), 0), 1);
  const visibility = get('visibility');
  const isLink = element.tagName === 'a' && attributesOf(element).has('href');
  const painted = paint(box, { ...parent, color: isLink ? parent.linkColor : parent.color });
  const drawn = worst([
    byTag,
    hiddenByDisplay(element, display),
    hiddenIf(is(get('content-visibility'), /hidden/)),
    total < SEEN_OPACITY ? 'hidden' : unclearIf(opacity === undefined || faded === undefined),
    ...(hasBox ? [moved(box), clipped(box)] : []),
    framed.seen,
    unclearIf(isTurned && !/^(?:|visible|initial|unset)$/.test(get('backface-visibility'))),
    unclearIf(doubtful(box)),
    hiddenIf(element.tagName === 'img' && isDot(box)),
  ]);
  const covers = drawn !== 'hidden' && mayCover(box, painted.background !== parent.background);
  return {
    drawn,
    visible:
      visibility === '' || /inherit|unset|revert/.test(visibility)
        ? parent.visible
        : hiddenIf(is(visibility, /hidden|collapse/)),
    letters: worst([
      lettersOf(box, fontSize === '' || computedPx !== undefined ? undefined : isFontKnown, parent, sheets),
      unclearIf(framed.inside !== undefined && heightOf(line, fontPx) < READABLE_PX),
    ]),
    opacity: total,
    fontPx,
    ...painted,
    linkColor: linkColorOf(element) ?? parent.linkColor,
    isOutlined: isOutlined(get, parent),
    laysOut: /flex|grid|box/.test(display),
    covers,
    isOnTop: covers || parent.isOnTop,
    custom,
    line,
    widthPx: box.isBlock ? widthWithin(box) : parent.widthPx,
    frame: framed.inside,
    isTurned,
  };
}

/** @param value of `line-height`, or of `font`. @returns undefined if it is inherited */
function lineOf(value: string, fontPx: number): Style['line'] | undefined {
  const own = value.includes('/') ? (/\/\s*(\S+)/.exec(value)?.[1] ?? '') : value;
  if (own === 'normal' || own === 'initial') return PAGE.line;
  const factor = numberIn(own);
  if (factor !== undefined && !own.endsWith('%')) return { factor };
  const px = lengthPx(own, fontPx, fontPx);
  return px === undefined ? undefined : { px };
}

function heightOf(line: Style['line'], fontPx: number): number {
  return 'px' in line ? line.px : line.factor * fontPx;
}

function widthWithin({ get, fontPx, widthPx }: Box): number {
  const own = (property: string) => lengthPx(get(property), fontPx, widthPx) ?? widthPx;
  return Math.min(own('width'), own('max-width'), widthPx);
}

/** Smaller ones are in a corner, or are lines. */
const COVER_PX = 24;

function mayCover({ element, get, px }: Box, isPainted: boolean): boolean {
  if (!/absolute|fixed|\(/.test(get('position')) || !(isPainted || element.tagName === 'img')) return false;
  return ['width', 'height'].every((one) => (px(one) ?? Number.POSITIVE_INFINITY) > COVER_PX);
}

function hiddenByDisplay(element: HtmlElement, display: string): Visibility {
  const attributes = attributesOf(element);
  if (display === '' || display === 'revert')
    return hiddenIf(attributes.has('hidden') || attributes.has('popover'));
  return hiddenIf(is(display, /^none$/));
}

/** A picture of one pixel only tracks readers. Nobody sees its alternative text. */
function isDot({ element, px }: Box): boolean {
  const attributes = attributesOf(element);
  return ['width', 'height'].every((one) => {
    const styled = px(one);
    return styled === undefined ? /^\s*[01](?:px)?\s*$/.test(attributes.get(one) ?? '') : styled <= 1;
  });
}

/** @returns the factor by which a filter changes the opacity; undefined if its effect is unknown */
function fadedBy(filter: string): number | undefined {
  let left = 1;
  for (const one of valuesIn(filter)) {
    const [, name = '', inner = ''] = /^([\w.:-]+)\((.*)\)$/.exec(one) ?? [];
    if (name === '' || name === 'drop-shadow') continue;
    // Syntax of old browsers. Others ignore it.
    if (name === 'alpha' || name.startsWith('progid')) continue;
    const share = name === 'opacity' ? numberIn(inner) : undefined;
    if (share === undefined) return undefined;
    left *= share;
  }
  return left;
}

/** Properties that only a layout can evaluate, with the values that hide nothing. */
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
  { ownFonts }: Sheets,
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
  return worst([
    size,
    inherited,
    unclearIf(hasOwnFont || spacing('letter-spacing') || spacing('word-spacing')),
  ]);
}

function isOutlined(get: Values, parent: Style): boolean {
  const own = `${get('text-shadow')}${get('-webkit-text-stroke')}${get('-webkit-text-stroke-width')}`;
  return own === '' ? parent.isOutlined : !/^(?:none|initial)$/.test(own);
}

/** All properties that are relevant to it. */
const RELEVANT = new Set([
  ...Object.keys(HARMLESS),
  ...(
    'display visibility opacity filter content-visibility font-size font-family line-height color text-shadow ' +
    '-webkit-text-fill-color -webkit-text-stroke -webkit-text-stroke-width background-color background-image ' +
    'background-size background-clip backdrop-filter box-shadow position float z-index left right top bottom ' +
    'text-indent letter-spacing word-spacing margin-left margin-top padding-bottom transform translate scale rotate ' +
    'line-clamp zoom clip clip-path overflow-x overflow-y width height max-width max-height padding-top padding-left ' +
    'box-sizing backface-visibility flex flex-basis flex-grow grid-template-rows grid-template-columns grid-auto-rows ' +
    'grid-auto-columns'
  ).split(' '),
]);
