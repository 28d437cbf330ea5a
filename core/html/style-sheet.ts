import {
  type Budget,
  COMMENT,
  type CssBlock,
  type Declaration,
  readBlocks,
  type SheetText,
} from './css-syntax.ts';
import { attributesOf, type HtmlElement } from './html-tree.ts';
import { mediaMatches } from './media-query.ts';
import { classesOf, type Match, readSelectors, type Selector } from './selector.ts';

/** Style sheets of a message, before anyone interacts with the page. Pure. */

export interface Applied extends Declaration {
  /** False: it is unknown whether the declaration applies to the element. */
  readonly isCertain: boolean;
}

export interface StyleSheet {
  /** The declarations that apply or may apply to an element, weakest first. Undefined if it takes too much work. */
  declarationsFor(element: HtmlElement): readonly Applied[] | undefined;
  /** Font families that come with the message: their letters may look like anything, or nothing. */
  readonly ownFonts: ReadonlySet<string>;
  /** Custom properties whose values are set elsewhere (`@property`). */
  readonly registered: readonly string[];
}

/** Selectors of all sheets. If there are more, their effect is unknown. */
const MAX_RULES = 4000;

/**
 * @param longhands returns the relevant properties that a declaration sets
 * @param steps the budget for matching
 */
export function readStyleSheet(
  sheets: readonly SheetText[],
  longhands: (declaration: Declaration) => readonly Declaration[],
  steps: Budget,
): StyleSheet {
  const { blocks, statements, complete } = readBlocks(sheets, steps);
  const rules = rulesOf(blocks, longhands);
  const isKnown =
    complete && rules.length < MAX_RULES && !statements.some((one) => /^@import.*data:/is.test(one));
  const byKey = new Map<string, Rule[]>();
  for (const rule of rules) {
    const entries = byKey.get(rule.selector.key);
    if (entries === undefined) byKey.set(rule.selector.key, [rule]);
    else entries.push(rule);
  }
  const isTooMuch = () => !isKnown || steps.left <= 0;
  return {
    ownFonts: ownFonts(blocks),
    registered: blocks.flatMap(({ prelude }) => /^@property\s+(--\S+)/i.exec(prelude)?.[1] ?? []),
    declarationsFor(element) {
      if (rules.length === 0 && isKnown) return [];
      const found: { rule: Rule; isCertain: boolean }[] = [];
      const keys = keysOf(element);
      steps.left -= keys.length;
      for (const key of keys) {
        for (const rule of byKey.get(key) ?? []) {
          if (isTooMuch()) return undefined;
          const match = rule.selector.matches(element, steps);
          if (match === false) continue;
          found.push({ rule, isCertain: match === true && rule.isCertain });
        }
      }
      if (isTooMuch()) return undefined;
      found.sort((a, b) => a.rule.order - b.rule.order);
      return found.flatMap(({ rule, isCertain }) => (isCertain ? rule.sure : rule.unsure));
    },
  };
}

interface Rule {
  readonly selector: Selector;
  /** Its declarations: certain if it applies, uncertain if it may apply. */
  readonly sure: readonly Applied[];
  readonly unsure: readonly Applied[];
  readonly isCertain: boolean;
  /** Index among all rules, weakest first. */
  order: number;
}

function rulesOf(
  blocks: readonly CssBlock[],
  longhands: (declaration: Declaration) => readonly Declaration[],
): Rule[] {
  const selectorsOf = new Map<CssBlock, readonly Selector[]>();
  const rules: (Rule & { layer: number })[] = [];
  for (const block of blocks) {
    const conditions = conditionsAround(block);
    if (conditions.match === false) continue;
    const parent = selectorsOf.get(conditions.styleBlock ?? block);
    const isRule = !block.prelude.startsWith('@');
    const selectors = isRule ? readSelectors(block.prelude, parent) : readSelectors('&', parent);
    if (isRule) selectorsOf.set(block, selectors);
    const declarations = lastOfEach(block.declarations.flatMap(longhands));
    if (declarations.length === 0 || (!isRule && parent === undefined)) continue;
    // Between layers, important declarations reverse the order.
    const isCertain =
      conditions.match === true && !(conditions.isLayered && declarations.some(({ important }) => important));
    const layer = conditions.isLayered ? 0 : 1;
    const sure = declarations.map((one) => ({ ...one, isCertain: true }));
    const unsure = declarations.map((one) => ({ ...one, isCertain: false }));
    for (const selector of selectors) {
      if (rules.length >= MAX_RULES) break;
      rules.push({ selector, isCertain, layer, order: 0, sure, unsure });
    }
  }
  rules.sort((a, b) => a.layer - b.layer || a.selector.specificity - b.selector.specificity);
  for (const [order, rule] of rules.entries()) rule.order = order;
  return rules;
}

/** A rule can repeat one declaration a million times. */
function lastOfEach(declarations: readonly Declaration[]): Declaration[] {
  const found = new Map<string, Declaration>();
  for (const one of declarations) {
    // The name of a custom property may end in anything.
    const key = `${one.important ? '!' : ''}${one.property}`;
    found.delete(key);
    found.set(key, one);
  }
  return [...found.values()];
}

interface Conditions {
  /** Whether all at-rules around the block are true. */
  readonly match: Match;
  readonly isLayered: boolean;
  /** The nearest style rule around the block. */
  readonly styleBlock: CssBlock | undefined;
}

function conditionsAround(block: CssBlock): Conditions {
  let match: Match = true;
  let isLayered = false;
  let styleBlock: CssBlock | undefined;
  for (let one: CssBlock | undefined = block; one !== undefined; one = one.parent) {
    if (!one.prelude.startsWith('@')) {
      if (one !== block) styleBlock ??= one;
      continue;
    }
    const holds = conditionHolds(one.prelude.replaceAll(COMMENT, ' ').toLowerCase());
    isLayered ||= one.prelude.toLowerCase().startsWith('@layer');
    if (holds === false) return { match: false, isLayered, styleBlock };
    if (holds === undefined) match = undefined;
  }
  return { match, isLayered, styleBlock };
}

/** At-rules without style rules, or whose style rules apply only for an instant. */
const WITHOUT_RULES =
  /^@(?:font-face|(?:-\w+-)?keyframes|page|property|counter-style|font-palette-values|font-feature-values|(?:-\w+-)?viewport|starting-style|view-transition|position-try)/;

function conditionHolds(atRule: string): Match {
  if (WITHOUT_RULES.test(atRule)) return false;
  if (atRule.startsWith('@layer')) return true;
  return atRule.startsWith('@media') ? mediaMatches(atRule.slice('@media'.length)) : undefined;
}

function keysOf(element: HtmlElement): string[] {
  const keys = [element.tagName.toLowerCase(), '*'];
  const id = attributesOf(element).get('id');
  if (id !== undefined) keys.push(`#${id.toLowerCase()}`);
  for (const one of classesOf(element).lowered) keys.push(`.${one}`);
  return keys;
}

function ownFonts(blocks: readonly CssBlock[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { prelude, declarations } of blocks) {
    if (!/^@font-face/i.test(prelude)) continue;
    const isOwn = declarations.some(
      ({ property, value }) =>
        (property === 'src' && /data:|unknown\(\)/.test(value)) || property === 'size-adjust',
    );
    const name = declarations.findLast(({ property }) => property === 'font-family')?.value;
    if (isOwn && name !== undefined) names.add(name.replace(/["']/g, '').trim());
  }
  return names;
}
