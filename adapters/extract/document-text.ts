import { Buffer } from 'node:buffer';
import { htmlReader } from '../../core/html/html-text.ts';
import { readRtf } from '../../core/mime/rtf.ts';
import type { ExtractedText } from '../../core/ports/attachment-text.ts';
import { type BoundedText, boundedText } from './bounded-text.ts';
import { type CompoundFile, openCompoundFile } from './compound-file.ts';
import { DOC, docText } from './doc-text.ts';
import { type Claims, type DocumentType, declaredCharset, documentType } from './document-type.ts';
import { CONTAINER, epubText } from './epub-text.ts';
import { withoutLineHyphens } from './line-hyphens.ts';
import { messageText, outlookText } from './message-text.ts';
import { NoText } from './no-text.ts';
import { CONTENT_TYPES, type OfficePackage, officePackage } from './office-package.ts';
import { CONTENT, openDocumentText } from './open-document-text.ts';
import { OUTLOOK } from './outlook-message.ts';
import { pdfText } from './pdf-text.ts';
import { pictureOf } from './picture.ts';
import { plainText } from './plain-text.ts';
import { PPT, pptText } from './ppt-text.ts';
import { sheetText, WORKBOOK } from './sheet-text.ts';
import { PRESENTATION, slidesText } from './slides-text.ts';
import { WORD_DOCUMENT, wordText } from './word-text.ts';
import { XLS, xlsText } from './xls-text.ts';
import { BINARY_WORKBOOK, xlsbText } from './xlsb-text.ts';
import { openZip, type ZipArchive } from './zip.ts';

/**
 * Extracts the text of a document. Limits what it writes and unpacks, but not its time: the caller does that.
 * If a document turns out to be broken or too large, the text read before is returned as cut.
 */
export async function documentText(bytes: Uint8Array, claims: Claims): Promise<ExtractedText> {
  const out = boundedText();
  const type = documentType(bytes, claims);
  let failure: NoText | undefined;
  try {
    await READERS[type](bytes, out, claims);
  } catch (error) {
    if (!(error instanceof NoText)) throw error;
    failure = error;
    out.incomplete();
  }
  const { text, cut } = out.finish();
  const lines = LAID_OUT.has(type) ? tidied(text) : text;
  const shown = type === 'pdf' ? withoutLineHyphens(lines) : lines;
  if (shown.trim() !== '') return { kind: 'text', text: shown, cut };
  // Nobody knows whether the unread part contains text.
  return { kind: 'empty', reason: failure?.reason ?? (cut ? 'broken' : 'no_text'), ...failure?.facts };
}

type Reader = (bytes: Uint8Array, out: BoundedText, claims: Claims) => void | Promise<void>;

const READERS: Readonly<Record<DocumentType, Reader>> = {
  pdf: pdfText,
  zip: zipText,
  rtf(bytes, out) {
    if (!readRtf(bytes, out)) throw new NoText('broken');
  },
  message: messageText,
  compound: compoundText,
  picture(bytes) {
    throw new NoText('image', { picture: pictureOf(bytes) });
  },
  html(bytes, out, claims) {
    out.write(htmlReader().read(decoded(bytes, claims, out)));
  },
  // RFC 5545 3.1, RFC 6350 3.2: a line may be folded anywhere, even in a word.
  folded(bytes, out, claims) {
    out.write(decoded(bytes, claims, out).replace(/\r?\n[ \t]/g, ''));
  },
  plain(bytes, out, claims) {
    out.write(decoded(bytes, claims, out));
  },
};

/** Their text contains spaces and empty lines that only their layout explains. */
const LAID_OUT: ReadonlySet<DocumentType> = new Set(['pdf', 'zip', 'compound', 'rtf']);

/** An office file with a password has this stream, which contains the real one (MS-OFFCRYPTO 2.3.4.4). */
const ENCRYPTED_PACKAGE = 'EncryptedPackage';

/** Compound files that are documents, those of Office before 2007, and messages of Outlook. */
async function compoundText(bytes: Uint8Array, out: BoundedText): Promise<void> {
  const file = openCompoundFile(bytes);
  if (file.has(ENCRYPTED_PACKAGE)) throw new NoText('encrypted');
  const [, read] = COMPOUND_READERS.find(([stream]) => file.has(stream)) ?? [];
  if (read === undefined) throw new NoText('unsupported_type');
  try {
    await read(file, out);
  } catch (error) {
    // Lengths and offsets that point outside the file.
    if (error instanceof RangeError) throw new NoText('broken', { cause: error });
    throw error;
  }
}

const COMPOUND_READERS: readonly (readonly [
  stream: string,
  read: (file: CompoundFile, out: BoundedText) => void | Promise<void>,
])[] = [
  [DOC, docText],
  [PPT, pptText],
  [XLS, xlsText],
  [OUTLOOK, outlookText],
];

function decoded(bytes: Uint8Array, claims: Claims, out: BoundedText): string {
  const read = plainText(bytes, declaredCharset(bytes, claims));
  if (read === undefined) throw new NoText('unsupported_type');
  if (read.guessed !== undefined) out.guessedCharset(read.guessed);
  return read.text;
}

/** Archives that are documents. The files of other archives are not read. */
async function zipText(bytes: Uint8Array, out: BoundedText): Promise<void> {
  const zip = openZip(bytes);
  if (zip.has(CONTENT_TYPES)) officeText(zip, out);
  else if (zip.has(CONTENT)) openDocumentText(zip, out);
  else if (zip.has(CONTAINER)) epubText(zip, out);
  else if (zip.has(APPLE_PREVIEW)) await previewText(zip, out);
  else throw new NoText('unsupported_type');
}

/** The preview in documents of Apple's Pages, Numbers and Keynote: all pages, or only the first. */
const APPLE_PREVIEW = 'QuickLook/Preview.pdf';

async function previewText(zip: ZipArchive, out: BoundedText): Promise<void> {
  await pdfText(Buffer.concat([...zip.read(APPLE_PREVIEW)]), out);
  out.onlyPreview();
}

function officeText(zip: ZipArchive, out: BoundedText): void {
  const office = officePackage(zip, out.incomplete);
  const { name, contentType } = office.main ?? { name: '', contentType: '' };
  const [, read] = OFFICE_READERS.find(([type]) => type.test(contentType)) ?? [];
  // A drawing, or a package of another program: not read, so nothing is reported of its text.
  if (read === undefined) throw new NoText('unsupported_type');
  read(office, name, out);
}

type OfficeReader = (office: OfficePackage, main: string, out: BoundedText) => void;

const OFFICE_READERS: readonly (readonly [contentType: RegExp, read: OfficeReader])[] = [
  [WORD_DOCUMENT, wordText],
  [WORKBOOK, sheetText],
  [PRESENTATION, slidesText],
  [BINARY_WORKBOOK, xlsbText],
];

function tidied(text: string): string {
  const lines = text.split('\n').map((line) => line.trimEnd());
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
