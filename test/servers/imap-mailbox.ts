import { Buffer } from 'node:buffer';
import { ImapFlow } from 'imapflow';
import { addressOf, PASSWORD } from './mail-users.ts';

/** What another program does with a mailbox, over a connection of its own each time. */
export interface ImapMailbox {
  /** Saves a message as it is. */
  deliver(path: string, raw: string | Uint8Array, options?: { receivedAt?: Date }): Promise<void>;
  /** The messages of a folder as they lie there, oldest first. */
  messages(path: string): Promise<string[]>;
  /** Keywords of the messages of a folder, oldest first. */
  keywords(path: string): Promise<string[][]>;
}

/** @param port  of a server on the loopback interface that takes plain text */
export function imapMailbox(port: number, user: string): ImapMailbox {
  async function connected<T>(work: (client: ImapFlow) => Promise<T>): Promise<T> {
    const client = new ImapFlow({
      host: '127.0.0.1',
      port,
      doSTARTTLS: false,
      auth: { user: addressOf(user), pass: PASSWORD },
      logger: false,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await work(client);
    } finally {
      client.close();
    }
  }

  return {
    deliver: (path, raw, { receivedAt } = {}) =>
      connected(async (client) => {
        await client.append(path, Buffer.from(raw), [], receivedAt);
      }),
    messages: (path) =>
      connected(async (client) => {
        const { exists } = await client.mailboxOpen(path);
        const messages = exists === 0 ? [] : await client.fetchAll('1:*', { source: true });
        return messages.map(({ source }) => source?.toString('utf8') ?? '');
      }),
    keywords: (path) =>
      connected(async (client) => {
        const { exists } = await client.mailboxOpen(path);
        const messages = exists === 0 ? [] : await client.fetchAll('1:*', { flags: true });
        return messages.map(({ flags = new Set<string>() }) =>
          [...flags].filter((flag) => !flag.startsWith('\\')),
        );
      }),
  };
}
