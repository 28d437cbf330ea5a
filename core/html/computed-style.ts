import { readColor } from './css-color.ts';
import { FONT_PX, lengthPx, numberIn, sidesIn, valuesIn } from './css-length.ts';
import { type Budget, type Declaration, readDeclarations, type SheetText, UNKNOWN } from './css-syntax.ts';
import { type CustomProperties, within, withoutVariables } from './custom-property.ts';
import { attributesOf, elementsIn, type HtmlDocument, type HtmlElement, textIn } from './html-tree.ts';
import { type Applied, readStyleSheet, type StyleSheet } from './style-sheet.ts';

/** What style sheets, attributes and inline styles set on an element. Pure. */

/** The value of a property without variables. Empty if none is set, `UNKNOWN` if it cannot be determined. */
export type Values = (property: string) => string;

export interface Styles {
  /** The values set on the element. Undefined if computing them would take too much work. */
  valuesOf(element: HtmlElement): Declared | undefined;
  /** The same for documents with the same style sheets. */
  readonly sheets: Sheets;
}

export interface Sheets {
  readonly ownFonts: ReadonlySet<string>;
  /** Custom properties whose values are the same everywhere. */
  readonly custom: CustomProperties | undefined;
}

/** What is set on an element. */
export interface Declared {
  /** The same for elements with the same values. Undefined if they depend on more. */
  readonly key: string | undefined;
  /** @param outer the custom properties around the element */
  within(outer: CustomProperties | undefined): { get: Values; custom: CustomProperties | undefined };
}

/**
 * Reads the styles of several documents. The chapters of a book repeat their style sheets.
 * @param relevant the properties that are ever read; others are not kept
 * @param steps the budget for the work
 */
export function styleReader(
  relevant: ReadonlySet<string>,
  steps: Budget,
): { read(document: HtmlDocument): Styles } {
  const relevantOf = (declaration: Declaration) => {
    const { property, value } = declaration;
    if (property.startsWith('--')) return [declaration];
    const found = longhands(property).filter((one) => relevant.has(one));
    return found.length > 0 && isValid(property, value)
      ? found.map((one) => ({ ...declaration, property: one }))
      : [];
  };
  const known = new Map<string, StyleSheet & Sheets>();
  const sheetOf = (texts: readonly SheetText[]): StyleSheet & Sheets => {
    const key = JSON.stringify(texts);
    const sheet = known.get(key);
    if (sheet !== undefined) return sheet;
    const read = readStyleSheet(texts, relevantOf, steps);
    const registered = new Map(read.registered.map((name) => [name, UNKNOWN]));
    const sheets = { ...read, custom: within(undefined, registered) };
    known.set(key, sheets);
    return sheets;
  };
  /** A message often repeats the same style. */
  const inline = new Map<string, readonly Applied[]>();
  const ownDeclarations = (style: string) => {
    const known = inline.get(style);
    if (known !== undefined) return known;
    const read = readDeclarations(style, steps).flatMap(relevantOf).map(certain);
    inline.set(style, read);
    return read;
  };
  return {
    read(document) {
      const sheets = sheetOf(sheetTexts(document));
      const isBorrowed = [...elementsIn(document)].some(isSheetOfItsOwn);
      return { sheets, valuesOf: (element) => declaredFor(element, isBorrowed ? undefined : sheets) };
    },
  };

  function declaredFor(element: HtmlElement, sheet: StyleSheet | undefined): Declared | undefined {
    const inSheets = sheet?.declarationsFor(element);
    if (inSheets === undefined) return undefined;
    const style = attributesOf(element).get('style');
    const own = style === undefined ? [] : ownDeclarations(style);
    const old = oldAttributes(element);
    const all =
      old.length + inSheets.length === 0
        ? own
        : [...old.flatMap(relevantOf).map(certain), ...inSheets, ...own];
    for (const { value } of all) steps.left -= stepsOf(value);
    if (steps.left <= 0) return undefined;
    return all.length === 0 ? NOTHING : declaredBy(all);
  }
}

const NOTHING: Declared = {
  key: '',
  within: (custom) => ({ get: () => '', custom }),
};

function declaredBy(all: readonly Applied[]): Declared {
  const declared = cascade(all);
  const own = new Map([...declared].filter(([property]) => property.startsWith('--')));
  let key: string | undefined = '';
  // A value may contain anything, so its length stands before it.
  for (const [property, value] of declared) key += `${property}:${value.length}:${value};`;
  if (own.size > 0 || DEPENDS_ON_TEXT.some((property) => declared.has(property))) key = undefined;
  return {
    key,
    within(outer) {
      const custom = within(outer, own);
      const get = (property: string) => {
        const value = declared.get(property) ?? '';
        return /var\(/i.test(value) ? (withoutVariables(value, custom) ?? 'unset') : value;
      };
      return { get, custom };
    },
  };
}

/** A box of limited height may be too small for its text. */
const DEPENDS_ON_TEXT = ['height', 'max-height', 'line-clamp'];

/** The cost of reading a value: functions are computed, and read several times. */
function stepsOf(value: string): number {
  return value.includes('(') ? 20 + 10 * value.length : 10 + value.length / 4;
}

function certain(declaration: Declaration): Applied {
  return { ...declaration, isCertain: true };
}

/** Weakest first; important declarations come last. A declaration that only may apply makes the value unknown. */
function cascade(declarations: readonly Applied[]): Map<string, string> {
  const declared = new Map<string, string>();
  const set = ({ property, value, isCertain }: Applied) => {
    if (isCertain) declared.set(property, value);
    else if (declared.get(property) !== value) declared.set(property, UNKNOWN);
  };
  for (const one of declarations) if (!one.important) set(one);
  for (const one of declarations) if (one.important) set(one);
  return declared;
}

/** Shorthands set these. Readers of a value extract their part from it. */
const LONGHANDS: Readonly<Record<string, readonly string[]>> = {
  background: ['background-color', 'background-image', 'background-size', 'background-clip'],
  font: ['font-size', 'font-family', 'line-height'],
  margin: ['margin-top', 'margin-left'],
  'margin-inline': ['margin-left'],
  'margin-inline-start': ['margin-left'],
  'margin-block': ['margin-top'],
  'margin-block-start': ['margin-top'],
  inset: ['top', 'right', 'bottom', 'left'],
  'inset-inline': ['left', 'right'],
  'inset-inline-start': ['left'],
  'inset-inline-end': ['right'],
  'inset-block': ['top', 'bottom'],
  'inset-block-start': ['top'],
  'inset-block-end': ['bottom'],
  overflow: ['overflow-x', 'overflow-y'],
  padding: ['padding-top', 'padding-bottom', 'padding-left'],
  'padding-block': ['padding-top', 'padding-bottom'],
  'padding-block-start': ['padding-top'],
  'padding-block-end': ['padding-bottom'],
  'padding-inline': ['padding-left'],
  'padding-inline-start': ['padding-left'],
  grid: ['grid-template-rows', 'grid-template-columns', 'grid-auto-rows', 'grid-auto-columns'],
  'grid-template': ['grid-template-rows', 'grid-template-columns'],
  'inline-size': ['width'],
  'block-size': ['height'],
  'max-inline-size': ['max-width'],
  'max-block-size': ['max-height'],
  mask: ['mask-image'],
};
const PREFIX =
  /^-webkit-(?=transform$|filter$|mask|clip-path$|opacity$|box-shadow$|background-|animation|line-clamp$|backdrop-filter$|backface-visibility$)/;

function longhands(property: string): readonly string[] {
  const plain = property.replace(PREFIX, '');
  return LONGHANDS[plain] ?? [plain];
}

function sheetTexts(document: HtmlDocument): SheetText[] {
  const texts: SheetText[] = [];
  for (const element of elementsIn(document)) {
    if (element.tagName !== 'style') continue;
    const { media = '', type = '' } = Object.fromEntries(attributesOf(element));
    if (!/^(?:text\/css)?\s*$/i.test(type)) continue;
    texts.push({ media, css: textIn(element) });
  }
  return texts;
}

/** A style sheet inside its own link. */
function isSheetOfItsOwn(element: HtmlElement): boolean {
  return element.tagName === 'link' && /^\s*data:/i.test(attributesOf(element).get('href') ?? '');
}

const FIELD = [
  ['color', 'fieldtext'],
  ['background-color', 'field'],
  ['font-size', '13.33px'],
  ['letter-spacing', 'normal'],
  ['text-indent', '0'],
] as const;
const BUTTON = [...FIELD, ['color', 'buttontext'], ['background-color', 'buttonface']] as const;

/** Browser styles: fields inherit no colour and no size. */
const FIELDS: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  input: [...FIELD, ['overflow-x', 'clip'], ['overflow-y', 'clip']],
  textarea: [...FIELD, ['overflow-x', 'auto'], ['overflow-y', 'auto']],
  select: [...FIELD, ['overflow-x', 'clip'], ['overflow-y', 'clip']],
  button: BUTTON,
};

/** Values set before any sheet: by the browser, and by attributes of old HTML. */
function oldAttributes(element: HtmlElement): Declaration[] {
  const attributes = attributesOf(element);
  const name = element.tagName;
  const color =
    name === 'font' ? attributes.get('color') : name === 'body' ? attributes.get('text') : undefined;
  const background = attributes.get('background');
  const fields = FIELDS[name];
  const isPlain = color === undefined && background === undefined && !attributes.has('bgcolor');
  if (fields === undefined && isPlain) return [];
  const entries = [
    ...(fields ?? []),
    ['background-color', attributes.get('bgcolor')],
    ['background-image', background && `url(${background.slice(0, 9)})`],
    ['color', color],
  ] as const;
  return entries.flatMap(([property, value]) =>
    value === undefined ? [] : [{ property, value: value.trim().toLowerCase(), important: false }],
  );
}

const WIDE = /^(?:inherit|initial|unset|revert|revert-layer)$/;
const KEYWORDS: Readonly<Record<string, RegExp>> = {
  display:
    /^(?:none|contents|math|-webkit-box|-webkit-flex|-webkit-inline-box|(?:inline|block|table|flex|grid|list-item|flow|flow-root|ruby|run-in)[a-z -]*)$/,
  visibility: /^(?:visible|hidden|collapse)$/,
  position: /^(?:static|relative|absolute|fixed|sticky|-webkit-sticky)$/,
  'content-visibility': /^(?:visible|auto|hidden)$/,
  'font-size': /^(?:smaller|larger|xx?-small|small|medium|large|x{1,3}-large)$/,
  'line-height': /^(?:normal|[\d.]+)$/,
  zoom: /^(?:normal|reset|document)$/,
  scale: /^none|^[-+\d. %e]+$/,
  'max-width': /^none$/,
  'max-height': /^none$/,
};
const LENGTHS =
  /^(?:font-size|left|right|top|bottom|text-indent|line-height|(?:letter|word)-spacing|(?:max-)?(?:width|height))$/;
const SIDES = /^(?:margin|inset|padding)/;
const BACKGROUND =
  /^(?:none|(?:no-)?repeat(?:-[xy])?|round|space|scroll|fixed|local|left|right|top|bottom|center|cover|contain|(?:border|padding|content)-box|text|border-area|\/|,|!ie|0)$/;

/**
 * Browsers drop a declaration with an invalid value, and the one before it counts. Functions count as valid, known or
 * unknown.
 */
function isValid(property: string, value: string): boolean {
  if (WIDE.test(value) || value.includes('(')) return true;
  if (KEYWORDS[property]?.test(value)) return true;
  if (property === 'opacity' || property === 'zoom') return numberIn(value) !== undefined;
  if (SIDES.test(property)) return valuesIn(value).every(isLength);
  if (LENGTHS.test(property)) return isLength(value) || (/spacing$/.test(property) && value === 'normal');
  if (property === 'color' || property === 'background-color' || property === '-webkit-text-fill-color')
    return value === 'currentcolor' || readColor(value) !== undefined;
  if (property === 'background') return valuesIn(value).every(isOfBackground);
  if (property === 'font') return fontSizeIn(value, FONT_PX) !== undefined;
  return KEYWORDS[property] === undefined;
}

function isLength(value: string): boolean {
  return (
    /^(?:auto|none|normal|(?:min|max|fit)-content|stretch|-webkit-fill-available)$/.test(value) ||
    lengthPx(value, FONT_PX, FONT_PX) !== undefined
  );
}

function isOfBackground(value: string): boolean {
  return value
    .split(/[,/]/)
    .every((one) => one === '' || BACKGROUND.test(one) || isLength(one) || readColor(one) !== undefined);
}

const FONT_KEYWORD = /^(?:xx?-small|small|medium|large|x{1,3}-large|initial)$/;

/** The size in a value of `font-size` or `font`. @returns undefined if there is none, or it cannot be computed */
export function fontSizeIn(value: string, parentPx: number): number | undefined {
  // A number without a unit is a weight, unless it is 0.
  for (const part of valuesIn(value.replace(/\/.*/, ''))) {
    if (FONT_KEYWORD.test(part)) return FONT_PX;
    if (part === 'smaller' || part === 'larger') return parentPx;
    const px = lengthPx(part, parentPx, parentPx);
    if (px !== undefined && px >= 0) return px;
  }
  return undefined;
}

/** One side of a property, from its own value or that of its shorthand. */
export function sideOf(value: string, side: 'top' | 'right' | 'bottom' | 'left'): string {
  const [top, right, bottom, left] = sidesIn(value);
  return { top, right, bottom, left }[side];
}
