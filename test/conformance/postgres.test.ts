import { afterAll, beforeAll, describe } from 'vitest';
import { postgresStorage } from '../../adapters/postgres/storage.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { titledWithout } from '../servers/missing-servers.ts';
import { onMovableClock, passTime } from '../servers/movable-clock.ts';
import { missingPostgres, type Postgres, startPostgres } from '../servers/postgres.ts';
import { keepIn } from './door.ts';
import { everyToolCheck } from './every-tool-check.ts';

// The contract does not depend on the store.

const missing = missingPostgres();
let postgres: Postgres;
const made: string[] = [];

keepIn(async (clock) => {
  const database = await postgres.createDatabase();
  made.push(database);
  const connectionString = await onMovableClock(database);
  const { shift } = clock;
  let moved = passTime(connectionString, clock.now().getTime() - Date.now());
  clock.shift = (ms) => {
    shift(ms);
    moved = moved.then(() => passTime(connectionString, ms));
  };
  const storage = postgresStorage({ connectionString });
  return new Proxy(storage, {
    get(_target, name: keyof Storage) {
      const verb = storage[name] as ((...args: unknown[]) => Promise<unknown>) | undefined;
      // Awaiting the store reads its `then`.
      if (verb === undefined) return undefined;
      // These return at once: a function that removes the listener.
      if (name === 'onApprovalChange' || name === 'onEvent') return verb;
      return async (...args: unknown[]) => {
        await moved;
        return verb(...args);
      };
    },
  });
});

describe.skipIf(missing.length > 0)(titledWithout(missing, 'On Postgres, the same checks'), async () => {
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(async () => {
    for (const url of made) await postgres.dropDatabase(url);
    await postgres?.stop();
  });
  await everyToolCheck();
});
