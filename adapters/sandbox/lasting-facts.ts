import { fingerprintOf } from '../../core/mail/fingerprint.ts';
import { dateOf, displayAddresses } from '../../core/mail/row-text.ts';
import type { MessageRow } from '../../core/ports/mail.ts';
import type { StoredMessage } from './mailbox.ts';

type LastingFacts = Omit<MessageRow, 'place' | 'flags'>;

const LASTING = new WeakMap<StoredMessage, LastingFacts>();

/** What no move and no flag changes of a row; made once for each message. */
export function lastingFacts(message: StoredMessage): LastingFacts {
  const known = LASTING.get(message);
  if (known !== undefined) return known;
  const { headers } = message;
  const { subject, messageId } = headers;
  const from = displayAddresses(headers.from);
  const sizeBytes = message.raw.length;
  const internalDate = message.receivedAt;
  const date = headers.date ?? '';
  const facts: LastingFacts = {
    stableId: null,
    fingerprint: fingerprintOf({ messageId, from, date, subject, sizeBytes, internalDate }),
    messageId,
    from,
    subject,
    date: dateOf(headers.date, internalDate),
    internalDate,
    sizeBytes,
  };
  LASTING.set(message, facts);
  return facts;
}
