import * as z from 'zod';
import { describedInfo, partBytes } from '../mail/large-message.ts';
import type { AttachmentSource } from '../mail/message-source.ts';
import { type AttachmentInfo, attachmentOf } from '../mail/parse.ts';
import type { Job } from './job.ts';
import { attachmentInfo, describedAttachment, SHORT_BYTES } from './message-job.ts';

/** Extracts one attachment from its message, decoded. */

export interface AttachmentInput {
  readonly source: AttachmentSource;
  /** Its index among the attachments of the message. */
  readonly index: number;
  readonly maxBytes: number;
}

/** `tooLarge` if it has more than `maxBytes`; null if the message has no attachment with that index. */
export type AttachmentReading = {
  readonly info: AttachmentInfo;
  readonly bytes: Uint8Array | 'tooLarge';
} | null;

const bytes = z.instanceof(Uint8Array);
const bytesOrTooLarge = z.union([bytes, z.literal('tooLarge')]);

const source: z.ZodType<AttachmentSource> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('whole'), bytes }),
  z.object({ kind: z.literal('part'), described: describedAttachment, bytes: bytesOrTooLarge }),
]);

export const attachmentJob: Job<AttachmentInput, AttachmentReading> = {
  input: z.object({ source, index: z.int().min(0), maxBytes: z.int().min(0) }),
  output: z.object({ info: attachmentInfo, bytes: bytesOrTooLarge }).nullable(),
  work: ({ source }) => source,
  read: async (input) => attachmentIn(input),
  // Finding and decoding a part takes a few passes over the bytes.
  readShort(input) {
    const { bytes } = input.source;
    return bytes === 'tooLarge' || bytes.length <= SHORT_BYTES ? attachmentIn(input) : undefined;
  },
};

function attachmentIn({ source, index, maxBytes }: AttachmentInput): AttachmentReading {
  if (source.kind === 'whole') {
    const found = attachmentOf(source.bytes, index);
    return found === undefined ? null : within(found.info, found.bytes, maxBytes);
  }
  const info = describedInfo(source.described, index);
  const decoded = partBytes(source);
  if (decoded === 'tooLarge') return { info, bytes: decoded };
  return within({ ...info, sizeBytes: decoded.length }, decoded, maxBytes);
}

function within(info: AttachmentInfo, decoded: Uint8Array, maxBytes: number): AttachmentReading {
  return { info, bytes: decoded.length > maxBytes ? 'tooLarge' : decoded };
}
