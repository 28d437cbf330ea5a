import { Buffer } from 'node:buffer';
import type { BoundedText } from './bounded-text.ts';
import { NoText } from './no-text.ts';
import { type XmlEvent, xmlEvents } from './xml.ts';
import type { ZipArchive } from './zip.ts';

export const CONTENT = 'content.xml';
const TYPE = 'mimetype';
const STYLES = 'styles.xml';
const MANIFEST = 'META-INF/manifest.xml';

/** Empty cells that stand for thousands, up to the end of the sheet. */
const MAX_GAP = 50;
const MAX_HIDING_STYLES = 10_000;

/**
 * Extracts text documents, sheets and presentations (OpenDocument 1.3). Paragraphs are lines; rows of a table
 * are lines of cells separated by tabs. The headers and footers of a text document come last. Leaves out
 * deletions and text hidden by a style.
 * @throws NoText `encrypted`, `broken`
 */
export function openDocumentText(zip: ZipArchive, out: BoundedText): void {
  for (const event of xmlEvents(zip.read(MANIFEST))) {
    if (event.kind === 'open' && event.name === 'encryption-data') throw new NoText('encrypted');
  }
  contentText(visible(xmlEvents(zip.read(CONTENT)), out), out);
  // In sheets they say "Page 1" and the like.
  if (isTextDocument(zip)) contentText(headersAndFooters(visible(xmlEvents(zip.read(STYLES)), out)), out);
}

function isTextDocument(zip: ZipArchive): boolean {
  const [type = new Uint8Array(0)] = zip.read(TYPE);
  return Buffer.from(type).toString('latin1').startsWith('application/vnd.oasis.opendocument.text');
}

/**
 * They are in the styles of pages, separately for each kind of page. Their page numbers belong to no page.
 */
function* headersAndFooters(events: Iterable<XmlEvent>): Generator<XmlEvent> {
  let isInside = false;
  let isNumber = false;
  for (const event of events) {
    if (event.kind === 'text') {
      if (isInside && !isNumber) yield event;
    } else if (/^(?:header|footer)(?:-left|-first)?$/.test(event.name)) isInside = event.kind === 'open';
    else if (/^page-(?:number|count)$/.test(event.name)) isNumber = event.kind === 'open';
    else if (isInside) yield event;
  }
}

/** Leaves out elements that are not shown. */
function* visible(events: Iterable<XmlEvent>, out: BoundedText): Generator<XmlEvent> {
  const hiding = new Set<string>();
  let styleName = '';
  /** The number of open elements from the hidden one inwards. */
  let depth = 0;
  for (const event of events) {
    if (depth > 0) {
      if (event.kind !== 'text') depth += event.kind === 'open' ? 1 : -1;
      continue;
    }
    if (event.kind === 'open') {
      if (event.name === 'style') styleName = event.attributes.name ?? '';
      const display = event.attributes.display;
      if (/^(?:text|table)-properties$/.test(event.name) && (display === 'none' || display === 'false')) {
        if (hiding.size < MAX_HIDING_STYLES) hiding.add(styleName);
      }
      const isHidden =
        hiding.has(event.attributes['style-name'] ?? '') || event.attributes.visibility === 'collapse';
      if (isHidden) out.leftOutHidden();
      if (isHidden || event.name === 'tracked-changes') {
        depth = 1;
        continue;
      }
    }
    yield event;
  }
}

function contentText(events: Iterable<XmlEvent>, out: BoundedText): void {
  /** Open paragraphs: one may contain a note, or a frame with more. */
  let paragraphs = 0;
  /** Footnotes and comments appear at their place, in brackets. */
  let notes = 0;
  let cells = 0;
  let row = '';
  let cell = '';
  let gap = 0;
  let cellRepeats = 1;
  let rowRepeats = 1;
  const write = (text: string) => {
    if (cells === 0) out.write(text);
    else if (cell.length + row.length < MAX_ROW_CHARS) cell += text.replaceAll('\n', ' ');
  };
  for (const event of events) {
    if (out.full) return;
    if (event.kind === 'text') {
      if (paragraphs > 0 || notes > 0) write(event.text.replace(/\s/g, ' '));
      continue;
    }
    const opens = event.kind === 'open';
    switch (event.name) {
      case 'p':
      case 'h':
        paragraphs = Math.max(0, paragraphs + (opens ? 1 : -1));
        if (opens && notes > 0) write(' ');
        else if (!opens && notes === 0) write('\n');
        break;
      case 's':
        if (opens) write(' '.repeat(repeats(event.attributes.c)));
        break;
      case 'tab':
        if (opens) write('\t');
        break;
      case 'line-break':
        if (opens) write('\n');
        break;
      case 'note':
      case 'annotation':
        notes = Math.max(0, notes + (opens ? 1 : -1));
        write(opens ? ' [' : ']');
        break;
      case 'table':
        if (opens && cells === 0) out.write(`${event.attributes.name ?? ''}\n`);
        break;
      case 'table-row':
        if (cells > 0) break;
        if (opens) {
          rowRepeats = repeats(event.attributes['number-rows-repeated']);
          row = '';
          gap = 0;
        } else if (row !== '') {
          for (let i = 0; i < rowRepeats && !out.full; i++) out.write(`${row}\n`);
        }
        break;
      case 'table-cell':
      case 'covered-table-cell':
        cells = Math.max(0, cells + (opens ? 1 : -1));
        if (opens && cells === 1) {
          cellRepeats = repeats(event.attributes['number-columns-repeated']);
          cell = '';
        } else if (cells === 0) {
          const text = cell.trim();
          for (let i = 0; i < cellRepeats && row.length < MAX_ROW_CHARS; i++) {
            if (text !== '') row += '\t'.repeat(Math.min(gap, MAX_GAP)) + text;
            gap = text === '' ? gap + 1 : 1;
          }
        }
        break;
    }
  }
}

const MAX_ROW_CHARS = 1_000_000;
const MAX_REPEATS = 1_000_000;

function repeats(count: string | undefined): number {
  return Math.min(Math.max(1, Number.parseInt(count ?? '1', 10) || 1), MAX_REPEATS);
}
