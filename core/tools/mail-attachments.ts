import * as z from 'zod';
import { codePoints } from '../code-points.ts';
import { ServiceError } from '../errors.ts';
import { findMessage, readMessage } from '../mailbox.ts';
import { pageFields, skipped } from '../paging.ts';
import type { AttachmentText, ExtractedText, NoTextReason } from '../ports/attachment-text.ts';
import type { AttachmentInfo } from '../ports/mail.ts';
import { cursor, messageId } from '../schema.ts';
import { seenText, wordEnd } from '../seen-text.ts';
import { defineRead } from './define-tool.ts';
import { attachment, messageIdShape, pageShape } from './result-shapes.ts';

/** A stranger names attachments and their types; a row of a list is not as long as they like. */
const NAME_CHARS = 100;
/** What is fetched to be read at the most. */
const ATTACHMENT_BYTES = 25 * 1024 * 1024;
/** Code points of text in one answer at the most; fewer when they do not fit. */
const TEXT_CHARS = 50_000;

/** Source: API.md, Attachment. */
export function attachmentRow({ index, name, mime, sizeBytes }: AttachmentInfo) {
  return { index, name: cut(name), mime: cut(mime), size: sizeBytes };
}

function cut(value: string): string {
  return Array.from(value.slice(0, 2 * NAME_CHARS))
    .slice(0, NAME_CHARS)
    .join('');
}

export const listAttachments = defineRead({
  name: 'list_attachments',
  title: 'List attachments',
  description: 'The attachments of a message: names, types and sizes. Read one with read_attachment.',
  group: 'mail:read',
  kind: 'read',
  untrusted: ['attachments[].name', 'attachments[].mime'],
  wrapped: [],
  input: z.strictObject({ id: messageId, cursor: cursor.optional() }),
  output: z.looseObject({ id: messageIdShape, attachments: z.array(attachment), ...pageShape }),
  async run(args, context) {
    const { attachments } = (await readMessage(context, args.id)).message;
    context.listed(args.id);
    if (attachments.length === 0) {
      const none = { id: args.id, attachments: [], total: 0, returned: 0, has_more: false };
      return { kind: 'empty', result: { ...none, reason: 'no_attachments' } };
    }
    const skip = skipped(context, args.cursor);
    const rest = attachments.slice(skip).map(attachmentRow);
    return {
      kind: 'cut',
      most: rest.length,
      at: (n) => ({
        id: args.id,
        attachments: rest.slice(0, n),
        ...pageFields(context, skip, rest.length, n),
      }),
    };
  },
});

/** What the agent is told of a document without text. */
const HINTS: Readonly<Record<NoTextReason, string>> = {
  unsupported_type: 'Text cannot be taken from this type of file.',
  encrypted: 'The document is protected by a password.',
  broken: 'The document cannot be read; it may be damaged.',
  no_text: 'The document holds no text; it may be a picture or a scan.',
  too_large: 'The document is too large to be read here.',
  too_slow: 'The document took too long to read.',
};

export const readAttachment = defineRead({
  name: 'read_attachment',
  title: 'Read an attachment',
  description:
    'The text of one attachment (plain, html, pdf, office formats, rtf, csv, ics, eml); never its bytes.',
  group: 'mail:read',
  kind: 'read',
  untrusted: ['name', 'mime', 'text'],
  wrapped: ['text'],
  input: z.strictObject({
    id: messageId,
    index: z.int().min(0).max(500).meta({ description: 'As list_attachments shows it.' }),
  }),
  output: z.looseObject({
    id: messageIdShape,
    ...attachment.pick({ index: true, name: true, mime: true }).shape,
    text: z.string().optional().meta({ description: 'Absent where there is none: `reason` says why.' }),
    text_chars: z.int().min(0),
    text_truncated: z.boolean(),
  }),
  async run(args, context) {
    const { mail, attachmentText } = context.ports;
    const { value: found } = await findMessage(context, args.id, async (call, { place }) => {
      const row = await mail.row(call, place);
      return row && { row, value: await mail.attachment(call, place, args.index, ATTACHMENT_BYTES) };
    });
    if (found === undefined) throw new ServiceError('not_found', { details: { reason: 'attachment' } });
    context.shown(args.id);
    const { name, mime } = attachmentRow(found.info);
    const facts = { id: args.id, index: args.index, name, mime };
    const empty = (reason: NoTextReason) =>
      ({
        kind: 'empty',
        result: { ...facts, text_chars: 0, text_truncated: false, reason, hint: HINTS[reason] },
      }) as const;
    if (found.bytes === 'tooLarge') return empty('too_large');
    if (attachmentText === undefined) return empty('unsupported_type');
    const { charset } = found.info;
    const document = {
      bytes: found.bytes,
      name: found.info.name,
      mime: charset === undefined ? found.info.mime : `${found.info.mime}; charset=${charset}`,
    };
    const extracted = await extractedWithin(attachmentText, { ...document, signal: context.signal });
    if (extracted.kind === 'empty') return empty(extracted.reason);
    // What is counted is what is shown.
    const text = seenText(extracted.text);
    const chars = codePoints(text);
    const shown = Array.from(text.slice(0, 2 * TEXT_CHARS)).slice(0, TEXT_CHARS);
    return {
      kind: 'cut',
      most: shown.length,
      at: (n) => ({
        ...facts,
        text: shown.slice(0, n < chars ? wordEnd(shown, n) : n).join(''),
        text_chars: chars,
        text_truncated: extracted.cut || n < chars,
      }),
    };
  },
});

/** When the caller has waited for as long as anybody does, it took too long. */
async function extractedWithin(
  attachmentText: AttachmentText,
  document: Parameters<AttachmentText['extract']>[0],
): Promise<ExtractedText> {
  try {
    return await attachmentText.extract(document);
  } catch (error) {
    if (!document.signal.aborted) throw error;
    return { kind: 'empty', reason: 'too_slow' };
  }
}
