import { Buffer } from 'node:buffer';
import { onTestFinished } from 'vitest';
import { type SandboxMail, sandboxMail } from '../../../adapters/sandbox/mail.ts';
import type { MailIndexing } from '../../../core/mail-index/kept-index.ts';
import type { MailAccount, MailCall } from '../../../core/ports/mail.ts';
import type { MailIndex } from '../../../core/ports/mail-index.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import { type IndexFolder, indexed, indexFolder } from './indexed-mail.ts';

/** A mailbox of the sandbox with an index beside it, which a test may spoil. */

export const account: MailAccount = {
  ...{ ownerId: 'owner-1', accountId: 1, email: 'demo@countersign.test' },
  settings: () => Promise.reject(new Error('The sandbox has no settings')),
};
export const call: MailCall = { account, signal: new AbortController().signal, deadlineMs: 25_000 };

export interface Scene {
  readonly sandbox: SandboxMail;
  readonly folder: IndexFolder;
  readonly warnings: string[];
  /** How often the mailbox itself was searched, or asked for a conversation. */
  searches(): number;
  /** Mailboxes with an index, until the test ends. `beside`: what the mailbox does in another way. */
  open(index?: MailIndex, beside?: Partial<Mail>): Mail & MailIndexing;
}

export async function openIndexed({ messages = 0 } = {}): Promise<Scene> {
  const sandbox = sandboxMail({ samples: () => [] });
  const folder = await indexFolder();
  const warnings: string[] = [];
  const opened: Mail[] = [];
  let searches = 0;
  const counted: Mail = {
    ...sandbox,
    search(...asked) {
      searches += 1;
      return sandbox.search(...asked);
    },
    thread(...asked) {
      searches += 1;
      return sandbox.thread(...asked);
    },
    close: async () => undefined,
  };
  for (let at = 0; at < messages; at += 1) await deliver(sandbox, `needle ${at}`);
  onTestFinished(async () => {
    for (const mail of opened) await mail.close();
    await sandbox.close();
    folder.remove();
  });
  return {
    ...{ sandbox, folder, warnings },
    searches: () => searches,
    open(index = folder.open(), beside = {}) {
      const mail = indexed({ ...counted, ...beside }, index, (message) => warnings.push(message));
      opened.push(mail);
      return mail;
    },
  };
}

export const deliver = (sandbox: SandboxMail, text: string, path = 'INBOX') =>
  sandbox.deliver(
    account,
    path,
    Buffer.from(`From: bob@example.test\r\nSubject: ${text}\r\n\r\n${text}\r\n`),
  );
