import * as z from 'zod';
import { parseLargeMessage } from '../mail/large-message.ts';
import type { MessageSource } from '../mail/message-source.ts';
import { type ParsedMessage, parseMessage, parseShortMessage } from '../mail/parse.ts';
import { displayAddresses } from '../mail/row-text.ts';
import type { Job } from './job.ts';
import { messageSource, SHORT_BYTES } from './message-job.ts';

/** Whether a message contains a word in a place where a person would look. Case-insensitive. */

export const searchJob: Job<{ readonly source: MessageSource; readonly word: string }, boolean> = {
  input: z.object({ source: messageSource, word: z.string() }),
  output: z.boolean(),
  work: ({ source }) => source,
  async read({ source, word }) {
    const parsed =
      source.kind === 'whole' ? await parseMessage(source.bytes) : await parseLargeMessage(source);
    return contains(parsed, word);
  },
  readShort({ source, word }) {
    if (source.kind !== 'whole' || source.bytes.length > SHORT_BYTES) return undefined;
    const parsed = parseShortMessage(source.bytes);
    return parsed && contains(parsed, word);
  },
};

function contains({ text, headers }: ParsedMessage, word: string): boolean {
  const people = [headers.from, headers.to, headers.cc].map(displayAddresses);
  return [...people, headers.subject, text].join('\n').toLowerCase().includes(word.toLowerCase());
}
