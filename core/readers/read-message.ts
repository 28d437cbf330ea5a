import { carriedWords } from '../mail/carried-words.ts';
import { boundedHeaders } from '../mail/message-headers.ts';
import type { MessageSource } from '../mail/message-source.ts';
import { displayAddresses } from '../mail/row-text.ts';
import { parseLargeMessage } from '../mime/large-message.ts';
import { type ParsedMessage, parseMessage } from '../mime/parse.ts';
import { toRead } from '../provenance/read-record.ts';
import type { MessageInput, MessageReading } from '../reading/message-job.ts';
import type { SearchableText, SearchInput } from '../reading/search-job.ts';
import { statedPassages } from '../stated/stated-text.ts';
import { letterForm } from '../text/letter-form.ts';
import { seenBody } from '../text/seen-body.ts';

export async function readMessage({ source, window, head }: MessageInput): Promise<MessageReading> {
  const { text, headers: all, ...facts } = await parsed(source);
  const headers = boundedHeaders(all);
  const read = { ...facts, body: seenBody(text, window), headers };
  if (head === undefined) return read;
  const carried = carriedWords(read);
  return {
    ...read,
    said: statedPassages(toRead({ text: read.body.text, head, isListed: false })),
    ...(carried !== '' && { carried: statedPassages(toRead({ text: carried, isListed: false })) }),
  };
}

export async function readMessages(messages: readonly MessageInput[]): Promise<MessageReading[]> {
  const readings: MessageReading[] = [];
  for (const one of messages) readings.push(await readMessage(one));
  return readings;
}

/** Whatever the case, composition or width of the letters. */
export async function messageContains({ source, word }: SearchInput): Promise<boolean> {
  const { head, body } = await searchableText(source);
  return letterForm(`${head}\n${body}`).includes(letterForm(word));
}

export async function searchableText(source: MessageSource): Promise<SearchableText> {
  const { text, headers } = await parsed(source);
  const people = [headers.from, headers.to, headers.cc].map(displayAddresses);
  return { head: [...people, headers.subject].join('\n'), body: text };
}

function parsed(source: MessageSource): Promise<ParsedMessage> {
  return source.kind === 'whole' ? parseMessage(source.bytes) : parseLargeMessage(source);
}
