import { Buffer } from 'node:buffer';
import { ImapFlow } from 'imapflow';
import { addressOf, PASSWORD } from './mail-users.ts';

/** Acts on a mailbox like another program, with a new connection each time. */
export interface ImapMailbox {
  /** Saves a message unchanged. */
  deliver(path: string, raw: string | Uint8Array, options?: { receivedAt?: Date }): Promise<void>;
  /** The messages of a folder as stored, oldest first. */
  messages(path: string): Promise<string[]>;
  /** Keywords of each message in a folder, oldest first. */
  keywords(path: string): Promise<string[][]>;
}

/** @param port  of a plain-text server on the loopback interface */
export function imapMailbox(port: number, user: string, pass = PASSWORD): ImapMailbox {
  async function connected<T>(work: (client: ImapFlow) => Promise<T>): Promise<T> {
    const client = new ImapFlow({
      host: '127.0.0.1',
      port,
      doSTARTTLS: false,
      auth: { user: addressOf(user), pass },
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
        const { exists } = await client.mailboxOpen(path, { readOnly: true });
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
