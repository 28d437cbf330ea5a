import { folderRolesOf } from '../accounts/account-folders.ts';
import { readingOf, readMessage } from '../accounts/read-message.ts';
import { relocationMarks } from '../accounts/sent-evidence.ts';
import type { CallContext } from '../call/context.ts';
import { normalAddress } from '../contract/schema.ts';
import type { MessageRow } from '../mail/message-row.ts';
import type { MessageHeaders } from '../mail/parse.ts';
import type { Account } from '../ports/account.ts';

/**
 * The people to whom the owner sent a message: those of its To. A From is easily forged, so the message must be in the
 * Sent folder, or have the Message-ID of one there. Then the To of that one counts. A message that a request ever moved,
 * copied or labelled proves nothing: anyone with a key could have put it into Sent.
 * @returns undefined if it is not shown that the owner sent it
 * @throws MailError
 */
export async function ownersRecipients(
  context: CallContext,
  account: Account,
  row: MessageRow,
  { from, to, messageId }: MessageHeaders,
): Promise<MessageHeaders['to'] | undefined> {
  const own = normalAddress(account.email);
  const isFromOwner = from.length > 0 && from.every(({ address }) => normalAddress(address) === own);
  if (!isFromOwner || messageId === null) return undefined;
  const { mail, storage } = context.ports;
  const call = context.mailCall(account);
  const { path } = (await folderRolesOf(context.ports, { account, call })).sent;
  if (path === null) return undefined;
  const relocated = await storage.relocatedAmong(account.ownerId, relocationMarks(row));
  if (relocated.size > 0) return undefined;
  if (row.place.path === path) return to;
  const copy = await mail.messageWithId(call, path, messageId);
  if (copy === undefined) return undefined;
  const { source } = await mail.read(call, copy.place);
  return (await readMessage(context.ports, readingOf(call), source, { from: 0, most: 0 })).headers.to;
}
