import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MIGRATIONS, type Migration, migrate } from '../../../adapters/postgres/migrations.ts';
import { postgresStorage } from '../../../adapters/postgres/storage.ts';
import { BASELINE } from '../../../adapters/sql/schema.ts';
import { errorName } from '../../../core/ports/log.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { addFullOwner } from '../../contracts/storage/full-owner.ts';
import {
  addOwner,
  addOwnerAndKey,
  approve,
  ask,
  at,
  DONE,
  LEASE_MS,
  NOON,
  run,
  SIGNER,
  settle,
  start,
} from '../../contracts/storage/scene.ts';
import { addTracker } from '../../contracts/storage/trackers.ts';
import { leased } from '../../contracts/storage/watch-scene.ts';
import { USUAL_ROLES } from '../../folder-roles.ts';
import { sizeOf } from '../../only-long.ts';
import { bundleForChild } from '../../run-typescript.ts';
import { titledWithout } from '../../servers/missing-servers.ts';
import { asked, missingPostgres, type Postgres, startPostgres } from '../../servers/postgres.ts';
import { until } from '../../until.ts';
import { interceptStatements } from './intercepted.ts';

const ROUNDS = sizeOf('openers: rounds', 5, 2);

const missing = missingPostgres();

describe.skipIf(missing.length > 0)(titledWithout(missing, 'a Postgres database'), () => {
  let postgres: Postgres;
  let url: string;
  let storage: Storage;
  /** Another program on the same database. */
  let other: pg.Client;
  /** With the newest schema, and without rows. */
  let prepared: string;
  beforeAll(async () => {
    postgres = await startPostgres();
    prepared = await postgres.createDatabase();
    await migrate(prepared);
  });
  afterAll(() => postgres?.stop());
  beforeEach(async () => {
    url = await postgres.createDatabase(prepared);
    storage = postgresStorage({ connectionString: url });
    other = new pg.Client({ connectionString: url });
    await other.connect();
  });
  afterEach(async () => {
    await other.end();
    await storage.close();
    await postgres.dropDatabase(url);
  });

  const unavailable = { code: 'temporarily_unavailable' };
  const version = async () =>
    (await other.query<{ version: number }>('SELECT version FROM countersign.schema_version')).rows;
  /** Waits until a verb waits for a lock. */
  const aVerbWaits = () =>
    until(async () => {
      const waiting =
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
      return (await other.query(waiting)).rows.length > 0;
    });
  const lock = async (ownerId: string) => {
    await other.query('BEGIN');
    await other.query('SELECT 1 FROM countersign.owners WHERE owner_id = $1 FOR UPDATE', [ownerId]);
  };

  describe('and its schema', () => {
    beforeEach(() => other.query('DROP SCHEMA countersign CASCADE'));

    it('are prepared once, by several processes that start at once', async () => {
      const bundle = await bundleForChild(join(import.meta.dirname, 'opener.ts'), 'bundle');
      for (let round = 0; round < ROUNDS; round++) {
        await other.query('DROP SCHEMA IF EXISTS countersign CASCADE');
        const openers = Array.from({ length: 4 }, () =>
          spawn(process.execPath, [bundle, url], { stdio: ['ignore', 'inherit', 'inherit'] }),
        );
        await Promise.all(openers.map((child) => once(child, 'exit')));
        expect(openers.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
      }
      expect(await version()).toEqual([{ version: BASELINE + MIGRATIONS.length }]);
    });

    it('are upgraded once, whoever comes first, and entirely or not at all', async () => {
      await addOwnerAndKey(storage);
      const later: Migration[] = [
        'ALTER TABLE countersign.owners ADD COLUMN later TEXT',
        async (client) => {
          await client.query("UPDATE countersign.owners SET later = coalesce(later, '') || 'once'");
        },
      ];
      await expect(migrate(url, [...later, 'not SQL'])).rejects.toThrow('syntax error');
      expect(await version()).toEqual([{ version: BASELINE }]);
      await Promise.all([migrate(url, later), migrate(url, later)]);
      expect(await version()).toEqual([{ version: BASELINE + 2 }]);
      expect((await other.query('SELECT later FROM countersign.owners')).rows).toEqual([{ later: 'once' }]);
    });

    const newest = BASELINE + MIGRATIONS.length;
    it.each([
      [newest + 1, `and this program knows versions up to ${newest}.`],
      [33, `from before the first release, and this program reads versions from ${BASELINE} on.`],
    ])('are left alone if their version is %i', async (written, why) => {
      const { ownerId } = await addOwnerAndKey(storage);
      await other.query('UPDATE countersign.schema_version SET version = $1', [written]);
      const refused = postgresStorage({ connectionString: url });
      const refusal = `it has schema version ${written}, ${why}`;
      await expect(refused.healthy()).rejects.toThrow(refusal);
      await expect(refused.owner(ownerId)).rejects.toThrow(refusal);
      expect(await version()).toEqual([{ version: written }]);
      await refused.close();
    });

    it('are not created beside those of another program', async () => {
      await other.query('CREATE SCHEMA countersign; CREATE TABLE countersign.owners (theirs text)');
      await expect(storage.healthy()).rejects.toThrow('belongs to another program');
      expect((await other.query('SELECT * FROM countersign.owners')).rows).toEqual([]);
    });

    it('share the database with the tables of another program', async () => {
      await other.query('CREATE TABLE public.owners (mine text); CREATE TABLE public.events (mine text)');
      await addOwnerAndKey(storage);
      expect((await other.query('SELECT * FROM public.owners')).rows).toEqual([]);
    });

    it('need no right to create a schema if it already exists for the role', async () => {
      const role = `role_${new URL(url).pathname.slice(1)}`;
      await other.query(
        `CREATE ROLE ${role} LOGIN PASSWORD 'p'; CREATE SCHEMA countersign AUTHORIZATION ${role}`,
      );
      const theirs = new URL(url);
      [theirs.username, theirs.password] = [role, 'p'];
      const limited = postgresStorage({ connectionString: theirs.href });
      await addOwnerAndKey(limited);
      await limited.close();
      await other.query(`DROP SCHEMA countersign CASCADE; DROP ROLE ${role}`);
    });

    it('key every table by its owner first, except the directory, the streams of events and the link of the first run', async () => {
      await storage.healthy();
      const { rows } = await other.query<{ table: string; column: string }>(`
        SELECT DISTINCT c.relname AS table, a.attname AS column
        FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
        WHERE i.indisunique AND c.relnamespace = 'countersign'::regnamespace AND a.attname <> 'owner_id'
        ORDER BY 1, 2`);
      expect(rows).toEqual([
        { table: 'event_streams', column: 'type' },
        { table: 'events', column: 'type' },
        { table: 'owners', column: 'email_folded' },
        { table: 'owners', column: 'passkey_handle' },
        { table: 'password_tries', column: 'row_number' },
        { table: 'removed_owners', column: 'owner_hash' },
        { table: 'secrets', column: 'secret_hash' },
        { table: 'sessions', column: 'token_hash' },
        { table: 'setup_link', column: 'only_row' },
      ]);
    });
  });

  describe('that cannot be used', () => {
    it('is unavailable, not empty, and is used once it is back', async () => {
      const nowhere = new URL(url);
      nowhere.pathname = `${nowhere.pathname}_later`;
      const early = postgresStorage({ connectionString: nowhere.href });
      await expect(early.owners({ after: '', limit: 10 })).rejects.toMatchObject(unavailable);
      await other.query(`CREATE DATABASE ${nowhere.pathname.slice(1)}`);
      expect(await early.owners({ after: '', limit: 10 })).toEqual([]);
      await early.close();
      await postgres.dropDatabase(nowhere.href);
    });

    it('never shows its password', async () => {
      const password = 'a-password-of-its-own';
      const unreachable = new URL(url);
      [unreachable.password, unreachable.port] = [password, '1'];
      const refused = new URL(url);
      refused.password = password;
      for (const wrong of [unreachable.href, refused.href, `postgres://u:${password}@[x`]) {
        const failing = async () => {
          const store = postgresStorage({ connectionString: wrong });
          try {
            await store.healthy();
          } finally {
            await store.close();
          }
        };
        const error: unknown = await failing().catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(Error);
        for (let one = error; one instanceof Error; one = one.cause) {
          expect(`${one.stack} ${JSON.stringify(one)}`).not.toContain(password);
        }
      }
      expect(() => postgresStorage({ connectionString: '' })).toThrow('is missing');
      expect(() => postgresStorage({ connectionString: 'postgres://u:p@[x' })).toThrow('cannot be read');
    });

    it('is unavailable if another session locks an owner for too long', async () => {
      const { ownerId } = await addOwnerAndKey(storage);
      await lock(ownerId);
      const error: unknown = await storage
        .setPassword(ownerId, 'hash', SIGNER)
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ ...unavailable, cause: { code: '55P03' } });
      expect(errorName(error)).toMatchObject({ code: unavailable.code, statement: 'lock_owner' });
      await other.query('ROLLBACK');
      expect(await storage.setPassword(ownerId, 'hash', SIGNER)).toBe(true);
    });

    it('names the statement that failed to whoever logs the error', async () => {
      const { ownerId } = await addOwnerAndKey(storage);
      await other.query('ALTER TABLE countersign.owners RENAME TO gone');
      const error: unknown = await storage.owner(ownerId).catch((thrown: unknown) => thrown);
      expect(errorName(error)).toEqual({ error: 'error', code: '42P01', statement: 'owners_by_owner_id' });
    });
  });

  describe('a transaction', () => {
    it('runs again if Postgres rolled it back', async () => {
      const { ownerId } = await addOwnerAndKey(storage);
      const account = { ownerId, label: 'l', email: 'l@x.org', signature: '', now: NOON };
      const { accountId } = await storage.addAccount({
        ...account,
        seal: () => 'sealed',
        folderRoles: USUAL_ROLES,
      });
      await addTracker(storage, ownerId);
      for (let isVerbEnded = false; !isVerbEnded; ) {
        const [inbox] = await leased(storage, ownerId);
        await other.query('BEGIN; UPDATE countersign.inbox_leases SET fence = fence');
        const releasing = storage.releaseInboxes(ownerId, new Map([[accountId, inbox?.fence ?? 0]]));
        await aVerbWaits();
        // Each now waits for a lock of the other. Postgres ends the one that has waited for a second: error 40P01. The verb
        // began first, but if the machine was slow, nobody waited for it when its second was over.
        isVerbEnded = await other.query('SELECT 1 FROM countersign.owners FOR UPDATE; COMMIT').then(
          () => true,
          async (error: pg.DatabaseError) => {
            expect(error.code).toBe('40P01');
            await other.query('ROLLBACK');
            return false;
          },
        );
        await releasing;
      }
      const { rows } = await other.query('SELECT lease_until_ms FROM countersign.inbox_leases');
      expect(rows).toEqual([{ lease_until_ms: '0' }]);
    });

    it('without an answer to its commit throws, and does not run again', async () => {
      const { ownerId } = await addOwnerAndKey(storage);
      const account = { ownerId, label: 'l', email: 'l@x.org', signature: '', now: NOON };
      let commits = 0;
      const restore = interceptStatements((_client, statement, ask) => {
        const answer = ask();
        if (statement !== 'COMMIT') return answer;
        commits += 1;
        return Promise.resolve(answer).then(() => {
          throw new Error('Connection terminated unexpectedly');
        });
      });
      const adding = storage.addAccount({ ...account, seal: () => 'sealed', folderRoles: USUAL_ROLES });
      await expect(adding).rejects.toMatchObject(unavailable);
      restore();
      expect(commits).toBe(1);
      expect(await storage.accounts(ownerId)).toHaveLength(1);
    });

    it("is on disk before it resolves if it is durable, whatever the database's settings", async () => {
      const key = await addOwnerAndKey(storage);
      // Each transaction records its own level.
      await other.query(`
        CREATE TABLE public.levels (level text);
        CREATE FUNCTION public.note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          INSERT INTO public.levels VALUES (TG_TABLE_NAME || ' ' || current_setting('synchronous_commit'));
          RETURN NULL;
        END $$;
        CREATE TRIGGER noted AFTER INSERT OR UPDATE ON countersign.approvals EXECUTE FUNCTION public.note();
        CREATE TRIGGER noted AFTER INSERT ON countersign.claims EXECUTE FUNCTION public.note();
        ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = off`);
      const fast = postgresStorage({ connectionString: url });
      await fast.claim({ ...key, key: 'k', fingerprint: 'f', leaseMs: LEASE_MS, now: NOON });
      const approval = await run(fast, key);
      expect(await start(fast, approval)).toBe(true);
      await fast.close();
      const { rows } = await other.query<{ level: string }>('SELECT level FROM public.levels');
      expect(rows.map(({ level }) => level)).toEqual(['claims off', 'approvals on', 'approvals on']);
    });
  });

  it('prepares its statements, in transactions and alone', async () => {
    const { ownerId } = await addOwnerAndKey(storage);
    const names: unknown[] = [];
    const restore = interceptStatements((_client, statement, ask) => {
      names.push(
        typeof statement === 'object' && statement !== null && 'name' in statement && statement.name,
      );
      return ask();
    });
    await storage.knownRecipients(ownerId, 1, ['a@x.org']);
    await storage.rememberRecipients(ownerId, 1, ['a@x.org'], NOON);
    restore();
    const prepared = names.filter((name) => typeof name === 'string');
    // A read, a lock and four writes; a begin and a commit are not.
    expect([prepared.length, names.length]).toEqual([6, 8]);
  });

  describe('an owner', () => {
    it('is locked by one transaction, and its leases start when the wait ends', async () => {
      const key = await addOwnerAndKey(storage);
      await lock(key.ownerId);
      const filing = run(storage, key, { leaseMs: 0 });
      await aVerbWaits();
      const { rows } = await other.query<{ ms: string }>(
        'SELECT ceil(extract(epoch FROM clock_timestamp()) * 1000) AS ms',
      );
      // A millisecond passes on the server's clock.
      await other.query('DO $$ BEGIN PERFORM pg_sleep(0.002); END $$');
      await other.query('COMMIT');
      expect((await filing).leaseUntilMs).toBeGreaterThanOrEqual(Number(rows[0]?.ms));
    });

    it('that is locked does not delay the due work of others', async () => {
      const [busy, free] = [await addOwnerAndKey(storage), await addOwnerAndKey(storage)];
      const [of, and] = [await ask(storage, busy), await ask(storage, free)];
      const late = at(25 * 3_600_000);
      await lock(busy.ownerId);
      expect(await storage.expire(late)).toBe(1);
      expect((await storage.approval(free.ownerId, and.id))?.state).toBe('expired');
      expect((await storage.approval(busy.ownerId, of.id))?.state).toBe('pending');
      const waiting = storage.expire(late);
      await aVerbWaits();
      await other.query('COMMIT');
      expect(await waiting).toBe(1);
    });
  });

  describe('keeps', () => {
    it('texts that no index accepts, and a NUL as the character that a page shows for it', async () => {
      const ownerId = await addOwner(storage);
      const long = Array.from({ length: 20_000 }, (_, n) =>
        String.fromCharCode(33 + ((n * n * 7919) % 90)),
      ).join('');
      const address = `${long}@x.org`;
      await storage.rememberRecipients(ownerId, 1, [address, address], NOON);
      const known = await storage.knownRecipients(ownerId, 1, [address, 'a@x.org']);
      expect([...known.keys()]).toEqual([address]);
      const key = { calendar: long, uid: long, recurrenceId: long };
      const keys = [key, { ...key, uid: 'u' }, key, { ...key, recurrenceId: null }];
      expect(await storage.eventNumbers(ownerId, 1, keys)).toEqual([1, 2, 1, 3]);
      expect(await storage.event(ownerId, 1)).toEqual({ accountId: 1, key });
      const tracker = { ownerId, requestId: 'r', keywords: '', dueOn: null, addedByAgent: true, now: NOON };
      await storage.createTracker({ ...tracker, title: 'a\0b' });
      const query = { ownerId, state: 'active', before: undefined, limit: 1 } as const;
      expect((await storage.trackers(query)).trackers).toMatchObject([{ title: 'a\u{FFFD}b' }]);
    });

    it('nothing in its tables of an account that was removed', async () => {
      const { ownerId } = await addOwnerAndKey(storage);
      const account = { ownerId, label: 'A label', email: 'w@leaves.example', signature: 'S', now: NOON };
      const { accountId } = await storage.addAccount({
        ...account,
        seal: () => 'sealed-settings',
        folderRoles: USUAL_ROLES,
      });
      await storage.rememberRecipients(ownerId, accountId, ['known@leaves.example'], NOON);
      const held = async () => {
        const tables = ['accounts', 'known_recipients', 'known_domains', 'known_domain_keys'];
        const rows = tables.map((table) => asked(url, `SELECT * FROM countersign.${table}`));
        return (await Promise.all(rows)).map(({ length }) => length > 0);
      };
      expect(await held()).toEqual([true, true, true, true]);
      await storage.removeAccount({ ownerId, accountId, targetsBegin: 'none', now: NOON });
      expect(await held()).toEqual([false, false, false, false]);
    });

    it('nothing of an owner who was removed, except the hash of the id', async () => {
      const { key, running } = await addFullOwner(storage, 'one');
      await settle(storage, running, DONE);
      const tables = await asked(
        url,
        "SELECT table_name AS name FROM information_schema.columns WHERE table_schema = 'countersign' AND column_name = 'owner_id'",
      );
      const counts = async () => {
        const rows = await Promise.all(
          tables.map(({ name }) => asked(url, `SELECT count(*)::int AS n FROM countersign.${String(name)}`)),
        );
        return rows.map(([row]) => Number(row?.n));
      };
      expect(tables.length).toBeGreaterThan(20);
      expect((await counts()).filter((count) => count > 0).length).toBeGreaterThan(15);
      await storage.removeOwner(key.ownerId);
      expect(await counts()).toEqual(tables.map(() => 0));
      expect(await asked(url, 'SELECT * FROM countersign.removed_owners')).toHaveLength(1);
    });

    it('targets while their approval is pending', async () => {
      const key = await addOwnerAndKey(storage);
      const waiting = await ask(storage, key, { targets: ['a', 'b'] });
      const kept = async () =>
        (await asked(url, 'SELECT target FROM countersign.waiting_targets ORDER BY 1')).map(
          ({ target }) => target,
        );
      expect(await kept()).toEqual(['a', 'b']);
      await approve(storage, waiting);
      expect(await kept()).toEqual([]);
    });

    it('no row that this program does not understand: the error names the column, not the value', async () => {
      const key = await addOwnerAndKey(storage);
      const approval = await run(storage, key);
      await other.query("UPDATE countersign.approvals SET state = 'of the future'");
      await expect(storage.approval(key.ownerId, approval.id)).rejects.toThrow(
        /^The column state .*(?<!future)$/,
      );
      await other.query(
        'UPDATE countersign.owners SET created_at_ms = 0, active_account_id = 9007199254740993',
      );
      await expect(storage.owner(key.ownerId)).rejects.toThrow(/active_account_id/);
    });
  });
});
