import { ImapFlow } from 'imapflow';
import { imapMail } from '../../../adapters/imap/mail.ts';
import { mailReader } from '../../../core/accounts/mail-reader.ts';
import { readingOf } from '../../../core/accounts/read-message.ts';
import type { MessageRow } from '../../../core/mail/message-row.ts';
import { parseMessage } from '../../../core/mime/parse.ts';
import type { MailCall } from '../../../core/ports/mail.ts';
import { systemClock } from '../../../hosts/embedded/system-clock.ts';
import type { Dovecot } from '../../servers/dovecot.ts';
import { addressOf, PASSWORD } from '../../servers/mail-users.ts';
import { startProxy } from '../../servers/proxy.ts';
import { benchReader } from './bench-reader.ts';
import { settingsOf } from './mail-settings.ts';
import { seedInbox } from './maildir.ts';
import { alternate, medianMs } from './rounds.ts';
import { serviceFor } from './service-for.ts';
import type { Row } from './table.ts';

const MESSAGES = 10_000;
const PAGE = 20;
const ROUNDS = 15;
const CALLS_A_ROUND = 20;

/** A list and a message from a large inbox on Dovecot, against bare imapflow on a selected folder. */
export async function mailbox(dovecot: Dovecot): Promise<Row[]> {
  const user = seedInbox(dovecot, MESSAGES);
  const email = addressOf(user);
  const bare = await bareClient(dovecot.port, email);
  const mail = imapMail({ allowPrivateServers: true });
  const settings = settingsOf(email, dovecot.port);
  // Each call has its own signal, as in core.
  const call = (): MailCall => ({
    account: { ownerId: 'bench', accountId: 1, email, settings: async () => settings },
    signal: new AbortController().signal,
    deadlineMs: 30_000,
  });
  const page = { path: 'INBOX', unread: false, order: 'uid', limit: PAGE, after: undefined } as const;
  const rounds = (reference: (time: number) => Promise<unknown>, ours: (time: number) => Promise<unknown>) =>
    alternate(
      ROUNDS,
      () => medianMs(CALLS_A_ROUND, reference),
      () => medianMs(CALLS_A_ROUND, ours),
    );

  const bareList = async () => {
    const query = { uid: true, flags: true, envelope: true, internalDate: true, size: true };
    const rows = await bare.fetchAll(`${MESSAGES - PAGE + 1}:*`, query);
    if (rows.length !== PAGE) throw new Error(`imapflow listed ${rows.length} messages`);
  };
  const { rows } = await mailReader(mail, systemClock).list(call(), page);
  const message = (time: number): MessageRow => {
    const row = rows[time % rows.length];
    if (row === undefined) throw new Error('the list is empty');
    return row;
  };
  const bareMessage = async (time: number) => {
    const fetched = await bare.fetchOne(String(message(time).place.uid), { source: true }, { uid: true });
    if (fetched === false || fetched.source === undefined) throw new Error('imapflow gave no message');
    await parseMessage(fetched.source);
  };

  const reader = benchReader();
  const readMessage = async (time: number) => {
    const { source } = await mail.read(call(), message(time).place);
    const input = { source, window: { from: 0, most: 50_000 } };
    const { kind } = await reader.read('message', input, readingOf(call()));
    if (kind !== 'read') throw new Error('the message was not read');
  };

  const service = await serviceFor(email, settings);
  const ids = await service.ids();
  try {
    return [
      {
        name: `list of ${PAGE} of ${MESSAGES}, Mail port against bare imapflow`,
        unit: 'ms',
        ...(await rounds(bareList, () => mail.list(call(), page))),
        bound: { most: 1.3 },
      },
      {
        name: '  the whole call',
        unit: 'ms',
        ...(await rounds(bareList, () => service.call('summarize_inbox'))),
        // At least 0.9 of bare imapflow.
        bound: { most: 1.11 },
      },
      {
        name: 'message, Mail port and reader against bare imapflow and parsing',
        unit: 'ms',
        ...(await rounds(bareMessage, readMessage)),
        bound: { most: 1.5 },
      },
      {
        name: '  the whole call',
        unit: 'ms',
        ...(await rounds(bareMessage, (time) => service.call('get_email', { id: ids[time % ids.length] }))),
        // At least 0.6.
        bound: { most: 1.67 },
      },
      ...(await commandsOfSecondCall(dovecot, email)),
    ];
  } finally {
    await service.stop();
    await mail.close();
    await reader.close();
    bare.close();
  }
}

async function bareClient(port: number, user: string): Promise<ImapFlow> {
  const client = new ImapFlow({
    host: '127.0.0.1',
    port,
    doSTARTTLS: false,
    auth: { user, pass: PASSWORD },
    logger: false,
    disableAutoIdle: true,
  });
  await client.connect();
  await client.mailboxOpen('INBOX');
  return client;
}

/** The commands the server receives when the same folder is requested again. */
async function commandsOfSecondCall(dovecot: Dovecot, email: string): Promise<Row[]> {
  const proxy = await startProxy('imap', dovecot.port);
  const service = await serviceFor(email, settingsOf(email, proxy.port));
  try {
    const [id] = await service.ids();
    await service.call('get_email', { id });
    const rows: Row[] = [];
    for (const [tool, args] of [
      ['summarize_inbox', {}],
      ['get_email', { id }],
    ] as const) {
      void proxy.script();
      await service.call(tool, args);
      const { commands } = proxy;
      const count = (names: readonly string[]) => commands.filter((name) => names.includes(name)).length;
      const name = `${tool} again: ${commands.join(', ')}`;
      rows.push({
        name: `${name}; SELECTs`,
        unit: '',
        ours: count(['SELECT', 'EXAMINE']),
        bound: { most: 0 },
      });
      rows.push({
        name: '  connections',
        unit: '',
        ours: count(['LOGIN', 'AUTHENTICATE']),
        bound: { most: 0 },
      });
    }
    return rows;
  } finally {
    await service.stop();
    await proxy.stop();
  }
}
