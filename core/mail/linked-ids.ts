import { boundedFields } from './bounded-fields.ts';
import { readHeaders } from './header-fields.ts';
import { inReplyToIds, messageIdOf, referenceIds } from './message-ids.ts';
import { threadIndexStart } from './thread-index.ts';

/** By which ids messages belong to one conversation: those that have an id in common, and those linked by others. */

/** The id of a message, and those of the messages that it answers. */
export interface MessageIds {
  readonly messageId: string | null;
  /** Where it names none, the id of its conversation in Outlook, if it has one. */
  readonly refersTo: readonly string[];
}

/** The header fields with the id of a message and the ids that it answers. */
export const LINK_FIELDS: readonly string[] = ['message-id', 'references', 'in-reply-to', 'thread-index'];

/** No Message-ID begins so. */
export const OUTLOOK_ID = 'thread-index:';

/** For 500 messages with long ids, more than programs ever list. */
const FIELD_BYTES = 64 * 1024;

/** A message that names more ids was made to be endless. */
const IDS_MAX = 100;

/** @param header  of a message, or of its LINK_FIELDS. If it has several ids, the first counts */
export function messageIds(header: Uint8Array): MessageIds {
  const fields = readHeaders(boundedFields(header, LINK_FIELDS, FIELD_BYTES));
  const values = (name: string) => fields.filter(({ key }) => key === name).map(({ value }) => value);
  const listed = values('references').flatMap(referenceIds);
  const answered = values('in-reply-to').flatMap(inReplyToIds);
  const named = [...new Set([...listed, ...answered])];
  const outlooks = threadIndexStart(values('thread-index')[0] ?? '');
  return {
    messageId: messageIdOf(values('message-id')[0] ?? ''),
    refersTo: named.length === 0 && outlooks !== null ? [`${OUTLOOK_ID}${outlooks}`] : named,
  };
}

/** All of them, the message's own first. */
export function idsIn({ messageId, refersTo }: MessageIds): readonly string[] {
  return messageId === null ? refersTo : [messageId, ...refersTo];
}

/** @param header  of a message, or of its LINK_FIELDS @returns at most 100, each once: the first two and the last ones */
export function linkedIds(header: Uint8Array): readonly string[] {
  const ids = [...new Set(idsIn(messageIds(header)))];
  // The first id is that of the first message, the last that of the answered one.
  return ids.length <= IDS_MAX ? ids : [...ids.slice(0, 2), ...ids.slice(2 - IDS_MAX)];
}
