import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { SQLITE } from '../../../adapters/sql/dialect.ts';
import { BASELINE } from '../../../adapters/sql/schema.ts';
import { namedTexts } from '../../../adapters/sql/statement-text.ts';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { MIGRATIONS, type Migration, migrate } from '../../../adapters/sqlite/migrations.ts';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import { transactionsOn } from '../../../adapters/sqlite/transactions.ts';
import { ServiceError } from '../../../core/contract/errors.ts';
import { TABLES_OF_OWNERS } from '../../../core/service/all-tables.ts';
import { addFullOwner } from '../../contracts/storage/full-owner.ts';
import {
  addOwnerAndKey,
  approve,
  ask,
  DONE,
  erasing,
  NOON,
  run,
  SIGNER,
  settle,
} from '../../contracts/storage/scene.ts';
import { USUAL_ROLES } from '../../folder-roles.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-sqlite-'));
  onTestFinished(() => rm(folder, { recursive: true }));
});

/** The version that a file says it has. */
function versionOf(file: string): unknown {
  const db = new SqliteDatabase(file, { readonly: true });
  const version = db.pragma('user_version', { simple: true });
  db.close();
  return version;
}

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

describe('the file', () => {
  it('is created for its owner only, together with missing folders', async () => {
    const file = join(folder, 'new', 'deep', 'countersign.db');
    const storage = sqliteStorage({ file });
    await addOwnerAndKey(storage);
    expect(await modeOf(join(folder, 'new'))).toBe('700');
    expect(await modeOf(join(folder, 'new', 'deep'))).toBe('700');
    for (const suffix of ['', '-wal', '-shm']) expect(await modeOf(`${file}${suffix}`)).toBe('600');
    await storage.close();
  });

  it('and its folder keep their modes', async () => {
    const shared = join(folder, 'shared');
    await mkdir(shared, { mode: 0o750 });
    const file = join(shared, 'countersign.db');
    await writeFile(file, '', { mode: 0o640 });
    await sqliteStorage({ file }).close();
    expect([await modeOf(shared), await modeOf(file)]).toEqual(['750', '640']);
  });

  it('is named in the error if it is not a database, and is required', async () => {
    const file = join(folder, 'notes.txt');
    await writeFile(file, 'These are notes, and more than a page header of them. '.repeat(100));
    expect(() => sqliteStorage({ file })).toThrow(file);
    expect(() => sqliteStorage({ file: '' })).toThrow('file');
  });

  it('may be absent: then the store is a separate one in memory', async () => {
    const [one, other] = [sqliteStorage({ file: ':memory:' }), sqliteStorage({ file: ':memory:' })];
    const { ownerId } = await addOwnerAndKey(one);
    expect(await one.owner(ownerId)).toBeDefined();
    expect(await other.owner(ownerId)).toBeUndefined();
    await one.close();
    await other.close();
  });
});

describe('an account that was removed', () => {
  it('leaves nothing of its settings, its name and its recipients in the files', async () => {
    const file = join(folder, 'countersign.db');
    const storage = sqliteStorage({ file });
    const { ownerId } = await addOwnerAndKey(storage);
    const settings = 'sealed-settings-'.repeat(1000);
    const account = {
      ownerId,
      label: 'A label of it',
      email: 'w@work.example',
      signature: 'Its signature',
    };
    const { accountId } = await storage.addAccount({
      ...account,
      seal: () => settings,
      folderRoles: USUAL_ROLES,
      now: NOON,
    });
    await storage.rememberRecipients(ownerId, accountId, ['known@leaves.example'], NOON);
    const held = async () => {
      const files = (await readdir(folder)).map((name) => readFile(join(folder, name), 'latin1'));
      const bytes = (await Promise.all(files)).join('');
      const texts = [
        'sealed-settings-',
        account.label,
        account.email,
        account.signature,
        'known@',
        'leaves.ex',
      ];
      return texts.filter((text) => bytes.includes(text));
    };
    expect(await held()).toHaveLength(6);
    await storage.removeAccount({ ownerId, accountId, targetsBegin: 'none', now: NOON });
    expect(await held()).toEqual([]);
    await storage.close();
  });
});

describe('an owner who was removed', () => {
  const emptied = TABLES_OF_OWNERS.map(({ name }) => name);

  it('loses the rows of every table that has rows of owners', () => {
    const db = openDatabase(':memory:');
    const tables = db
      .prepare<[], { name: string }>(
        `SELECT m.name FROM sqlite_master m WHERE m.type = 'table'
          AND EXISTS (SELECT 1 FROM pragma_table_info(m.name) WHERE name = 'owner_id') ORDER BY m.name`,
      )
      .all()
      .map(({ name }) => name);
    db.close();
    expect(tables).toContain('owners');
    expect(emptied.toSorted()).toEqual(tables);
  });

  it('leaves nothing in the files except the hash of the id', async () => {
    const file = join(folder, 'countersign.db');
    const storage = sqliteStorage({ file });
    const { key, running } = await addFullOwner(storage, 'marked');
    await settle(storage, running, DONE);
    const held = async () => {
      const files = (await readdir(folder)).map((name) => readFile(join(folder, name), 'latin1'));
      const bytes = (await Promise.all(files)).join('');
      return [key.ownerId, 'known-to-marked@x.org', 'apr_waiting', 'sealed plan of'].filter((text) =>
        bytes.includes(text),
      );
    };
    expect(await held()).toHaveLength(4);
    await storage.removeOwner(key.ownerId);
    expect(await held()).toEqual([]);
    await storage.close();
  });
});

describe('the schema', () => {
  it('is created in an empty file, and a current one stays as it is', async () => {
    const file = join(folder, 'countersign.db');
    const first = sqliteStorage({ file });
    const key = await addOwnerAndKey(first);
    const waiting = await ask(first, key);
    await first.close();
    const before = await readFile(file);
    expect(versionOf(file)).toBe(BASELINE + MIGRATIONS.length);
    const again = sqliteStorage({ file });
    expect(await again.approval(key.ownerId, waiting.id)).toEqual(waiting);
    await again.close();
    expect((await readFile(file)).equals(before)).toBe(true);
  });

  it('is upgraded once, whoever comes first, and entirely or not at all', () => {
    const file = join(folder, 'countersign.db');
    const later: Migration[] = [
      'ALTER TABLE owners ADD COLUMN later TEXT',
      (db) => void db.exec("UPDATE owners SET later = coalesce(later, '') || 'once'"),
    ];
    const [one, other] = [openDatabase(file), openDatabase(file)];
    one.exec(`INSERT INTO owners
        (owner_id, email, email_folded, timezone, plan, limits, password_signature, second_step_signature, created_at_ms)
      VALUES ('o', 'o@example.org', 'o@example.org', 'UTC', 'paid', '{}', '', '', 0)`);
    expect(() => migrate(one, [...later, 'not SQL'])).toThrow('syntax error');
    expect(versionOf(file)).toBe(BASELINE);
    for (const db of [one, other]) migrate(db, later);
    expect(versionOf(file)).toBe(BASELINE + 2);
    expect(one.prepare('SELECT later FROM owners').pluck().all()).toEqual(['once']);
    for (const db of [one, other]) db.close();
  });

  const newest = BASELINE + MIGRATIONS.length;
  it.each([
    {
      what: 'of a newer program',
      change: `PRAGMA user_version = ${newest + 1}; CREATE TABLE of_the_newer (x)`,
      refusal: `it has schema version ${newest + 1}, and this program knows versions up to ${newest}.`,
    },
    {
      what: 'from before the first release',
      change: 'PRAGMA user_version = 35; PRAGMA application_id = 0',
      refusal: `it has schema version 35, from before the first release, and this program reads versions from ${BASELINE} on. Start with a new data folder`,
    },
    {
      what: 'of another program',
      change: 'PRAGMA user_version = 7; PRAGMA application_id = 7; PRAGMA journal_mode = DELETE',
      refusal: 'it is not a database of Countersign.',
    },
  ])('$what is refused, and stays as it is', async ({ change, refusal }) => {
    const file = join(folder, 'countersign.db');
    await sqliteStorage({ file }).close();
    const db = new SqliteDatabase(file);
    db.exec(change);
    db.close();
    const before = await readFile(file);
    expect(() => sqliteStorage({ file })).toThrow(`The database ${file} cannot be opened: ${refusal}`);
    expect((await readFile(file)).equals(before)).toBe(true);
  });

  it('has tables that are strict, and keyed by their owner first except the directory', () => {
    const db = openDatabase(':memory:');
    const tables = db
      .prepare<[], { name: string; strict: number }>(
        "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite%'",
      )
      .all();
    const firstKey = db
      .prepare<[string], string>('SELECT name FROM pragma_table_info(?) WHERE pk = 1')
      .pluck();
    const keys = Object.fromEntries(tables.map(({ name }) => [name, firstKey.get(name)]));
    expect(tables.filter(({ strict }) => strict === 0)).toEqual([]);
    const exceptions = Object.entries(keys).filter(([, column]) => column !== 'owner_id');
    expect(exceptions.toSorted()).toEqual([
      ['event_streams', 'type'],
      ['password_tries', 'row_number'],
      ['removed_owners', 'owner_hash'],
      ['secrets', 'secret_hash'],
      ['setup_link', 'only_row'],
    ]);
    db.close();
  });
});

describe('a transaction', () => {
  const opened = () => {
    const db = openDatabase(':memory:');
    onTestFinished(() => {
      db.close();
    });
    return db;
  };

  it('leaves nothing behind if it fails', async () => {
    const db = opened();
    db.exec('CREATE TABLE t (n)');
    const fails = transactionsOn(db).together(() => {
      db.exec('INSERT INTO t VALUES (1)');
      throw new Error('half way');
    });
    await expect(fails()).rejects.toThrow('half way');
    expect(db.prepare('SELECT * FROM t').all()).toEqual([]);
  });

  it('throws temporarily_unavailable, with the cause, if the file cannot be used', async () => {
    const db = opened();
    const { reading, together, durable } = transactionsOn(db, 20);
    for (const code of ['SQLITE_BUSY', 'SQLITE_BUSY_SNAPSHOT', 'SQLITE_FULL', 'SQLITE_IOERR_WRITE']) {
      const cause = new SqliteDatabase.SqliteError('the driver says so', code);
      for (const way of [reading, together, durable]) {
        const verb = way(() => {
          throw cause;
        });
        const error = await verb().catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(ServiceError);
        expect(error).toMatchObject({ code: 'temporarily_unavailable', cause });
      }
    }
    const other = new SqliteDatabase.SqliteError('a mistake of ours', 'SQLITE_CONSTRAINT_NOTNULL');
    const verb = together(() => {
      throw other;
    });
    await expect(verb()).rejects.toBe(other);
  });
});

describe('targets', () => {
  it('are kept while their approval is pending', async () => {
    const file = join(folder, 'countersign.db');
    const storage = sqliteStorage({ file });
    const key = await addOwnerAndKey(storage);
    const waiting = await ask(storage, key, { targets: ['a', 'b'] });
    const db = new SqliteDatabase(file, { readonly: true });
    const kept = db.prepare<[], string>('SELECT target FROM waiting_targets ORDER BY target').pluck();
    expect(kept.all()).toEqual(['a', 'b']);
    await approve(storage, waiting);
    expect(kept.all()).toEqual([]);
    db.close();
    await storage.close();
  });
});

describe('a column that a newer process adds while the store is open', () => {
  it('does not move the columns that this program reads', async () => {
    const file = join(folder, 'countersign.db');
    const storage = sqliteStorage({ file });
    const key = await addOwnerAndKey(storage);
    const waiting = await ask(storage, key);
    const db = new SqliteDatabase(file);
    // Statements read `c.*` and `a.*`, followed by columns of other tables.
    for (const table of ['owners', 'credentials', 'accounts', 'approvals', 'usage']) {
      db.exec(`ALTER TABLE ${table} ADD COLUMN of_the_future TEXT DEFAULT 'paid'`);
    }
    db.close();
    const approved = await approve(storage, waiting);
    expect(approved).toMatchObject({ won: true, approval: { state: 'approved' } });
    await run(storage, key);
    await storage.close();
  });
});

describe('a row that this program does not understand', () => {
  it('throws an error that names the column, not the value', async () => {
    const file = join(folder, 'countersign.db');
    const storage = sqliteStorage({ file });
    const key = await addOwnerAndKey(storage);
    const approval = await run(storage, key);
    const db = new SqliteDatabase(file);
    db.exec("UPDATE approvals SET state = 'of the future'");
    await expect(storage.approval(key.ownerId, approval.id)).rejects.toThrow(
      /^The column state .*(?<!future)$/,
    );
    db.exec("UPDATE approvals SET state = 'approved', error = 'of the future'");
    await expect(storage.approval(key.ownerId, approval.id)).rejects.toThrow(/column error /);
    db.exec("UPDATE credentials SET modes = '{}'");
    await expect(storage.credentials(key.ownerId, SIGNER)).rejects.toThrow(/modes/);
    db.exec('UPDATE owners SET limits = \'{"of the future": 1}\'');
    await expect(storage.owner(key.ownerId)).rejects.toThrow(/limits/);
    db.close();
    await storage.close();
  });
});

it('due deliveries are found without reading those that ended or run', () => {
  const db = openDatabase(':memory:');
  onTestFinished(() => void db.close());
  const text = namedTexts('due_deliveries', SQLITE).join().replaceAll(/@\w+/g, '1');
  const plan = z
    .array(z.object({ detail: z.string() }))
    .parse(db.prepare(`EXPLAIN QUERY PLAN ${text}`).all());
  const reads = plan.map(({ detail }) => detail).filter((detail) => detail.startsWith('SEARCH d '));
  expect(reads).toHaveLength(4);
  for (const detail of reads) expect(detail).toMatch(/endpoint_id=\? AND ready_ms>\? AND ready_ms<\?/);
});

it('the samples that ANALYZE leaves are dropped: with them, each statement is planned again and again', async () => {
  const file = join(folder, 'countersign.db');
  const storage = sqliteStorage({ file });
  const key = await addOwnerAndKey(storage);
  const db = new SqliteDatabase(file);
  const statistics = () =>
    db.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'sqlite_stat%'").pluck();
  db.exec('ANALYZE');
  expect(statistics().all()).toEqual(['sqlite_stat1', 'sqlite_stat4']);
  for (let round = 0; round < 2; round += 1) await storage.erase(erasing());
  expect(statistics().all()).toEqual(['sqlite_stat1']);
  expect(await storage.owner(key.ownerId)).toMatchObject({ ownerId: key.ownerId });
  db.close();
  await storage.close();
});
