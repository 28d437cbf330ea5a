import { SCREEN_PX } from './css-length.ts';
import type { Match } from './selector.ts';

/**
 * Evaluates media queries for a usual screen in light mode, with a mouse (Media Queries Level 4). Pure.
 * @csstools/media-query-list-parser would replace only the splitting below: it parses queries, and evaluates none.
 */

const SCREEN_HEIGHT_PX = 768;

const MAX_CHARS = 500;

/** @param list the text after `@media` */
export function mediaMatches(list: string): Match {
  if (list.length > MAX_CHARS) return undefined;
  if (list.trim() === '') return true;
  return either(split(list.toLowerCase(), ',').map(queryHolds));
}

function either(matches: readonly Match[]): Match {
  if (matches.includes(true)) return true;
  return matches.includes(undefined) ? undefined : false;
}

function both(matches: readonly Match[]): Match {
  if (matches.includes(false)) return false;
  return matches.includes(undefined) ? undefined : true;
}

/** Splits at separators outside brackets. */
function split(text: string, separator: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth++;
    else if (text[at] === ')') depth--;
    else if (depth === 0 && text.startsWith(separator, at)) {
      found.push(text.slice(start, at));
      start = at + separator.length;
    }
  }
  found.push(text.slice(start));
  return found.map((one) => one.trim());
}

function queryHolds(query: string): Match {
  const text = query.replace(/^only /, '');
  if (text.startsWith('not ')) {
    const match = queryHolds(text.slice(4).trim());
    return match === undefined ? undefined : !match;
  }
  const alternatives = split(text, ' or ');
  if (alternatives.length > 1) return either(alternatives.map(queryHolds));
  const conditions = split(text, ' and ');
  if (conditions.length > 1) return both(conditions.map(queryHolds));
  if (!text.startsWith('('))
    return /^(?:all|screen)$/.test(text) || (/^[\w-]+$/.test(text) ? false : undefined);
  if (!text.endsWith(')')) return undefined;
  const inner = text.slice(1, -1).trim();
  return inner.startsWith('(') || inner.startsWith('not ') ? queryHolds(inner) : featureHolds(inner);
}

/** The values of a usual screen. Any other value of the same features is false. */
const USUAL: Readonly<Record<string, RegExp>> = {
  hover: /^(?:hover)?$/,
  'any-hover': /^(?:hover)?$/,
  pointer: /^(?:fine)?$/,
  'any-pointer': /^(?:fine)?$/,
  'prefers-color-scheme': /^(?:light)?$/,
  'prefers-reduced-motion': /^no-preference$/,
  'prefers-reduced-transparency': /^no-preference$/,
  'prefers-reduced-data': /^no-preference$/,
  'prefers-contrast': /^no-preference$/,
  'forced-colors': /^none$/,
  'inverted-colors': /^none$/,
  orientation: /^(?:landscape)?$/,
  color: /^8?$/,
  'min-color': /^[0-8]$/,
  monochrome: /^0$/,
  grid: /^0$/,
  scan: /^$/,
  scripting: /^none$/,
  update: /^(?:fast)?$/,
  'display-mode': /^browser$/,
  width: /^$/,
  height: /^$/,
  'min-resolution': /^(?:0?\.\d+|[01])(?:\.0+)?(?:dppx|x)$|^(?:\d|[1-8]\d|9[0-6])dpi$/,
  'max-resolution': /^(?:[1-9][\d.]*)(?:dppx|x)$|^(?:9[6-9]|\d{3,})dpi$/,
  'min--moz-device-pixel-ratio': /^(?:0?\.\d+|[01])(?:\.0+)?$/,
  'min-moz-device-pixel-ratio': /^(?:0?\.\d+|[01])(?:\.0+)?$/,
  '-webkit-min-device-pixel-ratio': /^(?:0?\.\d+|[01])(?:\.0+)?$/,
  '-webkit-max-device-pixel-ratio': /^[1-9][\d.]*$/,
};

function featureHolds(feature: string): Match {
  const [, name = '', value = ''] = /^([\w-]+)(?: ?: ?(.*))?$/.exec(feature) ?? ranged(feature) ?? [];
  const [, bound, side] = /^(min|max)-(?:device-)?(width|height)$/.exec(name) ?? [];
  if (bound === undefined) return USUAL[name]?.test(value);
  const [, digits, unit = 'px'] = /^([\d.]+)(px|em|rem)?$/.exec(value) ?? [];
  if (digits === undefined) return undefined;
  const px = Number(digits) * (unit === 'px' ? 1 : 16);
  const screenPx = side === 'height' ? SCREEN_HEIGHT_PX : SCREEN_PX;
  return bound === 'min' ? screenPx >= px : screenPx <= px;
}

/** `width >= 600px`, as `min-width: 600px`. */
function ranged(feature: string): readonly string[] | undefined {
  const [, side = '', sign = '', value = ''] = /^(width|height) ?([<>])=? ?([\w.]+)$/.exec(feature) ?? [];
  return side === '' ? undefined : [feature, `${sign === '>' ? 'min' : 'max'}-${side}`, value];
}
