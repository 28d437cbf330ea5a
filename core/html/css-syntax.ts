import { type CSSToken, TokenType, tokenizer } from '@csstools/css-tokenizer';

/**
 * The blocks and declarations of a style sheet (CSS Syntax Module Level 3, CSS Nesting). One pass over the tokens, with
 * a stack instead of recursion: work and memory are linear in the text.
 */

/** The remaining work, in steps of about a tenth of a microsecond. */
export interface Budget {
  left: number;
}

export interface Declaration {
  /** Lower case, except custom properties (`--Name`). */
  readonly property: string;
  /** Lower case unless it contains custom properties. White space and comments become one space. */
  readonly value: string;
  readonly important: boolean;
}

/** `prelude { declarations }`, in the order of the sheet. */
export interface CssBlock {
  /** A selector list, or an at-rule with its name. `COMMENT` stands for a comment. */
  readonly prelude: string;
  readonly parent: CssBlock | undefined;
  readonly declarations: Declaration[];
}

/** One `style` element. */
export interface SheetText {
  /** The media query list that it is for. Empty: for all. */
  readonly media: string;
  readonly css: string;
}

/** A character that HTML never passes on. */
export const COMMENT = '\0';
/** The value of a declaration that is too long to read. Like any unknown function, it could mean anything. */
export const UNKNOWN = 'unknown()';

const MAX_CSS_CHARS = 400_000;
const MAX_VALUE_CHARS = 500;
const MAX_PRELUDE_CHARS = 20_000;
const MAX_BLOCKS = 5000;
const MAX_NESTED = 16;

/**
 * Reads each sheet by itself: what one leaves open ends with it. The limits are those of all together.
 * @param steps the budget for reading them
 * @returns `complete`: false if they are too large, so their effect is unknown
 */
export function readBlocks(
  sheets: readonly SheetText[],
  steps: Budget,
): {
  blocks: readonly CssBlock[];
  statements: readonly string[];
  complete: boolean;
} {
  const blocks: CssBlock[] = [];
  const statements: string[] = [];
  let open: { block: CssBlock; isInterrupted: boolean }[] = [];
  let around: CssBlock | undefined;
  let complete = true;
  const add = (prelude: string, parent: CssBlock | undefined): CssBlock => {
    const block: CssBlock = { prelude, parent, declarations: [] };
    if (blocks.length < MAX_BLOCKS && open.length <= MAX_NESTED) blocks.push(block);
    else complete = false;
    return block;
  };
  const take = (text: string, end: '{' | '}' | ';') => {
    const within = open.at(-1);
    if (end === '{') {
      complete &&= text.length <= MAX_PRELUDE_CHARS;
      if (within !== undefined) within.isInterrupted = true;
      open.push({ block: add(text, within?.block ?? around), isInterrupted: false });
      return true;
    }
    // Outside blocks, a semicolon only ends at-rules.
    if (end === ';' && within === undefined && !text.startsWith('@')) return false;
    const declaration = readDeclaration(text);
    if (text.startsWith('@')) statements.push(text);
    else if (within !== undefined && declaration !== undefined) {
      // Declarations after a nested rule count as if written after it.
      if (within.isInterrupted) within.block = add(within.block.prelude, within.block.parent);
      within.isInterrupted = false;
      within.block.declarations.push(declaration);
    }
    if (end === '}') open.pop();
    return true;
  };
  let chars = MAX_CSS_CHARS;
  for (const { media, css } of sheets) {
    open = [];
    around =
      media.trim() === ''
        ? undefined
        : { prelude: `@media ${media.replace(/\s+/g, ' ')}`, parent: undefined, declarations: [] };
    if (css.length > chars || !forEachPiece(css, steps, take)) complete = false;
    if (!complete) break;
    chars -= css.length;
  }
  return { blocks, statements, complete };
}

/**
 * `display: none; color: red !important`
 * @param steps the budget for reading it; when it is used up, the rest is left out
 */
export function readDeclarations(css: string, steps: Budget): Declaration[] {
  const declarations: Declaration[] = [];
  let depth = 0;
  forEachPiece(css, steps, (text, end) => {
    const declaration = end === ';' && depth === 0 ? readDeclaration(text) : undefined;
    if (declaration !== undefined) declarations.push(declaration);
    // A rule in a style attribute is skipped.
    if (end !== ';') depth += end === '{' ? 1 : -1;
    return true;
  });
  return declarations;
}

/**
 * Splits a sheet at braces and semicolons outside brackets, quotes and comments.
 * @param take receives the text before one; if it returns false, the text continues after it
 * @returns false if the budget ran out before the end
 */
function forEachPiece(
  css: string,
  steps: Budget,
  take: (text: string, end: '{' | '}' | ';') => boolean,
): boolean {
  const tokens = tokenizer({ css });
  const closers: TokenType[] = [];
  let blocks = 0;
  let text: string[] = [];
  const cut = (end: '{' | '}' | ';', source: string): void => {
    if (
      take(
        text
          .join('')
          .replace(/^[\s\0]+/, '')
          .trimEnd(),
        end,
      )
    )
      text = [];
    else text.push(source);
  };
  for (let token = tokens.nextToken(); token[0] !== TokenType.EOF; token = tokens.nextToken()) {
    const [type, source] = token;
    steps.left -= isBroken(token) ? BROKEN_TOKEN_STEPS : TOKEN_STEPS;
    if (steps.left <= 0) return false;
    const closer = CLOSER.get(type);
    if (closers.length > 0) {
      if (type === closers.at(-1)) closers.pop();
      else if (closer !== undefined) closers.push(closer);
      text.push(sourceOf(token));
    } else if (type === TokenType.OpenCurly) {
      blocks++;
      cut('{', source);
    } else if (type === TokenType.CloseCurly && blocks > 0) {
      blocks--;
      cut('}', source);
    } else if (type === TokenType.Semicolon) cut(';', source);
    else if (type !== TokenType.CDO && type !== TokenType.CDC) {
      if (closer !== undefined) closers.push(closer);
      text.push(sourceOf(token));
    }
  }
  // The end of the sheet closes everything.
  cut(';', '');
  return true;
}

const TOKEN_STEPS = 10;
/** The tokenizer creates an error for each. */
const BROKEN_TOKEN_STEPS = 200;

function isBroken([type, source]: CSSToken): boolean {
  return type === TokenType.BadString || type === TokenType.BadURL || source === '\\';
}

const CLOSER: ReadonlyMap<TokenType, TokenType> = new Map([
  [TokenType.Function, TokenType.CloseParen],
  [TokenType.OpenParen, TokenType.CloseParen],
  [TokenType.OpenSquare, TokenType.CloseSquare],
  [TokenType.OpenCurly, TokenType.CloseCurly],
]);

function sourceOf([type, source]: CSSToken): string {
  if (type === TokenType.Comment) return COMMENT;
  return type === TokenType.Whitespace ? ' ' : source;
}

function readDeclaration(text: string): Declaration | undefined {
  const colon = text.indexOf(':');
  if (colon === -1) return undefined;
  const name = unescaped(text.slice(0, colon)).replaceAll(COMMENT, '').trim();
  const property = name.startsWith('--') ? name : name.toLowerCase();
  if (text.length - colon > MAX_VALUE_CHARS) return { property, value: UNKNOWN, important: false };
  const [given, important] = withoutImportance(text.slice(colon + 1));
  const value = unescaped(given)
    .replace(/[\s\0]+/g, ' ')
    .trim();
  // Names of custom properties are case-sensitive.
  const isAsWritten = property.startsWith('--') || /var\(/i.test(value);
  return { property, value: isAsWritten ? value : value.toLowerCase(), important };
}

/** An escaped exclamation mark is a part of the value. */
function withoutImportance(text: string): [value: string, important: boolean] {
  const mark = text.lastIndexOf('!');
  const word = unescaped(text.slice(mark + 1))
    .replaceAll(COMMENT, ' ')
    .trim();
  const isMarked = mark !== -1 && text[mark - 1] !== '\\' && /^important$/i.test(word);
  return isMarked ? [text.slice(0, mark), true] : [text, false];
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
