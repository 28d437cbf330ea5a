import type { BoundedText } from './bounded-text.ts';
import type { OfficePackage } from './office-package.ts';
import type { XmlEvent } from './xml.ts';

export const WORD_DOCUMENT = /(?:wordprocessingml|ms-word)\.[\w.]+\.main\+xml$/;

/** Kinds of the parts around the document's own text. */
const BEFORE = ['header'];
const BEHIND = ['footnotes', 'endnotes', 'comments', 'footer'];

/** Smaller letters are dots. */
const READABLE_HALF_POINTS = 5;

export function wordText(office: OfficePackage, document: string, out: BoundedText): void {
  const around = (kinds: readonly string[]) => kinds.flatMap((kind) => office.partsOf(document, kind));
  // Pages with the same header may each refer to it.
  for (const part of new Set([...around(BEFORE), document, ...around(BEHIND)])) {
    partText(office.events(part), out);
    if (out.full) return;
  }
}

/**
 * Paragraphs are lines; rows of a table are lines of cells separated by tabs. Leaves out deletions and hidden
 * runs.
 */
function partText(events: Iterable<XmlEvent>, out: BoundedText): void {
  let inText = false;
  let isHidden = false;
  /** Tables within tables are read as part of the cell. */
  let cells = 0;
  /** The version for programs that do not know the first choice: the same text again. */
  let fallbacks = 0;
  for (const event of events) {
    if (out.full) return;
    if (event.kind === 'text') {
      if (!inText || fallbacks > 0) continue;
      if (isHidden) out.leftOutHidden();
      else out.write(event.text);
      continue;
    }
    const opens = event.kind === 'open';
    switch (event.name) {
      case 't':
        inText = opens;
        break;
      case 'Fallback':
        fallbacks = Math.max(0, fallbacks + (opens ? 1 : -1));
        break;
      case 'tc':
        cells = Math.max(0, cells + (opens ? 1 : -1));
        if (!opens) out.write('\t');
        break;
      case 'r':
        isHidden = false;
        break;
      case 'vanish':
        if (opens && isOn(event.attributes.val)) isHidden = true;
        break;
      case 'sz':
        if (opens && Number(event.attributes.val) < READABLE_HALF_POINTS) isHidden = true;
        break;
      case 'tab':
        // In the properties of a paragraph it is a tab stop, which has a position.
        if (opens && event.attributes.pos === undefined) out.write('\t');
        break;
      case 'br':
      case 'cr':
        if (opens) out.write('\n');
        break;
      case 'noBreakHyphen':
        if (opens) out.write('-');
        break;
      case 'p':
        if (opens || fallbacks > 0) break;
        if (cells > 0) out.space();
        else out.write('\n');
        break;
      case 'tr':
        if (!opens) out.write('\n');
        break;
    }
  }
}

function isOn(value: string | undefined): boolean {
  return value === undefined || !/^(?:0|false|off)$/.test(value);
}
