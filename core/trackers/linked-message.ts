import { ROW_FIELD_CHARS } from '../call/mailbox.ts';
import type { MessageRow } from '../mail/message-row.ts';
import { shortened } from '../text/shortened.ts';
import { excerptOf } from './extractive-summary.ts';
import type { LinkedMessage } from './tracker-storage.ts';

/** A message in the form that a tracker keeps. @param text the beginning of it, as a person sees it */
export function linkedMessage(accountId: number, row: MessageRow, text: string): LinkedMessage {
  const { place, stableId, fingerprint, date, internalDate, sizeBytes } = row;
  return {
    accountId,
    place,
    stableId,
    fingerprint,
    from: shortened(row.from, ROW_FIELD_CHARS),
    subject: shortened(row.subject, ROW_FIELD_CHARS),
    date,
    internalDate,
    sizeBytes,
    excerpt: excerptOf(text),
  };
}
