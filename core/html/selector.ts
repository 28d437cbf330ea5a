import { type Budget, COMMENT, unescaped } from './css-syntax.ts';
import { attributesOf, childElements, elementsIn, type HtmlElement, parentOf } from './html-tree.ts';

/**
 * CSS selectors (Selectors Level 4) on a page before any interaction. Pure. Every comparison counts against a budget,
 * and "unknown" is a possible result. css-select 7 has neither: it needs 19 s for `.b ~ .a ~ .a ~ .a` on 400 elements.
 */

/** Undefined: unknown. */
export type Match = boolean | undefined;

export interface Selector {
  /** `#id`, `.class`, `tag` or `*`, in lower case. Elements without it cannot match. */
  readonly key: string;
  readonly specificity: number;
  /** @param budget the remaining comparisons; the result is undefined once it is used up */
  matches(element: HtmlElement, budget: Budget): Match;
}

type Test = (element: HtmlElement, budget: Budget) => Match;

interface Compound {
  readonly key: string;
  readonly specificity: number;
  readonly tests: readonly Test[];
}

type Combinator = '>' | '+' | '~' | ' ';

interface Step {
  readonly compound: Compound;
  /** The combinator between the previous step and this one. */
  readonly towards: Combinator;
}

const MAX_SELECTOR_CHARS = 500;
const MAX_NESTED = 3;

/** A browser drops a whole list if one selector in it is invalid. So one unknown part makes the whole list unknown. */
interface Doubt {
  isThere: boolean;
}

/**
 * @param list for example `p, .a > b`
 * @param parent selectors of the rule around this one: the meaning of `&`
 */
export function readSelectors(list: string, parent?: readonly Selector[]): readonly Selector[] {
  const doubt = { isThere: false };
  const texts = parts(list, ',').map((text) => text.trim());
  if (texts.includes('')) return [];
  const selectors = texts.map((text) => readSelector(text, 0, doubt, parent) ?? anyElement(doubt));
  if (!doubt.isThere) return selectors;
  return selectors.map((one) => ({
    ...one,
    matches: (element, budget) => (one.matches(element, budget) === false ? false : undefined),
  }));
}

/** Replaces a selector that cannot be read. */
function anyElement(doubt: Doubt): Selector {
  doubt.isThere = true;
  return { key: '*', specificity: 0, matches: () => undefined };
}

/** Splits at separators outside brackets and quotes. */
function parts(text: string, separator: string): string[] {
  const found: string[] = [];
  let start = 0;
  let depth = 0;
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const one = text.charAt(at);
    if (one === '\\') at += (/^\\[0-9a-f]{1,6} ?/i.exec(text.slice(at, at + 8))?.[0].length ?? 2) - 1;
    else if (quote !== '') quote = one === quote ? '' : quote;
    else if (one === '"' || one === "'") quote = one;
    else if (one === '(' || one === '[') depth++;
    else if (one === ')' || one === ']') depth--;
    else if (one === separator && depth === 0) {
      found.push(text.slice(start, at));
      start = at + 1;
    }
  }
  found.push(text.slice(start));
  return found;
}

/** @returns undefined if it is not a selector, or is unknown */
function readSelector(
  selector: string,
  nested: number,
  doubt: Doubt,
  parent?: readonly Selector[],
): Selector | undefined {
  if (selector.length > MAX_SELECTOR_CHARS || nested > MAX_NESTED) return undefined;
  const text = selector.replace(/\0+(?![\w-])|(?<![\w-])\0+/g, '');
  if (text.includes(COMMENT)) return undefined;
  const steps: Step[] = [];
  const isNested = parent !== undefined && nested === 0 && parts(text, '&').length === 1;
  if (isNested)
    steps.push({ compound: { key: '*', specificity: most(parent), tests: [isAnyOf(parent)] }, towards: ' ' });
  let towards: Combinator | undefined;
  for (const piece of pieces(text)) {
    if (piece === '>' || piece === '+' || piece === '~') {
      if (towards !== undefined || (steps.length === 0 && parent === undefined)) return undefined;
      towards = piece;
      continue;
    }
    const compound = readCompound(piece, nested, doubt, parent);
    if (compound === undefined) return undefined;
    steps.push({ compound, towards: towards ?? ' ' });
    towards = undefined;
  }
  const last = steps.at(-1);
  if (last === undefined || towards !== undefined) return undefined;
  return {
    key: last.compound.key,
    specificity: steps.reduce((sum, { compound }) => sum + compound.specificity, 0),
    matches: (element, budget) => matchesUpTo(element, steps, steps.length - 1, budget),
  };
}

/** Compounds, and the combinators between them except spaces. */
function pieces(selector: string): string[] {
  const spaced = parts(selector.replace(/\s+/g, ' '), ' ').join('\u0001');
  const combined = ['>', '+', '~'].reduce(
    (text, sign) => parts(text, sign).join(`\u0001${sign}\u0001`),
    spaced,
  );
  return combined.split('\u0001').filter((piece) => piece.trim() !== '');
}

function matchesUpTo(element: HtmlElement, steps: readonly Step[], at: number, budget: Budget): Match {
  const step = steps[at];
  if (step === undefined) return true;
  const own = all(step.compound.tests, element, budget);
  if (own === false || at === 0) return own;
  let outer: Match = false;
  for (const other of reached(element, step.towards)) {
    const match = matchesUpTo(other, steps, at - 1, budget);
    if (match === true) return own;
    if (match === undefined) outer = undefined;
    if (budget.left <= 0) return undefined;
  }
  return outer;
}

/** Whether every test is true. Stops at the first false one. */
function all(tests: readonly Test[], element: HtmlElement, budget: Budget): Match {
  let result: Match = true;
  budget.left--;
  for (const test of tests) {
    if (--budget.left < 0) return undefined;
    const holds = test(element, budget);
    if (holds === false) return false;
    if (holds === undefined) result = undefined;
  }
  return result;
}

function isAnyOf(selectors: readonly Selector[]): Test {
  return (element, budget) => {
    let result: Match = false;
    for (const one of selectors) {
      if (--budget.left < 0) return undefined;
      const match = one.matches(element, budget);
      if (match === true) return true;
      if (match === undefined) result = undefined;
    }
    return result;
  };
}

function most(selectors: readonly Selector[]): number {
  return selectors.reduce((most, { specificity }) => Math.max(most, specificity), 0);
}

/** The elements that contain or precede an element. */
function* reached(element: HtmlElement, towards: Combinator): Iterable<HtmlElement> {
  if (towards === '+' || towards === '~') {
    const before = siblings(element);
    for (let at = placeAmong(element) - 1; at >= 0; at--) {
      const other = before[at];
      if (other !== undefined) yield other;
      if (towards === '+') return;
    }
    return;
  }
  for (let node = parentOf(element); node !== undefined; node = parentOf(node)) {
    yield node;
    if (towards === '>') return;
  }
}

function siblings(element: HtmlElement): readonly HtmlElement[] {
  return element.parentNode === null ? [element] : childElements(element.parentNode);
}

const places = new WeakMap<HtmlElement, number>();

function placeAmong(element: HtmlElement): number {
  if (!places.has(element)) for (const [at, one] of siblings(element).entries()) places.set(one, at);
  return places.get(element) ?? 0;
}

const START = String.raw`(?:[a-z_]|[^\x00-\x7f]|\\(?:[0-9a-f]{1,6}\s?|[^\n0-9a-f]))`;
const NAME = `(?:--|-?${START})(?:[0-9-]|${START})*`;
const SIMPLE = new RegExp(
  String.raw`^(?:(\*|&|${NAME})|([.#])(${NAME})|\[((?:"[^"]*"|'[^']*'|[^\]"'])*)\]|:(:?[\w-]+))`,
  'i',
);

function readCompound(
  text: string,
  nested: number,
  doubt: Doubt,
  parent: readonly Selector[] | undefined,
): Compound | undefined {
  const tests: Test[] = [];
  let key = '*';
  let specificity = 0;
  for (let rest = text; rest !== ''; ) {
    const found = SIMPLE.exec(rest);
    const [matched = '', tag, sign, name = '', attribute, pseudo = ''] = found ?? [];
    if (found === null || (tag !== undefined && tag !== '&' && rest !== text)) return undefined;
    rest = rest.slice(matched.length);
    if (tag === '&') {
      tests.push(parent === undefined ? (element) => parentOf(element) === undefined : isAnyOf(parent));
      specificity += most(parent ?? []);
    } else if (tag !== undefined) {
      const wanted = unescaped(tag).toLowerCase();
      if (wanted === '*') continue;
      tests.push((element) => element.tagName.toLowerCase() === wanted);
      specificity += 1;
      key = wanted;
    } else if (sign !== undefined) {
      const wanted = unescaped(name);
      const isId = sign === '#';
      tests.push(isId ? (element) => alike(attributesOf(element).get('id'), wanted) : hasClass(wanted));
      specificity += isId ? 10_000 : 100;
      if (isId || !key.startsWith('#')) key = `${sign}${wanted.toLowerCase()}`;
    } else if (attribute !== undefined) {
      tests.push(attributeTest(attribute));
      specificity += 100;
    } else {
      const inner = rest.startsWith('(') ? bracketed(rest) : undefined;
      if (inner === undefined && rest.startsWith('(')) return undefined;
      if (inner !== undefined) rest = rest.slice(inner.length + 2);
      const read = readPseudo(unescaped(pseudo).toLowerCase(), inner?.trim(), nested, doubt);
      if (read === undefined) return undefined;
      tests.push(read.test);
      specificity += read.specificity;
    }
  }
  return { key, specificity, tests };
}

/** Returns the text inside the brackets at the start of a text. */
function bracketed(text: string): string | undefined {
  // After the closing bracket, a separator is at depth 0.
  for (let at = text.indexOf(')'); at !== -1; at = text.indexOf(')', at + 1)) {
    if (parts(`${text.slice(0, at + 1)},`, ',').length === 2) return text.slice(1, at);
  }
  return undefined;
}

/** Without a doctype, case does not matter. Mail programs differ in whether they keep the doctype. */
function alike(value: string | undefined, wanted: string): Match {
  if (value === wanted) return true;
  return value !== undefined && value.toLowerCase() === wanted.toLowerCase() ? undefined : false;
}

function hasClass(wanted: string): Test {
  const lower = wanted.toLowerCase();
  return (element) => {
    const { exact, lowered } = classesOf(element);
    return exact.has(wanted) || (lowered.has(lower) ? undefined : false);
  };
}

function attributeTest(text: string): Test {
  const [, attribute, operator, quoted = ''] =
    /^\s*([\w-]+)\s*(?:([~^$*|]?=)\s*([\s\S]*))?$/.exec(text.replaceAll(COMMENT, ' ')) ?? [];
  if (attribute === undefined) return () => undefined;
  const [, value = quoted, flag] = /^([\s\S]*["'\s])([is])\s*$/i.exec(quoted) ?? [];
  const wanted = unescaped(value.trim().replace(/^(["'])([\s\S]*)\1$/, '$2'));
  const compare = (found: string, one: string): boolean => {
    if (operator === '=') return found === one;
    if (one === '') return false;
    if (operator === '^=') return found.startsWith(one);
    if (operator === '$=') return found.endsWith(one);
    if (operator === '*=') return found.includes(one);
    if (operator === '|=') return found === one || found.startsWith(`${one}-`);
    return found.split(/\s+/).includes(one);
  };
  return (element, budget) => {
    const found = attributesOf(element).get(attribute.toLowerCase());
    if (found === undefined) return false;
    budget.left -= found.length / CHARS_PER_COMPARISON;
    if (operator === undefined || compare(found, wanted)) return true;
    if (!compare(found.toLowerCase(), wanted.toLowerCase())) return false;
    return flag?.toLowerCase() === 'i' || undefined;
  };
}

const CHARS_PER_COMPARISON = 100;

/** States that need a user of the page. */
const IN_USE =
  /^(?:hover|focus|active|visited|focus-within|focus-visible|target|target-within|fullscreen|host|popover-open|modal|picture-in-picture|playing|user-valid|user-invalid|autofill|-webkit-autofill)$/;
/** Pseudo-elements are not the element itself. Only the first line and the first letter are part of its text. */
const PARTS = /^(?::.+|before|after)$/;
const TEXT_PARTS = /^:?first-(?:line|letter)$/;

/** @returns undefined if it is unknown */
function readPseudo(
  name: string,
  inner: string | undefined,
  nested: number,
  doubt: Doubt,
): { test: Test; specificity: number } | undefined {
  const is = (test: Test) => ({ test, specificity: 100 });
  if (TEXT_PARTS.test(name)) return is(() => undefined);
  if (PARTS.test(name)) return is(() => false);
  if (inner === undefined) {
    if (IN_USE.test(name)) return is(() => false);
    if (name === 'root' || name === 'scope') return is((element) => parentOf(element) === undefined);
    if (name === 'defined') return is(() => true);
    if (name === 'empty') return is(isEmpty);
    if (name === 'link' || name === 'any-link')
      return is((element) => /^(?:a|area)$/.test(element.tagName) && attributesOf(element).has('href'));
    if (name === 'checked' || name === 'disabled')
      return is((element) => {
        const given = attributesOf(element);
        return given.has(name) || (name === 'checked' && given.has('selected'));
      });
    const place = placeTest(name, '');
    if (place !== undefined) return is(place);
  } else {
    if (/^(?:not|is|where|matches|-webkit-any|has)$/.test(name)) return readGroup(name, inner, nested, doubt);
    const place = placeTest(name, inner.toLowerCase());
    if (place !== undefined) return is(place);
  }
  doubt.isThere = true;
  return is(() => undefined);
}

function isEmpty({ childNodes }: HtmlElement, budget: Budget): boolean {
  budget.left -= childNodes.length;
  return childNodes.every((node) => node.nodeName === '#comment');
}

function readGroup(
  name: string,
  inner: string,
  nested: number,
  doubt: Doubt,
): { test: Test; specificity: number } | undefined {
  const texts = parts(inner, ',').map((text) => text.trim());
  if (name === 'has') return { test: hasTest(texts, nested, doubt), specificity: 100 };
  const isStrict = name === 'not';
  const selectors = texts.map((text) =>
    readSelector(text, nested + 1, isStrict ? doubt : { isThere: false }),
  );
  if (isStrict && selectors.includes(undefined)) return undefined;
  const known = selectors.filter((one) => one !== undefined);
  const any = isAnyOf(known.length < selectors.length ? [...known, anyElement({ isThere: true })] : known);
  return {
    test: isStrict ? (element, budget) => opposite(any(element, budget)) : any,
    specificity: name === 'where' ? 0 : most(known),
  };
}

function opposite(match: Match): Match {
  return match === undefined ? undefined : !match;
}

/** `:has(> img, + p)` */
function hasTest(texts: readonly string[], nested: number, doubt: Doubt): Test {
  const wanted = texts.map((text) => {
    const [, towards = '', rest = ''] = /^([>+~]?)\s*([\s\S]*)$/.exec(text) ?? [];
    const selector = readSelector(rest, nested + 1, doubt) ?? anyElement(doubt);
    return { towards, selector, isSimple: pieces(rest).length === 1 };
  });
  return (element, budget) => {
    let result: Match = false;
    for (const { towards, selector, isSimple } of wanted) {
      for (const other of around(element, towards)) {
        if (--budget.left < 0) return undefined;
        const match = selector.matches(other, budget);
        // The outer compounds would have to be inside the element, too.
        if (match === true && isSimple) return true;
        if (match !== false) result = undefined;
      }
    }
    return result;
  };
}

function* around(element: HtmlElement, towards: string): Iterable<HtmlElement> {
  if (towards === '>') yield* childElements(element);
  else if (towards === '') yield* elementsIn(element);
  else {
    const among = siblings(element);
    for (let at = placeAmong(element) + 1; at < among.length; at++) {
      const other = among[at];
      if (other !== undefined) yield other;
      if (towards === '+') return;
    }
  }
}

function placeTest(name: string, inner: string): Test | undefined {
  const [, which, last, kind] = /^(?:(first|last|only|nth)(-last)?)-(child|of-type)$/.exec(name) ?? [];
  if (which === undefined || (which !== 'nth' && last !== undefined)) return undefined;
  const among = (element: HtmlElement, budget: Budget) => {
    const all = siblings(element);
    if (kind === 'child') return all;
    budget.left -= all.length;
    return all.filter((one) => one.tagName === element.tagName);
  };
  if (which === 'first') return (element, budget) => among(element, budget)[0] === element;
  if (which === 'last') return (element, budget) => among(element, budget).at(-1) === element;
  if (which === 'only') return (element, budget) => among(element, budget).length === 1;
  const formula = inner.replace(/^odd$/, '2n+1').replace(/^even$/, '2n');
  const [, step, offset, alone] = /^(?:([+-]?\d*)n\s*([+-]\s*\d+)?|([+-]?\d+))$/.exec(formula) ?? [];
  if (step === undefined && alone === undefined) return undefined;
  const a = alone !== undefined ? 0 : /^[+-]?$/.test(step ?? '') ? Number(`${step}1`) : Number(step);
  const b = Number(alone ?? offset?.replace(/\s/g, '') ?? 0);
  return (element, budget) => {
    const alikes = among(element, budget);
    const index = kind === 'child' ? placeAmong(element) : alikes.indexOf(element);
    const number = last === undefined ? index + 1 : alikes.length - index;
    return a === 0 ? number === b : (number - b) % a === 0 && (number - b) / a >= 0;
  };
}

const classes = new WeakMap<HtmlElement, { exact: ReadonlySet<string>; lowered: ReadonlySet<string> }>();

export function classesOf(element: HtmlElement): {
  exact: ReadonlySet<string>;
  lowered: ReadonlySet<string>;
} {
  const known = classes.get(element);
  if (known !== undefined) return known;
  const names = (attributesOf(element).get('class') ?? '').split(/\s+/).filter((one) => one !== '');
  const found = { exact: new Set(names), lowered: new Set(names.map((one) => one.toLowerCase())) };
  classes.set(element, found);
  return found;
}
