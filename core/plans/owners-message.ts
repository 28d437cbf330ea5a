import { type ReadMessage, readingOf, readMessage } from '../accounts/read-message.ts';
import { relocationMarks } from '../accounts/sent-evidence.ts';
import type { CallContext } from '../call/context.ts';
import { normalAddress } from '../contract/schema.ts';
import type { MessageRow } from '../mail/message-row.ts';
import type { Account } from '../ports/account.ts';
import type { MailCall } from '../ports/mail.ts';
import { codePoints } from '../text/code-points.ts';
import { oneLine } from '../text/one-line.ts';
import { QUOTE_WINDOW } from './quote.ts';

interface Found {
  readonly row: MessageRow;
  /** With the text inside QUOTE_WINDOW. */
  readonly message: ReadMessage;
}

/**
 * The message as the owner sent it: in Sent, where it has the same Message-ID and says the same. A From is easily forged,
 * and everybody who got a message of the owner knows its Message-ID. A message that a request ever moved, copied or
 * labelled proves nothing: anyone with a key could have put it into Sent.
 * @returns undefined if it is not shown that the owner sent it
 * @throws MailError
 */
export async function asOwnerSent(
  context: CallContext,
  account: Account,
  found: Found,
): Promise<Found | undefined> {
  const { messageId } = found.message.headers;
  if (!isFromOwner(account, found) || messageId === null) return undefined;
  const call = context.mailCall(account);
  const { path } = account.folderRoles.sent;
  if (path === null) return undefined;
  const sent = found.row.place.path === path ? found : await readWithId(context, call, path, messageId);
  if (sent === undefined || !isFromOwner(account, sent)) return undefined;
  if (sent !== found && !saysTheSame(sent, found)) return undefined;
  const marks = relocationMarks(sent.row);
  const relocated = await context.ports.storage.relocatedAmong(account.ownerId, marks);
  return relocated.size === 0 ? sent : undefined;
}

async function readWithId(
  { ports }: CallContext,
  call: MailCall,
  path: string,
  messageId: string,
): Promise<Found | undefined> {
  const listed = await ports.mail.messageWithId(call, path, messageId);
  if (listed === undefined) return undefined;
  const { row, source } = await ports.mail.read(call, listed.place);
  return { row, message: await readMessage(ports, readingOf(call), { source, window: QUOTE_WINDOW }) };
}

function isFromOwner({ email }: Account, { message: { headers } }: Found): boolean {
  const own = normalAddress(email);
  return headers.from.length > 0 && headers.from.every(({ address }) => normalAddress(address) === own);
}

/**
 * Whether two messages say the same to a reader, however servers folded, encoded or spaced them. False if one of them
 * says more than can be compared here.
 */
function saysTheSame(one: Found, other: Found): boolean {
  const [a, b] = [said(one), said(other)];
  return a !== undefined && a === b;
}

function said({ row, message }: Found): string | undefined {
  const { headers, body, attachments, protection, unreadable } = message;
  const isWhole = unreadable === null && !protection.isEncrypted && codePoints(body.text) === body.chars;
  if (!isWhole) return undefined;
  const files = attachments.map(({ name, sizeBytes }) => [name, sizeBytes]);
  return JSON.stringify([oneLine(headers.subject), Date.parse(row.date), oneLine(body.text), files]);
}
