import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSettings } from '../../../core/accounts/mail-call.ts';
import { createKeyring } from '../../../core/secrets/keyring.ts';
import { SEALED_COLUMNS } from '../../../hosts/server/upkeep/sealed-columns.ts';
import { callWith } from '../../open-service.ts';
import { bundleForChild } from '../../run-typescript.ts';
import { titledWithout } from '../../servers/missing-servers.ts';
import { asked } from '../../servers/postgres.ts';
import { buildCli, type Cli } from './cli-process.ts';
import { type DatabaseKind, databaseKinds, fileOf } from './database-kinds.ts';
import { type Filled, fillDatabase, openStored, sealEverything } from './stored-scene.ts';

const [OLD, NEW] = [randomBytes(32), randomBytes(32)];

/** The characters that follow from the id of a key, at the start of what it sealed. */
function markOf(key: Uint8Array): string {
  const [id = ''] = createKeyring([key], randomBytes).keyIds;
  return Buffer.from(id, 'hex').toString('base64url').slice(0, 5);
}

/** Columns with ids of messages, which agents keep, and which cannot be renewed. */
const WITH_IDS = ['activity.listed', 'activity.shown', 'approvals.result', 'events.data'];

let cli: Cli;
let child: string;
const { sqliteKind, postgresKind, stop } = databaseKinds(() => cli.folder);
beforeAll(async () => {
  [cli, child] = await Promise.all([
    buildCli(),
    bundleForChild(join(import.meta.dirname, 'rotation-process.ts')),
  ]);
});
afterAll(async () => {
  cli?.remove();
  await stop();
});

type Rows = readonly Readonly<Record<string, unknown>>[];

interface Kind extends DatabaseKind {
  query(url: string, sql: string): Promise<Rows>;
  /** Names each column of a text, as `table_name` and `column_name`. */
  readonly columns: string;
  readonly schema: string;
}

const KINDS: readonly Kind[] = [
  {
    ...sqliteKind,
    async query(url, sql) {
      const db = new SqliteDatabase(fileOf(url), { readonly: true });
      const rows = db.prepare<[], Record<string, unknown>>(sql).all();
      db.close();
      return rows;
    },
    columns: `SELECT m.name AS table_name, c.name AS column_name FROM sqlite_schema m, pragma_table_info(m.name) c
      WHERE m.type = 'table' AND c.type = 'TEXT'`,
    schema: '',
  },
  {
    ...postgresKind,
    query: (url, sql) => asked(url, sql),
    columns: `SELECT table_name, column_name FROM information_schema.columns
      WHERE table_schema = 'countersign' AND data_type = 'text'`,
    schema: 'countersign.',
  },
];

describe.each(KINDS)('$name', ({ missing, createUrl, open, query, columns, schema }) => {
  describe.skipIf(missing.length > 0)(titledWithout(missing, 'a rotated secret key'), () => {
    let url: string;
    let filled: Filled;
    beforeAll(async () => {
      url = await createUrl();
      const storage = open(url);
      filled = await fillDatabase(storage, [OLD]);
      await sealEverything(storage, filled, OLD);
      await filled.service.stop();
    });

    /** The columns with a value that contains the mark, as `table.column`. */
    async function columnsWith(mark: string): Promise<string[]> {
      const all = (await query(url, columns)).map((row) => [String(row.table_name), String(row.column_name)]);
      const selects = all.map(
        ([table, column]) =>
          `SELECT '${table}.${column}' AS column_name, ${column} AS value FROM ${schema}${table}`,
      );
      const marked = (await query(url, selects.join(' UNION ALL '))).filter(({ value }) =>
        String(value).includes(mark),
      );
      const found = [...new Set(marked.map((row) => String(row.column_name)))];
      return found.toSorted();
    }

    const settings = (...keys: readonly Uint8Array[]) => ({
      COUNTERSIGN_DATABASE_URL: url,
      COUNTERSIGN_SECRET_KEY: keys.map((key) => Buffer.from(key).toString('base64')).join(','),
    });

    it('is only needed in the columns of the list', async () => {
      const listed = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`).toSorted();
      const found = (await columnsWith(markOf(OLD))).filter((one) => !WITH_IDS.includes(one));
      expect(found).toEqual(listed);
      const named = (await query(url, columns))
        .map((row) => `${String(row.table_name)}.${String(row.column_name)}`)
        .filter((one) => /\.(\w+_)?(sealed|signature)(_|$)/.test(one) && one !== 'accounts.signature');
      expect(listed).toEqual(expect.arrayContaining(named));
    });

    it('is replaced while the server runs, after a kill in the middle, and can be removed then', async () => {
      const alone = await cli.run(['secrets', 'rotate'], '', settings(OLD));
      expect([alone.code, alone.stderr]).toEqual([1, expect.stringContaining('has only one secret key')]);

      const keys = [NEW, OLD].map((key) => key.toString('base64')).join(',');
      const killed = spawn(process.execPath, [child, url, keys, '6'], {
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      expect(await once(killed, 'exit')).toEqual([null, 'SIGKILL']);
      expect(await columnsWith(markOf(NEW))).toContain('secrets.signature');
      expect(await columnsWith(markOf(OLD))).toContain('accounts.sealed_settings');

      const { ownerId, apiKey, waiting } = filled;
      const running = openStored(open(url), [NEW, OLD]);
      running.service.start();
      const { code, stdout, stderr } = await cli.run(['secrets', 'rotate', '--json'], '', settings(NEW, OLD));
      expect([code, stderr]).toEqual([0, '']);
      expect(JSON.parse(stdout)).toMatchObject({ left: {}, old_keys_needed: false });
      await running.service.stop();
      expect((await columnsWith(markOf(OLD))).filter((one) => !WITH_IDS.includes(one))).toEqual([]);

      const again = await cli.run(['secrets', 'rotate', '--json'], '', settings(NEW, OLD));
      expect(JSON.parse(again.stdout)).toMatchObject({ renewed: 0, old_keys_needed: false });
      const backup = join(cli.folder, `rotated-${schema}backup`);
      expect(await cli.run(['backup', backup, '--json'], '', settings(NEW))).toMatchObject({ code: 0 });

      const storage = open(url);
      const { service, mail } = openStored(storage, [NEW]);
      expect(await callWith(service, apiKey, 'get_approval', { approval_id: waiting })).toMatchObject({
        approval: { state: 'pending' },
      });
      const [account] = await storage.accounts(ownerId);
      if (account === undefined) throw new Error('the account is gone');
      expect(openSettings(createKeyring([NEW], randomBytes), account)).toEqual({ of: 'the sandbox' });
      const digest = (await storage.approval(ownerId, waiting))?.digest ?? '';
      await service.approvals.approve(ownerId, waiting, digest);
      expect(mail.transmitted()).toMatchObject([{}]);
      await service.stop();
    });

    it('leaves a row that was changed outside Countersign as it is, and says so', async () => {
      const rows = `${schema}credentials WHERE kind = 'pat'`;
      const decided = `${schema}approvals WHERE decision_signature IS NOT NULL`;
      const change = `
        UPDATE ${schema}credentials SET name = 'changed' WHERE kind = 'pat';
        UPDATE ${schema}owners SET password_hash = 'changed', second_step = replace(second_step, '"failures":0', '"failures":1');
        UPDATE ${schema}sessions SET browser = 'changed';
        UPDATE ${schema}approvals SET digest = 'changed' WHERE decision_signature IS NOT NULL`;
      if (schema === '') new SqliteDatabase(fileOf(url)).exec(change).close();
      else await query(url, change);
      const [{ count } = { count: 0 }] = await query(url, `SELECT count(*) AS count FROM ${decided}`);
      const third = randomBytes(32);
      const rotated = await cli.run(['secrets', 'rotate', '--json'], '', settings(third, NEW));
      expect(JSON.parse(rotated.stdout)).toMatchObject({
        left: { credentials: 1, owners: 2, sessions: 1, approvals: Number(count) },
        old_keys_needed: true,
      });
      const [row] = await query(url, `SELECT signature FROM ${rows}`);
      expect(String(row?.signature).startsWith(markOf(NEW))).toBe(true);
    });
  });
});
