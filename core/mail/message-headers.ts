import type { MailAddress } from './address.ts';
import { receiverResults } from './authentication-results.ts';
import { isAutomatic, isFromList } from './automatic-mail.ts';
import { type HeaderField, headersOf } from './header-fields.ts';
import { headerAddresses, headerText } from './header-text.ts';
import { inReplyToIds, messageIdOf, referenceIds } from './message-ids.ts';
import { threadIndexStart } from './thread-index.ts';

/** The header of a message as a person would read it. */

export interface MessageHeaders {
  /** Bare addresses. */
  readonly from: readonly MailAddress[];
  readonly replyTo: readonly MailAddress[];
  readonly to: readonly MailAddress[];
  readonly cc: readonly MailAddress[];
  readonly subject: string;
  /** With its angle brackets. */
  readonly messageId: string | null;
  readonly references: readonly string[];
  /** Outlook's Thread-Index. Absent: there is none, or it is not one of Outlook's. */
  readonly threadIndex?: string;
  /** A program sent it, or sends it to many: nobody may be there to read an answer. Absent: a person may have. */
  readonly isAutomatic?: true;
  /** It went to a list, or to many people at once. Absent: it does not say so. */
  readonly isFromList?: true;
  /** As `receiverResults` returns them. Absent: there are none. */
  readonly receiverResults?: readonly string[];
}

/** As they are read. */
export interface ReadHeaders extends MessageHeaders {
  /** Value of the Date header, undecoded. Null if there is none. */
  readonly date: string | null;
}

/** Only the headers of a message, without its body. */
export function parseHeaders(source: Uint8Array): ReadHeaders {
  return messageHeaders(headersOf(source));
}

/** For headers that may appear only once, the first counts, as in most readers. */
export function messageHeaders(headers: readonly HeaderField[]): ReadHeaders {
  const first = (name: string) => headers.find(({ key }) => key === name)?.value ?? null;
  const all = (name: string) => headers.filter(({ key }) => key === name).map(({ value }) => value);
  const addresses = (name: string) => all(name).flatMap(headerAddresses);
  const references = all('references').flatMap(referenceIds);
  const threadIndex = first('thread-index')?.trim() ?? '';
  const results = receiverResults(headers);
  return {
    from: headerAddresses(first('from') ?? ''),
    replyTo: addresses('reply-to'),
    to: addresses('to'),
    cc: addresses('cc'),
    subject: headerText(first('subject') ?? ''),
    messageId: messageIdOf(first('message-id') ?? ''),
    references: references.length > 0 ? references : inReplyToIds(first('in-reply-to') ?? ''),
    ...(threadIndexStart(threadIndex) !== null && { threadIndex }),
    ...(isAutomatic(headers) ? { isAutomatic: true } : {}),
    ...(isFromList(headers) && { isFromList: true }),
    ...(results.length > 0 && { receiverResults: results }),
    date: first('date'),
  };
}

/** Further recipients, and further earlier messages, are not listed. */
const ADDRESSES_MAX = 500;
const REFERENCES_MAX = 500;
/** Outlook's own are shorter. */
const THREAD_INDEX_CHARS = 4096;

/** Everything done with them later costs as much as there are. */
export function boundedHeaders({
  from,
  replyTo,
  to,
  cc,
  subject,
  messageId,
  references,
  threadIndex,
  isAutomatic: automatic,
  isFromList: list,
  receiverResults: results,
}: MessageHeaders): MessageHeaders {
  const few = (all: readonly MailAddress[]) => all.slice(0, ADDRESSES_MAX);
  return {
    from: few(from),
    replyTo: few(replyTo),
    to: few(to),
    cc: few(cc),
    subject,
    messageId,
    references: references.slice(-REFERENCES_MAX),
    ...(threadIndex === undefined ? {} : { threadIndex: threadIndex.slice(0, THREAD_INDEX_CHARS) }),
    ...(automatic === undefined ? {} : { isAutomatic: automatic }),
    ...(list && { isFromList: list }),
    ...(results === undefined ? {} : { receiverResults: results }),
  };
}
