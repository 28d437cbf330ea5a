import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresStorage } from '../../../adapters/postgres/storage.ts';
import { inlineReader } from '../../../adapters/reader/inline-reader.ts';
import { sandboxMail } from '../../../adapters/sandbox/mail.ts';
import { httpsSender } from '../../../adapters/webhooks/https-sender.ts';
import { createService } from '../../../hosts/embedded/countersign.ts';
import { roundsByHand } from '../../rounds-by-hand.ts';
import { titledWithout } from '../../servers/missing-servers.ts';
import { missingPostgres, type Postgres, startPostgres } from '../../servers/postgres.ts';
import { until } from '../../until.ts';
import { interceptStatements } from './intercepted.ts';

const missing = missingPostgres();

describe.skipIf(missing.length > 0)(titledWithout(missing, 'background work on Postgres'), () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());

  it('takes at most two round trips a job when nothing is to be done', async () => {
    const connectionString = await postgres.createDatabase();
    const running = new Set<string>();
    const { clock, rounds } = roundsByHand();
    const service = createService({
      storage: postgresStorage({ connectionString }),
      mail: sandboxMail(),
      reader: inlineReader(),
      secretKeys: [randomBytes(32)],
      ...{ baseUrl: 'http://127.0.0.1:1', dashboardUrl: 'http://127.0.0.1:2' },
      webhookSender: httpsSender(),
      clock,
      workObserver: {
        began(name) {
          running.add(name);
          names.push(name);
          return () => running.delete(name);
        },
      },
    });
    const names: string[] = [];
    const email = 'owner@example.org';
    const { ownerId } = await service.owners.create({ email });
    await service.accounts.connect({ ownerId, email, settings: {} });
    await service.keys.create({ ownerId, name: 'agent', preset: 'full' });
    const ended = () => until(() => running.size === 0);
    service.start();
    await ended();
    // What a start does once is done.
    for (const round of rounds) round();
    await ended();

    const trips = countRoundTrips();
    const found: Record<string, number> = {};
    for (const round of rounds) {
      const before = trips.count();
      names.length = 0;
      round();
      await ended();
      for (const name of names) found[name] = trips.count() - before;
    }
    trips.stop();
    await service.stop();
    expect(Object.keys(found).length).toBeGreaterThanOrEqual(8);
    expect(Object.entries(found).filter(([, count]) => count > 2)).toEqual([]);
  });
});

/** Statements that a connection sends while an earlier one is still unanswered belong to the same round trip. */
function countRoundTrips() {
  const unanswered = new Map<pg.Client, number>();
  let count = 0;
  const stop = interceptStatements((client, _statement, ask) => {
    const before = unanswered.get(client) ?? 0;
    if (before === 0) count += 1;
    unanswered.set(client, before + 1);
    const answered = () => unanswered.set(client, (unanswered.get(client) ?? 1) - 1);
    const answer = Promise.resolve(ask());
    answer.then(answered, answered);
    return answer;
  });
  return { count: () => count, stop };
}
