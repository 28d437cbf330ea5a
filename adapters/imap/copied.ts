import type { CopyResponseObject, ImapFlow } from 'imapflow';
import type { ListedMessage } from '../../core/mail/listed-message.ts';
import { messageRow } from '../../core/mail/message-row.ts';
import { MailError } from '../../core/ports/mail.ts';
import { isRefused } from './failure.ts';
import { whyRefused } from './open-mailbox.ts';
import { fetchRowsIn, rowAt } from './rows.ts';
import { change, type OpenFolder, openFolder, select } from './session.ts';

/**
 * Copies the message into the folder `to`. A server may answer OK and do nothing, so the copy counts only with a sign of
 * it: COPYUID, or the copy itself in that folder. The folder of the message stays selected.
 * @param uidNext  of `to` before: the copy has this UID or a higher one. Undefined: only COPYUID counts, because the copy
 *   cannot be told from an equal message that was there before
 * @throws MailError `refused`; `outcome_unknown` if there is no sign of the copy
 */
export async function copyMessage(
  { client }: OpenFolder,
  message: ListedMessage,
  to: string,
  uidNext: number | undefined,
): Promise<void> {
  const copied = await change(client, () => client.messageCopy(String(message.place.uid), to, { uid: true }));
  if (copied === undefined) throw new MailError('refused', 'the IMAP server did not copy the message');
  if (namesCopy(copied, message)) return;
  if (uidNext !== undefined && (await showsCopy(client, message, to, uidNext))) return;
  throw new MailError('outcome_unknown', 'the IMAP server reported a copy of the message, but shows none');
}

/** Whether the server reports the UID of the copy (RFC 4315, COPYUID). */
export function namesCopy({ uidMap }: CopyResponseObject, { place }: ListedMessage): boolean {
  return uidMap?.has(place.uid) === true;
}

/** Returns UIDNEXT of a folder that is not selected. Undefined if the server does not report it. */
export async function uidNextIn(client: ImapFlow, path: string): Promise<number | undefined> {
  try {
    const status = await client.status(path, { uidNext: true });
    return status === false ? undefined : status.uidNext;
  } catch (error) {
    const why = await whyRefused(client, path, error);
    if (isRefused(why)) return undefined;
    throw why;
  }
}

/** A copy that was just made is among the newest messages of its folder. */
const NEWEST = 50;

/**
 * Looks for a copy of the message in the folder `to`, and selects the folder of the message again.
 * @param uidNext  its UID is this one or a higher one
 * @throws MailError `outcome_unknown` if the server does not show one of the two folders
 */
export async function showsCopy(
  client: ImapFlow,
  message: ListedMessage,
  to: string,
  uidNext: number,
): Promise<boolean> {
  return afterChange(async () => {
    await select(client, to);
    const folder = openFolder(client);
    const { exists } = folder.mailbox;
    const rows = exists === 0 ? [] : await fetchRowsIn(folder, Math.max(1, exists - NEWEST + 1), exists);
    await select(client, message.place.path);
    return rows.some((row) => row.place.uid >= uidNext && hasSameHeader(row, message));
  });
}

/** Whether the selected folder, which had the message, still has it. @throws MailError `outcome_unknown` */
export async function isStillThere(client: ImapFlow, { place }: ListedMessage): Promise<boolean> {
  return afterChange(async () => (await rowAt(openFolder(client), place)) !== undefined);
}

/** Looks at what a change has done. @throws MailError `outcome_unknown` if the look fails */
async function afterChange<T>(look: () => Promise<T>): Promise<T> {
  try {
    return await look();
  } catch (error) {
    throw new MailError('outcome_unknown', 'the IMAP server did not show what a change has done', {
      cause: error,
    });
  }
}

/** Servers may report another INTERNALDATE and size for a copy. */
function hasSameHeader(one: ListedMessage, other: ListedMessage): boolean {
  const [a, b] = [messageRow(one), messageRow(other)];
  return (
    a.messageId === b.messageId && a.from === b.from && a.subject === b.subject && a.dateField === b.dateField
  );
}
