import { Buffer } from 'node:buffer';
import { htmlReader } from '../../core/html/html-text.ts';
import type { BoundedText } from './bounded-text.ts';
import { MAX_STYLE_CHARS, styleSheets } from './epub-styles.ts';
import { NoText } from './no-text.ts';
import { type XmlEvent, xmlEvents } from './xml.ts';
import type { ZipArchive } from './zip.ts';

export const CONTAINER = 'META-INF/container.xml';
const ENCRYPTION = 'META-INF/encryption.xml';

const MAX_CHAPTERS = 5000;
/** Per chapter. A longer one is cut. */
const MAX_CHAPTER_BYTES = 5 * 1024 * 1024;
/** Of all chapters together, with the sheets that style each of them. */
const BOUNDS = { chars: 1_000_000 + MAX_STYLE_CHARS, elements: 50_000, steps: 20_000_000 };

/**
 * Extracts the chapters of a book in reading order, separated by an empty line (EPUB 3.3).
 * @throws NoText `encrypted`, `broken`
 */
export function epubText(zip: ZipArchive, out: BoundedText): void {
  const locked = new Set(attributesOf(xmlEvents(zip.read(ENCRYPTION)), 'CipherReference', 'URI').map(keyOf));
  const [book] = attributesOf(xmlEvents(zip.read(CONTAINER)), 'rootfile', 'full-path');
  if (book === undefined || !zip.has(book)) throw new NoText('broken');
  const html = htmlReader(BOUNDS);
  const styled = styleSheets(zip, fileFrom);
  for (const chapter of chapters(zip, book)) {
    if (out.full) return;
    // Many books lock their fonts. Chapters are locked only in books that are sold for one program.
    if (locked.has(keyOf(chapter))) throw new NoText('encrypted');
    if (!zip.has(chapter)) out.incomplete();
    else out.write(`${html.read(styled(chapter, htmlOf(fileText(zip, chapter, out))))}\n\n`);
  }
}

function keyOf(path: string): string {
  return path.toLowerCase();
}

function attributesOf(events: Iterable<XmlEvent>, element: string, name: string): string[] {
  const found: string[] = [];
  for (const event of events) {
    if (event.kind !== 'open' || event.name !== element) continue;
    const value = event.attributes[name];
    if (value !== undefined && found.length < MAX_CHAPTERS) found.push(value);
  }
  return found;
}

/** @param book  the file that lists all others, and the reading order */
function chapters(zip: ZipArchive, book: string): Set<string> {
  const files = new Map<string, string>();
  const found = new Set<string>();
  for (const event of xmlEvents(zip.read(book))) {
    if (event.kind !== 'open' || found.size >= MAX_CHAPTERS) continue;
    if (event.name === 'item' && /x?html/.test(event.attributes['media-type'] ?? '')) {
      const file = fileFrom(book, event.attributes.href ?? '');
      if (file !== undefined && files.size < MAX_CHAPTERS) files.set(event.attributes.id ?? '', file);
    }
    const read = event.name === 'itemref' ? files.get(event.attributes.idref ?? '') : undefined;
    if (read !== undefined) found.add(read);
  }
  return found;
}

/** The file that a reference within another leads to. */
function fileFrom(file: string, href: string): string | undefined {
  const base = `zip://package/${encodeURI(file)}`;
  if (!URL.canParse(href, base)) return undefined;
  try {
    return decodeURI(new URL(href, base).pathname).replace(/^\//, '');
  } catch (error) {
    // A per cent sign that encodes nothing: no file has this name.
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

function fileText(zip: ZipArchive, name: string, out: BoundedText): string {
  const pieces: Uint8Array[] = [];
  let left = MAX_CHAPTER_BYTES;
  for (const piece of zip.read(name)) {
    pieces.push(piece.subarray(0, left));
    left -= piece.length;
    if (left > 0) continue;
    out.incomplete();
    break;
  }
  const bytes = Buffer.concat(pieces);
  return bytes.toString(bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf16le' : 'utf8');
}

/**
 * In HTML, an element that XHTML closes at once, such as an empty `title`, would contain everything after it.
 */
function htmlOf(xhtml: string): string {
  return xhtml.replace(
    /<([a-z][a-z0-9]{0,20})(\s[^<>]{0,2000})?\/>/gi,
    (tag, name: string, rest: string = '') =>
      VOID.has(name.toLowerCase()) ? tag : `<${name}${rest}></${name}>`,
  );
}

/** Elements that are always empty (HTML 13.1.2). */
const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));
