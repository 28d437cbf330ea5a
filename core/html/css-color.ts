import { namedColors } from '@csstools/color-helpers';
import { color as readWithLibrary, serializeRGB } from '@csstools/css-color-parser';
import { parseComponentValue } from '@csstools/css-parser-algorithms';
import { tokenize } from '@csstools/css-tokenizer';

/** Reads colours of CSS and HTML attributes. Pure. */

export interface Color {
  /** 0 to 255. */
  readonly red: number;
  readonly green: number;
  readonly blue: number;
  /** 0 (transparent) to 1. */
  readonly alpha: number;
}

/** CSS Color Module Level 4, 6.2, as browsers show them in light mode. */
const SYSTEM: Readonly<Record<string, string>> = {
  canvas: '#fff',
  canvastext: '#000',
  linktext: '#00e',
  visitedtext: '#551a8b',
  activetext: '#f00',
  buttonface: '#efefef',
  buttontext: '#000',
  field: '#fff',
  fieldtext: '#000',
  graytext: '#808080',
  window: '#fff',
  windowtext: '#000',
  infotext: '#000',
  menutext: '#000',
};
/** The others differ between systems. */
const OTHER_SYSTEM =
  /^(?:accentcolor|accentcolortext|buttonborder|highlight|highlighttext|mark|marktext|selecteditem|selecteditemtext|activeborder|activecaption|appworkspace|background|buttonhighlight|buttonshadow|captiontext|inactiveborder|inactivecaption|inactivecaptiontext|infobackground|menu|scrollbar|threed\w+|windowframe|-webkit-[\w-]+|-moz-[\w-]+)$/;

/** @returns 'unknown' for a colour that cannot be determined; undefined if the text is not a colour */
export function readColor(text: string): Color | 'unknown' | undefined {
  const value = text.trim().toLowerCase();
  const system = SYSTEM[value];
  if (system !== undefined) return readColor(system);
  // Attributes may omit the `#`.
  const hex = /^#?((?:[0-9a-f]{3,4}){1,2})$/.exec(value)?.[1];
  if (hex !== undefined) return fromHex(hex.length < 5 ? hex.replace(/./g, '$&$&') : hex);
  const named = Object.hasOwn(namedColors, value) ? namedColors[value] : undefined;
  if (named !== undefined) return { red: named[0], green: named[1], blue: named[2], alpha: 1 };
  if (value === 'transparent') return { red: 0, green: 0, blue: 0, alpha: 0 };
  if (value.includes('(')) return computed(value) ?? 'unknown';
  return OTHER_SYSTEM.test(value) ? 'unknown' : undefined;
}

function fromHex(digits: string): Color {
  const byteAt = (at: number) => Number.parseInt(digits.slice(at, at + 2), 16);
  const alpha = digits.length === 8 ? byteAt(6) / 255 : 1;
  return { red: byteAt(0), green: byteAt(2), blue: byteAt(4), alpha };
}

/** `rgb()`, `oklch()`, `color-mix()` and the like. */
function computed(value: string): Color | undefined {
  const node = parseComponentValue(tokenize({ css: value }));
  const data = node === undefined ? false : readWithLibrary(node);
  if (data === false || typeof data.alpha !== 'number') return undefined;
  const [red = Number.NaN, green = Number.NaN, blue = Number.NaN, alpha = 1] = (
    /^rgba?\(([^()]*)\)$/.exec(serializeRGB(data).toString())?.[1] ?? ''
  )
    .split(',')
    .map(Number);
  return [red, green, blue, alpha].some(Number.isNaN) ? undefined : { red, green, blue, alpha };
}

/** The visible colour of a translucent one in front of another. */
export function over(front: Color, behind: Color): Color {
  const mix = (a: number, b: number) => a * front.alpha + b * (1 - front.alpha);
  return {
    red: mix(front.red, behind.red),
    green: mix(front.green, behind.green),
    blue: mix(front.blue, behind.blue),
    alpha: front.alpha + behind.alpha * (1 - front.alpha),
  };
}

/** A difference in a channel that no eye sees in text. */
const UNSEEN_DIFFERENCE = 24;

/** Whether text of one colour is invisible on the other. */
export function lookTheSame(a: Color, b: Color): boolean {
  return (['red', 'green', 'blue'] as const).every(
    (channel) => Math.abs(a[channel] - b[channel]) <= UNSEEN_DIFFERENCE,
  );
}
