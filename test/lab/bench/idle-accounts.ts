import * as z from 'zod';
import { imapMail } from '../../../adapters/imap/mail.ts';
import type { MailCall } from '../../../core/ports/mail.ts';
import type { OpenInbox } from '../../../core/ports/mail-watching.ts';
import { addressOf } from '../../servers/mail-users.ts';
import { answerParent } from './answer-parent.ts';
import { settingsOf } from './mail-settings.ts';
import type { MemoryAnswer } from './memory.ts';

/** A process (with --expose-gc) that connects accounts, and leaves their connections idle or watches their inboxes. */

const question = z.object({
  imapPort: z.int(),
  users: z.array(z.string()),
  state: z.enum(['idle', 'watched']),
});

const mail = imapMail({ allowPrivateServers: true });
let connected = 0;

/** Resolves after the first visit. */
function watch(call: MailCall): Promise<void> {
  return new Promise((resolve, reject) => {
    const visit = async ({ uidNext, arrivals }: OpenInbox) => {
      await arrivals(uidNext - 1, 200);
      resolve();
    };
    mail.watchInbox(call, visit).then((end) => reject(new Error(`the watch ended: ${end}`)), reject);
  });
}

answerParent(
  async (asked): Promise<MemoryAnswer> => {
    const { imapPort, users, state } = question.parse(asked);
    for (const user of users) {
      connected += 1;
      const email = addressOf(user);
      const settings = settingsOf(email, imapPort);
      const account = { ownerId: 'bench', accountId: connected, email, settings: async () => settings };
      const call = { account, signal: new AbortController().signal, deadlineMs: 30_000 };
      if (state === 'watched') await watch(call);
      else await mail.list(call, { path: 'INBOX', unread: false, order: 'uid', limit: 20, after: undefined });
    }
    // Twice: the second run frees what the first finalized.
    for (let time = 0; time < 2; time += 1) {
      globalThis.gc?.();
      await new Promise(setImmediate);
    }
    const { heapUsed, external, rss } = process.memoryUsage();
    return { heldBytes: heapUsed + external, rssBytes: rss };
  },
  () => process.exit(0),
);
