import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../../adapters/postgres/database.ts';
import { postgresStore } from '../../../adapters/postgres/store.ts';
import { sandboxMail } from '../../../adapters/sandbox/mail.ts';
import { openDatabase as openFile, storeNowMs } from '../../../adapters/sqlite/database.ts';
import { sqliteStore } from '../../../adapters/sqlite/store.ts';
import { httpsSender } from '../../../adapters/webhooks/https-sender.ts';
import { appendedEvent } from '../../../core/events/event-storage.ts';
import { eventId } from '../../../core/secrets/record-ids.ts';
import { createStorage } from '../../../core/service/create-storage.ts';
import { createService } from '../../../hosts/embedded/countersign.ts';
import { answerParent } from './answer-parent.ts';
import { benchReader } from './bench-reader.ts';
import { type DeliveriesAnswer, deliveriesQuestion } from './deliveries.ts';
import { NO_LIMITS } from './no-limits.ts';

/** Countersign in a separate process: stores events and delivers each to several endpoints. */

const OWNERS = 4;
/** With 4 attempts at a time per endpoint, 16 endpoints are enough for 64 in flight. */
const ENDPOINTS = 4;
/** Events per unit: a quarter of what one unit stores of a burst of new mail. */
const EVENTS_AT_ONCE = 25;
const SAMPLE_MS = 50;

let fanOut: Awaited<ReturnType<typeof open>> | undefined;

answerParent(
  async (asked): Promise<DeliveriesAnswer> => {
    const { port, ca, database, count } = deliveriesQuestion.parse(asked);
    fanOut ??= await open(port, ca, database);
    return fanOut.deliver(count);
  },
  () => {
    (fanOut?.stop() ?? Promise.resolve()).then(() => process.exit(0), console.error);
  },
);

async function open(port: number, ca: string, database: string | null) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-fan-out-'));
  const store =
    database === null
      ? sqliteStore(openFile(join(folder, 'countersign.db')), storeNowMs)
      : postgresStore(openDatabase(database));
  const storage = createStorage(store, randomBytes);
  let ended = 0;
  let peakBytes = 0;
  let wake = (): void => {};
  let whenEnded = { count: 0, resolve: (): void => {} };
  const service = createService({
    storage: {
      ...storage,
      async moveDeliveries(request) {
        const answer = await storage.moveDeliveries(request);
        ended += request.ends.length;
        if (ended >= whenEnded.count) whenEnded.resolve();
        return answer;
      },
      onEvent(listener) {
        wake = listener;
        return storage.onEvent(listener);
      },
    },
    mail: sandboxMail(),
    reader: benchReader(),
    webhookSender: httpsSender({ allowPrivateTargets: ['localhost'], ca }),
    secretKeys: [randomBytes(32)],
    baseUrl: 'http://127.0.0.1:1',
    dashboardUrl: 'http://127.0.0.1:2',
    limits: NO_LIMITS,
  });
  const ownerIds: string[] = [];
  for (let owner = 1; owner <= OWNERS; owner += 1) {
    const { ownerId } = await service.owners.create({ email: `owner${owner}@example.org` });
    const { keyId } = await service.keys.create({ ownerId, name: 'bench', preset: 'full' });
    for (let n = 1; n <= ENDPOINTS; n += 1) {
      await service.webhooks.add({ ownerId, keyId, url: `https://localhost:${port}/${n}` });
    }
    ownerIds.push(ownerId);
  }
  service.start();

  return {
    async deliver(count: number): Promise<DeliveriesAnswer> {
      ended = 0;
      peakBytes = 0;
      const allEnded = new Promise<void>((resolve) => {
        whenEnded = { count, resolve };
      });
      const sampling = setInterval(() => {
        peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
      }, SAMPLE_MS);
      const began = performance.now();
      const content = {
        type: 'approval.decided',
        data: { approval_id: `apr_${'a'.repeat(22)}`, state: 'approved', account_id: 1 },
      } as const;
      for (let written = 0; written < count; written += OWNERS * EVENTS_AT_ONCE * ENDPOINTS) {
        await Promise.all(
          ownerIds.map((ownerId) =>
            store.apply(
              ownerId,
              Array.from({ length: EVENTS_AT_ONCE }, () => {
                const id = eventId(randomBytes);
                const event = { ...content, id, credentialId: null, createdAt: new Date() };
                return appendedEvent(ownerId, event);
              }),
            ),
          ),
        );
        // As the verbs of storage do that write events.
        wake();
      }
      await allEnded;
      const tookS = (performance.now() - began) / 1000;
      clearInterval(sampling);
      return { perS: count / tookS, rssBytes: Math.max(peakBytes, process.memoryUsage.rss()) };
    },
    async stop(): Promise<void> {
      await service.stop();
      rmSync(folder, { recursive: true });
    },
  };
}
