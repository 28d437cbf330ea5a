import { calc } from '@csstools/css-calc';

/** Reads lengths of CSS. Pure. */

export const FONT_PX = 16;
export const SCREEN_PX = 1024;

const PX_OF: Readonly<Record<string, number>> = {
  px: 1,
  pt: 4 / 3,
  pc: 16,
  in: 96,
  cm: 96 / 2.54,
  mm: 96 / 25.4,
  q: 96 / 101.6,
  rem: FONT_PX,
};
const VIEWPORT = /^[dsl]?v(?:w|h|i|b|min|max)$/;
const EM_OF: Readonly<Record<string, number>> = { em: 1, ex: 0.5, ch: 0.5, cap: 0.7, ic: 1, lh: 1.2 };

/** @returns undefined if the value is not a length, or cannot be computed */
export function lengthPx(value: string, emPx: number, wholePx: number): number | undefined {
  if (value.includes('(')) return computedPx(value, emPx, wholePx);
  const [, digits = '', unit = ''] =
    /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)(%|[a-z]*)$/.exec(value.trim()) ?? [];
  if (digits === '') return undefined;
  const number = Number(digits);
  if (unit === '') return number === 0 ? 0 : undefined;
  if (unit === '%') return (number * wholePx) / 100;
  const ems = EM_OF[unit];
  if (ems !== undefined) return number * ems * emPx;
  const px = VIEWPORT.test(unit) ? SCREEN_PX / 100 : PX_OF[unit];
  return px === undefined ? undefined : number * px;
}

const NUMBER_WITH_UNIT = /(?<![\w.-])[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?(?:%|[a-z]+)/g;

/** Evaluates `calc()`, `min()`, `clamp()` and similar, after converting each length in them to pixels. */
function computedPx(value: string, emPx: number, wholePx: number): number | undefined {
  const inPx = value.replace(/-(?:webkit|moz)-calc\(/g, 'calc(').replace(NUMBER_WITH_UNIT, (one) => {
    const px = lengthPx(one, emPx, wholePx);
    return px === undefined ? one : `${px}px`;
  });
  const result = calculated(inPx);
  return result === undefined || result.includes('(') ? undefined : lengthPx(result, emPx, wholePx);
}

/** @returns undefined if it cannot be computed: the library throws on unclosed brackets */
function calculated(value: string): string | undefined {
  try {
    return calc(value);
  } catch {
    return undefined;
  }
}

/** A number or percentage, possibly computed. Undefined if the value is neither. */
export function numberIn(value: string): number | undefined {
  const plain = value.includes('(') ? calculated(value) : value;
  const [, digits, percent] = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)(%?)$/.exec(plain ?? '') ?? [];
  return digits === undefined ? undefined : Number(digits) / (percent === '%' ? 100 : 1);
}

/** The parts of a shorthand: separated by white space outside brackets. */
export function valuesIn(text: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= text.length; at++) {
    const one = text[at] ?? ' ';
    if (one === '(') depth++;
    else if (one === ')') depth--;
    else if (one === ' ' && (depth === 0 || at === text.length)) {
      if (at > start) found.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return found;
}

/** Top, right, bottom and left of a shorthand such as `margin`. */
export function sidesIn(text: string): [top: string, right: string, bottom: string, left: string] {
  const [top = '', right = top, bottom = top, left = right] = valuesIn(text);
  return [top, right, bottom, left];
}
