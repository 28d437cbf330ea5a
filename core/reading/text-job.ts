import * as z from 'zod';
import type { Job } from './job.ts';
import {
  type SeenBody,
  SHORT_BYTES,
  seenBody,
  seenBodyShape,
  type TextWindow,
  textWindow,
} from './message-job.ts';

/** The extracted text of a document, as a person sees it. */

export const textJob: Job<{ readonly text: string; readonly window: TextWindow }, SeenBody> = {
  input: z.object({ text: z.string(), window: textWindow }),
  output: seenBodyShape,
  read: async ({ text, window }) => seenBody(text, window),
  readShort: ({ text, window }) => (text.length <= SHORT_BYTES ? seenBody(text, window) : undefined),
};
