import { Buffer } from 'node:buffer';
import type { ZipArchive } from './zip.ts';

/** Of one sheet. */
const MAX_SHEET_BYTES = 256 * 1024;
/** All sheets of a book together, each counted once per chapter that links to it. */
export const MAX_STYLE_CHARS = 2_000_000;
const MAX_IMPORTS_DEPTH = 4;

/** Says that anything may be hidden: no reader can tell whether the condition holds. */
const UNKNOWN = '@supports (unknown: unknown) { * { display: none } }';

/**
 * Returns a function that puts the style sheets of the book in place of a chapter's links to them. What a sheet hides in
 * a program for books is then hidden here. A sheet beyond the limits makes the whole chapter possibly hidden; a sheet
 * that the book does not contain styles nothing, as in any program.
 * @param fileFrom the file that a reference within a file leads to; undefined if it leads nowhere
 */
export function styleSheets(
  zip: ZipArchive,
  fileFrom: (file: string, href: string) => string | undefined,
): (chapter: string, xhtml: string) => string {
  const sheets = new Map<string, string>();
  let left = MAX_STYLE_CHARS;

  /** @param depth how many sheets import this one */
  function sheet(name: string, depth: number): string {
    const known = sheets.get(name) ?? sheetText(zip, name);
    sheets.set(name, known);
    left -= known.length;
    if (left < 0 || depth > MAX_IMPORTS_DEPTH) return UNKNOWN;
    return withImports(name, known, depth);
  }

  function withImports(file: string, css: string, depth: number): string {
    return css.replace(IMPORT, (_, url: string, quoted: string, condition: string) => {
      const name = fileFrom(file, (url ?? quoted ?? '').trim());
      if (name === undefined || !zip.has(name)) return '';
      const imported = sheet(name, depth + 1);
      return condition.trim() === '' ? imported : `@media ${condition} { ${imported} }`;
    });
  }

  return (chapter, xhtml) =>
    xhtml
      .replace(LINK, (whole, tag: string, instruction: string) => {
        const attributes = attributesIn(tag ?? instruction);
        const rel = tag === undefined ? 'stylesheet' : (attributes.get('rel') ?? '');
        const name = fileFrom(chapter, attributes.get('href') ?? '');
        if (!isApplied(rel) || name === undefined || !zip.has(name)) return whole;
        const media = (attributes.get('media') ?? '').replace(/[^\w\s(),:.-]/g, '');
        return `<style media="${media}">${sheet(name, 0)}</style>`;
      })
      .replace(STYLE, (_, open: string, css: string) => `${open}${withImports(chapter, css, 0)}`);
}

const LINK = /<link\b([^<>]{0,2000})>|<\?xml-stylesheet\b([^<>]{0,2000})\?>/gi;
const STYLE = /(<style\b[^<>]{0,2000}>)([^<]*@import[^<]*)/gi;
const IMPORT =
  /@import\s{1,20}(?:url\(\s{0,20}["']?([^"'();\s]{1,500})["']?\s{0,20}\)|["']([^"';]{1,500})["'])([^;{}]{0,200});/gi;

function isApplied(rel: string): boolean {
  const words = rel.toLowerCase().split(/\s+/);
  return words.includes('stylesheet') && !words.includes('alternate');
}

function attributesIn(tag: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, name = '', double, single] of tag.matchAll(/([\w-]{1,50})\s*=\s*(?:"([^"]*)"|'([^']*)')/g))
    found.set(name.toLowerCase(), (double ?? single ?? '').replaceAll('&amp;', '&'));
  return found;
}

/** The sheet as it can stand in a `style` element: without what could end the element or a comment around it. */
function sheetText(zip: ZipArchive, name: string): string {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for (const piece of zip.read(name)) {
    bytes += piece.length;
    if (bytes > MAX_SHEET_BYTES) return UNKNOWN;
    pieces.push(piece);
  }
  const text = Buffer.concat(pieces).toString('utf8');
  return text
    .replace(/^\ufeff/, '')
    .replace(/<!--|-->/g, ' ')
    .replaceAll('<', '\\3c ');
}
