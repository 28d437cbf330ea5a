import { Buffer } from 'node:buffer';
import { htmlReader } from '../../core/mail/html-text.ts';
import type { ExtractedText } from '../../core/ports/attachment-text.ts';
import { type BoundedText, boundedText } from './bounded-text.ts';
import { type Claims, type DocumentType, declaredCharset, documentType } from './document-type.ts';
import { messageText } from './message-text.ts';
import { NoText } from './no-text.ts';
import { CONTENT_TYPES, type OfficePackage, officePackage } from './office-package.ts';
import { CONTENT, openDocumentText } from './open-document-text.ts';
import { pdfText } from './pdf-text.ts';
import { plainText } from './plain-text.ts';
import { rtfText } from './rtf-text.ts';
import { sheetText, WORKBOOK } from './sheet-text.ts';
import { PRESENTATION, slidesText } from './slides-text.ts';
import { WORD_DOCUMENT, wordText } from './word-text.ts';
import { openZip } from './zip.ts';

/**
 * The text of a document. Bounded in what it writes and unpacks, not in time: that is for whoever runs it.
 * What was read before a document turned out to be broken, or too large, is answered as cut.
 */
export async function documentText(bytes: Uint8Array, claims: Claims): Promise<ExtractedText> {
  const out = boundedText();
  const type = documentType(bytes, claims);
  let reason: NoText['reason'] = 'no_text';
  try {
    await READERS[type](bytes, out, claims);
  } catch (error) {
    if (!(error instanceof NoText)) throw error;
    reason = error.reason;
    out.incomplete();
  }
  const { text, cut } = out.finish();
  const shown = LAID_OUT.has(type) ? tidied(text) : text;
  return shown.trim() === '' ? { kind: 'empty', reason } : { kind: 'text', text: shown, cut };
}

type Reader = (bytes: Uint8Array, out: BoundedText, claims: Claims) => void | Promise<void>;

const READERS: Readonly<Record<DocumentType, Reader>> = {
  pdf: pdfText,
  zip: zipText,
  rtf: rtfText,
  message: messageText,
  oldOffice(bytes) {
    throw new NoText(Buffer.from(bytes).includes(ENCRYPTED_PACKAGE) ? 'encrypted' : 'unsupported_type');
  },
  picture() {
    throw new NoText('no_text');
  },
  html(bytes, out, claims) {
    out.write(htmlReader().read(decoded(bytes, claims, out)));
  },
  // RFC 5545 3.1, RFC 6350 3.2: a line may be folded anywhere, in a word too.
  folded(bytes, out, claims) {
    out.write(decoded(bytes, claims, out).replace(/\r?\n[ \t]/g, ''));
  },
  plain(bytes, out, claims) {
    out.write(decoded(bytes, claims, out));
  },
};

/** These come with spaces and empty lines that only their layout explains. */
const LAID_OUT: ReadonlySet<DocumentType> = new Set(['pdf', 'zip', 'rtf']);

/** What an office file with a password is: the stream that holds the real one (MS-OFFCRYPTO 2.3.4.4). */
const ENCRYPTED_PACKAGE = Buffer.from('EncryptedPackage', 'utf16le');

function decoded(bytes: Uint8Array, claims: Claims, out: BoundedText): string {
  const read = plainText(bytes, declaredCharset(bytes, claims));
  if (read === undefined) throw new NoText('unsupported_type');
  if (read.guessed !== undefined) out.guessedCharset(read.guessed);
  return read.text;
}

/** Archives that are documents; of others the files are not read. */
function zipText(bytes: Uint8Array, out: BoundedText): void {
  const zip = openZip(bytes);
  if (!zip.has(CONTENT_TYPES)) {
    if (!zip.has(CONTENT)) throw new NoText('unsupported_type');
    openDocumentText(zip, out);
    return;
  }
  const office = officePackage(zip);
  const { name, contentType } = office.main ?? { name: '', contentType: '' };
  const [, read] = OFFICE_READERS.find(([type]) => type.test(contentType)) ?? [];
  // A drawing, a binary workbook, a package of another program: not read, so nothing is said of its text.
  if (read === undefined) throw new NoText('unsupported_type');
  read(office, name, out);
}

type OfficeReader = (office: OfficePackage, main: string, out: BoundedText) => void;

const OFFICE_READERS: readonly (readonly [contentType: RegExp, read: OfficeReader])[] = [
  [WORD_DOCUMENT, wordText],
  [WORKBOOK, sheetText],
  [PRESENTATION, slidesText],
];

function tidied(text: string): string {
  const lines = text.split('\n').map((line) => line.trimEnd());
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
