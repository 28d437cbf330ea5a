import * as z from 'zod';
import type { MailAddress } from '../mail/address.ts';
import { parseLargeMessage } from '../mail/large-message.ts';
import type { DescribedAttachment, MessageSource } from '../mail/message-source.ts';
import {
  type AttachmentInfo,
  type MessageHeaders,
  type ParsedMessage,
  parseMessage,
  parseShortMessage,
} from '../mail/parse.ts';
import type { Protection } from '../mail/protection.ts';
import { codePoints, sliceCodePoints } from '../text/code-points.ts';
import { seenText } from '../text/seen-text.ts';
import type { Job } from './job.ts';

/** Reads a message as a person sees it, and returns only the part of its text that is shown. */

export interface MessageInput {
  readonly source: MessageSource;
  readonly window: TextWindow;
}

/** The part of a text to return, in code points of the text as a person sees it. */
export interface TextWindow {
  readonly from: number;
  readonly most: number;
}

export interface MessageReading {
  readonly body: SeenBody;
  readonly attachments: readonly AttachmentInfo[];
  readonly protection: Protection;
  readonly headers: MessageHeaders;
}

export interface SeenBody {
  /** The text inside the window, as a person sees it. */
  readonly text: string;
  /** Length of the whole text as a person sees it, in code points. */
  readonly chars: number;
}

const bytes = z.instanceof(Uint8Array);

export const describedAttachment: z.ZodType<DescribedAttachment> = z.object({
  name: z.string(),
  mime: z.string(),
  charset: z.string(),
  encoding: z.string(),
  encodedBytes: z.number(),
});

export const messageSource: z.ZodType<MessageSource> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('whole'), bytes }),
  z.object({
    kind: z.literal('parts'),
    texts: z.array(bytes),
    isCut: z.boolean(),
    attachments: z.array(describedAttachment),
  }),
]);

const size = z.int().min(0);

export const textWindow: z.ZodType<TextWindow> = z.object({ from: size, most: size });
export const seenBodyShape: z.ZodType<SeenBody> = z.object({ text: z.string(), chars: size });

const addresses = z.array(z.object({ name: z.string(), address: z.string() }));

export const attachmentInfo: z.ZodType<AttachmentInfo> = z.object({
  index: size,
  name: z.string(),
  mime: z.string(),
  charset: z.string().exactOptional(),
  sizeBytes: size,
});

/** Further recipients, and further earlier messages, are not listed. */
const ADDRESSES_MAX = 500;
const REFERENCES_MAX = 500;

/**
 * Messages up to this size and with little HTML are read in this process. Everything done with one is linear in its
 * length, or counted. The worst known case (a To of `a:a:a:…`) takes 35 ms of CPU time on a slow machine.
 */
export const SHORT_BYTES = 32 * 1024;

export const messageJob: Job<MessageInput, MessageReading> = {
  input: z.object({ source: messageSource, window: textWindow }),
  output: z.object({
    body: seenBodyShape,
    attachments: z.array(attachmentInfo),
    protection: z.object({ isEncrypted: z.boolean(), isSigned: z.boolean() }),
    headers: z.object({
      from: addresses,
      replyTo: addresses,
      to: addresses,
      cc: addresses,
      subject: z.string(),
      messageId: z.string().nullable(),
      references: z.array(z.string()),
    }),
  }),
  async read({ source, window }) {
    const parsed =
      source.kind === 'whole' ? await parseMessage(source.bytes) : await parseLargeMessage(source);
    return reading(parsed, window);
  },
  work: ({ source }) => source,
  readShort({ source, window }) {
    if (source.kind !== 'whole' || source.bytes.length > SHORT_BYTES) return undefined;
    const parsed = parseShortMessage(source.bytes);
    return parsed && reading(parsed, window);
  },
};

function reading(
  { text, attachments, protection, headers }: ParsedMessage,
  window: TextWindow,
): MessageReading {
  return { body: seenBody(text, window), attachments, protection, headers: boundedHeaders(headers) };
}

/** The text that is counted is the text that is shown. */
export function seenBody(text: string, { from, most }: TextWindow): SeenBody {
  const seen = seenText(text);
  return { text: sliceCodePoints(seen, from, most), chars: codePoints(seen) };
}

/** Everything done with them later costs as much as there are. */
export function boundedHeaders({
  from,
  replyTo,
  to,
  cc,
  subject,
  messageId,
  references,
}: MessageHeaders): MessageHeaders {
  const few = (all: readonly MailAddress[]) => all.slice(0, ADDRESSES_MAX);
  return {
    from: few(from),
    replyTo: few(replyTo),
    to: few(to),
    cc: few(cc),
    subject,
    messageId,
    references: references.slice(-REFERENCES_MAX),
  };
}
