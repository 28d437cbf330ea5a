import * as z from 'zod';
import type { AttachmentInfo } from '../mail/attachment-info.ts';
import type { AttachmentSource } from '../mail/message-source.ts';
import type { Job } from './job.ts';
import { attachmentInfo, describedAttachment } from './message-job.ts';

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
};
