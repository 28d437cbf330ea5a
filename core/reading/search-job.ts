import * as z from 'zod';
import type { MessageSource } from '../mail/message-source.ts';
import type { Job } from './job.ts';
import { messageSource } from './message-job.ts';

/** Whether a message contains a word in a place where a person would look. */

export interface SearchInput {
  readonly source: MessageSource;
  readonly word: string;
}

/** What a person would see of a message, for an index. */
export interface SearchableText {
  /** The people and the subject, a line each. */
  readonly head: string;
  readonly body: string;
}

export const searchableJob: Job<MessageSource, SearchableText> = {
  input: messageSource,
  output: z.object({ head: z.string(), body: z.string() }),
};

export const searchJob: Job<SearchInput, boolean> = {
  input: z.object({ source: messageSource, word: z.string() }),
  output: z.boolean(),
  work: ({ source }) => source,
};
