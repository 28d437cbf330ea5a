/**
 * Domain names with their `xn--` labels as people see them. Pure. Source: RFC 3492.
 * The punycode package throws for a whole name if one label is invalid, ships no types, and its name resolves to Node's
 * deprecated module.
 */

/** Decodes every label that can be decoded and leaves the others as they are. */
export function unicodeDomain(domain: string): string {
  return domain
    .toLowerCase()
    .split('.')
    .map((label) => (isEncoded(label) ? (decode(label.slice(4)) ?? label) : label))
    .join('.')
    .normalize('NFC');
}

/** No label in the DNS is longer. */
const LABEL_CHARS = 63;

function isEncoded(label: string): boolean {
  return label.startsWith('xn--') && label.length <= LABEL_CHARS;
}

const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;

/** Section 6.2. @returns undefined if the input is not valid punycode */
function decode(input: string): string | undefined {
  const delimiter = input.lastIndexOf('-');
  const output = Array.from(input.slice(0, Math.max(delimiter, 0)), (one) => one.charCodeAt(0));
  let codePoint = 0x80;
  let bias = 72;
  let index = 0;
  for (let at = delimiter + 1; at < input.length; ) {
    const before = index;
    for (let weight = 1, k = BASE; ; k += BASE) {
      const digit = digitOf(input.charCodeAt(at++));
      if (digit === undefined) return undefined;
      index += digit * weight;
      const threshold = Math.min(Math.max(k - bias, T_MIN), T_MAX);
      if (digit < threshold) break;
      weight *= BASE - threshold;
    }
    bias = adapt(index - before, output.length + 1, before === 0);
    codePoint += Math.floor(index / (output.length + 1));
    index %= output.length + 1;
    if (codePoint > 0x10ffff) return undefined;
    output.splice(index++, 0, codePoint);
  }
  return output.map((one) => String.fromCodePoint(one)).join('');
}

/** Section 5: a to z are 0 to 25, 0 to 9 are 26 to 35. Undefined beyond the end of the input, too. */
function digitOf(code: number): number | undefined {
  if (code >= 0x61 && code <= 0x7a) return code - 0x61;
  if (code >= 0x30 && code <= 0x39) return code - 0x30 + 26;
  return undefined;
}

/** Section 6.1. */
function adapt(delta: number, length: number, first: boolean): number {
  let rest = Math.floor(delta / (first ? 700 : 2));
  rest += Math.floor(rest / length);
  let k = 0;
  for (; rest > ((BASE - T_MIN) * T_MAX) / 2; k += BASE) rest = Math.floor(rest / (BASE - T_MIN));
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + 38));
}
