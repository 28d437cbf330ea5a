import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkSchema, migrate } from '../../../adapters/postgres/migrations.ts';
import { postgresStorage } from '../../../adapters/postgres/storage.ts';
import { reasonOf } from '../../../hosts/server/database.ts';
import { addOwner, SIGNER } from '../../contracts/storage/scene.ts';
import { titledWithout } from '../../servers/missing-servers.ts';
import { missingPgBouncer, startPgBouncer } from '../../servers/pgbouncer.ts';
import { asked, missingOwnPostgres, type OwnPostgres, startOwnPostgres } from '../../servers/postgres.ts';
import { until } from '../../until.ts';

const ROLE = 'limited';
const PASSWORD = 'p';
const unavailable = { code: 'temporarily_unavailable' };
const missing = missingOwnPostgres();

/** A database without tables that lacks something. `NAME` is its name. */
const WITHOUT_TABLES: readonly (readonly [lack: string, setup: string, told: string])[] = [
  [
    'the right to create a schema',
    '',
    `The role ${ROLE} may not create a schema. Create it: CREATE SCHEMA countersign AUTHORIZATION ${ROLE}, or allow it: GRANT CREATE ON DATABASE NAME TO ${ROLE}`,
  ],
  [
    'the right to use its schema',
    'CREATE SCHEMA countersign',
    `The role ${ROLE} may not use the schema countersign. Allow it: GRANT USAGE ON SCHEMA countersign TO ${ROLE}`,
  ],
  [
    'the right to create tables',
    `CREATE SCHEMA countersign; GRANT USAGE ON SCHEMA countersign TO ${ROLE}`,
    `The role ${ROLE} may not create tables in the schema countersign. Allow it: GRANT CREATE ON SCHEMA countersign TO ${ROLE}`,
  ],
  [
    'a version that is new enough',
    // The server's own function is found later.
    `CREATE SCHEMA older; GRANT USAGE ON SCHEMA older TO ${ROLE};
    CREATE FUNCTION older.current_setting(text) RETURNS text LANGUAGE sql AS
      $$ SELECT CASE $1 WHEN 'server_version_num' THEN '120022' ELSE pg_catalog.current_setting($1) END $$;
    ALTER DATABASE NAME SET search_path = older, pg_catalog`,
    'The server is Postgres 12, and Countersign needs 13 or newer. Upgrade the server.',
  ],
];

/** A database with the tables of another role, which the role may read and write, until something is taken. */
const WITH_TABLES: readonly (readonly [lack: string, setup: string, told: string])[] = [
  [
    'the right to use its schema',
    `REVOKE USAGE ON SCHEMA countersign FROM ${ROLE}`,
    `The role ${ROLE} may not use the schema countersign. Allow it: GRANT USAGE ON SCHEMA countersign TO ${ROLE}`,
  ],
  ...['SELECT', 'INSERT', 'UPDATE', 'DELETE'].map(
    (right) =>
      [
        `${right} on a table`,
        `REVOKE ${right} ON countersign.sessions FROM ${ROLE}`,
        `The role ${ROLE} may not read and write the table countersign.sessions. Allow it: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA countersign TO ${ROLE}`,
      ] as const,
  ),
  [
    'references between tables',
    `ALTER DATABASE NAME SET session_replication_role = replica`,
    `session_replication_role is replica, so that what belongs together is not removed together. Set it back: ALTER ROLE ${ROLE} SET session_replication_role = origin`,
  ],
];

describe.skipIf(missing.length > 0)(
  titledWithout(missing, 'a Postgres database that lacks something'),
  () => {
    let postgres: OwnPostgres;
    let prepared: string;
    let url: string;
    beforeAll(async () => {
      postgres = await startOwnPostgres();
      prepared = await postgres.createDatabase();
      await migrate(prepared);
      await asked(prepared, `CREATE ROLE ${ROLE} LOGIN PASSWORD '${PASSWORD}'`);
      await asked(
        prepared,
        `GRANT USAGE ON SCHEMA countersign TO ${ROLE}; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA countersign TO ${ROLE}`,
      );
    });
    afterAll(() => postgres?.stop());
    beforeEach(() => {
      url = '';
    });
    afterEach(async () => {
      if (url !== '') await postgres.dropDatabase(url);
    });

    const nameOf = (of: string) => new URL(of).pathname.slice(1);
    const asLimited = (of: string) => {
      const made = new URL(of);
      [made.username, made.password] = [ROLE, PASSWORD];
      return made.href;
    };
    /** What a storage says at its first use. */
    const firstUse = async (connectionString: string) => {
      const storage = postgresStorage({ connectionString });
      try {
        return await storage.healthy().then(
          () => undefined,
          (error: unknown) => error,
        );
      } finally {
        await storage.close();
      }
    };
    const tables = () =>
      asked(
        url,
        "SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace('countersign') ORDER BY 1",
      );

    async function expectRefused(connectionString: string, told: string): Promise<void> {
      const before = await tables();
      const line = told.replaceAll('NAME', nameOf(url));
      expect(await firstUse(connectionString)).toMatchObject({ message: expect.stringContaining(line) });
      await expect(checkSchema(connectionString)).rejects.toThrow(line);
      expect(await tables()).toEqual(before);
    }

    it.each(WITHOUT_TABLES)('cannot be prepared without %s', async (_lack, setup, told) => {
      url = await postgres.createDatabase();
      await asked(url, setup.replaceAll('NAME', nameOf(url)));
      await expectRefused(asLimited(url), told);
    });

    it.each(WITH_TABLES)('cannot be used without %s', async (_lack, setup, told) => {
      url = await postgres.createDatabase(prepared);
      await asked(url, setup.replaceAll('NAME', nameOf(url)));
      await expectRefused(asLimited(url), told);
    });

    it('is not upgraded by a role that does not own its tables', async () => {
      url = await postgres.createDatabase(prepared);
      await asked(url, `GRANT CREATE ON SCHEMA countersign TO ${ROLE}`);
      await expect(migrate(asLimited(url), ['SELECT 1'])).rejects.toThrow(
        `The tables are of an earlier version, and the role ${ROLE} may not change countersign.account_health, which belongs to another role.`,
      );
    });

    it('is used by a role that owns nothing in it, and does no more than read and write', async () => {
      url = await postgres.createDatabase(prepared);
      const storage = postgresStorage({ connectionString: asLimited(url) });
      await storage.removeOwner(await addOwner(storage));
      await storage.close();
      expect(await checkSchema(asLimited(url))).toBe(true);
    });

    it.each(['LATIN1', 'SQL_ASCII'])('is not used with the encoding %s', async (encoding) => {
      const name = `of_${encoding.toLowerCase()}`;
      await asked(prepared, `CREATE DATABASE ${name} ENCODING '${encoding}' LOCALE 'C' TEMPLATE template0`);
      const made = new URL(prepared);
      made.pathname = `/${name}`;
      url = made.href;
      await expectRefused(
        url,
        `The encoding of the database is ${encoding}, which cannot store every character.`,
      );
    });

    it('is prepared once by several at once, and used, whatever the settings of its statements', async () => {
      url = await postgres.createDatabase();
      for (const setting of [
        'default_transaction_isolation = serializable',
        'standard_conforming_strings = off',
        'transform_null_equals = on',
        'plan_cache_mode = force_generic_plan',
        "search_path = ''",
      ]) {
        await asked(url, `ALTER DATABASE ${nameOf(url)} SET ${setting}`);
      }
      await Promise.all([1, 2, 3].map(() => migrate(url)));
      const storage = postgresStorage({ connectionString: url });
      await storage.removeOwner(await addOwner(storage));
      await storage.close();
    });

    it('is prepared however long that takes, although its statements may not take long', async () => {
      url = await postgres.createDatabase();
      await asked(
        url,
        `CREATE FUNCTION public.no_limit() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
        ASSERT current_setting('statement_timeout') = '0'; END $$;
      CREATE EVENT TRIGGER no_limit ON ddl_command_end EXECUTE FUNCTION public.no_limit();
      ALTER DATABASE ${nameOf(url)} SET statement_timeout = '1h'`,
      );
      await migrate(url);
      expect(await checkSchema(url)).toBe(true);
    });

    const noPooler = missingPgBouncer();
    describe.skipIf(noPooler.length > 0)(titledWithout(noPooler, 'behind pgbouncer'), () => {
      it.each([true, false])(
        'in statement mode is refused, with tables or without: %s',
        async (hasTables) => {
          url = await postgres.createDatabase(hasTables ? prepared : undefined);
          const pooler = await startPgBouncer(url, 'SELECT 1', 'statement');
          await expectRefused(pooler.through(url), 'A pooler before the server allows no transactions');
          await pooler.stop();
        },
      );

      it('in session mode is used', async () => {
        url = await postgres.createDatabase();
        const pooler = await startPgBouncer(url, 'SELECT 1', 'session');
        const storage = postgresStorage({ connectionString: pooler.through(url) });
        await storage.removeOwner(await addOwner(storage));
        await storage.close();
        await pooler.stop();
      });
    });

    it('is unavailable while it is set to be read only, and used afterwards', async () => {
      url = await postgres.createDatabase(prepared);
      await asked(url, `ALTER DATABASE ${nameOf(url)} SET default_transaction_read_only = on`);
      const early = postgresStorage({ connectionString: asLimited(url) });
      const refused: unknown = await early.healthy().catch((error: unknown) => error);
      expect(refused).toMatchObject(unavailable);
      const told = `default_transaction_read_only is on. Turn it off: ALTER ROLE ${ROLE} SET default_transaction_read_only = off`;
      expect(reasonOf(refused)).toContain(told);
      await expect(checkSchema(asLimited(url))).rejects.toThrow(told);
      await asked(url.replace(nameOf(url), 'postgres'), told.slice(told.indexOf('ALTER')));
      await early.healthy();
      await early.close();
    });

    // The last one: it changes the server.
    it('is unavailable while its server is a standby, and is used once that is the primary', async () => {
      url = await postgres.createDatabase(prepared);
      const running = postgresStorage({ connectionString: url });
      const ownerId = await addOwner(running);
      await postgres.restartAsStandby();
      // The pool closes its lost connections.
      await until(() =>
        running.healthy().then(
          () => true,
          () => false,
        ),
      );
      expect(await running.owner(ownerId)).toBeDefined();
      await expect(running.setPassword(ownerId, 'hash', SIGNER)).rejects.toMatchObject({
        ...unavailable,
        cause: { code: '25006' },
      });
      const late = postgresStorage({ connectionString: url });
      const refused: unknown = await late.owner(ownerId).catch((error: unknown) => error);
      expect(refused).toMatchObject(unavailable);
      expect(reasonOf(refused)).toBe(
        'The server is a standby, which can only be read. Write the address of the primary.',
      );
      await expect(checkSchema(url)).rejects.toThrow('is a standby');

      expect(await asked(url, 'SELECT pg_promote() AS done')).toEqual([{ done: true }]);
      for (const storage of [running, late]) {
        expect(await storage.setPassword(ownerId, 'hash', SIGNER)).toBe(true);
        await storage.close();
      }
    });
  },
);
