import * as z from 'zod';
import type { AttachmentInfo } from '../mail/attachment-info.ts';
import type { MessageHeaders } from '../mail/message-headers.ts';
import type { DescribedAttachment, MessageSource } from '../mail/message-source.ts';
import type { Protection } from '../mail/protection.ts';
import type { StatedPassage } from '../provenance/stated-text.ts';
import type { SeenBody, TextWindow } from '../text/seen-body.ts';
import type { Job } from './job.ts';
import { statedPassage } from './stated-job.ts';

/** Reads messages as a person sees them, and returns only the part of their text that is shown. */

export interface MessageInput {
  readonly source: MessageSource;
  readonly window: TextWindow;
  /** Its sender and subject. Absent: what it states is not needed. */
  readonly head?: string;
}

export interface MessageReading {
  readonly body: SeenBody;
  readonly attachments: readonly AttachmentInfo[];
  /** There may be attachments, and nobody knows which. */
  readonly hasUnlisted?: true;
  readonly protection: Protection;
  readonly headers: MessageHeaders;
  /** What its head and the part of its text state, by the person who wrote it. */
  readonly said?: readonly StatedPassage[];
  /** What `carriedWords` of it state. Present if `said` is, and if there are any. */
  readonly carried?: readonly StatedPassage[];
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
    attachments: z.array(describedAttachment).nullable(),
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
  hasUnlisted: z.literal(true).exactOptional(),
  protection: z.object({ isEncrypted: z.boolean(), isSigned: z.boolean() }),
  headers: z.object({
    from: addresses,
    replyTo: addresses,
    to: addresses,
    cc: addresses,
    subject: z.string(),
    messageId: z.string().nullable(),
    references: z.array(z.string()),
    threadIndex: z.string().exactOptional(),
    isAutomatic: z.literal(true).exactOptional(),
    isFromList: z.literal(true).exactOptional(),
    receiverResults: z.array(z.string()).exactOptional(),
  }),
  said: z.array(statedPassage).exactOptional(),
  carried: z.array(statedPassage).exactOptional(),
});

const input = z.object({ source: messageSource, window: textWindow, head: z.string().exactOptional() });

export const messageJob: Job<MessageInput, MessageReading> = {
  input,
  output: reading,
  work: ({ source }) => source,
};

/** Several short messages, one after another. If one takes too long, none is read. */
export const messagesJob: Job<readonly MessageInput[], readonly MessageReading[]> = {
  input: z.array(input),
  output: z.array(reading),
  work: (messages) => messages.map(({ source }) => source),
  maxCpuMs: 2000,
};
