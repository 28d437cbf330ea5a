import type { z } from 'zod';
import { caldavCalendar } from '../../../adapters/caldav/calendar.ts';
import type { CaldavSettings } from '../../../adapters/caldav/settings.ts';
import { imapMail } from '../../../adapters/imap/mail.ts';
import type { ImapSettings } from '../../../adapters/imap/settings.ts';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import { httpsSender } from '../../../adapters/webhooks/https-sender.ts';
import type { Modes } from '../../../core/keys/permissions.ts';
import { createService } from '../../../hosts/embedded/countersign.ts';
import { signedIn } from '../../hosts/sign-in/open-sign-in-host.ts';
import type { Dovecot } from '../../servers/dovecot.ts';
import { addressOf, PASSWORD } from '../../servers/mail-users.ts';
import type { Postfix } from '../../servers/postfix.ts';
import { sessionToken } from '../../session-token.ts';
import { benchReader } from './bench-reader.ts';
import type { BundledServer } from './bundled-server.ts';
import type { strangersAnswer } from './child-messages.ts';
import { HOSTILE_DOCUMENTS } from './hostile-documents.ts';
import { HOSTILE_MAILS, HOSTILE_TEXTS, mailOf, SHOWN_CHARS } from './hostile-mail.ts';
import { settingsOf } from './mail-settings.ts';
import { type Letter, seedFolder } from './maildir.ts';
import { NO_LIMITS } from './no-limits.ts';

/** Owners of a running server whose mail, documents, calendars and servers are strangers'. */
export interface StrangersScene {
  /** API keys. The mailbox holds the hostile mails, newest first: those of a shape, then those with a text. */
  readonly mail: string;
  readonly documents: string;
  /** Keys of accounts with an ordinary mailbox and a hostile calendar. */
  readonly calendars: readonly string[];
  /** Keys of accounts of which one server behaves oddly. */
  readonly oddImap: readonly string[];
  readonly oddSmtp: readonly string[];
  readonly oddCaldav: readonly string[];
  /** The access token of an assistant, and the cookie of a browser, that belong to the owner of the hostile mails. */
  readonly accessToken: string;
  readonly cookie: string;
}

/** Whom the accounts with an odd SMTP server have written to before, so that a message to them is sent at once. */
export const KNOWN = 'known@other.example';

type AccountSettings = ImapSettings & CaldavSettings;

const RECEIVED_S = Date.parse('2026-11-20T12:00:00Z') / 1000;
const OWNER_PASSWORD = 'correct horse battery';
const BOUNDARY = 'document-boundary';

/** Adds the owners to the server's database from this process, as the command line does. */
export async function openStrangers(
  { baseUrl, dashboardUrl, mcpUrl }: BundledServer,
  { file, secretKey }: { readonly file: string; readonly secretKey: Buffer },
  { dovecot, postfix }: { readonly dovecot: Dovecot; readonly postfix: Postfix },
  strangers: z.infer<typeof strangersAnswer>,
): Promise<StrangersScene> {
  const reader = benchReader();
  const service = createService({
    storage: sqliteStorage({ file }),
    // Odd servers let nobody connect an account.
    mail: { ...imapMail({ allowPrivateServers: true }), verify: async () => undefined },
    calendar: caldavCalendar({ reader, allowPrivateServers: true }),
    reader,
    webhookSender: httpsSender({ allowPrivateTargets: ['localhost'] }),
    secretKeys: [secretKey],
    ...{ baseUrl, dashboardUrl, mcpUrl, limits: NO_LIMITS },
  });

  async function owner(modes: Partial<Modes> = {}) {
    const user = dovecot.addUser();
    const email = addressOf(user);
    const { ownerId } = await service.owners.create({ email, password: OWNER_PASSWORD });
    const { apiKey, keyId } = await service.keys.create({ ownerId, name: 'bench', preset: 'full', modes });
    const connect = (settings: AccountSettings) => service.accounts.connect({ ownerId, email, settings });
    return { user, email, ownerId, apiKey, keyId, connect };
  }
  const usual = (email: string): AccountSettings => settingsOf(email, dovecot.port, postfix.port);

  /** An owner for each of the ports, with these settings. */
  async function each(
    ports: Readonly<Record<string, number>>,
    settings: (email: string, port: number) => AccountSettings,
    { modes = {}, isWatched = false }: { modes?: Partial<Modes>; isWatched?: boolean } = {},
  ): Promise<string[]> {
    const opened = Object.values(ports).map(async (port) => {
      const one = await owner(modes);
      const { ownerId, email } = one;
      const given = settings(email, port);
      seedFolder(dovecot, one.user, 'Sent', lettersOf([writtenTo(email)]));
      // The server visits the inbox of an owner with an endpoint.
      const url = 'https://localhost:1/';
      if (isWatched) await service.webhooks.add({ ownerId, keyId: one.keyId, url });
      // To connect an account reads its folders; a mailbox that behaves oddly takes its place afterwards.
      const { accountId } = await one.connect({ ...given, imap: usual(email).imap });
      if (given.imap.port !== dovecot.port) {
        await service.accounts.changeSettings({ ownerId, accountId, settings: given });
      }
      return one.apiKey;
    });
    return Promise.all(opened);
  }

  try {
    const mail = await owner();
    seedFolder(dovecot, mail.user, 'INBOX', lettersOf(hostileMails()));
    await mail.connect(usual(mail.email));
    const documents = await owner();
    seedFolder(dovecot, documents.user, 'INBOX', lettersOf(hostileDocuments()));
    await documents.connect(usual(documents.email));
    const withCalendar = (email: string, port: number): AccountSettings => {
      const caldav = { url: `http://127.0.0.1:${port}/`, user: email, pass: PASSWORD };
      return { ...usual(email), caldav };
    };
    const from = { address: '192.0.2.1', device: undefined, browser: 'bench', proofKey: null };
    const session = await service.sessions.signIn({ email: mail.email, password: OWNER_PASSWORD, ...from });
    const assistant = await signedIn({ service, mcpUrl, ownerId: mail.ownerId });
    return {
      mail: mail.apiKey,
      documents: documents.apiKey,
      calendars: await each(strangers.calendars, withCalendar),
      oddImap: await each(strangers.imap, (email, port) => settingsOf(email, port, postfix.port), {
        isWatched: true,
      }),
      oddSmtp: await each(strangers.smtp, (email, port) => settingsOf(email, dovecot.port, port), {
        modes: { 'mail:send': 'direct' },
      }),
      oddCaldav: await each(strangers.caldav, withCalendar),
      accessToken: assistant.access_token,
      cookie: `countersign-${new URL(dashboardUrl).port}=${sessionToken(session)}`,
    };
  } finally {
    await service.stop();
  }
}

function lettersOf(raws: readonly Buffer[]): Letter[] {
  return raws.map((raw, index) => ({ raw, receivedS: RECEIVED_S + index, seen: false }));
}

function hostileMails(): Buffer[] {
  const texts = Object.values(HOSTILE_TEXTS).map((make) => mailOf(make(SHOWN_CHARS)));
  return [...texts, ...Object.values(HOSTILE_MAILS).map((make) => make())];
}

function hostileDocuments(): Buffer[] {
  return Object.entries(HOSTILE_DOCUMENTS).map(([name, make]) => {
    const encoded = Buffer.from(make()).toString('base64').replaceAll(/.{76}/g, '$&\r\n');
    return Buffer.from(
      `Content-Type: multipart/mixed; boundary=${BOUNDARY}\r\n\r\n--${BOUNDARY}\r\n\r\nText\r\n` +
        `--${BOUNDARY}\r\nContent-Type: application/octet-stream; name=${name}\r\n` +
        `Content-Disposition: attachment; filename=${name}\r\nContent-Transfer-Encoding: base64\r\n\r\n` +
        `${encoded}\r\n--${BOUNDARY}--\r\n`,
    );
  });
}

function writtenTo(email: string): Buffer {
  return Buffer.from(
    `From: ${email}\r\nTo: ${KNOWN}\r\nSubject: Hello\r\nMessage-ID: <written@other.example>\r\n\r\nHello.\r\n`,
  );
}
