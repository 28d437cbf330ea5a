import type { DomNode } from 'html-to-text';

/**
 * Style sheets of a message, as far as they are likely to hide text: rules for tags, classes, ids and attributes,
 * within or directly within others; those for screens of a usual width. Other selectors apply to nothing. Pure.
 */

export interface Declaration {
  /** In small letters, as is the value. */
  readonly property: string;
  readonly value: string;
  readonly important: boolean;
}

/** The declarations of the rules that apply to an element, weakest first. */
export type StyleSheet = (element: DomNode) => readonly Declaration[];

/** Rules behind these are not read. */
const MAX_RULES = 2000;
/** Comparisons of one element with one part of a selector, all in all; from then on no rule applies. */
const MAX_COMPARISONS = 500_000;
const MAX_NESTED = 4;
const MAX_SELECTOR_CHARS = 500;
const SCREEN_WIDTH_PX = 1024;

export function readStyleSheet(css: string, counts: (declaration: Declaration) => boolean): StyleSheet {
  const rules: Rule[] = [];
  readRules(withoutComments(css).replace(/<!--|-->/g, ' '), 0, counts, rules);
  rules.sort((a, b) => a.specificity - b.specificity);
  const byKey = new Map<string, Array<{ rule: Rule; order: number }>>();
  for (const [order, rule] of rules.entries()) {
    const entries = byKey.get(rule.key);
    if (entries === undefined) byKey.set(rule.key, [{ rule, order }]);
    else entries.push({ rule, order });
  }
  const budget = { left: MAX_COMPARISONS };
  return (element) => {
    if (budget.left <= 0 || rules.length === 0) return [];
    return keysOf(element)
      .flatMap((key) => byKey.get(key) ?? [])
      .filter(({ rule }) => matches(element, rule.steps, budget))
      .sort((a, b) => a.order - b.order)
      .flatMap(({ rule }) => rule.declarations);
  };
}

/** `display: none; color: red !important` */
export function readDeclarations(css: string): Declaration[] {
  const declarations = css.includes('/*') ? withoutComments(css) : css;
  return declarations.split(';').flatMap((text) => {
    const colon = text.indexOf(':');
    if (colon === -1) return [];
    const property = unescaped(text.slice(0, colon)).trim().toLowerCase();
    const given = unescaped(text.slice(colon + 1))
      .trim()
      .toLowerCase();
    const value = given.replace(/\s*!\s*important$/, '');
    return [{ property, value, important: value !== given }];
  });
}

function withoutComments(css: string): string {
  return css.replace(/\/\*[\s\S]*?(?:\*\/|$)/g, '');
}

/** CSS Syntax Module Level 3, 4.3.7. */
function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(
    /\\(?:([0-9a-f]{1,6})\s?|([\s\S]))/gi,
    (_, hex: string | undefined, character: string) => {
      const code = Number.parseInt(hex ?? '', 16);
      return hex === undefined ? character : code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
    },
  );
}

interface Rule {
  /** `#id`, `.class`, `tag` or `*`: an element without it need not be looked at. */
  readonly key: string;
  /** From the element itself outwards. */
  readonly steps: readonly Step[];
  readonly specificity: number;
  readonly declarations: readonly Declaration[];
}

interface Step {
  readonly tests: ReadonlyArray<(element: DomNode) => boolean>;
  /** Where the next step stands: the parent, or any ancestor. */
  readonly outwards: 'parent' | 'ancestor';
}

type Attributes = Readonly<Record<string, string>>;

/** Names in small letters. */
export function attributesOf({ attribs = {} }: { attribs?: Attributes }): Attributes {
  return attribs;
}

function readRules(
  css: string,
  nested: number,
  counts: (declaration: Declaration) => boolean,
  rules: Rule[],
): void {
  let at = 0;
  while (rules.length < MAX_RULES) {
    const open = css.indexOf('{', at);
    if (open === -1) return;
    const end = closing(css, open);
    // What stands before it may end with a statement of its own, such as @import.
    const prelude = css.slice(at, open).split(/[;}]/).pop()?.trim() ?? '';
    const inner = css.slice(open + 1, end);
    at = end + 1;
    if (!prelude.startsWith('@')) {
      const declarations = readDeclarations(inner).filter(counts);
      if (declarations.length > 0) rules.push(...rulesFor(prelude, declarations));
    } else if (nested < MAX_NESTED && applies(prelude)) readRules(inner, nested + 1, counts, rules);
  }
}

/** Where the block that begins at `open` ends. */
function closing(css: string, open: number): number {
  const brace = /[{}]/g;
  brace.lastIndex = open;
  let depth = 0;
  for (let found = brace.exec(css); found !== null; found = brace.exec(css)) {
    depth += found[0] === '{' ? 1 : -1;
    if (depth === 0) return found.index;
  }
  return css.length;
}

/** Whether the rules inside an at-rule count on a screen of usual width. */
function applies(prelude: string): boolean {
  const [, name = '', condition = ''] = /^@([\w-]+)\s*([\s\S]*)$/.exec(prelude.toLowerCase()) ?? [];
  if (name === 'supports' || name === 'layer') return true;
  return name === 'media' && condition.split(',').some(mediaMatches);
}

function mediaMatches(query: string): boolean {
  const [, not, rest = ''] = /^\s*(?:only\s|(not)\s)?\s*([\s\S]*)$/.exec(query) ?? [];
  const holds = rest.split(/\sand\s/).every((part) => {
    const [, bound, width = ''] =
      /^\((min|max)-(?:device-)?width\s*:\s*([\d.]+)px\s*\)$/.exec(part.trim()) ?? [];
    if (bound === undefined) return /^(?:all|screen|)$/.test(part.trim());
    return bound === 'min' ? SCREEN_WIDTH_PX >= Number(width) : SCREEN_WIDTH_PX <= Number(width);
  });
  return holds !== (not !== undefined);
}

function rulesFor(prelude: string, declarations: readonly Declaration[]): Rule[] {
  return prelude.split(',').flatMap((selector) => {
    const parsed = readSelector(selector.trim());
    return parsed === undefined ? [] : [{ ...parsed, declarations }];
  });
}

const COMPOUND = /^(\*|[a-z][\w-]*)?((?:[.#][\w-]+|\[[^\][]*\])*)$/i;

/** @returns undefined for a selector of a kind that is not known here */
function readSelector(selector: string): Omit<Rule, 'declarations'> | undefined {
  if (selector.length > MAX_SELECTOR_CHARS) return undefined;
  const parts = selector.replace(/\s*>\s*/g, ' >').split(/\s+/);
  const steps: Step[] = [];
  let specificity = 0;
  let key = '*';
  for (const part of parts) {
    const [, tag = '*', rest = ''] = COMPOUND.exec(part.replace(/^>/, '')) ?? [];
    if (tag === '*' && rest === '' && !/^>?\*$/.test(part)) return undefined;
    const marks = rest.match(/[.#][\w-]+|\[[^\][]*\]/g) ?? [];
    key = marks.find((mark) => mark.startsWith('#')) ?? marks.find((mark) => mark.startsWith('.')) ?? tag;
    key = key.toLowerCase();
    const tests = marks.map(testOf);
    if (tag !== '*') tests.push(({ name }) => name === tag.toLowerCase());
    specificity += marks.reduce(
      (sum, mark) => sum + (mark.startsWith('#') ? 10_000 : 100),
      tag === '*' ? 0 : 1,
    );
    steps.unshift({ tests, outwards: part.startsWith('>') ? 'parent' : 'ancestor' });
  }
  return steps.length === 0 ? undefined : { key, steps, specificity };
}

/** Letters count alike, as they do in messages without a doctype. */
function testOf(mark: string): Step['tests'][number] {
  const name = mark.slice(1).toLowerCase();
  if (mark.startsWith('#')) return (element) => attributesOf(element).id?.toLowerCase() === name;
  if (mark.startsWith('.')) return (element) => classesOf(element).has(name);
  const [, attribute = '', operator, quoted = ''] =
    /^([\w-]+)\s*(?:([~^$*|]?=)\s*([\s\S]*))?\]$/.exec(name) ?? [];
  const wanted = quoted.trim().replace(/^(["'])([\s\S]*)\1$/, '$2');
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

const classes = new WeakMap<DomNode, ReadonlySet<string>>();

function classesOf(element: DomNode): ReadonlySet<string> {
  const known = classes.get(element);
  if (known !== undefined) return known;
  const given = attributesOf(element).class?.toLowerCase().split(/\s+/) ?? [];
  const found = new Set(given.filter((one) => one !== ''));
  classes.set(element, found);
  return found;
}

function keysOf(element: DomNode): string[] {
  const { id } = attributesOf(element);
  const ofClasses = Array.from(classesOf(element), (one) => `.${one}`);
  return [...(id === undefined ? [] : [`#${id.toLowerCase()}`]), ...ofClasses, element.name ?? '', '*'];
}

function matches(element: DomNode, [step, ...outer]: readonly Step[], budget: { left: number }): boolean {
  if (step === undefined) return true;
  if (--budget.left < 0 || !step.tests.every((test) => test(element))) return false;
  if (outer.length === 0) return true;
  for (let node = element.parent; node?.type === 'tag' && budget.left > 0; node = node.parent) {
    if (matches(node, outer, budget)) return true;
    if (step.outwards === 'parent') return false;
  }
  return false;
}
