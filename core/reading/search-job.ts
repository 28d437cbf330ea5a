import * as z from 'zod';
import type { MessageSource } from '../mail/message-source.ts';
import type { Job } from './job.ts';
import { messageSource } from './message-job.ts';

/** Whether a message contains a word in a place where a person would look. */

export interface SearchInput {
  readonly source: MessageSource;
  readonly word: string;
}

export const searchJob: Job<SearchInput, boolean> = {
  input: z.object({ source: messageSource, word: z.string() }),
  output: z.boolean(),
  work: ({ source }) => source,
};
