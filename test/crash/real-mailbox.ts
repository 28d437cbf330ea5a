import type { ImapSettings } from '../../adapters/imap/settings.ts';
import { callWith } from '../open-service.ts';
import type { Dovecot } from '../servers/dovecot.ts';
import { addressOf, PASSWORD } from '../servers/mail-users.ts';
import type { Postfix } from '../servers/postfix.ts';
import type { Found } from './proof.ts';
import type { sceneService } from './scene.ts';

/** An owner with a real mailbox that contains a question, and the sender of that question. */
export interface RealMailbox {
  readonly owner: string;
  readonly asker: string;
  readonly settings: ImapSettings;
  /**
   * Returns what reached the sender and what is in the owner's Sent, once the server has delivered
   * everything.
   */
  look(): Promise<Found>;
}

const SUBJECT = 'Crash proof';

/** @param ports  of the servers, or of proxies in front of them */
export async function realMailbox(
  dovecot: Dovecot,
  postfix: Postfix,
  ports: { imap: number; smtp: number } = { imap: dovecot.port, smtp: postfix.port },
): Promise<RealMailbox> {
  const owner = dovecot.addUser();
  const asker = dovecot.addUser();
  await dovecot.deliver(
    owner,
    [
      `From: Ada <${addressOf(asker)}>`,
      `To: ${addressOf(owner)}`,
      `Subject: ${SUBJECT}`,
      `Message-ID: <question-${owner}@example.test>`,
      'Date: Fri, 20 Nov 2026 10:00:00 +0100',
      '',
      'Once, and only once?',
      '',
    ].join('\r\n'),
  );
  const server = { host: '127.0.0.1', security: 'none', user: addressOf(owner), pass: PASSWORD } as const;
  return {
    owner,
    asker,
    settings: { imap: { ...server, port: ports.imap }, smtp: { ...server, port: ports.smtp } },
    async look() {
      await postfix.delivered();
      const about = (raw: string) => raw.includes(`Subject: Re: ${SUBJECT}`);
      return {
        transmitted: (await dovecot.messages(asker)).filter(about).length,
        inSent: (await dovecot.messages(owner, 'Sent')).filter(about).length,
      };
    },
  };
}

/** Connects the mailbox to a new owner. @returns what a call needs, and the id of the question */
export async function connected(service: ReturnType<typeof sceneService>, box: RealMailbox, direct: boolean) {
  const email = addressOf(box.owner);
  const { ownerId } = await service.owners.create({ email });
  const { accountId } = await service.accounts.connect({ ownerId, email, settings: box.settings });
  const modes = direct ? ({ 'mail:reply': 'direct' } as const) : {};
  const { apiKey } = await service.keys.create({ ownerId, name: 'agent', preset: 'full', modes });
  const listed = await callWith(service, apiKey, 'summarize_inbox');
  if (listed.status !== 'ok' || !Array.isArray(listed.result.messages))
    throw new Error('the inbox was not listed');
  const id = String(listed.result.messages[0]?.id);
  return { ownerId, accountId, apiKey, args: { id, body: 'Once, and only once.' } };
}
