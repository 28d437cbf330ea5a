import type { DomNode } from 'html-to-text';
import { type Color, lookTheSame, readColor } from './css-color.ts';
import { attributesOf } from './selector.ts';
import { type Declaration, readDeclarations, readStyleSheet, type StyleSheet } from './style-sheet.ts';

/**
 * What of an HTML message a person sees. Hidden is what the `hidden` attribute, a tag that is never drawn, or a style
 * hides, be it inline, an old attribute or in a style sheet: not displayed, not visible, transparent, too small to
 * read, of the colour behind it, clipped away, or moved off the page. What cannot be told is taken to show: colours
 * over a picture, sizes and places that are computed, what lies behind something else, and rules with selectors that
 * are not known.
 */
export interface Sight {
  /** The element is drawn; what is in it may be. */
  readonly isDrawn: boolean;
  /** Text directly in it can be read. */
  readonly textShows: boolean;
  /** A picture that it is can be seen. */
  readonly pictureShows: boolean;
}

export function sightOf(element: DomNode): Sight {
  const style = styleOf(element);
  return { isDrawn: style.isDrawn, textShows: isReadable(style), pictureShows: style.isVisible };
}

/** What an element hands down to those in it. */
interface Style {
  readonly isDrawn: boolean;
  readonly isVisible: boolean;
  readonly opacity: number;
  readonly fontPx: number;
  /** Undefined: not known. */
  readonly color: Color | undefined;
  readonly background: Color | undefined;
}

const FONT_PX = 16;
const READABLE_PX = 3;
const SEEN_OPACITY = 0.1;

const PAGE: Style = {
  isDrawn: true,
  isVisible: true,
  opacity: 1,
  fontPx: FONT_PX,
  color: { red: 0, green: 0, blue: 0, alpha: 1 },
  background: { red: 255, green: 255, blue: 255, alpha: 1 },
};
const LINK: Color = { red: 0, green: 0, blue: 238, alpha: 1 };

function isReadable({ isVisible, fontPx, color, background }: Style): boolean {
  if (!isVisible || fontPx < READABLE_PX) return false;
  if (color === undefined) return true;
  if (color.alpha < SEEN_OPACITY) return false;
  return background === undefined || !lookTheSame(color, background);
}

const computed = new WeakMap<DomNode, Style>();

/** Elements are asked for from the outside in: the parent's is there already. */
function styleOf(element: DomNode): Style {
  const known = computed.get(element);
  if (known !== undefined) return known;
  const { parent } = element;
  const style = styled(element, parent?.type === 'tag' ? styleOf(parent) : PAGE);
  computed.set(element, style);
  return style;
}

const NEVER_DRAWN = new Set(
  'template datalist noembed noframes title iframe canvas meter progress rp desc metadata defs annotation'.split(
    ' ',
  ),
);

function styled(element: DomNode, parent: Style): Style {
  const attributes = attributesOf(element);
  const name = element.name ?? '';
  const declared = declarationsOf(element);
  const isLink = name === 'a' && 'href' in attributes;
  const isHeldBack = NEVER_DRAWN.has(name) || (name === 'dialog' && !('open' in attributes));
  if (declared.size === 0 && !isHeldBack && !isLink && name !== 'img' && !('hidden' in attributes))
    return parent;
  const get = (property: string) => declared.get(property) ?? '';
  const fontPx = fontSize(declared, parent.fontPx);
  const px = (property: string) => lengthPx(get(property), fontPx, SCREEN_PX);
  const opacity = parent.opacity * opacityIn(get('opacity'), get('filter'));
  const display = get('display');
  const isDrawn =
    display !== 'none' &&
    (!('hidden' in attributes) || display !== '') &&
    !isHeldBack &&
    !(name === 'img' && isDot(attributes, px)) &&
    get('content-visibility') !== 'hidden' &&
    opacity >= SEEN_OPACITY &&
    !isOffPage(get, px) &&
    !isClipped(get, px);
  const visibility = get('visibility');
  return {
    isDrawn,
    isVisible: visibility === '' || visibility === 'inherit' ? parent.isVisible : visibility === 'visible',
    opacity,
    fontPx,
    color: colorOf(declared, isLink ? LINK : parent.color),
    background: backgroundOf(declared, parent.background),
  };
}

const RELEVANT = new Set(
  (
    'display visibility opacity filter content-visibility font font-size color -webkit-text-fill-color background ' +
    'background-color background-image position left right top bottom inset text-indent margin margin-left ' +
    'margin-top margin-inline-start margin-block-start transform -webkit-transform translate scale zoom ' +
    'clip clip-path -webkit-clip-path overflow overflow-x overflow-y width height max-width max-height'
  ).split(' '),
);

/** A message says the same style many times over. */
interface Styles {
  readonly sheet: StyleSheet;
  readonly inline: Map<string, readonly Declaration[]>;
}

const documents = new WeakMap<DomNode, Styles>();

function stylesFor(element: DomNode): Styles {
  let root = element;
  while (root.parent) root = root.parent;
  const known = documents.get(root);
  if (known !== undefined) return known;
  const read = { sheet: readStyleSheet(styleTexts(root), counts), inline: new Map() };
  documents.set(root, read);
  return read;
}

function ownDeclarations(style: string, { inline }: Styles): readonly Declaration[] {
  const known = inline.get(style);
  if (known !== undefined) return known;
  const read = readDeclarations(style).filter(counts);
  inline.set(style, read);
  return read;
}

function counts({ property, value }: Declaration): boolean {
  return RELEVANT.has(property) && isValid(property, value);
}

function styleTexts(root: DomNode): string {
  const texts: string[] = [];
  const waiting = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.type === 'style') texts.push(styleText(node));
    else for (const child of (node.children ?? []).toReversed()) waiting.push(child);
  }
  return texts.join('\n');
}

function styleText(style: DomNode): string {
  const { media = '', type = '' } = attributesOf(style);
  const text = (style.children ?? []).map(({ data = '' }) => data).join('');
  if (!/^(?:text\/css)?\s*$/i.test(type)) return '';
  return media === '' ? text : `@media ${media} {${text}}`;
}

/** Old attributes first, then the style sheets, then the element's own style; the last of each wins. */
function declarationsOf(element: DomNode): ReadonlyMap<string, string> {
  const attributes = attributesOf(element);
  const styles = stylesFor(element);
  const inSheets = styles.sheet(element);
  const own = attributes.style === undefined ? [] : ownDeclarations(attributes.style, styles);
  const modern = [...inSheets, ...own];
  const cascade = [
    ...oldAttributes(element.name ?? '', attributes).filter(counts),
    ...modern.filter(({ important }) => !important),
    ...modern.filter(({ important }) => important),
  ];
  const declared = new Map<string, string>();
  for (const { property, value } of cascade) {
    // Set anew at the end, so that of `background` and `background-color` the later one counts.
    declared.delete(property);
    declared.set(property, value);
  }
  return declared;
}

function oldAttributes(
  name: string,
  { bgcolor, background, color, text }: Record<string, string>,
): Declaration[] {
  const entries = [
    ['background-color', bgcolor],
    ['background-image', background && `url(${background})`],
    ['color', name === 'font' ? color : undefined],
    ['color', name === 'body' ? text : undefined],
  ] as const;
  return entries.flatMap(([property, value]) =>
    value === undefined ? [] : [{ property, value: value.toLowerCase(), important: false }],
  );
}

const KEYWORDS: Readonly<Record<string, RegExp>> = {
  display:
    /^(?:none|contents|-webkit-box|-webkit-flex|(?:inline|block|table|flex|grid|list-item|flow|flow-root|ruby|run-in)[a-z -]*)$/,
  visibility: /^(?:visible|hidden|collapse)$/,
  opacity: /^[\d.]+(?:e-?\d+)?%?$/,
  position: /^(?:static|relative|absolute|fixed|sticky|-webkit-sticky)$/,
  'font-size': /^(?:smaller|larger|xx?-small|small|medium|large|x{1,3}-large)$/,
};
const LENGTHS =
  /^(?:font-size|left|right|top|bottom|text-indent|(?:max-)?(?:width|height)|margin-(?:left|top|inline-start|block-start))$/;
const ANYWHERE = /^(?:inherit|initial|unset|revert|auto|none|normal)$|\(/;

/** Readers drop a value that is none, and the one before it counts; what is computed is a value that is not known. */
function isValid(property: string, value: string): boolean {
  if (KEYWORDS[property]?.test(value) || (ANYWHERE.test(value) && property !== 'display')) return true;
  if (LENGTHS.test(property)) return lengthPx(value, FONT_PX, FONT_PX) !== undefined;
  if (/color$/.test(property)) return value === 'currentcolor' || readColor(value) !== undefined;
  return KEYWORDS[property] === undefined || /^(?:inherit|initial|unset|revert)$/.test(value);
}

function colorOf(declared: ReadonlyMap<string, string>, inherited: Color | undefined): Color | undefined {
  const value = declared.get('-webkit-text-fill-color') ?? declared.get('color') ?? 'inherit';
  if (value === 'initial') return PAGE.color;
  return value === 'inherit' || value === 'currentcolor' ? inherited : readColor(value);
}

/** The colour behind the text; not known where there is a picture, or a colour that lets others through. */
function backgroundOf(declared: ReadonlyMap<string, string>, behind: Color | undefined): Color | undefined {
  let color: Color | undefined = behind;
  let isPicture = false;
  for (const [property, value] of declared) {
    if (!property.startsWith('background')) continue;
    if (property !== 'background-color') isPicture = /url\(|gradient\(|image/.test(value);
    if (property === 'background-image') continue;
    const parts = value.match(/[\w#.%-]+(?:\([^()]*\))?/g) ?? [];
    const found = parts.map(readColor).find((one) => one !== undefined);
    if (found === undefined) color = value.includes('var(') ? undefined : behind;
    else if (found.alpha >= 1) color = found;
    else color = found.alpha === 0 ? behind : undefined;
  }
  return isPicture ? undefined : color;
}

const FONT_KEYWORD = /^(?:xx?-small|small|medium|large|x{1,3}-large|initial)$/;

function fontSize(declared: ReadonlyMap<string, string>, parentPx: number): number {
  let px = parentPx;
  for (const [property, value] of declared) {
    if (property === 'font-size')
      px = FONT_KEYWORD.test(value) ? FONT_PX : (lengthPx(value, parentPx, parentPx) ?? px);
    if (property !== 'font') continue;
    // A number without a unit is a weight, unless it is 0.
    const sizes = value
      .split(/[\s/]+/)
      .map((part) => (FONT_KEYWORD.test(part) ? FONT_PX : lengthPx(part, parentPx, parentPx)));
    px = sizes.find((size) => size !== undefined) ?? px;
  }
  return px;
}

const SCREEN_PX = 1024;
const PX_OF: Readonly<Record<string, number>> = {
  px: 1,
  pt: 4 / 3,
  pc: 16,
  in: 96,
  cm: 96 / 2.54,
  mm: 96 / 25.4,
  rem: FONT_PX,
  vw: SCREEN_PX / 100,
  vh: SCREEN_PX / 100,
};

/** @returns undefined for what is no length, or is computed */
function lengthPx(value: string, emPx: number, wholePx: number): number | undefined {
  const [, digits = '', unit = ''] =
    /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e\d+)?)(%|[a-z]*)$/.exec(value.trim()) ?? [];
  if (digits === '') return undefined;
  const number = Number(digits);
  if (unit === '') return number === 0 ? 0 : undefined;
  if (unit === '%') return (number * wholePx) / 100;
  if (unit === 'em') return number * emPx;
  if (unit === 'ex' || unit === 'ch') return (number * emPx) / 2;
  const px = PX_OF[unit];
  return px === undefined ? undefined : number * px;
}

type Get = (property: string) => string;
type Px = (property: string) => number | undefined;

function opacityIn(opacity: string, filter: string): number {
  const [, inFilter] = /opacity\(\s*([\d.]+%?)\s*\)/.exec(filter) ?? [];
  return [opacity, inFilter ?? ''].reduce((product, value) => {
    const number = Number.parseFloat(value) / (value.endsWith('%') ? 100 : 1);
    return Number.isNaN(number) ? product : product * Math.min(Math.max(number, 0), 1);
  }, 1);
}

/** So far to the left or above nothing is seen, and nobody scrolls so far to the right or down. */
const OFF_PAGE_PX = -300;
const OUT_OF_REACH_PX = 5000;

function isOffPage(get: Get, px: Px): boolean {
  const isOff = (value: number | undefined) =>
    value !== undefined && (value <= OFF_PAGE_PX || value >= OUT_OF_REACH_PX);
  const anyOff = (values: string) => lengthsIn(values, SCREEN_PX).some(isOff);
  const moving = ['text-indent', 'margin-left', 'margin-top', 'margin-inline-start', 'margin-block-start'];
  if (moving.map(px).some(isOff)) return true;
  // Of the shorthand only these: a margin below or to the right hides nothing.
  const [top = '', right = top, , left = right] = get('margin').split(/\s+/);
  if (anyOff(`${top} ${left}`)) return true;
  const isPlaced = !['', 'static', 'inherit', 'initial'].includes(get('position'));
  if (isPlaced && (['left', 'right', 'top', 'bottom'].map(px).some(isOff) || anyOff(get('inset'))))
    return true;
  if (anyOff(get('translate')) || isFlat(get('scale')) || isFlat(get('zoom'))) return true;
  const transform = `${get('transform')} ${get('-webkit-transform')}`;
  const scales = [...transform.matchAll(/(?:scale(?:3d|x|y)?|matrix)\(([^()]*)\)/g)];
  if (scales.some(([, sizes = '']) => isFlat(sizes.split(',')[0] ?? ''))) return true;
  if (/rotate[xy]\(\s*-?90deg\s*\)/.test(transform)) return true;
  const moves = [...transform.matchAll(/translate(?:3d|x|y)?\(([^()]*)\)/g)];
  return moves.some(([, moved = '']) => moved.split(',').some((part) => isOff(lengthPx(part, FONT_PX, 0))));
}

function lengthsIn(values: string, wholePx: number): (number | undefined)[] {
  return values.split(/\s+/).map((value) => lengthPx(value, FONT_PX, wholePx));
}

/** So much smaller that letters are no more than dots. */
function isFlat(scale: string): boolean {
  const number = Number.parseFloat(scale) / (scale.trim().endsWith('%') ? 100 : 1);
  return Math.abs(number) <= READABLE_PX / FONT_PX;
}

function isClipped(get: Get, px: Px): boolean {
  const hidesOverflow = /hidden|clip|scroll|auto/.test(
    ['overflow', 'overflow-x', 'overflow-y'].map(get).join(' '),
  );
  const isThin = (property: string) => (px(property) ?? READABLE_PX) < READABLE_PX;
  if (hidesOverflow && ['height', 'max-height', 'width', 'max-width'].some(isThin)) return true;
  const path = get('clip-path') || get('-webkit-clip-path');
  if (/^(?:inset\((?:[^,()]*\s)?(?:[5-9]\d|100)(?:\.\d+)?%|circle\(\s*0|ellipse\(\s*0)/.test(path))
    return true;
  if (/^(?:rect|polygon)\([\s0,pxem%auto]*\)$/.test(path)) return true;
  const sides =
    /^rect\(([^()]*)\)$/
      .exec(get('clip'))?.[1]
      ?.split(/[\s,]+/)
      .filter((side) => side !== '') ?? [];
  const [top, right, bottom, left] = sides.map((side) => lengthPx(side, FONT_PX, 0));
  if (top === undefined || right === undefined || bottom === undefined || left === undefined) return false;
  return bottom - top <= 1 || right - left <= 1;
}

/** A picture of one point counts the readers; its alternative text is seen by nobody. */
function isDot({ width, height }: Record<string, string>, px: Px): boolean {
  const isPoint = (styled: number | undefined, attribute: string | undefined) =>
    styled === undefined ? /^\s*[01](?:px)?\s*$/.test(attribute ?? '') : styled <= 1;
  return isPoint(px('width'), width) && isPoint(px('height'), height);
}
