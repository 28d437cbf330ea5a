import { type XmlEvent, xmlEvents } from './xml.ts';
import type { ZipArchive } from './zip.ts';

/**
 * The parts of an Office Open XML file. Relationships lead to a part, and content types say what it is. The
 * names of the files in the archive mean nothing (ECMA-376 part 2).
 */
export interface OfficePackage {
  /** The main part of the package, with its content type; undefined if nothing names it. */
  readonly main: OfficePart | undefined;
  /** Nothing if the package lacks the part; then it is incomplete. */
  events(part: string): Generator<XmlEvent>;
  /** The same for a part that is not XML, in pieces. */
  bytes(part: string): Generator<Uint8Array>;
  /** Returns what a part refers to, by id. */
  related(part: string): ReadonlyMap<string, { readonly type: string; readonly part: string }>;
  /**
   * Returns the parts to which `from` refers as `kind`, the last word of a relationship's type, in the order
   * of the file.
   */
  relatedAs(from: string, kind: string): readonly string[];
  /** The same. If there is no reference as `kind`, returns every part with a content type of that name. */
  partsOf(from: string, kind: string): readonly string[];
}

interface OfficePart {
  readonly name: string;
  /** Lower case; empty if the package does not say. */
  readonly contentType: string;
}

export const CONTENT_TYPES = '[Content_Types].xml';

/** Content types of the possible main parts: all end this way, except the binary workbook's. */
const MAIN = /\.main(?:\+xml)?$/;

/** @param incomplete is called if a part is read that the package names but lacks */
export function officePackage(zip: ZipArchive, incomplete: () => void): OfficePackage {
  const { contentType, named } = contentTypes(zip);
  const related = (part: string) => relationships(zip, part);
  const relatedAs = (from: string, kind: string) =>
    [...related(from).values()].filter(({ type }) => type.endsWith(`/${kind}`)).map(({ part }) => part);
  const bytes = (part: string) => {
    if (!zip.has(part)) incomplete();
    return zip.read(part);
  };
  const [begun] = relatedAs('/', 'officeDocument').filter((part) => zip.has(part));
  const name = begun ?? [...zip.names(), ...named].find((part) => MAIN.test(contentType(part)));
  return {
    main: name === undefined ? undefined : { name, contentType: contentType(name) },
    events: (part) => xmlEvents(bytes(part)),
    bytes,
    related,
    relatedAs,
    partsOf(from, kind) {
      const found = relatedAs(from, kind);
      const type = `.${kind.toLowerCase()}+xml`;
      return found.length > 0 ? found : zip.names().filter((part) => contentType(part).endsWith(type));
    },
  };
}

/**
 * A part's own type is in an Override. The others have the type of their extension.
 * @returns `named`: the parts with their own type, whether or not they are in the archive
 */
function contentTypes(zip: ZipArchive): { contentType(part: string): string; named: Iterable<string> } {
  const overrides = new Map<string, string>();
  const defaults = new Map<string, string>();
  for (const event of xmlEvents(zip.read(CONTENT_TYPES))) {
    if (event.kind !== 'open') continue;
    const type = event.attributes.ContentType?.toLowerCase() ?? '';
    if (event.name === 'Override') overrides.set(partKey(event.attributes.PartName ?? ''), type);
    else if (event.name === 'Default') defaults.set(event.attributes.Extension?.toLowerCase() ?? '', type);
  }
  return {
    contentType(part) {
      const key = partKey(part);
      const extension = key.slice(key.lastIndexOf('.') + 1);
      return overrides.get(key) ?? defaults.get(extension) ?? '';
    },
    named: overrides.keys(),
  };
}

/** Part names are case-insensitive, and programs differ on the leading slash. */
function partKey(part: string): string {
  return part.replace(/^\/+/, '').toLowerCase();
}

/** @param part  `/` for the package itself */
function relationships(
  zip: ZipArchive,
  part: string,
): ReadonlyMap<string, { readonly type: string; readonly part: string }> {
  const related = new Map<string, { type: string; part: string }>();
  const folderEnd = part.lastIndexOf('/') + 1;
  const list = `${part.slice(0, folderEnd)}_rels/${part.slice(folderEnd)}.rels`;
  for (const event of xmlEvents(zip.read(list))) {
    if (event.kind !== 'open' || event.name !== 'Relationship') continue;
    const id = event.attributes.Id;
    const target = partFrom(part, event.attributes.Target ?? '');
    if (id === undefined || target === undefined || event.attributes.TargetMode === 'External') continue;
    related.set(id, { type: event.attributes.Type ?? '', part: target });
  }
  return related;
}

function partFrom(part: string, target: string): string | undefined {
  const base = new URL(part, 'zip://package/');
  if (!URL.canParse(target, base.href)) return undefined;
  const { pathname } = new URL(target, base.href);
  try {
    return decodeURI(pathname);
  } catch (error) {
    // A per cent sign that encodes nothing is literal.
    if (error instanceof URIError) return pathname;
    throw error;
  }
}
