import { once } from 'node:events';
import net from 'node:net';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Dovecot } from './dovecot.ts';
import { addressOf } from './mail-users.ts';

/**
 * Delivers messages to a user's inbox over one LMTP connection, one after the other.
 * @param onDelivered  called after each message that Dovecot accepted, with its index
 * @throws Error if Dovecot did not accept a message. It may have saved that one.
 */
export async function deliverByLmtp(
  { folder }: Pick<Dovecot, 'folder'>,
  user: string,
  raws: readonly string[],
  onDelivered: (index: number) => void,
): Promise<void> {
  const socket = net.connect(`${folder}/run/lmtp`);
  await once(socket, 'connect');
  const connection = new SMTPConnection({ lmtp: true, connection: socket, ignoreTLS: true });
  const failed = once(connection, 'error').then(([error]) => {
    throw error;
  });
  // Each step below reports it.
  failed.catch(() => undefined);
  const step = (start: (done: (error?: Error | null) => void) => void) =>
    Promise.race([
      failed,
      new Promise<void>((resolve, reject) => start((error) => (error ? reject(error) : resolve()))),
    ]);
  const envelope = { from: 'maya@mail.example', to: [addressOf(user)] };
  try {
    await step((done) => connection.connect(done));
    for (const [index, raw] of raws.entries()) {
      await step((done) => connection.send({ ...envelope }, raw, done));
      onDelivered(index);
    }
  } finally {
    connection.close();
  }
}
