import * as z from 'zod';
import { folderForRole } from '../accounts/account-folders.ts';
import { sentMessage } from '../accounts/sent-message.ts';
import { withAutoSubmitted, withDate } from '../mail/compose.ts';
import type { MessageRow } from '../mail/message-row.ts';
import { MailError } from '../ports/mail.ts';
import type { Outgoing } from '../ports/mail-sending.ts';
import type { Ports } from '../ports/ports.ts';
import type { ReadingFor } from '../ports/reader.ts';
import type { ActionFacts, RunContext } from './action.ts';

/** A message that a plan sends, fixed when the plan is made. The account is the sending one. */

export const frozenMessage = z.strictObject({
  /** The SMTP envelope. */
  envelope: z.strictObject({ from: z.string(), to: z.array(z.string()).min(1) }),
  /** The message byte for byte, except its Date; base64. */
  raw: z.string(),
  /** The Message-ID of `raw`. */
  messageId: z.string(),
});

export type FrozenMessage = z.infer<typeof frozenMessage>;

function outgoing({ envelope, raw, messageId }: FrozenMessage, { date, isAutomatic }: RunContext): Outgoing {
  const approved = Buffer.from(raw, 'base64');
  const bytes = withDate(isAutomatic ? withAutoSubmitted(approved) : approved, date);
  return { envelope, bytes, date, messageId };
}

/** @throws Error if the bytes contain anything that cannot be shown */
export async function messageFacts(
  ports: Pick<Ports, 'reader'>,
  reading: ReadingFor,
  { envelope, raw }: FrozenMessage,
  ownChars: number | null = null,
): Promise<NonNullable<ActionFacts['message']>> {
  const bytes = Buffer.from(raw, 'base64');
  // Every date is as long as any other.
  const sizeBytes = withDate(bytes, new Date(0)).length;
  return { envelope, says: await sentMessage(ports, reading, bytes), ownChars, bytes, sizeBytes };
}

/** @throws MailError */
export async function transmit(accountId: number, message: FrozenMessage, run: RunContext): Promise<void> {
  const { call } = await run.mailbox(accountId);
  await run.ports.mail.transmit(call, outgoing(message, run), run.start);
}

/** Whether a copy in Sent proves that it was sent. A missing copy proves nothing. */
export async function isInSent(accountId: number, message: FrozenMessage, run: RunContext): Promise<boolean> {
  return (await sentCopy(accountId, message, run)) !== undefined;
}

/** Returns the copy in Sent. Undefined if there is none. @throws MailError */
export async function sentCopy(
  accountId: number,
  message: FrozenMessage,
  run: RunContext,
): Promise<MessageRow | undefined> {
  const mailbox = await run.mailbox(accountId);
  const { path } = mailbox.account.folderRoles.sent;
  return path === null ? undefined : run.ports.mail.messageWithId(mailbox.call, path, message.messageId);
}

/** The server does not take the copy of a sent message, or does not create the folder for it: the mailbox may be full. */
export class SentCopyRefused extends Error {
  constructor(cause: unknown) {
    super('the mail server refuses the copy for Sent', { cause });
    this.name = 'SentCopyRefused';
  }
}

/**
 * Saves the copy in Sent. An owner without a Sent folder wants no copies.
 * @throws SentCopyRefused, MailError
 */
export async function saveCopy(accountId: number, message: FrozenMessage, run: RunContext): Promise<void> {
  const mailbox = await run.mailbox(accountId);
  const { sent } = mailbox.account.folderRoles;
  if (sent.path === null && sent.by === 'owner') return;
  try {
    const path = await folderForRole(run.ports, mailbox, 'sent');
    await run.ports.mail.saveSent(mailbox.call, path, outgoing(message, run));
  } catch (error) {
    const isRefused = error instanceof MailError && error.code === 'refused';
    throw isRefused ? new SentCopyRefused(error) : error;
  }
}
