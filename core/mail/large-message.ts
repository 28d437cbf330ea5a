import type { AttachmentInfo, AttachmentSource, DescribedAttachment, MessageSource } from '../ports/mail.ts';
import { CUT } from './html-text.ts';
import { decodedContent, readTree } from './mime-tree.ts';
import { ATTACHMENTS_MAX, attachmentFacts, INCOMPLETE, type ParsedMessage, parseMessage } from './parse.ts';

/** A message that is too large to be fetched whole: its text, and what its server says is attached. */

export async function parseLargeMessage({
  texts,
  isCut,
  attachments,
}: Extract<MessageSource, { kind: 'parts' }>): Promise<ParsedMessage> {
  const parsed = await Promise.all(texts.map(parseMessage));
  const [first] = parsed;
  if (first === undefined) throw new TypeError('a message in parts has at least one');
  const shown = parsed.map(({ text }) => text);
  if (isCut) shown.push(`\n${CUT}`);
  if (attachments.length > ATTACHMENTS_MAX) shown.push(`\n${INCOMPLETE}`);
  return {
    text: shown.join('\n').trimStart(),
    headers: first.headers,
    attachments: attachments.slice(0, ATTACHMENTS_MAX).map(describedInfo),
  };
}

export function describedInfo(described: DescribedAttachment, index: number): AttachmentInfo {
  return { ...attachmentFacts(described, index), sizeBytes: decodedBytes(described) };
}

/** The decoded bytes of one of the attachments that `parseLargeMessage` lists. */
export function partBytes({ bytes }: Extract<AttachmentSource, { kind: 'part' }>): Uint8Array | 'tooLarge' {
  return bytes === 'tooLarge' ? bytes : decodedContent(readTree(bytes).root);
}

/** Base64 holds 57 bytes in a line of 78. For the other encodings the encoded size is the nearest that is known. */
function decodedBytes({ encodedBytes, encoding }: DescribedAttachment): number {
  return encoding.toLowerCase() === 'base64' ? Math.floor((encodedBytes * 57) / 78) : encodedBytes;
}
