import * as z from 'zod';
import type { StatedPassage, TextToRead } from '../provenance/stated-text.ts';
import type { Job } from './job.ts';

/** What texts state, one after another, by the person who wrote it. */

const strings = z.array(z.string());
const place = z.int().min(0);

export const statedPassage: z.ZodType<StatedPassage> = z.object({
  quoting: z.string().nullable(),
  isSignature: z.literal(true).exactOptional(),
  addresses: strings,
  hosts: strings,
  accountNumbers: strings,
  amounts: strings,
  codes: strings,
  mailboxes: strings,
  words: z.string(),
  links: z.array(z.object({ host: z.string(), from: place, to: place })),
});

export const statedJob: Job<readonly TextToRead[], readonly (readonly StatedPassage[])[]> = {
  input: z.array(
    z.object({
      text: z.string(),
      windowsMax: place,
      head: z.string().nullable(),
      wantsLinks: z.boolean(),
      codes: z.enum(['named', 'numbers', 'words']),
    }),
  ),
  output: z.array(z.array(statedPassage)),
};
