import { afterAll, beforeAll, describe } from 'vitest';
import { postgresStorage } from '../../adapters/postgres/storage.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { titledWithout } from '../servers/missing-servers.ts';
import { type MovableDatabases, movableDatabases } from '../servers/movable-databases.ts';
import { missingPostgres, type Postgres, startPostgres } from '../servers/postgres.ts';
import { keepIn } from './door.ts';
import { everyToolCheck } from './every-tool-check.ts';

// The contract does not depend on the store.

const missing = missingPostgres();
let postgres: Postgres;
let databases: MovableDatabases;

keepIn(async (clock) => {
  const database = await databases.take();
  const { shift } = clock;
  let moved = database.passTime(clock.now().getTime() - Date.now());
  clock.shift = (ms) => {
    shift(ms);
    moved = moved.then(() => database.passTime(ms));
  };
  const storage = postgresStorage({ connectionString: database.connectionString });
  return new Proxy(storage, {
    get(_target, name: keyof Storage) {
      if (name === 'close') {
        return async () => {
          await storage.close();
          await moved;
          await database.giveBack();
        };
      }
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
    databases = movableDatabases(postgres);
  });
  afterAll(async () => {
    await databases?.drop();
    await postgres?.stop();
  });
  await everyToolCheck();
});
