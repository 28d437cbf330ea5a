import { Buffer } from 'node:buffer';
import { ImapFlow } from 'imapflow';
import { addressOf, PASSWORD } from './mail-users.ts';

/** Acts on a mailbox like another program, with a new connection each time. */
export interface ImapMailbox {
  /** Saves a message unchanged. */
  deliver(
    path: string,
    raw: string | Uint8Array,
    options?: { receivedAt?: Date; flags?: readonly string[] },
  ): Promise<void>;
  /** The messages of a folder as stored, oldest first. */
  messages(path: string): Promise<string[]>;
  /** Keywords of each message in a folder, oldest first. */
  keywords(path: string): Promise<string[][]>;
  /** Creates a folder, unless it is there. */
  create(path: string): Promise<void>;
  /** Where the messages with this text in their subject are, without what is marked as deleted. */
  stored(subject: string): Promise<StoredMessage[]>;
  /** Erases the messages with this text in their subject from every folder. */
  erase(subject: string): Promise<void>;
}

export interface StoredMessage {
  /** Without the prefix that the server puts before the names of all folders. */
  readonly folder: string;
  /** Flags and keywords, without `\Recent`. */
  readonly flags: readonly string[];
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

  /** Calls the visitor in each folder that has such messages, with their UIDs. */
  async function visited(
    client: ImapFlow,
    subject: string,
    visit: (path: string, uids: number[]) => Promise<unknown>,
  ): Promise<void> {
    for (const { path, flags } of await client.list()) {
      if (flags.has('\\Noselect')) continue;
      await client.mailboxOpen(path);
      const uids = await client.search({ header: { subject } }, { uid: true });
      if (Array.isArray(uids) && uids.length > 0) await visit(path, uids);
    }
  }

  return {
    deliver: (path, raw, { receivedAt, flags = [] } = {}) =>
      connected(async (client) => {
        await client.append(path, Buffer.from(raw), [...flags], receivedAt);
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
    create: (path) =>
      connected(async (client) => {
        const paths = (await client.list()).map((folder) => shortened(folder.path));
        if (!paths.includes(path)) await client.mailboxCreate(path);
      }),
    stored: (subject) =>
      connected(async (client) => {
        const found: StoredMessage[] = [];
        await visited(client, subject, async (path, uids) => {
          const folder = shortened(path);
          for (const { flags = new Set<string>() } of await client.fetchAll(
            uids,
            { flags: true },
            { uid: true },
          )) {
            if (flags.has('\\Deleted')) continue;
            found.push({ folder, flags: [...flags].filter((flag) => flag !== '\\Recent') });
          }
        });
        return found;
      }),
    erase: (subject) =>
      connected((client) =>
        visited(client, subject, (_path, uids) => client.messageDelete(uids, { uid: true })),
      ),
  };
}

/** Without the prefix that the server puts before the names of all folders. */
function shortened(path: string): string {
  return path.replace(/^INBOX\./, '');
}
