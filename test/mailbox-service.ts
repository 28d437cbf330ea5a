import { randomBytes } from 'node:crypto';
import { imapMail } from '../adapters/imap/mail.ts';
import type { ImapSettings } from '../adapters/imap/settings.ts';
import { inlineReader } from '../adapters/reader/inline-reader.ts';
import type { Outcome } from '../core/call/outcome.ts';
import type { Mode } from '../core/keys/permissions.ts';
import type { AttachmentText } from '../core/ports/attachment-text.ts';
import type { Mail } from '../core/ports/ports.ts';
import { createService } from '../core/service/create-service.ts';
import type { Service } from '../core/service/service.ts';
import { callWith, silentLog, testClock } from './open-service.ts';
import { addressOf, PASSWORD } from './servers/mail-users.ts';
import { sqliteOnClock } from './store-clock.ts';

/** A service with one key and one owner, whose mailbox is on real servers. */
export interface MailboxService {
  readonly service: Service;
  readonly ownerId: string;
  call(tool: string, args?: unknown): Promise<Outcome>;
  /** Returns the ids of the newest messages of a folder, the newest first. */
  ids(folder?: string): Promise<string[]>;
  /** Opens new connections from now on. */
  reconnect(): Promise<void>;
  stop(): Promise<void>;
}

/** Reads every attachment as text. */
const attachmentText: AttachmentText = {
  extract: async ({ bytes }) => ({ kind: 'text', text: Buffer.from(bytes).toString(), cut: false }),
  close: async () => undefined,
};

export async function mailboxService(options: {
  readonly user: string;
  readonly ports: { readonly imap: number; readonly smtp: number };
  /** Of mail:send, mail:manage and mail:organize. */
  readonly mode: Mode;
  /** Addresses that the account has written to. */
  readonly knows?: readonly string[];
  readonly leaseMs?: number;
}): Promise<MailboxService> {
  const { user, ports, mode, knows = [], leaseMs = 30_000 } = options;
  let mail = imapMail({ allowPrivateServers: true });
  const current = new Proxy(mail, { get: (_first, name: keyof Mail) => mail[name] });
  const storage = sqliteOnClock(':memory:', Date.now);
  const service = createService({
    storage,
    mail: current,
    reader: inlineReader(),
    attachmentText,
    clock: testClock(),
    random: (bytes) => randomBytes(bytes),
    log: silentLog,
    secretKeys: [randomBytes(32)],
    baseUrl: 'http://127.0.0.1:8787',
    dashboardUrl: 'http://127.0.0.1:8788',
    limits: { callsPerMinute: 100_000, callsPerDay: 100_000, filedPerDay: 100_000 },
    leaseMs,
  });
  const email = addressOf(user);
  const { ownerId } = await service.owners.create({ email });
  const server = { host: '127.0.0.1', security: 'none', user: email, pass: PASSWORD } as const;
  const settings: ImapSettings = {
    imap: { ...server, port: ports.imap },
    smtp: { ...server, port: ports.smtp },
  };
  const { accountId } = await service.accounts.connect({ ownerId, email, settings });
  await storage.rememberRecipients(ownerId, accountId, [...knows], new Date());
  const modes = { 'mail:send': mode, 'mail:manage': mode, 'mail:organize': mode };
  const { apiKey } = await service.keys.create({ ownerId, name: 'agent', preset: 'full', modes });
  const call = (tool: string, args: unknown = {}) => callWith(service, apiKey, tool, args);
  return {
    service,
    ownerId,
    call,
    async ids(folder = 'inbox') {
      const listed = await call('summarize_inbox', { folder });
      if (listed.status !== 'ok' || !Array.isArray(listed.result.messages))
        throw new Error('nothing was listed');
      return listed.result.messages.map(({ id }: { id: unknown }) => String(id));
    },
    async reconnect() {
      await mail.close();
      mail = imapMail({ allowPrivateServers: true });
    },
    async stop() {
      await service.stop();
      await mail.close();
    },
  };
}
