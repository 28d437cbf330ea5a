import { ImapFlow } from 'imapflow';
import type { Dovecot } from '../../servers/dovecot.ts';
import { addressOf, PASSWORD } from '../../servers/mail-users.ts';

/**
 * Dovecot announces what happened in the half second after a change together. What a session does itself counts as a
 * change too, so a message soon after another one is announced early to some sessions.
 */
export const REST_MS = 1_200;
export const LETTER = Buffer.from('From: ada@example.org\r\nSubject: new\r\n\r\nText\r\n');

/** Signs in with imapflow alone: the reference for new mail, and the client that delivers it. */
export async function bareClient(dovecot: Dovecot, user: string): Promise<ImapFlow> {
  const client = new ImapFlow({
    host: '127.0.0.1',
    port: dovecot.port,
    doSTARTTLS: false,
    auth: { user: addressOf(user), pass: PASSWORD },
    logger: false,
    disableAutoIdle: true,
  });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
