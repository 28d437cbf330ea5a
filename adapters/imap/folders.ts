import type { ImapFlow, ListResponse } from 'imapflow';
import { type FolderCounts, type FolderRole, MailError, type MailFolder } from '../../core/ports/mail.ts';

/** imapflow tells by attribute (RFC 6154), or else by name in many languages. */
const ROLES: Readonly<Record<string, FolderRole>> = {
  '\\Inbox': 'inbox',
  '\\Sent': 'sent',
  '\\Drafts': 'drafts',
  '\\Junk': 'spam',
  '\\Trash': 'trash',
  '\\Archive': 'archive',
};

export async function listFolders(client: ImapFlow): Promise<MailFolder[]> {
  return (await client.list()).filter(canBeOpened).map(folderOf);
}

/** In the order of `listFolders`. */
export async function countFolders(client: ImapFlow): Promise<FolderCounts[]> {
  const listed = await client.list({ statusQuery: { messages: true, unseen: true } });
  return listed.filter(canBeOpened).map((entry) => {
    const { messages, unseen } = entry.status ?? {};
    if (messages === undefined || unseen === undefined) {
      // imapflow keeps quiet about a STATUS that failed, for whatever reason.
      throw new MailError(
        client.usable ? 'refused' : 'unavailable',
        'the IMAP server did not count the messages of a folder',
      );
    }
    return { ...folderOf(entry), total: messages, unread: unseen };
  });
}

function canBeOpened({ flags }: ListResponse): boolean {
  return !flags.has('\\Noselect') && !flags.has('\\NonExistent');
}

function folderOf({ path, specialUse }: ListResponse): MailFolder {
  return { path, role: (specialUse === undefined ? undefined : ROLES[specialUse]) ?? null };
}
