/** An element and its direct content. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** Its own text without that of its children, trimmed. */
  readonly text: string;
}

const DEPTH_MAX = 32;

/** One piece of markup, or the text up to the next one. */
const PIECES = [
  /<!--.*?-->/,
  /<\?.*?\?>/,
  /<!\[CDATA\[(?<cdata>.*?)\]\]>/,
  /<\/(?<closes>[^\s<>/]+)\s*>/,
  /<(?<opens>[^\s<>/!?=]+)(?<attributes>(?:\s+[^\s<>/=]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(?<empty>\/?)>/,
  /(?<text>[^<]+)/,
];
const PIECE = new RegExp(PIECES.map(({ source }) => source).join('|'), 'gsy');
const ATTRIBUTE = /([^\s<>/=]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/g;

interface Open {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: XmlElement[];
  text: string;
}

/**
 * Reads a small untrusted XML document. Supports only elements, the predefined entities and character references. A
 * document type, which could declare other entities, is refused.
 * @returns the root element
 * @throws Error if the document is not well-formed, as far as this reader checks, or is nested too deep
 */
export function readXml(document: string): XmlElement {
  const source = document.replace(/^\uFEFF/, '');
  const top: Open = { name: '', attributes: new Map(), children: [], text: '' };
  const open: Open[] = [top];
  let readTo = 0;
  for (const match of source.matchAll(PIECE)) {
    readTo = match.index + match[0].length;
    const { cdata, closes, opens, attributes = '', empty, text } = match.groups ?? {};
    const current = open.at(-1) ?? top;
    if (text !== undefined) current.text += unescaped(text);
    if (cdata !== undefined) current.text += cdata;
    if (closes !== undefined) {
      if (open.length === 1 || current.name !== closes) throw new Error('the XML is broken');
      close(open);
    }
    if (opens !== undefined) {
      if (open.length > DEPTH_MAX) throw new Error('the XML is nested too deep');
      open.push({ name: opens, attributes: attributesOf(attributes), children: [], text: '' });
      if (empty === '/') close(open);
    }
  }
  if (readTo < source.length || open.length > 1) throw new Error('the XML is broken');
  const [root, ...others] = top.children;
  if (root === undefined || others.length > 0 || top.text.trim() !== '') throw new Error('the XML is broken');
  return root;
}

function close(open: Open[]): void {
  const element = open.pop();
  const parent = open.at(-1);
  if (element !== undefined) parent?.children.push({ ...element, text: element.text.trim() });
}

function attributesOf(source: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, name = '', inDouble, inSingle] of source.matchAll(ATTRIBUTE)) {
    found.set(name, unescaped(inDouble ?? inSingle ?? ''));
  }
  return found;
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** Leaves unknown references as they are. */
function unescaped(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|([a-z]+));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES.get(String(name)) ?? whole;
    const code = decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
