import { SaxesParser } from 'saxes';

/** An element with what stands directly in it. */
export interface XmlElement {
  /** With the prefix that `prefixes` gives its namespace, whatever the document calls it: `d:href`. */
  readonly name: string;
  /** Those without a namespace. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** Without the text of the children. */
  readonly text: string;
}

/** What a server says is no XML, or more of it than any answer needs. The message names no content. */
export class BadXml extends Error {}

export interface XmlParts {
  /** Takes the next piece of the document. @throws BadXml, and what `take` throws */
  write(text: string): void;
  /** @throws BadXml unless the document was complete */
  end(): void;
}

const DEPTH_MAX = 16;
/** Of one element. */
const ATTRIBUTES_MAX = 64;
/** Of one part. */
const PART_ELEMENTS_MAX = 10_000;
/** Of the whole document: half a second of work. */
const ELEMENTS_MAX = 1_000_000;

interface Open {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: XmlElement[];
  text: string;
}

/**
 * Reads a document of a stranger piece by piece, and hands over each child of its root when that is complete: in memory
 * is one of them at a time. A document type is refused, so nothing can be declared that would expand.
 * @param root the name that the root must have
 * @param prefixes by namespace; an element of any other namespace has the prefix `other`
 */
export function xmlParts(
  root: string,
  prefixes: Readonly<Record<string, string>>,
  take: (part: XmlElement) => void,
): XmlParts {
  const parser = new SaxesParser({ xmlns: true });
  const open: Open[] = [];
  let begun = false;
  let elements = 0;
  let partElements = 0;
  let attributes = 0;

  parser.on('error', (cause) => {
    throw new BadXml('the XML is broken', { cause });
  });
  parser.on('doctype', () => {
    throw new BadXml('the XML has a document type');
  });
  parser.on('opentagstart', () => {
    attributes = 0;
    elements += 1;
    partElements = open.length <= 1 ? 0 : partElements + 1;
    if (open.length >= DEPTH_MAX) throw new BadXml('the XML is nested too deep');
    if (elements > ELEMENTS_MAX || partElements > PART_ELEMENTS_MAX) {
      throw new BadXml('the XML has too many elements');
    }
  });
  parser.on('attribute', () => {
    attributes += 1;
    if (attributes > ATTRIBUTES_MAX) throw new BadXml('an element has too many attributes');
  });
  parser.on('opentag', (tag) => {
    const name = `${prefixes[tag.uri] ?? 'other'}:${tag.local}`;
    if (open.length === 0 && name !== root) throw new BadXml('the XML is another document');
    const plain = Object.values(tag.attributes).filter(({ uri }) => uri === '');
    const named = new Map(plain.map(({ local, value }) => [local, value]));
    open.push({ name, attributes: named, children: [], text: '' });
  });
  const addText = (text: string) => {
    const current = open.at(-1);
    // Between the parts there is only white space.
    if (current !== undefined && open.length > 1) current.text += text;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => {
    const element = open.pop();
    if (element === undefined || open.length === 0) return;
    if (open.length === 1) take(element);
    else open.at(-1)?.children.push(element);
  });

  return {
    write(text) {
      // Some servers begin with an empty line.
      const piece = begun ? text : text.trimStart();
      begun ||= piece !== '';
      parser.write(piece);
    },
    end() {
      if (!begun) throw new BadXml('the XML is empty');
      parser.close();
    },
  };
}

export function childrenOf(element: XmlElement | undefined, name: string): XmlElement[] {
  return element?.children.filter((child) => child.name === name) ?? [];
}

/** As the text of an element, escaped. */
export function xmlText(text: string): string {
  return text.replace(/[<>&"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
