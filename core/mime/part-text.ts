import { isUtf8 } from 'node:buffer';
import { decodeText, htmlCharset } from '../mail/charset.ts';
import { unflowed } from './flowed-text.ts';
import { decodedContent, type MimePart } from './mime-tree.ts';

/** The texts of a message, part by part. */

/** Whether mail programs show it. A multipart without any part is read as text, because a person would see it as text. */
export function isShownText({ type, disposition }: MimePart): boolean {
  return disposition !== 'attachment' && /^(?:text\/(?:plain|html)|multipart\/.*)$/s.test(type);
}

/** Lines end in LF. A final line end belongs to the last line, not to the text. */
export function partText(part: MimePart): string {
  const { charset, format, delsp } = part.typeParams;
  const bytes = decodedContent(part);
  const own = charset === undefined && part.type === 'text/html' && !isUtf8(bytes);
  const text = decodeText(bytes, own ? htmlCharset(bytes) : charset)
    .replace(/\r\n?/g, '\n')
    .replace(/\n$/, '');
  return format?.toLowerCase() === 'flowed' ? unflowed(text, delsp?.toLowerCase() === 'yes') : text;
}

export function leavesOf(part: MimePart): MimePart[] {
  return part.parts.length === 0 ? [part] : part.parts.flatMap(leavesOf);
}
