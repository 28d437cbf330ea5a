import * as z from 'zod';
import { imapMail } from '../../../adapters/imap/mail.ts';
import { postgresStorage } from '../../../adapters/postgres/storage.ts';
import { inlineReader } from '../../../adapters/reader/inline-reader.ts';
import { httpsSender } from '../../../adapters/webhooks/https-sender.ts';
import type { Log } from '../../../core/ports/log.ts';
import { createService } from '../../../hosts/embedded/countersign.ts';
import { sqliteOnClock } from '../../store-clock.ts';

/** What every process of the soak of new mail needs to open the same service. */
export const newMailScene = z.object({
  /** An SQLite file, or a connection string of Postgres. */
  database: z.string(),
  /** The certificate of the webhook receiver. */
  ca: z.string(),
  /** How far the store's clock is ahead. SQLite only. */
  storeAheadMs: z.number(),
});

export type NewMailScene = z.infer<typeof newMailScene>;

/** Shorter than the time between two renewals, so that two processes also take the inbox from each other. */
const LEASE_MS = 2000;
const SECRET_KEY = new Uint8Array(32).fill(7);

/** @param log  receives warnings and errors */
export function openNewMailScene({ database, ca, storeAheadMs }: NewMailScene, log: Log['warn']) {
  const storage = database.startsWith('postgres:')
    ? postgresStorage({ connectionString: database })
    : sqliteOnClock(database, () => Date.now() + storeAheadMs);
  const service = createService({
    storage,
    mail: imapMail({ allowPrivateServers: true }),
    reader: inlineReader(),
    webhookSender: httpsSender({ allowPrivateTargets: ['localhost'], ca }),
    log: { info: () => undefined, warn: log, error: log },
    secretKeys: [SECRET_KEY],
    baseUrl: 'http://127.0.0.1:8787',
    dashboardUrl: 'http://127.0.0.1:8788',
    limits: { callsPerMinute: 1_000_000, callsPerDay: 100_000_000 },
    leaseMs: LEASE_MS,
  });
  return { storage, service };
}
