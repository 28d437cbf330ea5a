import * as z from 'zod';
import { type StatedText, statedText, type TextToRead } from '../provenance/stated-text.ts';
import type { Job } from './job.ts';

/** What texts state, one after another. */

/** Texts of this length together are read in this process: the worst known take 15 ms of CPU time. */
export const SHORT_CHARS = 8000;

const strings = z.array(z.string());

export const statedJob: Job<readonly TextToRead[], readonly StatedText[]> = {
  input: z.array(z.object({ text: z.string(), windowsMax: z.int().min(0) })),
  output: z.array(
    z.object({
      addresses: strings,
      hosts: strings,
      accountNumbers: strings,
      amounts: strings,
      codes: strings,
      namedCodes: strings,
      mailboxes: strings,
      windows: strings,
    }),
  ),
  read: async (texts) => texts.map(statedText),
  readShort: (texts) =>
    texts.reduce((chars, { text }) => chars + text.length, 0) <= SHORT_CHARS
      ? texts.map(statedText)
      : undefined,
};
