import type { ImapFlow, MailboxObject, MailboxOpenOptions } from 'imapflow';
import { imapFailure, isNotFound, refusal } from './failure.ts';
import { hasFlag } from './has-flag.ts';

/**
 * Opens a mailbox.
 * @throws MailError `not_found` if the server lists no such folder, `refused` if it lists the folder and does not open it
 */
export async function openMailbox(
  client: ImapFlow,
  path: string,
  options?: MailboxOpenOptions,
): Promise<MailboxObject> {
  try {
    return await client.mailboxOpen(path, options);
  } catch (error) {
    throw await whyRefused(client, path, error);
  }
}

/**
 * Says why a command that names a folder failed. imapflow (2.10) asks the server whether there is such a folder, and
 * names the prefix of the namespace twice: `LIST "INBOX." "INBOX.Archive"`. With a prefix it finds none, so here the list
 * of all folders decides.
 */
export async function whyRefused(client: ImapFlow, path: string, error: unknown): Promise<unknown> {
  if (!isNotFound(imapFailure(error))) return error;
  return (await isThere(client, path)) ? refusal(error) : error;
}

async function isThere(client: ImapFlow, path: string): Promise<boolean> {
  // There always is one (RFC 9051, 5.1), and some servers do not list it.
  if (path === 'INBOX') return true;
  if (!client.namespace?.prefix) return false;
  const listed = await client.list({ listOnly: true });
  return listed.some((one) => one.path === path && !hasFlag(one.flags, '\\nonexistent'));
}
