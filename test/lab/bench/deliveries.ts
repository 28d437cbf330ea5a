import * as z from 'zod';
import { startPostgres } from '../../servers/postgres.ts';
import { startChild } from './child.ts';
import { alternate } from './rounds.ts';
import type { Row } from './table.ts';

const receiverAnswer = z.object({ port: z.int(), ca: z.string() });
export type ReceiverAnswer = z.infer<typeof receiverAnswer>;

export const deliveriesQuestion = receiverAnswer.extend({
  /** The Postgres database to use. Null: an SQLite file, or no database for the bare client. */
  database: z.string().nullable(),
  count: z.int(),
});

const deliveriesAnswer = z.object({ perS: z.number(), rssBytes: z.number() });
export type DeliveriesAnswer = z.infer<typeof deliveriesAnswer>;

export const IN_FLIGHT = 64;
const ROUNDS = 3;
const PER_ROUND = 1600;
/** What piles up during a night offline. */
const QUEUED = 10_000;

/**
 * Webhooks from the stored event to the recorded end of the delivery, against a bare keep-alive client of node:https with
 * the same TLS. On Postgres, that client also does one round trip to the database per delivery.
 */
export async function deliveries(): Promise<Row[]> {
  const rows: Row[] = [];
  const postgres = await startPostgres();
  try {
    for (const place of ['SQLite', 'Postgres'] as const) {
      const database = place === 'SQLite' ? null : await postgres.createDatabase();
      const receiver = startChild('post-receiver');
      const bare = startChild('post-client');
      const ours = startChild('fan-out');
      try {
        const target = { ...(await receiver.ask({}, receiverAnswer)), database };
        const perS = (child: typeof ours) => async () =>
          (await child.ask({ ...target, count: PER_ROUND }, deliveriesAnswer)).perS;
        const compared = await alternate(ROUNDS, perS(bare), perS(ours));
        rows.push({
          name: `webhooks on ${place}, ${IN_FLIGHT} in flight`,
          unit: 'calls/s',
          ...compared,
          bound: { least: 0.3 },
        });
        const before = await ours.ask({ ...target, count: IN_FLIGHT }, deliveriesAnswer);
        const queued = await ours.ask({ ...target, count: QUEUED }, deliveriesAnswer);
        const growth = (queued.rssBytes - before.rssBytes) / 1024 / 1024;
        rows.push({ name: `  ${QUEUED} queued: growth of the process`, unit: 'MB', ours: growth });
      } finally {
        await Promise.all([receiver.stop(), bare.stop(), ours.stop()]);
      }
      if (database !== null) await postgres.dropDatabase(database);
    }
  } finally {
    await postgres.stop();
  }
  return rows;
}
