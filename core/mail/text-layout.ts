/**
 * Puts text together line by line, as a page without styles would: white space collapses, blocks begin on lines of
 * their own. What may not be visible stands in brackets, `[possibly hidden: …]`; brackets within become round, so that
 * nobody closes them from inside. Work is linear in the text.
 */
export interface TextLayout {
  /** Adds inline text. `pre`: its spaces and line breaks count. */
  text(data: string, options: { isUnclear: boolean; isPre?: boolean }): void;
  /** Adds to the line what stands between cells. */
  tab(): void;
  /** Ends the line, as `<br>` does. */
  lineBreak(): void;
  /** What follows begins at least this many lines further down. */
  block(lines: number): void;
  /** What follows is indented by this in each line, and begins with `first` in its own. */
  indent(each: string, first?: string): void;
  outdent(): void;
  /** How far the text has come, for `since`. */
  mark(): Mark;
  /** The text since a mark, without the marks of what is unclear; undefined if it is longer than `max`. */
  since(mark: Mark, max: number): string | undefined;
  /** Whether the last word may not be visible. */
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

/** The text without what is marked as possibly hidden. */
export function withoutMarked(text: string): string {
  return text.replace(MARKED, ' ');
}

interface Indent {
  readonly each: string;
  /** In place of `each` until a line has begun with it. */
  first: string | undefined;
  hasBegun: boolean;
}

export function textLayout(): TextLayout {
  const out: string[] = [];
  const words: string[] = [];
  let chars = 0;
  const indents: Indent[] = [];
  /** Line breaks, or else white space, before the next word. */
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

  const self: TextLayout = {
    text(data, options) {
      if (options.isPre === true) {
        for (const [at, line] of data.split('\n').entries()) {
          if (at > 0) self.lineBreak();
          if (line !== '') write(line, options.isUnclear);
        }
        return;
      }
      for (const [word] of data.matchAll(/[^ \t\r\n\f]+|[ \t\r\n\f]+/g)) {
        if (!/^[ \t\r\n\f]/.test(word)) write(word, options.isUnclear);
        else if (gap === '' && lines === 0 && !isEmpty) gap = ' ';
      }
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
