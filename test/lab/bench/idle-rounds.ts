import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresStorage } from '../../../adapters/postgres/storage.ts';
import { sandboxMail } from '../../../adapters/sandbox/mail.ts';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import { createService } from '../../../hosts/embedded/countersign.ts';
import { roundsByHand } from '../../rounds-by-hand.ts';
import { startPostgres } from '../../servers/postgres.ts';
import { addNinetyDays } from './add-ninety-days.ts';
import { benchReader } from './bench-reader.ts';
import { median } from './rounds.ts';
import type { Row } from './table.ts';

const CALLS = 1_000_000;
const ROUNDS = 30;

/** A round of each background job with nothing to do, with 1,000,000 rows of activity. */
export async function idleRounds(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-idle-'));
  const postgres = await startPostgres();
  try {
    const file = join(folder, 'countersign.db');
    const database = await postgres.createDatabase();
    return [
      ...(await roundsOf('SQLite', sqliteStorage({ file }), file, { most: 1 })),
      ...(await roundsOf('Postgres', postgresStorage({ connectionString: database }), database)),
    ];
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true });
  }
}

async function roundsOf(
  name: string,
  storage: ReturnType<typeof sqliteStorage>,
  database: string,
  bound?: { readonly most: number },
): Promise<Row[]> {
  const { clock, rounds } = roundsByHand();
  const took = new Map<string, number[]>();
  let ended: () => void = () => undefined;
  const service = createService({
    ...{ storage, mail: sandboxMail(), reader: benchReader(), secretKeys: [randomBytes(32)] },
    ...{ baseUrl: 'http://127.0.0.1:2', dashboardUrl: 'http://127.0.0.1:1' },
    clock,
    workObserver: {
      began(job) {
        const before = performance.now();
        return () => {
          took.set(job, [...(took.get(job) ?? []), performance.now() - before]);
          ended();
        };
      },
    },
  });
  const { ownerId } = await service.owners.create({ email: 'owner@example.org' });
  const { keyId } = await service.keys.create({ ownerId, name: 'bench', preset: 'full' });
  const nowMs = Date.now();
  await addNinetyDays(database, { ownerId, keyIds: [keyId, keyId, keyId], nowMs }, CALLS);
  service.start();
  await service.recover();
  for (let n = 0; n < ROUNDS; n++) {
    for (const round of rounds) {
      await new Promise<void>((resolve) => {
        ended = resolve;
        round();
      });
    }
  }
  await service.stop();
  return [
    { name: `A background round with nothing to do, ${CALLS.toLocaleString('en')} rows, ${name}`, unit: '' },
    ...[...took].map(
      ([job, times]): Row => ({
        ...{ name: `  ${job}`, unit: 'ms', ours: median(times.slice(-ROUNDS)) },
        ...(bound && { bound }),
      }),
    ),
  ];
}
