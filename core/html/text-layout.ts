/**
 * Assembles text line by line, as a page without styles would: white space collapses, and blocks start on separate
 * lines. Text that may be invisible is marked with brackets, `[possibly hidden: …]`. Brackets inside it become round,
 * so the text cannot close the mark itself. Linear in the text.
 */
export interface TextLayout {
  /** Adds inline text. `pre`: its spaces and line breaks count. */
  text(data: string, options: { isUnclear: boolean; isPre?: boolean }): void;
  /** Adds the separator between two cells. */
  tab(): void;
  /** Ends the line, as `<br>` does. */
  lineBreak(): void;
  /** The following text starts at least this many lines further down. */
  block(lines: number): void;
  /** Indents each following line by this. The next line starts with `first`. */
  indent(each: string, first?: string): void;
  outdent(): void;
  /** The current position, for `since`. */
  mark(): Mark;
  /** The text since a mark, without uncertainty marks. Undefined if it is longer than `max`. */
  since(mark: Mark, max: number): string | undefined;
  /** Whether the last word may be invisible. */
  endsUnclear(): boolean;
  toString(): string;
}

interface Mark {
  readonly words: number;
  readonly chars: number;
}

const OPEN = '[possibly hidden: ';
const CLOSE = ']';
const MARKED = /\[possibly hidden: [^[\]]*\]/g;

/** The text without the parts marked as possibly hidden. */
export function withoutMarked(text: string): string {
  return text.replace(MARKED, ' ');
}

interface Indent {
  readonly each: string;
  /** Used instead of `each` until a line has started with it. */
  first: string | undefined;
  hasBegun: boolean;
}

export function textLayout(): TextLayout {
  const out: string[] = [];
  const words: string[] = [];
  let chars = 0;
  const indents: Indent[] = [];
  /** Line breaks, or otherwise white space, before the next word. */
  let lines = 0;
  let gap = '';
  let isUnclear = false;
  let isEmpty = true;

  const beginLine = () => {
    for (const indent of indents) {
      out.push(indent.first ?? indent.each);
      indent.first = undefined;
      indent.hasBegun = true;
    }
  };
  const write = (word: string, unclear: boolean) => {
    if (isUnclear && !unclear) out.push(CLOSE);
    if (lines > 0 && !isEmpty) {
      const around = indents.filter(({ hasBegun }) => hasBegun).map(({ each }) => each);
      const blank = `\n${around.join('').trimEnd()}`;
      for (let line = 1; line < lines; line++) out.push(blank);
      out.push('\n');
    } else out.push(gap);
    if (lines > 0 || isEmpty) beginLine();
    if (unclear && !isUnclear) out.push(OPEN);
    out.push(unclear ? word.replaceAll('[', '(').replaceAll(']', ')') : word);
    words.push(gap, word);
    chars += gap.length + word.length;
    isUnclear = unclear;
    isEmpty = false;
    lines = 0;
    gap = '';
  };

  const space = () => {
    if (gap === '' && lines === 0 && !isEmpty) gap = ' ';
  };

  const self: TextLayout = {
    text(data, options) {
      if (options.isPre === true) {
        for (const [at, line] of data.split('\n').entries()) {
          if (at > 0) self.lineBreak();
          if (line !== '') write(line, options.isUnclear);
        }
        return;
      }
      const collapsed = data.replace(/[ \t\r\n\f]+/g, ' ');
      const [begin, end] = [collapsed.startsWith(' ') ? 1 : 0, collapsed.endsWith(' ') ? -1 : undefined];
      if (begin === 1) space();
      const words = collapsed.slice(begin, end);
      if (words === '') return;
      write(words, options.isUnclear);
      if (end === -1) space();
    },
    tab() {
      if (lines === 0) gap = `${gap.trimStart()}\t`;
    },
    lineBreak() {
      lines++;
      gap = '';
    },
    block(wanted) {
      lines = Math.max(lines, wanted);
      gap = '';
    },
    indent(each, first = each) {
      indents.push({ each, first, hasBegun: false });
    },
    outdent() {
      indents.pop();
    },
    mark: () => ({ words: words.length, chars }),
    since: (mark, max) => (chars - mark.chars > max ? undefined : words.slice(mark.words).join('').trim()),
    endsUnclear: () => isUnclear,
    toString: () => `${out.join('')}${isUnclear ? CLOSE : ''}`,
  };
  return self;
}
