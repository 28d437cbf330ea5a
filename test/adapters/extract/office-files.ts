import { strToU8, type Zippable, zipSync } from 'fflate';

/** Minimal office files that no program would write. */

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const TYPES = 'http://schemas.openxmlformats.org/package/2006/content-types';
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const VENDOR = 'application/vnd.openxmlformats-officedocument';
/** An archive has the time of its files, and the same files are to make the same archive. */
const MTIME = '2026-01-01';

export interface Part {
  readonly name: string;
  readonly type: string;
  readonly xml: string | Uint8Array;
  /** Name of the related part and kind of the relation, by id. */
  readonly related?: Readonly<Record<string, readonly [kind: string, target: string]>>;
}

/** @param typesBy  how the package states the types of its parts */
export function officeFile(parts: readonly Part[], typesBy: 'part' | 'extension' = 'part'): Uint8Array {
  const [first] = parts;
  const overrides =
    typesBy === 'part'
      ? parts.map(({ name, type }) => `<Override PartName="${name}" ContentType="${type}"/>`)
      : // Like .NET's Open XML SDK: the first part's type is that of all XML, and only the others have their own.
        parts.map(({ name, type }) =>
          type === first?.type
            ? `<Default Extension="xml" ContentType="${type}"/>`
            : `<Override PartName="${name}" ContentType="${type}"/>`,
        );
  const files: Record<string, Uint8Array> = {
    '[Content_Types].xml': strToU8(`${XML}<Types xmlns="${TYPES}">${overrides.join('')}</Types>`),
  };
  const begin = `<Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="${first?.name ?? ''}"/>`;
  files['_rels/.rels'] = strToU8(`${XML}<Relationships xmlns="${RELATIONS}">${begin}</Relationships>`);
  for (const { name, xml, related } of parts) {
    files[name.slice(1)] = typeof xml === 'string' ? strToU8(XML + xml) : xml;
    if (related === undefined) continue;
    const rows = Object.entries(related).map(
      ([id, [kind, target]]) => `<Relationship Id="${id}" Type="${OFFICE}/${kind}" Target="${target}"/>`,
    );
    const path = name.slice(1).replace(/([^/]*)$/, '_rels/$1.rels');
    files[path] = strToU8(`${XML}<Relationships xmlns="${RELATIONS}">${rows.join('')}</Relationships>`);
  }
  return zipSync(files, { level: 1, mtime: MTIME });
}

/** @param body  the content of w:body */
export function wordFile(body: string, prolog = ''): Uint8Array {
  const xml = `${prolog}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`;
  return wordFileOf(xml);
}

/** @param xml  the main part, verbatim */
export function wordFileOf(xml: string | Uint8Array): Uint8Array {
  return officeFile([
    { name: '/word/document2.xml', type: `${VENDOR}.wordprocessingml.document.main+xml`, xml },
  ]);
}

export const run = (text: string, properties = '') =>
  `<w:r><w:rPr>${properties}</w:rPr><w:t>${text}</w:t></w:r>`;
export const paragraph = (...runs: string[]) => `<w:p>${runs.join('')}</w:p>`;

/** @param sheet  the content of the worksheet */
export function sheetFile(
  sheet: string,
  { strings = '', styles = '', workbook = '' }: { strings?: string; styles?: string; workbook?: string } = {},
): Uint8Array {
  return officeFile([
    {
      name: '/xl/workbook.xml',
      type: `${VENDOR}.spreadsheetml.sheet.main+xml`,
      xml: `<x:workbook xmlns:x="main" xmlns:r="r">${workbook}<x:sheets><x:sheet name="One" sheetId="1" r:id="rId1"/></x:sheets></x:workbook>`,
      related: { rId1: ['worksheet', '/xl/worksheets/sheet1.xml'] },
    },
    {
      name: '/xl/worksheets/sheet1.xml',
      type: `${VENDOR}.spreadsheetml.worksheet+xml`,
      xml: `<x:worksheet xmlns:x="main">${sheet}</x:worksheet>`,
    },
    {
      name: '/xl/sharedStrings.xml',
      type: `${VENDOR}.spreadsheetml.sharedStrings+xml`,
      xml: `<sst>${strings}</sst>`,
    },
    {
      name: '/xl/styles.xml',
      type: `${VENDOR}.spreadsheetml.styles+xml`,
      xml: `<styleSheet>${styles}</styleSheet>`,
    },
  ]);
}

/** @param slides  the text of each; `hidden` ones are not shown */
export function slidesFile(slides: readonly { text: string; hidden?: boolean }[]): Uint8Array {
  // The order of the presentation differs from that of the files.
  const related = Object.fromEntries(
    slides.map((_, i) => [`rId${i}`, ['slide', `slides/slide${slides.length - i}.xml`] as const]),
  );
  const ids = slides.map((_, i) => `<p:sldId id="${256 + i}" r:id="rId${i}"/>`).join('');
  return officeFile([
    {
      name: '/ppt/presentation.xml',
      type: `${VENDOR}.presentationml.presentation.main+xml`,
      xml: `<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst>${ids}</p:sldIdLst></p:presentation>`,
      related,
    },
    ...slides.map(({ text, hidden }, i) => ({
      name: `/ppt/slides/slide${slides.length - i}.xml`,
      type: `${VENDOR}.presentationml.slide+xml`,
      xml: `<p:sld xmlns:p="p" xmlns:a="a"${hidden ? ' show="0"' : ''}><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:sld>`,
    })),
  ]);
}

/**
 * @param content  of office:document-content; `manifest` goes into its list of files, `styles` into its
 * styles
 */
export function openDocumentFile(
  content: string,
  manifest = '',
  { styles = '', kind = 'text' } = {},
): Uint8Array {
  const files = {
    mimetype: [strToU8(`application/vnd.oasis.opendocument.${kind}`), { level: 0 }],
    'styles.xml': strToU8(`${XML}<office:document-styles>${styles}</office:document-styles>`),
    'content.xml': strToU8(`${XML}<office:document-content>${content}</office:document-content>`),
    'META-INF/manifest.xml': strToU8(`${XML}<manifest:manifest>${manifest}</manifest:manifest>`),
  } satisfies Zippable;
  return zipSync(files, { mtime: MTIME });
}
