import type { DomNode } from 'html-to-text';

/** CSS selectors (Selectors Level 4), as far as they say something about a page that nobody is using. Pure. */

export interface Selector {
  /** `#id`, `.class`, `tag` or `*`: an element without it need not be looked at. */
  readonly key: string;
  readonly specificity: number;
  /** @param budget comparisons that are left; without any nothing matches */
  matches(element: DomNode, budget: Budget): boolean;
}

export interface Budget {
  left: number;
}

type Attributes = Readonly<Record<string, string>>;

/** Names in small letters. */
export function attributesOf({ attribs = {} }: { attribs?: Attributes }): Attributes {
  return attribs;
}

const MAX_SELECTOR_CHARS = 500;
const MAX_NESTED = 3;

/** Those of a list (`p, .a > b`) that can be told. */
export function readSelectors(list: string): Selector[] {
  return parts(list, ',').flatMap((text) => readSelector(text.trim(), 0) ?? []);
}

/** What stands between the separators that are in no brackets and no quotes. */
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
  return [...found, text.slice(start)];
}

type Test = (element: DomNode, budget: Budget) => boolean;

interface Compound {
  readonly key: string;
  readonly specificity: number;
  readonly tests: readonly Test[];
}

type Combinator = '>' | '+' | '~' | ' ';

/** @returns undefined for a selector of a kind that is not known here */
function readSelector(selector: string, nested: number): Selector | undefined {
  if (selector.length > MAX_SELECTOR_CHARS || nested > MAX_NESTED) return undefined;
  const steps: { compound: Compound; towards: Combinator }[] = [];
  let towards: Combinator = ' ';
  for (const piece of pieces(selector)) {
    if (piece === '>' || piece === '+' || piece === '~') {
      towards = piece;
      continue;
    }
    const compound = readCompound(piece, nested);
    if (compound === undefined) return undefined;
    steps.unshift({ compound, towards });
    towards = ' ';
  }
  const [last] = steps;
  if (last === undefined || towards !== ' ') return undefined;
  return {
    key: last.compound.key,
    specificity: steps.reduce((sum, { compound }) => sum + compound.specificity, 0),
    matches: (element, budget) => matchesFrom(element, steps, budget),
  };
}

/** Compounds, and the combinators between them that are no space. */
function pieces(selector: string): string[] {
  const spaced = parts(selector.replace(/\s+/g, ' '), ' ').join('\u0000');
  const combined = ['>', '+', '~'].reduce(
    (text, sign) => parts(text, sign).join(`\u0000${sign}\u0000`),
    spaced,
  );
  return combined.split('\u0000').filter((piece) => piece.trim() !== '');
}

function matchesFrom(
  element: DomNode,
  [step, ...outer]: readonly { compound: Compound; towards: Combinator }[],
  budget: Budget,
): boolean {
  if (step === undefined) return true;
  if (--budget.left < 0 || !step.compound.tests.every((test) => test(element, budget))) return false;
  if (outer.length === 0) return true;
  for (const other of reached(element, step.towards)) {
    if (budget.left <= 0) return false;
    if (matchesFrom(other, outer, budget)) return true;
  }
  return false;
}

/** The elements in which, or behind which, one stands. */
function* reached(element: DomNode, towards: Combinator): Iterable<DomNode> {
  if (towards === '+' || towards === '~') {
    const before = siblings(element);
    for (let at = placeAmong(element) - 1; at >= 0; at--) {
      const other = before[at];
      if (other !== undefined) yield other;
      if (towards === '+') return;
    }
    return;
  }
  for (let node = element.parent; node?.type === 'tag'; node = node.parent) {
    yield node;
    if (towards === '>') return;
  }
}

const inOrder = new WeakMap<DomNode, readonly DomNode[]>();
const places = new WeakMap<DomNode, number>();

function siblings(element: DomNode): readonly DomNode[] {
  const { parent } = element;
  if (parent === undefined || parent === null) return [element];
  const known = inOrder.get(parent);
  if (known !== undefined) return known;
  const elements = (parent.children ?? []).filter(({ type }) => type !== 'text' && type !== 'comment');
  for (const [at, one] of elements.entries()) places.set(one, at);
  inOrder.set(parent, elements);
  return elements;
}

function placeAmong(element: DomNode): number {
  siblings(element);
  return places.get(element) ?? 0;
}

const NAME = String.raw`(?:\\(?:[0-9a-f]{1,6}\s?|[^\n])|[\w-]|[^\x00-\x7f])+`;
const SIMPLE = new RegExp(
  String.raw`^(?:(\*|${NAME})|([.#])(${NAME})|\[((?:"[^"]*"|'[^']*'|[^\]"'])*)\]|:(:?[\w-]+)(?:\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\))?)`,
  'i',
);

function readCompound(text: string, nested: number): Compound | undefined {
  const tests: Test[] = [];
  let key = '*';
  let specificity = 0;
  for (let rest = text; rest !== ''; ) {
    const found = SIMPLE.exec(rest);
    if (found === null || (found[1] !== undefined && rest !== text)) return undefined;
    const [all, tag, sign, name = '', attribute, pseudo, inner = ''] = found;
    rest = rest.slice(all.length);
    if (tag !== undefined) {
      const wanted = unescaped(tag).toLowerCase();
      if (wanted === '*') continue;
      tests.push((element) => element.name === wanted);
      specificity += 1;
      key = wanted;
    } else if (sign !== undefined) {
      const wanted = unescaped(name).toLowerCase();
      // Letters count alike, as they do in messages without a doctype.
      tests.push(
        sign === '#'
          ? (element) => attributesOf(element).id?.toLowerCase() === wanted
          : (element) => classesOf(element).has(wanted),
      );
      specificity += sign === '#' ? 10_000 : 100;
      if (sign === '#' || !key.startsWith('#')) key = `${sign}${wanted}`;
    } else if (attribute !== undefined) {
      tests.push(attributeTest(attribute));
      specificity += 100;
    } else {
      const read = readPseudo((pseudo ?? '').toLowerCase(), inner.trim(), nested);
      if (read === undefined) return undefined;
      tests.push(read.test);
      specificity += read.specificity;
    }
  }
  return { key, specificity, tests };
}

/** CSS Syntax Module Level 3, 4.3.7. */
export function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(
    /\\(?:([0-9a-f]{1,6})\s?|([\s\S]))/gi,
    (_, hex: string | undefined, character: string) => {
      const code = Number.parseInt(hex ?? '', 16);
      return hex === undefined ? character : code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
    },
  );
}

function attributeTest(text: string): Test {
  const [, attribute = '', operator, quoted = ''] =
    /^\s*([\w-]+)\s*(?:([~^$*|]?=)\s*([\s\S]*))?$/.exec(text.toLowerCase()) ?? [];
  const wanted = quoted
    .trim()
    .replace(/(?<=["'\s])[is]$/, '')
    .trim()
    .replace(/^(["'])([\s\S]*)\1$/, '$2');
  return (element) => {
    const value = attributesOf(element)[attribute]?.toLowerCase();
    if (value === undefined) return false;
    if (operator === undefined) return true;
    if (operator === '=') return value === wanted;
    if (wanted === '') return false;
    if (operator === '^=') return value.startsWith(wanted);
    if (operator === '$=') return value.endsWith(wanted);
    if (operator === '*=') return value.includes(wanted);
    if (operator === '|=') return value === wanted || value.startsWith(`${wanted}-`);
    return value.split(/\s+/).includes(wanted);
  };
}

/** What is so only while somebody uses the page. */
const IN_USE =
  /^(?:hover|focus|active|visited|focus-within|focus-visible|target|checked|disabled|fullscreen)$/;

/** @returns undefined for one that is not known here; of an element's parts none is an element */
function readPseudo(
  name: string,
  inner: string,
  nested: number,
): { test: Test; specificity: number } | undefined {
  const is = (test: Test) => ({ test, specificity: 100 });
  if (IN_USE.test(name)) return is(() => false);
  if (name === 'root') return is((element) => element.parent?.type !== 'tag');
  if (name === 'empty')
    return is(({ children = [] }, budget) => {
      budget.left -= children.length;
      return children.every(({ type, data }) => type === 'comment' || data === '');
    });
  if (name === 'link' || name === 'any-link')
    return is((element) => element.name === 'a' && 'href' in attributesOf(element));
  if (name === 'not' || name === 'is' || name === 'where' || name === 'matches') {
    const selectors = parts(inner, ',').map((text) => readSelector(text.trim(), nested + 1));
    const known = selectors.filter((one) => one !== undefined);
    if (known.length < selectors.length && name === 'not') return undefined;
    const any: Test = (element, budget) => known.some((one) => one.matches(element, budget));
    return {
      test: name === 'not' ? (element, budget) => !any(element, budget) && budget.left > 0 : any,
      specificity: name === 'where' ? 0 : Math.max(0, ...known.map((one) => one.specificity)),
    };
  }
  const place = placeTest(name, inner.toLowerCase());
  return place && is(place);
}

function placeTest(name: string, inner: string): Test | undefined {
  const [, which, last, kind] = /^(?:(first|last|only|nth)(-last)?)-(child|of-type)$/.exec(name) ?? [];
  if (which === undefined) return undefined;
  const alike = (element: DomNode, budget: Budget) => {
    const all = siblings(element);
    if (kind === 'child') return all;
    budget.left -= all.length;
    return all.filter((one) => one.name === element.name);
  };
  if (which === 'first') return (element, budget) => alike(element, budget)[0] === element;
  if (which === 'last') return (element, budget) => alike(element, budget).at(-1) === element;
  if (which === 'only') return (element, budget) => alike(element, budget).length === 1;
  const formula = inner.replace(/^odd$/, '2n+1').replace(/^even$/, '2n');
  const [, step, offset, alone] = /^(?:([+-]?\d*)n\s*([+-]\s*\d+)?|([+-]?\d+))$/.exec(formula) ?? [];
  if (step === undefined && alone === undefined) return undefined;
  const a = alone !== undefined ? 0 : /^[+-]?$/.test(step ?? '') ? Number(`${step}1`) : Number(step);
  const b = Number(alone ?? offset?.replace(/\s/g, '') ?? 0);
  return (element, budget) => {
    const among = alike(element, budget);
    const index = kind === 'child' ? placeAmong(element) : among.indexOf(element);
    const number = last === undefined ? index + 1 : among.length - index;
    return a === 0 ? number === b : (number - b) % a === 0 && (number - b) / a >= 0;
  };
}

const classes = new WeakMap<DomNode, ReadonlySet<string>>();

export function classesOf(element: DomNode): ReadonlySet<string> {
  const known = classes.get(element);
  if (known !== undefined) return known;
  const given = attributesOf(element).class?.toLowerCase().split(/\s+/) ?? [];
  const found = new Set(given.filter((one) => one !== ''));
  classes.set(element, found);
  return found;
}
