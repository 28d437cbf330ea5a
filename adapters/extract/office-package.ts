import { NoText } from './no-text.ts';
import { attribute, type XmlEvent, xmlEvents } from './xml.ts';
import type { ZipArchive } from './zip.ts';

/** The parts of an Office Open XML file by what they are, not by what their files are called (ECMA-376 part 2). */
export interface OfficePackage {
  /** @returns names of the parts whose content type matches, in the order of the directory */
  parts(contentType: RegExp): readonly string[];
  events(part: string): Generator<XmlEvent>;
  /** What a part refers to, by id. */
  related(part: string): ReadonlyMap<string, { readonly type: string; readonly part: string }>;
}

export const CONTENT_TYPES = '[Content_Types].xml';

export function officePackage(zip: ZipArchive): OfficePackage {
  const types = new Map<string, string>();
  for (const event of xmlEvents(zip.read(CONTENT_TYPES))) {
    if (event.kind !== 'open' || event.name !== 'Override') continue;
    const name = attribute(event, 'PartName');
    if (name !== undefined) types.set(name, attribute(event, 'ContentType') ?? '');
  }
  return {
    parts: (contentType) => [...types].filter(([, type]) => contentType.test(type)).map(([name]) => name),
    *events(part) {
      if (!zip.has(part)) throw new NoText('broken');
      yield* xmlEvents(zip.read(part));
    },
    related(part) {
      const related = new Map<string, { type: string; part: string }>();
      const list = part.replace(/([^/]*)$/, '_rels/$1.rels');
      for (const event of xmlEvents(zip.read(list))) {
        if (event.kind !== 'open' || event.name !== 'Relationship') continue;
        const id = attribute(event, 'Id');
        const target = partFrom(part, attribute(event, 'Target') ?? '');
        if (id === undefined || target === undefined || attribute(event, 'TargetMode') === 'External')
          continue;
        related.set(id, { type: attribute(event, 'Type') ?? '', part: target });
      }
      return related;
    },
  };
}

function partFrom(part: string, target: string): string | undefined {
  const base = new URL(part, 'zip://package/');
  return URL.canParse(target, base.href) ? decodeURI(new URL(target, base.href).pathname) : undefined;
}
