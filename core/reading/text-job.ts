import * as z from 'zod';
import type { SeenBody, TextWindow } from '../text/seen-body.ts';
import type { Job } from './job.ts';
import { seenBodyShape, textWindow } from './message-job.ts';

/** The extracted text of a document, as a person sees it. */

export const textJob: Job<{ readonly text: string; readonly window: TextWindow }, SeenBody> = {
  input: z.object({ text: z.string(), window: textWindow }),
  output: seenBodyShape,
};
