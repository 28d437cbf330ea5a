import { ImapFlow } from 'imapflow';
import { afterAll, beforeAll, describe } from 'vitest';
import { imapMail } from '../../adapters/imap/mail.ts';
import { writtenToPromises } from '../contracts/written-to.ts';
import { casesOf } from '../only-long.ts';
import { COURIER_PROGRAMS, startCourier } from '../servers/courier.ts';
import { CYRUS_PROGRAMS, startCyrus } from '../servers/cyrus.ts';
import { startDovecot } from '../servers/dovecot.ts';
import { imapMailbox } from '../servers/imap-mailbox.ts';
import { addressOf, PASSWORD } from '../servers/mail-users.ts';
import { missingServers, titled } from '../servers/missing-servers.ts';

interface ImapServer {
  readonly port: number;
  addUser(): string | Promise<string>;
  stop(): Promise<void>;
}

const SERVERS: readonly (readonly [
  name: string,
  programs: readonly string[],
  start: () => Promise<ImapServer>,
])[] = [
  ['Dovecot', [], () => startDovecot()],
  [
    'Dovecot without special-use attributes or folders',
    [],
    () => startDovecot({ specialUse: false, folders: [] }),
  ],
  ['Dovecot with all folders below the inbox', [], () => startDovecot({ prefix: 'INBOX.' })],
  ['Cyrus', CYRUS_PROGRAMS, () => startCyrus()],
  ['Courier', COURIER_PROGRAMS, startCourier],
];

/** Those that differ most. */
const IN_GATE = ['Dovecot without special-use attributes or folders', 'Courier'];

for (const [name, programs, start] of casesOf('written to: servers', SERVERS, ([name]) =>
  IN_GATE.includes(name),
)) {
  describe.skipIf(missingServers(programs).length > 0)(titled(name, programs), () => {
    let server: ImapServer;
    beforeAll(async () => {
      server = await start();
    });
    afterAll(() => server?.stop());

    writtenToPromises(name, async () => {
      const user = await server.addUser();
      const mail = imapMail({ allowPrivateServers: true });
      const imap = {
        host: '127.0.0.1',
        port: server.port,
        security: 'none',
        user: addressOf(user),
        pass: PASSWORD,
      } as const;
      return {
        mail,
        email: addressOf(user),
        settings: { imap, smtp: imap },
        deliver: (path, raw) => imapMailbox(server.port, user).deliver(path, raw),
        createFolder: (folder) => createFolder(server.port, user, folder),
        close: () => mail.close(),
      };
    });
  });
}

async function createFolder(port: number, user: string, name: string): Promise<string> {
  const auth = { user: addressOf(user), pass: PASSWORD };
  const client = new ImapFlow({ host: '127.0.0.1', port, doSTARTTLS: false, auth, logger: false });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.mailboxCreate(name)).path;
  } finally {
    client.close();
  }
}
