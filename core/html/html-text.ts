import { inputText } from './form-field.ts';
import { type Sight, sightReader } from './hidden-html.ts';
import { attributesOf, childElements, type HtmlElement, isElement, readHtml, textIn } from './html-tree.ts';
import { type TextLayout, textLayout } from './text-layout.ts';
import { worst } from './visibility.ts';

export interface HtmlReader {
  /**
   * Reads the HTML of one part as a person would: link targets follow in brackets, alternative text stands for images,
   * tabs separate the cells of a table row. Leaves out hidden text and marks text that may be hidden: see `seenIn` and
   * `textLayout`. Never loads anything. Leaves out HTML beyond the limits, with a note in the text. Does not compute
   * styles beyond the limits, and marks the text that they apply to.
   */
  read(html: string): string;
}

/** The limits on the HTML of one message, for all its parts together. */
export interface HtmlBounds {
  readonly chars: number;
  readonly elements: number;
  /** Work on styles, in steps of about a tenth of a microsecond. */
  readonly steps: number;
}

const USUAL: HtmlBounds = { chars: 1_000_000, elements: 50_000, steps: 10_000_000 };

/** The work is limited for any input. */
export function htmlReader(bounds: HtmlBounds = USUAL): HtmlReader {
  let chars = bounds.chars;
  const tree = { elements: bounds.elements, attributeChars: 2 * bounds.chars };
  const look = sightReader({ left: bounds.steps });
  return {
    read(html) {
      const read = html.slice(0, chars);
      chars -= read.length;
      const { document, complete } = readHtml(read, tree);
      const layout = textLayout();
      const sightOf = look(document);
      for (const element of childElements(document))
        write(element, { sightOf, layout, isPre: false, indents: 0 });
      const text = tidied(layout.toString());
      if (complete && read.length === html.length) return text;
      return `${text}\n\n${CUT}`.trimStart();
    },
  };
}

export const CUT = '[The rest of this message is too large to show.]';
/** Deeper quotes and lists are not indented further: every level makes every line longer. */
const MAX_INDENTS = 4;

function tidied(text: string): string {
  const lines = text.split('\n').map((line) => line.trimEnd());
  return lines.join('\n').trim();
}

interface Place {
  readonly sightOf: (element: HtmlElement) => Sight;
  readonly layout: TextLayout;
  readonly isPre: boolean;
  readonly indents: number;
}

function write(element: HtmlElement, place: Place): void {
  const sight = place.sightOf(element);
  if (sight.element === 'hidden') return;
  (FORMATS[element.tagName] ?? writeInside)(element, place, sight);
}

type Format = (element: HtmlElement, place: Place, sight: Sight) => void;

const writeInside: Format = (element, place, { text }) => {
  const isUnclear = text === 'unclear';
  for (const node of element.childNodes) {
    if (isElement(node)) write(node, place);
    else if (node.nodeName === '#text' && 'value' in node) {
      // White space stays: it may separate words that are visible.
      const shown = text === 'hidden' ? node.value.replace(/[^ \t\r\n\f]+/g, '') : node.value;
      place.layout.text(shown, { isUnclear, isPre: place.isPre && text !== 'hidden' });
    }
  }
};

/** @param lines line breaks before and after it: 2 leaves an empty line */
function block(lines: number, inside: Format = writeInside, above = lines): Format {
  return (element, place, sight) => {
    place.layout.block(above);
    inside(element, place, sight);
    place.layout.block(lines);
  };
}

function indented(each: string): Format {
  return (element, place, sight) => {
    if (place.indents >= MAX_INDENTS) return writeInside(element, place, sight);
    place.layout.indent(each);
    writeInside(element, { ...place, indents: place.indents + 1 }, sight);
    place.layout.outdent();
  };
}

const list: Format = (element, place, sight) => {
  const isNested = place.indents > 0;
  place.layout.block(isNested ? 1 : 2);
  writeInside(element, { ...place, indents: place.indents + 1 }, sight);
  place.layout.block(isNested ? 1 : 2);
};

const item: Format = (element, place, sight) => {
  place.layout.block(1);
  if (place.indents > MAX_INDENTS) writeInside(element, place, sight);
  else {
    const bullet = ` ${bulletOf(element)} `;
    place.layout.indent(' '.repeat(bullet.length), bullet);
    writeInside(element, place, sight);
    place.layout.outdent();
  }
  place.layout.block(1);
};

const MAX_NUMBER_CHARS = 6;

function bulletOf(item: HtmlElement): string {
  const parent = item.parentNode;
  if (!isElement(parent) || parent.tagName !== 'ol') return '*';
  const start = /^\s*(-?\d+)/.exec(attributesOf(parent).get('start') ?? '')?.[1] ?? '1';
  const number = Number(start.slice(0, MAX_NUMBER_CHARS)) + numberAmong(parent, item);
  return `${number}.`;
}

const numbers = new WeakMap<HtmlElement, number>();

function numberAmong(list: HtmlElement, item: HtmlElement): number {
  if (!numbers.has(item)) {
    const items = childElements(list).filter(({ tagName }) => tagName === 'li');
    for (const [at, one] of items.entries()) numbers.set(one, at);
  }
  return numbers.get(item) ?? 0;
}

const picture: Format = (element, { layout }, sight) => {
  const alt = attributesOf(element).get('alt');
  if (alt !== undefined && sight.picture !== 'hidden')
    layout.text(alt, { isUnclear: sight.picture === 'unclear' });
};

const field: Format = (element, { layout }, sight) => {
  if (sight.text !== 'hidden') layout.text(inputText(element), { isUnclear: sight.text === 'unclear' });
};

const textArea: Format = (element, place, sight) => {
  if (textIn(element).trim() !== '') writeInside(element, place, sight);
  else if (sight.text !== 'hidden')
    place.layout.text(attributesOf(element).get('placeholder') ?? '', {
      isUnclear: sight.text === 'unclear',
    });
};

/** Its label, if it has one, replaces its text. */
const option: Format = (element, place, sight) => {
  const label = attributesOf(element).get('label') ?? '';
  if (label === '') writeInside(element, place, sight);
  else if (sight.text !== 'hidden') place.layout.text(label, { isUnclear: sight.text === 'unclear' });
};

const link: Format = (element, place, sight) => {
  const { layout } = place;
  const start = layout.mark();
  writeInside(element, place, sight);
  const href = (attributesOf(element).get('href') ?? '').trim().replace(/^mailto:/i, '');
  if (href === '' || href.startsWith('#')) return;
  const hasText = layout.mark().chars > start.chars;
  if (!hasText && !hasPicture(element, place)) return;
  if (hasText && layout.since(start, href.length + 1) === href) return;
  const isUnclear = hasText ? layout.endsUnclear() : worst([sight.element, sight.picture]) === 'unclear';
  layout.text(hasText ? ` [${href}]` : href, { isUnclear });
};

const withPicture = new WeakMap<HtmlElement, boolean>();

/** Whether a link without text is visible anyway. Links may be nested. */
function hasPicture(element: HtmlElement, place: Place): boolean {
  const known = withPicture.get(element);
  if (known !== undefined) return known;
  const found = childElements(element).some((one) => {
    const sight = place.sightOf(one);
    if (sight.element === 'hidden') return false;
    return (one.tagName === 'img' && sight.picture !== 'hidden') || hasPicture(one, place);
  });
  withPicture.set(element, found);
  return found;
}

const row = block(1);

const cell: Format = (element, place, sight) => {
  writeInside(element, place, sight);
  place.layout.tab();
};

/** Other tags are inline. */
const FORMATS: Readonly<Record<string, Format>> = {
  ...Object.fromEntries(
    (
      'address article aside body caption center dd details dialog dir div dl dt fieldset figcaption figure footer ' +
      'form frameset header hgroup html legend main menu nav optgroup search section summary'
    )
      .split(' ')
      .map((name) => [name, block(1)]),
  ),
  ...Object.fromEntries(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((name) => [name, block(2, writeInside, 3)])),
  p: block(2),
  table: block(1),
  tr: row,
  td: cell,
  th: cell,
  blockquote: block(2, indented('> ')),
  ul: list,
  ol: list,
  li: item,
  pre: block(2, (element, place, sight) => writeInside(element, { ...place, isPre: true }, sight)),
  hr: block(2, (_, { layout }) => layout.text('-'.repeat(40), { isUnclear: false })),
  br: (_, { layout }) => layout.lineBreak(),
  img: picture,
  input: field,
  textarea: textArea,
  option: block(1, option),
  a: link,
};
