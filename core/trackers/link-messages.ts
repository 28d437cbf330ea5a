import { type ReadMessage, readMessages } from '../accounts/read-message.ts';
import { targetName } from '../actions/message-target.ts';
import type { MessageRow } from '../mail/message-row.ts';
import type { MailCall } from '../ports/mail.ts';
import type { Ports } from '../ports/ports.ts';
import type { TextWindow } from '../text/seen-body.ts';
import type { InboxLink } from '../watching/inbox-storage.ts';
import { linkedMessage } from './linked-message.ts';
import { keywordIndex } from './tracker-rules.ts';
import type { WaitingTracker } from './tracker-storage.ts';

/** Code units of a sender or subject that are compared. */
const HEADER_CHARS = 5000;
/** The part of a text that is compared. */
const MATCHED: TextWindow = { from: 0, most: 50_000 };

/** A message that was read for its links. */
export interface NewMessage {
  /** As a person sees it. If it cannot be read, the reason. */
  readonly text: string;
  /** The text that keywords are compared with. */
  readonly matched: string;
}

/** Stands for a message that the server does not return: only its sender and subject count. */
export const WITHOUT_TEXT: NewMessage = { text: '', matched: '' };

/** Reads the messages of those rows; undefined for messages that no longer exist. @throws MailError */
export async function readNewMessages(
  ports: Pick<Ports, 'mail' | 'reader' | 'clock' | 'log'>,
  call: MailCall,
  rows: readonly MessageRow[],
): Promise<(NewMessage | undefined)[]> {
  const messages: (NewMessage | undefined)[] = [];
  const reading = { window: MATCHED, untilMs: Number.POSITIVE_INFINITY };
  for await (const message of readMessages(ports, call, rows, reading)) {
    messages.push(message && newMessage(message));
  }
  return messages;

  function newMessage({ body, unreadable }: ReadMessage): NewMessage {
    if (unreadable === null) return { text: body.text, matched: body.text };
    ports.log.warn('a new message could not be read', {
      account: call.account.accountId,
      reason: unreadable,
    });
    return { text: body.text, matched: '' };
  }
}

/** The links of messages to the trackers whose keywords they contain. Only mail received since a tracker was created. */
export function linksOf(
  trackers: readonly WaitingTracker[],
  accountId: number,
  read: readonly { readonly row: MessageRow; readonly message: NewMessage }[],
): InboxLink[] {
  const index = keywordIndex(trackers);
  // Servers store the time of receipt in whole seconds.
  const createdMs = new Map(
    trackers.map(({ trackerId, createdAt }) => [trackerId, Math.floor(createdAt.getTime() / 1000) * 1000]),
  );
  return read.flatMap(({ row, message }) => {
    const received = row.internalDate.getTime();
    // Untrusted headers can be as long as a book.
    const texts = [row.from.slice(0, HEADER_CHARS), row.subject.slice(0, HEADER_CHARS), message.matched];
    const trackerIds = index.matches(texts).filter((id) => received >= (createdMs.get(id) ?? 0));
    if (trackerIds.length === 0) return [];
    const linked = linkedMessage(accountId, row, message.text);
    const target = targetName(accountId, linked);
    return trackerIds.map((trackerId) => ({ trackerId, target, message: linked }));
  });
}
