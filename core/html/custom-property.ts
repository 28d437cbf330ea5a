import { UNKNOWN } from './css-syntax.ts';

/** Custom properties (`--name`) of an element and its ancestors, and the values of `var()`. Pure. */
export interface CustomProperties {
  readonly own: ReadonlyMap<string, string>;
  readonly outer: CustomProperties | undefined;
  /** The number of scopes around this one. */
  readonly depth: number;
  /** Cached values: a name can be used many times. */
  readonly resolved: Map<string, string | undefined>;
}

const MAX_DEPTH = 32;
const MAX_CHARS = 500;

export function within(
  outer: CustomProperties | undefined,
  own: ReadonlyMap<string, string>,
): CustomProperties | undefined {
  if (own.size === 0) return outer;
  return { own, outer, depth: (outer?.depth ?? 0) + 1, resolved: new Map() };
}

/** @returns the value without `var()`, in lower case; undefined if it has no value and the property is unset */
export function withoutVariables(
  value: string,
  scope: CustomProperties | undefined,
  nested = 0,
): string | undefined {
  if (nested > MAX_DEPTH) return UNKNOWN;
  let rest = value;
  let result = '';
  for (let at = rest.search(/\bvar\(/i); at !== -1; at = rest.search(/\bvar\(/i)) {
    const end = closingBracket(rest, at + 'var('.length);
    const [, name = '', fallback] =
      /^\s*(--[^\s,]*)\s*(?:,(.*))?$/.exec(rest.slice(at + 'var('.length, end)) ?? [];
    if (name === '') return UNKNOWN;
    const found =
      lookUp(name, scope, nested) ??
      (fallback === undefined ? undefined : withoutVariables(fallback, scope, nested + 1));
    if (found === undefined) return undefined;
    result += `${rest.slice(0, at)}${found.trim()}`;
    rest = rest.slice(end + 1);
    if (result.length > MAX_CHARS) return UNKNOWN;
  }
  return `${result}${rest}`.trim().toLowerCase();
}

function closingBracket(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '(') depth++;
    else if (text[at] === ')' && --depth === 0) return at;
  }
  return text.length;
}

function lookUp(name: string, scope: CustomProperties | undefined, nested: number): string | undefined {
  if (scope === undefined) return undefined;
  if (scope.depth > MAX_DEPTH) return UNKNOWN;
  if (scope.resolved.has(name)) return scope.resolved.get(name);
  // Set during the lookup, so that a property that refers to itself has no value.
  scope.resolved.set(name, undefined);
  const own = scope.own.get(name);
  const isSet = own !== undefined && own !== 'inherit' && own !== 'unset';
  const found = isSet ? withoutVariables(own, scope, nested + 1) : lookUp(name, scope.outer, nested);
  const value = found === 'initial' ? undefined : found;
  scope.resolved.set(name, value);
  return value;
}
