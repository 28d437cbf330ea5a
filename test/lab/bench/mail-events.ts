import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { ImapFlow } from 'imapflow';
import { imapMail } from '../../../adapters/imap/mail.ts';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import { httpsSender } from '../../../adapters/webhooks/https-sender.ts';
import { createService } from '../../../hosts/embedded/countersign.ts';
import { makeCertificate } from '../../servers/certificate.ts';
import type { Dovecot } from '../../servers/dovecot.ts';
import { addressOf } from '../../servers/mail-users.ts';
import { bareClient, LETTER, REST_MS } from './bare-client.ts';
import { benchReader } from './bench-reader.ts';
import { settingsOf } from './mail-settings.ts';
import { NO_LIMITS } from './no-limits.ts';
import { median } from './rounds.ts';
import type { Row } from './table.ts';

/** Per mailbox. */
const DELIVERIES = 16;

/**
 * From a delivery in Dovecot to the request at the receiver of its webhook, against bare imapflow's `exists` event for the
 * same delivery. Deliveries alternate between two mailboxes: in one, imapflow opened the inbox first; in the other, the
 * watch did.
 */
export async function mailEvents(dovecot: Dovecot): Promise<Row[]> {
  const receiver = await startReceiver();
  const owners = await startOwners(dovecot, receiver);
  const clients: ImapFlow[] = [];
  const open = async (user: string) => {
    const client = await bareClient(dovecot, user);
    clients.push(client);
    return client;
  };
  const announcing = async (user: string) => {
    const client = await open(user);
    await client.mailboxOpen('INBOX');
    void client.idle();
    return client;
  };
  try {
    const first = dovecot.addUser();
    const second = dovecot.addUser();
    const bareOfFirst = await announcing(first);
    const boxes = [];
    for (const user of [first, second]) {
      const path = await owners.add(user);
      const sender = await open(user);
      // The watch has started when its first event arrives.
      const started = receiver.next(path);
      await sender.append('INBOX', LETTER);
      await started;
      boxes.push({ path, sender, bare: user === first ? bareOfFirst : await announcing(user) });
    }
    const reference: number[] = [];
    const ours: number[] = [];
    const later: number[] = [];
    for (let round = 0; round < DELIVERIES; round += 1) {
      for (const { path, sender, bare } of boxes) {
        await setTimeout(REST_MS / boxes.length);
        const announced = once(bare, 'exists').then(() => performance.now());
        const received = receiver.next(path);
        await sender.append('INBOX', LETTER);
        const deliveredMs = performance.now();
        const announcedMs = await announced;
        const receivedMs = await received;
        reference.push(announcedMs - deliveredMs);
        ours.push(receivedMs - deliveredMs);
        later.push(receivedMs - announcedMs);
      }
    }
    return [
      {
        name: `a delivered message reaches the webhook's receiver; reference: exists of imapflow (median of ${later.length})`,
        unit: 'ms',
        ours: median(ours),
        reference: median(reference),
      },
      {
        name: '  later than exists, per delivery',
        unit: 'ms',
        ours: median(later),
        bound: { most: 50 },
      },
    ];
  } finally {
    for (const client of clients) client.close();
    await owners.stop();
    receiver.stop();
  }
}

/** A receiver that answers everything with 204. */
async function startReceiver() {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-receiver-'));
  const { certFile, keyFile } = await makeCertificate(folder);
  const ca = readFileSync(certFile, 'utf8');
  const waiting = new Map<string, (atMs: number) => void>();
  const server = createServer({ cert: ca, key: readFileSync(keyFile) }, (request, response) => {
    waiting.get(request.url ?? '')?.(performance.now());
    request.resume();
    request.once('end', () => response.writeHead(204).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    ca,
    origin: `https://localhost:${(server.address() as AddressInfo).port}`,
    /** Resolves with the time at which the next request to the path arrives. */
    next: (path: string) => new Promise<number>((resolve) => waiting.set(path, resolve)),
    stop() {
      server.closeAllConnections();
      server.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** A service on an SQLite file that watches the inbox of each owner. */
async function startOwners(dovecot: Dovecot, { origin, ca }: { origin: string; ca: string }) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  const service = createService({
    storage: sqliteStorage({ file: join(folder, 'countersign.db') }),
    // Only an account with a sender can be connected; nothing is sent here.
    mail: { ...imapMail({ allowPrivateServers: true }), verify: async () => undefined },
    reader: benchReader(),
    webhookSender: httpsSender({ allowPrivateTargets: ['localhost'], ca }),
    secretKeys: [randomBytes(32)],
    baseUrl: 'http://127.0.0.1:1',
    dashboardUrl: 'http://127.0.0.1:2',
    limits: NO_LIMITS,
  });
  service.start();
  return {
    /** Adds an owner with an account and an endpoint. @returns the path of the endpoint */
    async add(user: string): Promise<string> {
      const email = addressOf(user);
      const { ownerId } = await service.owners.create({ email });
      await service.accounts.connect({ ownerId, email, settings: settingsOf(email, dovecot.port) });
      const { keyId } = await service.keys.create({ ownerId, name: 'bench', preset: 'full' });
      await service.webhooks.add({ ownerId, keyId, url: `${origin}/${user}` });
      return `/${user}`;
    },
    async stop() {
      await service.stop();
      rmSync(folder, { recursive: true });
    },
  };
}
