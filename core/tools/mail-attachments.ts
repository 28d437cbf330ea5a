import * as z from 'zod';
import { type ReadMessage, readWithin } from '../accounts/read-message.ts';
import type { CallContext } from '../call/context.ts';
import { findMessage, findReadMessage, MESSAGE_ERRORS } from '../call/mailbox.ts';
import { pageFields, skipped } from '../call/paging.ts';
import { attachmentPassage } from '../call/shown-passages.ts';
import { ServiceError } from '../contract/errors.ts';
import { cursor, messageId } from '../contract/schema.ts';
import { messageIdShape } from '../contract/shapes.ts';
import { wrappedThirdParty, writtenBy } from '../contract/text-author.ts';
import type { AttachmentInfo } from '../mail/attachment-info.ts';
import { attachmentWords } from '../mail/carried-words.ts';
import type { AttachmentText, ExtractedText, NoTextFacts, NoTextReason } from '../ports/attachment-text.ts';
import { untrustedMarks } from '../safety/untrusted.ts';
import type { TextWindow } from '../text/seen-body.ts';
import { wordEnd } from '../text/seen-text.ts';
import { defineRead, type Found } from './define-tool.ts';
import { ONE_SELECTION, oneSelection } from './message-selection.ts';
import { attachment, pageShape } from './result-shapes.ts';
import { type FoundMessage, findReadMessages, NOT_THERE, rowError, severalIds } from './several-messages.ts';

/** Strangers name attachments and their types. This limits a row of a list. */
const NAME_CHARS = 100;
/** The most that is fetched to be read. */
export const ATTACHMENT_BYTES = 25 * 1024 * 1024;
/** The most code points of text in one answer; fewer if they do not fit. */
export const TEXT_CHARS = 50_000;
/**
 * A part is recorded as read together with the text around it, because a text that is read in parts of a few words would
 * not be recognised later.
 */
const RECORDED_AROUND_CHARS = 1000;

export function attachmentRow({ index, name, mime, sizeBytes }: AttachmentInfo) {
  return { index, name: cut(name), mime: cut(mime), size: sizeBytes };
}

type AttachmentNames = Pick<AttachmentInfo, 'name' | 'mime'>;

function cut(value: string): string {
  return Array.from(value.slice(0, 2 * NAME_CHARS))
    .slice(0, NAME_CHARS)
    .join('');
}

const NO_TEXT: TextWindow = { from: 0, most: 0 };

/** Why the attachments of a message are not known. */
const UNREADABLE: Readonly<Record<NonNullable<ReadMessage['unreadable']>, string>> = {
  too_slow: 'The message takes too long to read. Its attachments are not known.',
  too_large: 'The message takes too much memory to read. Its attachments are not known.',
  broken: 'Reading the message failed. Its attachments are not known.',
  undeliverable: 'The mail server cannot deliver the message. Its attachments are not known.',
};

const UNLISTED =
  'The mail server does not describe this large message as it is. Its attachments are not known.';

const severalMessages = z.object({
  messages: z.array(
    z.object({
      id: messageIdShape,
      attachments: z.array(attachment).optional().meta({
        description: 'If there are fewer than total, list_attachments with this id alone lists the others.',
      }),
      total: z.int().min(0).optional(),
      reason: writtenBy('countersign', z.string())
        .optional()
        .meta({ description: 'Present if its attachments are not known: why, such as too_slow.' }),
      hint: writtenBy('countersign', z.string()).optional(),
      error: rowError,
    }),
  ),
  // Messages without attachments have no third-party text.
  ...untrustedMarks.partial().shape,
});

export const listAttachments = defineRead({
  name: 'list_attachments',
  title: 'List attachments',
  words: {
    verb: 'list the attachments of %',
    past: 'Listed the attachments of %',
    many: 'messages',
  },
  description:
    'Lists the attachments of one message (id) or several (ids): index, name, type and size. Read the text of one with read_attachment.',
  group: 'mail:read',
  errors: MESSAGE_ERRORS,
  kind: 'read',
  input: z
    .strictObject({ id: messageId.optional(), ids: severalIds, cursor: cursor.optional() })
    .refine(oneSelection, ONE_SELECTION)
    .refine(({ ids, cursor }) => ids === undefined || cursor === undefined, {
      path: ['cursor'],
      message: 'must not stand beside ids',
    }),
  output: z.union([
    z.object({ id: messageIdShape, attachments: z.array(attachment), ...pageShape }),
    severalMessages,
  ]),
  async run({ id, ids = [], cursor }, context) {
    if (id === undefined) return attachmentsOfSeveral(context, ids);
    const found = await findReadMessage(context, id, NO_TEXT);
    recordAttachments(context, id, found);
    const { attachments, why } = attachmentsIn(found.message);
    const none = { id, attachments: [], total: 0, returned: 0, has_more: false };
    if (why !== undefined) return { kind: 'empty', result: { ...none, ...why } };
    if (attachments.length === 0) return { kind: 'empty', result: { ...none, reason: 'no_attachments' } };
    const skip = skipped(context, cursor);
    const rest = attachments.slice(skip).map(attachmentRow);
    return {
      kind: 'cut',
      most: rest.length,
      at: (n) => ({ id, attachments: rest.slice(0, n), ...pageFields(context, skip, rest.length, n) }),
    };
  },
});

async function attachmentsOfSeveral(
  context: CallContext,
  ids: readonly string[],
): Promise<Found<z.input<typeof severalMessages>>> {
  const found = await findReadMessages(context, ids, NO_TEXT);
  const rows = Array.from(found, ([id, one]) => {
    if (one === undefined) return { id, ...NOT_THERE };
    recordAttachments(context, id, one);
    const { attachments, why } = attachmentsIn(one.message);
    return { id, attachments: attachments.map(attachmentRow), total: attachments.length, ...why };
  });
  const longest = rows.reduce((most, row) => Math.max(most, 'total' in row ? row.total : 0), 0);
  return {
    kind: 'cut',
    // If the answer is too long, each message shows as many as n - 1 of its attachments.
    most: 1 + longest,
    at: (n) => ({
      messages: rows.map((row) =>
        'attachments' in row ? { ...row, attachments: row.attachments.slice(0, n - 1) } : row,
      ),
    }),
  };
}

function recordAttachments(context: CallContext, id: string, { account, row, message }: FoundMessage): void {
  context.listed(id);
  const words = attachmentWords(message.attachments);
  context.read([{ ...attachmentPassage({ id, account, row }, words), isListed: true }]);
}

/** @returns `why`: present if the attachments are not known */
function attachmentsIn({ attachments, unreadable, hasUnlisted }: ReadMessage) {
  if (unreadable !== null)
    return { attachments: [], why: { reason: unreadable, hint: UNREADABLE[unreadable] } };
  if (hasUnlisted) return { attachments: [], why: { reason: 'undeliverable', hint: UNLISTED } };
  return { attachments };
}

/** What the agent learns about a document without text. */
const HINTS: Readonly<Record<NoTextReason, string>> = {
  unsupported_type: 'Text cannot be extracted from this type of file.',
  encrypted: 'The document is protected by a password.',
  broken: 'The document cannot be read. It may be damaged.',
  image: 'This is a picture. Its content is not read.',
  no_text: 'The document contains no text. It may be a scan.',
  too_large: 'The document is too large to be read here.',
  too_slow: 'The document took too long to read.',
};

export const readAttachment = defineRead({
  name: 'read_attachment',
  title: 'Read an attachment',
  words: { verb: 'read an attachment', past: 'Read an attachment of %', one: 'a message' },
  description:
    'Returns the text of one attachment (plain text, HTML, PDF, office documents, RTF, EPUB, CSV, calendar files, messages), never its bytes. A long text comes in parts: while there is a text_next_offset, call it again with that as offset. If there is no text, reason says why.',
  group: 'mail:read',
  errors: MESSAGE_ERRORS,
  kind: 'read',
  input: z.strictObject({
    id: messageId,
    index: z.int().min(0).max(500).meta({ description: 'As list_attachments shows it.' }),
    max_chars: z
      .int()
      .min(1)
      .max(TEXT_CHARS)
      .default(TEXT_CHARS)
      .meta({ description: 'The most characters of text to return; default 50000.' }),
    offset: z
      .int()
      .min(0)
      .max(100_000_000)
      .default(0)
      .meta({ description: 'Where to start in the text, in characters; default 0.' }),
  }),
  output: z.object({
    id: messageIdShape,
    ...attachment.pick({ index: true, name: true, mime: true }).shape,
    text: wrappedThirdParty(z.string())
      .optional()
      .meta({ description: 'Absent if there is none: `reason` says why.' }),
    text_chars: z.int().min(0).meta({ description: 'Characters of the whole text.' }),
    text_offset: z.int().min(0).meta({ description: 'Where this part starts.' }),
    text_truncated: z.boolean().meta({
      description:
        'true: there is more text after this part. Without text_next_offset, the rest cannot be read here.',
    }),
    text_next_offset: z
      .int()
      .min(1)
      .optional()
      .meta({ description: 'The offset of the next part; present if there is one.' }),
    image: z
      .object({
        format: writtenBy('countersign', z.string()).exactOptional(),
        width: z.int().min(1).exactOptional(),
        height: z.int().min(1).exactOptional(),
      })
      .optional()
      .meta({ description: 'Of a picture: its format, and its size in pixels if its header contains it.' }),
    pages: z.int().min(0).optional().meta({ description: 'Of a PDF without text: the number of its pages.' }),
  }),
  async run(args, context) {
    const { mail, attachmentText } = context.ports;
    const {
      account,
      row,
      value: source,
    } = await findMessage(context, args.id, async (call, { place }) => {
      const row = await mail.row(call, place);
      return row && { row, value: await mail.attachment(call, place, args.index, ATTACHMENT_BYTES) };
    });
    const { id, index, offset } = args;
    const none = new ServiceError('not_found', { details: { reason: 'attachment' } });
    if (source === undefined) throw none;
    const reading = { ownerId: account.ownerId, signal: context.signal };
    const input = { source, index, maxBytes: ATTACHMENT_BYTES };
    const taken = await readWithin(context.ports, reading, 'attachment', input);
    if (taken.kind === 'unreadable') {
      context.shown(id);
      return withoutText(args, NOT_KNOWN, taken.reason, {}, UNREADABLE[taken.reason]);
    }
    if (taken.value === null) throw none;
    context.shown(id);
    const { info, bytes } = taken.value;
    const message = { id, account, row };
    const words = { ...attachmentPassage(message, attachmentWords([info])), isListed: true };
    const namedOnly = (reason: NoTextReason, facts: NoTextFacts = {}) => {
      // What is shown has to be recorded, and the time for that is over.
      if (context.signal.aborted) return withoutText(args, NOT_KNOWN, reason, facts);
      context.read([words]);
      return withoutText(args, info, reason, facts);
    };
    if (bytes === 'tooLarge') return namedOnly('too_large');
    if (attachmentText === undefined) return namedOnly('unsupported_type');
    const { charset } = info;
    const document = {
      bytes,
      name: info.name,
      mime: charset === undefined ? info.mime : `${info.mime}; charset=${charset}`,
    };
    const extracted = await extractedWithin(attachmentText, { ...document, ...reading });
    if (extracted.kind === 'empty') return namedOnly(extracted.reason, extracted);
    const from = Math.max(0, offset - RECORDED_AROUND_CHARS);
    const before = offset - from;
    const window = { from, most: before + args.max_chars + RECORDED_AROUND_CHARS };
    const seen = await readWithin(context.ports, reading, 'text', { text: extracted.text, window });
    if (seen.kind === 'unreadable') return namedOnly(seen.reason);
    const { text, chars } = seen.value;
    context.read([words, attachmentPassage(message, text)]);
    const start = Math.min(offset, chars);
    const part = Array.from(text).slice(before, before + args.max_chars);
    return {
      kind: 'cut',
      most: part.length,
      at(n) {
        const hasNext = start + n < chars;
        const shown = hasNext ? wordEnd(part, n) : n;
        return {
          ...factsOf(args, info),
          text: part.slice(0, shown).join(''),
          text_chars: chars,
          text_offset: offset,
          text_truncated: hasNext || extracted.cut,
          ...(hasNext ? { text_next_offset: start + shown } : {}),
        };
      },
    };
  },
});

/** The arguments that the answer repeats. */
interface Asked {
  readonly id: string;
  readonly index: number;
  readonly offset: number;
}

function factsOf({ id, index }: Asked, info: AttachmentNames) {
  return { id, index, name: cut(info.name), mime: cut(info.mime) };
}

function withoutText(
  asked: Asked,
  info: AttachmentNames,
  reason: NoTextReason,
  { picture, pages }: NoTextFacts = {},
  hint = HINTS[reason],
) {
  const result = {
    ...factsOf(asked, info),
    text_chars: 0,
    text_offset: asked.offset,
    text_truncated: false,
    reason,
    hint,
    ...(picture === undefined ? {} : { image: picture }),
    ...(pages === undefined ? {} : { pages }),
  };
  return { kind: 'empty', result } as const;
}

/** Of an attachment whose message cannot be read. */
const NOT_KNOWN: AttachmentNames = { name: 'unnamed', mime: 'application/octet-stream' };

/** If the caller's waiting time is over, it took too long. */
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
