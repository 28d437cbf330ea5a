import { onTestFinished } from 'vitest';
import { imapMail } from '../../../adapters/imap/mail.ts';
import { mailReader } from '../../../core/accounts/mail-reader.ts';
import type { MessageRow } from '../../../core/mail/message-row.ts';
import type { MailCall } from '../../../core/ports/mail.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import { systemClock } from '../../../hosts/embedded/system-clock.ts';
import { contains } from '../../contracts/mail/read.ts';
import { addressOf, PASSWORD } from '../../servers/mail-users.ts';

/** Mailboxes on this machine, until the test ends. */
export function openMail(): Mail {
  const mail = imapMail({ allowPrivateServers: true });
  onTestFinished(() => mail.close());
  return mail;
}

/** Returns a call for the mailbox of a user, over plain text. */
export function callOn(port: number, user: string, limits: Partial<MailCall> = {}): MailCall {
  const server = {
    host: '127.0.0.1',
    port,
    security: 'none',
    user: addressOf(user),
    pass: PASSWORD,
  } as const;
  return {
    account: {
      ownerId: user,
      accountId: 1,
      email: addressOf(user),
      settings: async () => ({ imap: server, smtp: server }),
    },
    signal: new AbortController().signal,
    deadlineMs: 25_000,
    ...limits,
  };
}

/** Returns the row of the highest UID. */
export async function newestOf(mail: Mail, call: MailCall, path = 'INBOX'): Promise<MessageRow> {
  const query = { path, unread: false, order: 'uid', after: undefined, limit: 1 } as const;
  const [row] = (await mailReader(mail, systemClock).list(call, query)).rows;
  if (row === undefined) throw new Error('the folder is empty');
  return row;
}

export function searchFor(...words: string[]) {
  return {
    words,
    from: undefined,
    since: undefined,
    unread: false,
    path: undefined,
    after: undefined,
    limit: 20,
    contains,
  };
}

export async function started(): Promise<boolean> {
  return true;
}
