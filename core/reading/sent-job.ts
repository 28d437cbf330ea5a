import * as z from 'zod';
import type { SentMessage } from '../mail/sent-message.ts';
import type { Job } from './job.ts';

/** The raw bytes of a plan. `refused`: why they are not a message that the owner could see whole. */

export type SentReading = { readonly message: SentMessage } | { readonly refused: string };

export const sentJob: Job<{ readonly raw: Uint8Array }, SentReading> = {
  input: z.object({ raw: z.instanceof(Uint8Array) }),
  output: z.union([
    z.object({
      message: z.object({
        from: z.object({ name: z.string(), address: z.string() }),
        to: z.array(z.string()),
        subject: z.string(),
        messageId: z.string(),
        inReplyTo: z.string().nullable(),
        text: z.string(),
        invitation: z.object({ method: z.enum(['REQUEST', 'CANCEL']), ics: z.string() }).nullable(),
      }),
    }),
    z.object({ refused: z.string() }),
  ]),
};
