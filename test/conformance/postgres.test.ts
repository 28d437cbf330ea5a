import { afterAll, beforeAll, describe } from 'vitest';
import { postgresStorage } from '../../adapters/postgres/storage.ts';
import { titledWithout } from '../servers/missing-servers.ts';
import { missingPostgres, type Postgres, startPostgres } from '../servers/postgres.ts';
import { keepIn } from './door.ts';
import { everyToolCheck } from './every-tool-check.ts';

// What is promised does not depend on where it is kept.

const missing = missingPostgres();
let postgres: Postgres;
const made: string[] = [];

keepIn(async () => {
  const connectionString = await postgres.createDatabase();
  made.push(connectionString);
  return postgresStorage({ connectionString });
});

describe.skipIf(missing.length > 0)(titledWithout(missing, 'Kept in Postgres, the same'), async () => {
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(async () => {
    for (const url of made) await postgres.dropDatabase(url);
    await postgres?.stop();
  });
  await everyToolCheck();
});
