import { compile, convert as convertOnce, type DomNode, type FormatCallback } from 'html-to-text';
import { sightOf } from './hidden-html.ts';
import { attributesOf } from './selector.ts';

/**
 * Reads the HTML of one message as a person would: links followed by their targets in brackets, images by their
 * alternative text, cells of a table row separated by tabs. What is hidden is left out: see `sightOf`. Nothing is
 * ever loaded.
 *
 * Work is bounded whatever the input, over all calls together: HTML beyond the bounds is left out, and the text says so.
 */
export function htmlReader(): (html: string) => string {
  let chars = MAX_HTML_CHARS;
  let tags = MAX_TAGS;
  return (html) => {
    const shown = withinTags(html.slice(0, chars), tags);
    chars -= shown.html.length;
    tags -= shown.tags;
    const text = tidied(convert(inBody(shown.html)));
    return shown.html.length === html.length ? text : `${text}\n\n${CUT}`.trimStart();
  };
}

export const CUT = '[The rest of this message is too large to show.]';
const MAX_HTML_CHARS = 1_000_000;
/** The parser's work grows with the square of the elements that are open at once. */
const MAX_TAGS = 30_000;
/** Elements nested deeper are left out, with an ellipsis. */
const MAX_DEPTH = 256;
/** Quotes and lists nested deeper are not indented further: every level makes every line longer. */
const MAX_INDENTS = 4;

function withinTags(html: string, max: number): { html: string; tags: number } {
  const tag = /<[a-z]/gi;
  for (let tags = 0; tags < max; tags++) {
    if (!tag.test(html)) return { html, tags };
  }
  return { html: html.slice(0, tag.lastIndex), tags: max };
}

/** As readers complete it: all of it lies in one body, whether or not it says so. */
function inBody(html: string): string {
  const open = html.replace(/<\/(?:body|html)\s*>/gi, '');
  return /<body[\s>]/i.test(open) ? open : `<html><body>${open}`;
}

function tidied(text: string): string {
  const lines = text.split('\n').map((line) => line.trimEnd());
  return lines.join('\n').trim();
}

const INDENTING = new Set(['blockquote', 'ul', 'ol']);

function indents(element: DomNode): number {
  let count = 0;
  for (let node: DomNode | undefined = element; node; node = node.parent) {
    if (INDENTING.has(node.name ?? '')) count++;
  }
  return count;
}

/** The library's own formatter, until its indents have added up. */
function indented(format: 'blockquote' | 'unorderedList' | 'orderedList'): FormatCallback {
  return (element, walk, builder, options) => {
    const formatter = builder.options.formatters?.[indents(element) > MAX_INDENTS ? 'block' : format];
    formatter?.(element, walk, builder, options);
  };
}

/** The library's own formatters, which it shows to formatters only. */
function libraryFormatters(): Record<string, FormatCallback> {
  let found: Record<string, FormatCallback> = {};
  const look: FormatCallback = (_element, _walk, builder) => {
    found = builder.options.formatters;
  };
  convertOnce('<i>', { formatters: { look }, selectors: [{ selector: 'i', format: 'look' }] });
  const { look: _own, ...formatters } = found;
  return formatters;
}

/** The formatter for what is seen: of an element that is not drawn nothing, and no text that does not show. */
function ofSeen(format: FormatCallback): FormatCallback {
  return (element, walk, builder, options) => {
    const { isDrawn, textShows } = sightOf(element);
    if (!isDrawn) return;
    const walkSeen: typeof walk = (nodes, into) => walk(nodes.filter(isBlankOrElement), into);
    format(element, textShows ? walk : walkSeen, builder, options);
  };
}

/** White space stays: it may part words that do show. */
function isBlankOrElement({ type, data = '' }: DomNode): boolean {
  return type !== 'text' || data.trim() === '';
}

const FORMATTERS: Record<string, FormatCallback> = {
  ...libraryFormatters(),
  altText: (element, _walk, builder) => {
    const { alt } = attributesOf(element);
    if (alt !== undefined && sightOf(element).pictureShows) builder.addInline(alt);
  },
  cell: (element, walk, builder) => {
    walk(element.children, builder);
    builder.addLiteral('\t');
  },
  quote: indented('blockquote'),
  bullets: indented('unorderedList'),
  numbers: indented('orderedList'),
};

const convert = compile({
  wordwrap: false,
  // The whole document: messages joined from several parts hold several bodies, or none.
  baseElements: { selectors: [] },
  limits: { maxDepth: MAX_DEPTH, ellipsis: '[…]' },
  // All of them, so that no element is formatted unseen.
  formatters: Object.fromEntries(Object.entries(FORMATTERS).map(([name, format]) => [name, ofSeen(format)])),
  selectors: [
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true } },
    { selector: 'img', format: 'altText' },
    { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    { selector: 'td', format: 'cell' },
    { selector: 'th', format: 'cell' },
    { selector: 'blockquote', format: 'quote' },
    { selector: 'ul', format: 'bullets' },
    { selector: 'ol', format: 'numbers' },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
});
