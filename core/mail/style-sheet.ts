import type { DomNode } from 'html-to-text';
import { attributesOf, type Budget, classesOf, readSelectors, type Selector, unescaped } from './selector.ts';

/**
 * Style sheets of a message, as far as they may hide text: the rules for a usual screen, before somebody uses the page.
 * Selectors that are not known apply to nothing. Pure.
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
  const budget: Budget = { left: MAX_COMPARISONS };
  return (element) => {
    if (budget.left <= 0 || rules.length === 0) return [];
    return keysOf(element)
      .flatMap((key) => byKey.get(key) ?? [])
      .filter(({ rule }) => rule.matches(element, budget))
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

interface Rule extends Selector {
  readonly declarations: readonly Declaration[];
}

function readRules(
  css: string,
  nested: number,
  counts: (declaration: Declaration) => boolean,
  rules: Rule[],
  parent = '',
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
      const selector = within(parent, prelude);
      const declarations = readDeclarations(inner).filter(counts);
      if (declarations.length > 0) rules.push(...rulesFor(selector, declarations));
      if (nested < MAX_NESTED && inner.includes('{')) readRules(inner, nested + 1, counts, rules, selector);
    } else if (nested < MAX_NESTED && applies(prelude)) readRules(inner, nested + 1, counts, rules, parent);
  }
}

/** CSS Nesting Module: a rule in a rule. */
function within(parent: string, selector: string): string {
  if (parent === '') return selector;
  const outer = `:is(${parent})`;
  if (selector.includes('&')) return selector.replaceAll('&', outer);
  return /^[>+~]/.test(selector) ? `${outer} ${selector}` : `${outer} :is(${selector})`;
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
  if (name === 'supports') return !condition.startsWith('not');
  if (name === 'layer') return true;
  if (name === 'container') return mediaMatches(condition.replace(/^[\w-]+\s+(?=\()/, ''));
  return name === 'media' && condition.split(',').some(mediaMatches);
}

function mediaMatches(query: string): boolean {
  const [, not, rest = ''] = /^\s*(?:only\s|(not)\s)?\s*([\s\S]*)$/.exec(query) ?? [];
  const holds = rest
    .split(/\sor\s/)
    .some((either) => either.split(/\sand\s/).every((part) => mediaHolds(part.trim())));
  return holds !== (not !== undefined);
}

const SCREEN_HEIGHT_PX = 768;
/** What else is asked of a screen, and is so for most people. */
const USUAL_SCREEN = new RegExp(
  `^\\((?:${[
    '(?:any-)?hover(?:\\s*:\\s*hover)?',
    '(?:any-)?pointer(?:\\s*:\\s*fine)?',
    'prefers-color-scheme\\s*:\\s*light',
    'prefers-[\\w-]+\\s*:\\s*no-preference',
    'orientation\\s*:\\s*landscape',
    '(?:min-)?color(?:\\s*:\\s*[1-8])?',
    'min-(?:resolution|-moz-device-pixel-ratio)\\s*:\\s*(?:0?\\.\\d+|[01])(?:dppx|x)?',
    'min-resolution\\s*:\\s*\\d{1,2}dpi',
    '-webkit-min-device-pixel-ratio\\s*:\\s*(?:0?\\.\\d+|[01])',
    'width|height|screen',
  ].join('|')})\\s*\\)$`,
);

function mediaHolds(part: string): boolean {
  if (/^(?:all|screen|)$/.test(part) || USUAL_SCREEN.test(part)) return true;
  const [, bound, side, named = '', unit = 'px'] =
    /^\(\s*(min|max)-(?:device-)?(width|height)\s*:\s*([\d.]+)(px|em|rem)?\s*\)$/.exec(part) ??
    ranged(part) ??
    [];
  if (bound === undefined) return false;
  const px = Number(named) * (unit === 'px' ? 1 : 16);
  const screenPx = side === 'height' ? SCREEN_HEIGHT_PX : SCREEN_WIDTH_PX;
  return bound === 'min' ? screenPx >= px : screenPx <= px;
}

/** `(width >= 600px)`, in the order of `min-width: 600px`. */
function ranged(part: string): string[] | undefined {
  const [, side = '', sign = '', named = '', unit = 'px'] =
    /^\(\s*(width|height)\s*([<>])=?\s*([\d.]+)(px|em|rem)?\s*\)$/.exec(part) ?? [];
  return side === '' ? undefined : [part, sign === '>' ? 'min' : 'max', side, named, unit];
}

function rulesFor(prelude: string, declarations: readonly Declaration[]): Rule[] {
  return readSelectors(prelude).map((selector) => ({ ...selector, declarations }));
}

function keysOf(element: DomNode): string[] {
  const { id } = attributesOf(element);
  const ofClasses = Array.from(classesOf(element), (one) => `.${one}`);
  return [...(id === undefined ? [] : [`#${id.toLowerCase()}`]), ...ofClasses, element.name ?? '', '*'];
}
