import { boundedHeaders } from '../mail/message-headers.ts';
import type { MessageSource } from '../mail/message-source.ts';
import { displayAddresses } from '../mail/row-text.ts';
import { parseLargeMessage } from '../mime/large-message.ts';
import { type ParsedMessage, parseMessage } from '../mime/parse.ts';
import type { MessageInput, MessageReading, MessagesInput } from '../reading/message-job.ts';
import type { SearchInput } from '../reading/search-job.ts';
import { seenBody } from '../text/seen-body.ts';

export async function readMessage({ source, window }: MessageInput): Promise<MessageReading> {
  const { text, attachments, protection, headers } = await parsed(source);
  return { body: seenBody(text, window), attachments, protection, headers: boundedHeaders(headers) };
}

export async function readMessages({ sources, window }: MessagesInput): Promise<MessageReading[]> {
  const readings: MessageReading[] = [];
  for (const source of sources) readings.push(await readMessage({ source, window }));
  return readings;
}

/** Case-insensitive. */
export async function messageContains({ source, word }: SearchInput): Promise<boolean> {
  const { text, headers } = await parsed(source);
  const people = [headers.from, headers.to, headers.cc].map(displayAddresses);
  return [...people, headers.subject, text].join('\n').toLowerCase().includes(word.toLowerCase());
}

function parsed(source: MessageSource): Promise<ParsedMessage> {
  return source.kind === 'whole' ? parseMessage(source.bytes) : parseLargeMessage(source);
}
