import { SaxesParser } from 'saxes';
import type { XmlElement, XmlFault } from '../reading/xml-shapes.ts';

/** The document is not valid XML, or larger than any document needs to be. */
export class BadXml extends Error {
  readonly fault: XmlFault;

  constructor(fault: XmlFault, options?: { readonly cause: unknown }) {
    super(fault, options);
    this.fault = fault;
  }
}

export interface XmlParts {
  /** Parses the next piece of the document. @throws BadXml, and what `take` throws */
  write(text: string): void;
  /** @throws BadXml if the document is incomplete */
  end(): void;
}

const DEPTH_MAX = 16;
/** Per element. */
const ATTRIBUTES_MAX = 64;
/** Elements and attributes of one part: whoever receives it reads it at once. */
const PART_NODES_MAX = 10_000;
/** The text of one part. Room for the largest calendar object that is read; more is left out. */
const PART_CHARS_MAX = 5 * 1024 * 1024;
const PART_ATTRIBUTE_CHARS_MAX = 1024 * 1024;
/** Per document: half a second of work. */
const ELEMENTS_MAX = 1_000_000;

interface Open extends XmlElement {
  readonly children: XmlElement[];
  text: string;
}

/**
 * Parses an untrusted document piece by piece. Passes each child of the root to `take` as soon as it is complete, so only
 * one of them is in memory at a time. Refuses a document type, so nothing can be declared that would expand.
 * @param root  the required name of the root
 * @param prefixes  by namespace; elements of any other namespace get the prefix `other`. Undefined: names have no prefix,
 * and namespaces do not matter
 */
export function xmlParts(
  root: string,
  prefixes: Readonly<Record<string, string>> | undefined,
  take: (part: XmlElement) => void,
): XmlParts {
  const parser = new SaxesParser({ xmlns: true });
  const open: Open[] = [];
  let begun = false;
  let elements = 0;
  let partNodes = 0;
  let partChars = 0;
  let attributes = 0;
  let attributeChars = 0;

  parser.on('error', (cause) => {
    throw new BadXml('the XML is broken', { cause });
  });
  parser.on('doctype', () => {
    throw new BadXml('the XML has a document type');
  });
  parser.on('opentagstart', () => {
    attributes = 0;
    elements += 1;
    partNodes += 1;
    if (open.length <= 1) {
      partNodes = 0;
      partChars = 0;
      attributeChars = 0;
    }
    if (open.length >= DEPTH_MAX) throw new BadXml('the XML is nested too deep');
    if (elements > ELEMENTS_MAX || partNodes > PART_NODES_MAX) {
      throw new BadXml('the XML has too many elements');
    }
  });
  parser.on('attribute', ({ value }) => {
    attributes += 1;
    partNodes += 1;
    attributeChars += value.length;
    if (attributes > ATTRIBUTES_MAX || partNodes > PART_NODES_MAX) {
      throw new BadXml('an element has too many attributes');
    }
    if (attributeChars > PART_ATTRIBUTE_CHARS_MAX) throw new BadXml('the XML has too long attributes');
  });
  parser.on('opentag', (tag) => {
    const name = prefixes === undefined ? tag.local : `${prefixes[tag.uri] ?? 'other'}:${tag.local}`;
    if (open.length === 0 && name !== root) throw new BadXml('the XML is a different document');
    const plain = Object.values(tag.attributes).filter(({ uri }) => uri === '');
    const named = Object.fromEntries(plain.map(({ local, value }) => [local, value]));
    open.push({ name, attributes: named, children: [], text: '' });
  });
  const addText = (text: string) => {
    const current = open.at(-1);
    // Between the parts there is only white space.
    if (current === undefined || open.length <= 1) return;
    const kept = text.slice(0, PART_CHARS_MAX - partChars);
    partChars += kept.length;
    current.text += kept;
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
      // Some servers send an empty line first.
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
