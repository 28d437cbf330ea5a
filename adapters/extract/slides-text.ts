import type { BoundedText } from './bounded-text.ts';
import type { OfficePackage } from './office-package.ts';
import type { XmlEvent } from './xml.ts';

export const PRESENTATION = /(?:presentationml|ms-powerpoint)\.[\w.]+\.main\+xml$/;

/**
 * Extracts the slides in order, separated by an empty line, each followed by its notes. Leaves out hidden
 * slides.
 */
export function slidesText(office: OfficePackage, presentation: string, out: BoundedText): void {
  for (const slide of slidesOf(office, presentation)) {
    if (out.full) return;
    if (isHidden(office.events(slide))) {
      out.leftOutHidden();
      continue;
    }
    paragraphs(office.events(slide), out);
    for (const notes of office.relatedAs(slide, 'notesSlide')) paragraphs(office.events(notes), out);
    out.write('\n');
  }
}

function slidesOf(office: OfficePackage, presentation: string): string[] {
  const related = office.related(presentation);
  const slides: string[] = [];
  for (const event of office.events(presentation)) {
    if (event.kind !== 'open' || event.name !== 'sldId') continue;
    // Not `id`, which is that of the slide itself.
    const [, id = ''] = Object.entries(event.attributes).find(([name]) => name.endsWith(':id')) ?? [];
    const slide = related.get(id);
    if (slide !== undefined) slides.push(slide.part);
  }
  return slides;
}

function isHidden(events: Iterable<XmlEvent>): boolean {
  for (const event of events) {
    if (event.kind === 'open')
      return event.name === 'sld' && /^(?:0|false)$/.test(event.attributes.show ?? '');
  }
  return false;
}

function paragraphs(events: Iterable<XmlEvent>, out: BoundedText): void {
  let inText = false;
  let inCell = false;
  for (const event of events) {
    if (out.full) return;
    if (event.kind === 'text') {
      if (inText) out.write(event.text);
      continue;
    }
    const opens = event.kind === 'open';
    if (event.name === 't') inText = opens;
    else if (event.name === 'br' && opens) out.write('\n');
    else if (event.name === 'p' && !opens && inCell) out.space();
    else if (event.name === 'p' && !opens) out.write('\n');
    else if (event.name === 'tr' && !opens) out.write('\n');
    else if (event.name === 'tc') {
      inCell = opens;
      if (!opens) out.write('\t');
    }
  }
}
