import * as z from 'zod';
import type { AttachmentInfo } from '../mail/attachment-info.ts';
import type { MessageHeaders } from '../mail/message-headers.ts';
import type { DescribedAttachment, MessageSource } from '../mail/message-source.ts';
import type { Protection } from '../mail/protection.ts';
import type { SeenBody, TextWindow } from '../text/seen-body.ts';
import type { Job } from './job.ts';

/** Reads messages as a person sees them, and returns only the part of their text that is shown. */

export interface MessageInput {
  readonly source: MessageSource;
  readonly window: TextWindow;
}

export interface MessageReading {
  readonly body: SeenBody;
  readonly attachments: readonly AttachmentInfo[];
  readonly protection: Protection;
  readonly headers: MessageHeaders;
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

const reading = z.object({
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
});

export const messageJob: Job<MessageInput, MessageReading> = {
  input: z.object({ source: messageSource, window: textWindow }),
  output: reading,
  work: ({ source }) => source,
};

/** Several short messages, one after another. One that takes long takes the others with it. */
export interface MessagesInput {
  readonly sources: readonly MessageSource[];
  /** Of each. */
  readonly window: TextWindow;
}

export const messagesJob: Job<MessagesInput, readonly MessageReading[]> = {
  input: z.object({ sources: z.array(messageSource), window: textWindow }),
  output: z.array(reading),
  work: ({ sources }) => sources,
  maxCpuMs: 2000,
};
