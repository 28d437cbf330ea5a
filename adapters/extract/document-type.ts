import { Buffer } from 'node:buffer';
import { htmlCharset } from '../../core/mail/charset.ts';
import { isPicture } from './picture.ts';

/** The type that a document is read as. The bytes decide; declarations only distinguish texts. */
export type DocumentType =
  | 'pdf'
  | 'zip'
  | 'compound'
  | 'rtf'
  | 'picture'
  | 'html'
  | 'message'
  | 'folded'
  | 'plain';

export interface Claims {
  readonly name: string;
  /** As the message declares it, with its parameters. */
  readonly mime: string;
}

/** By the first bytes of a file. */
const MAGIC: readonly { type: DocumentType; hex: string }[] = [
  { type: 'zip', hex: '504b0304' },
  { type: 'zip', hex: '504b0506' },
  { type: 'compound', hex: 'd0cf11e0a1b11ae1' },
  { type: 'rtf', hex: '7b5c727466' },
];

/** Whether it is a file of Office before 2007, or of Outlook. */
export function isCompound(bytes: Uint8Array): boolean {
  return bytes[0] === 0xd0 && bytes[1] === 0xcf && bytes[2] === 0x11 && bytes[3] === 0xe0;
}

/** Programs find a PDF within its first kilobyte. */
const HEAD_BYTES = 1024;

export function documentType(bytes: Uint8Array, { name, mime }: Claims): DocumentType {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, HEAD_BYTES));
  const hex = head.toString('hex', 0, 8);
  const magic = MAGIC.find((candidate) => hex.startsWith(candidate.hex));
  if (magic !== undefined) return magic.type;
  if (isPicture(bytes)) return 'picture';
  // Without the zeros of UTF-16 and anything that may come first.
  const start = head
    .toString('latin1')
    .replaceAll('\0', '')
    .replace(/^(?:ï»¿|ÿþ|þÿ)?\s*/, '')
    .toLowerCase();
  if (start.includes('%pdf-')) return 'pdf';
  const [type = ''] = mime.toLowerCase().split(';');
  const claimed = type.trim();
  const extension = /\.([a-z0-9]{1,10})$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  if (/^begin:v(?:calendar|card|event|todo)/.test(start)) return 'folded';
  if (claimed === 'message/rfc822' || extension === 'eml') return 'message';
  const claimsHtml = /^(?:text\/html|application\/xhtml\+xml)$/.test(claimed) || /^x?html?$/.test(extension);
  if (claimsHtml || /^(?:<!doctype html|<html)/.test(start)) return 'html';
  return claimed.startsWith('image/') && claimed !== 'image/svg+xml' ? 'picture' : 'plain';
}

/** Returns the charset that a media type declares, or an HTML page itself. */
export function declaredCharset(bytes: Uint8Array, { mime }: Claims): string | undefined {
  const named = /\bcharset\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})/i.exec(mime)?.[1];
  return named ?? htmlCharset(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}
