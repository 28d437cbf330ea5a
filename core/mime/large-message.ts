import { CUT } from '../html/html-text.ts';
import { ATTACHMENTS_MAX } from '../mail/attachment-info.ts';
import type { AttachmentSource, MessageSource } from '../mail/message-source.ts';
import { describedInfo } from '../mail/message-structure.ts';
import { ENCRYPTED } from './inline-pgp.ts';
import { heldInstead, isBlank } from './instead-of-text.ts';
import { decodedContent, readListedPart } from './mime-tree.ts';
import { INCOMPLETE, type ParsedMessage, parseListedText } from './parse.ts';

/** Reads a message that is too large to fetch whole: its text, and the attachments that its server describes. */

export async function parseLargeMessage({
  texts,
  isCut,
  attachments: described,
}: Extract<MessageSource, { kind: 'parts' }>): Promise<ParsedMessage> {
  const attachments = described ?? [];
  const parsed = texts.map(parseListedText);
  const [first] = parsed;
  if (first === undefined) throw new TypeError('a message in parts has at least one');
  const isWritten = parsed.some(({ text }) => !isBlank(text));
  const shown = parsed
    .map(({ text, instead }) => (isWritten ? text : instead()))
    .filter((text) => text !== '');
  const isEncrypted = attachments.some(({ mime }) => mime === 'application/pgp-encrypted');
  if (isEncrypted) shown.push(ENCRYPTED);
  if (isCut) shown.push(`\n${CUT}`);
  if (described === null || attachments.length > ATTACHMENTS_MAX) shown.push(`\n${INCOMPLETE}`);
  const text = shown.join('\n').trimStart();
  const infos = attachments.slice(0, ATTACHMENTS_MAX).map(describedInfo);
  return {
    text: isBlank(text) ? (heldInstead(infos) ?? text) : text,
    protection: { ...first.protection, isEncrypted: first.protection.isEncrypted || isEncrypted },
    headers: first.headers,
    attachments: infos,
    ...(described === null && { hasUnlisted: true }),
  };
}

/** The decoded bytes of one of the attachments that `parseLargeMessage` lists. */
export function partBytes({ bytes }: Extract<AttachmentSource, { kind: 'part' }>): Uint8Array | 'tooLarge' {
  return bytes === 'tooLarge' ? bytes : decodedContent(readListedPart(bytes).root);
}
