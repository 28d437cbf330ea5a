import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { writesOf } from '../../../adapters/rows/writes.ts';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { MIGRATIONS, runMigrations } from '../../../adapters/sqlite/migrations.ts';
import { SCHEMA_6 } from '../../../adapters/sqlite/schema-6.ts';
import { SCHEMA_9 } from '../../../adapters/sqlite/schema-9.ts';
import { SCHEMA_12 } from '../../../adapters/sqlite/schema-12.ts';
import { STATEMENTS } from '../../../adapters/sqlite/statements.ts';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import { transactionsOn } from '../../../adapters/sqlite/transactions.ts';
import { ServiceError } from '../../../core/contract/errors.ts';
import type { FolderRoles } from '../../../core/folders/roles.ts';
import { addFullOwner } from '../../contracts/storage/full-owner.ts';
import {
  addOwnerAndKey,
  approve,
  ask,
  DONE,
  filing,
  NOON,
  reject,
  run,
  SIGNER,
  settle,
} from '../../contracts/storage/scene.ts';
import { aSession, begin } from '../../contracts/storage/session-scene.ts';
import { CARRIED_OVER, leased } from '../../contracts/storage/watch-scene.ts';
import { USUAL_ROLES } from '../../folder-roles.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-sqlite-'));
  onTestFinished(() => rm(folder, { recursive: true }));
});

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

describe('a rejection from before similar requests were stored', () => {
  it('refuses the same request, and no other', async () => {
    const file = join(folder, 'countersign.db');
    const storage = sqliteStorage({ file });
    const key = await addOwnerAndKey(storage);
    await reject(storage, await ask(storage, key, { requestHash: 'same' }), NOON);
    const db = new SqliteDatabase(file);
    db.exec('UPDATE approvals SET similar_hash = NULL');
    db.close();
    const again = (requestHash: string) => storage.file(filing(key, { requestHash, similarHash: 'similar' }));
    expect(await again('same')).toMatchObject({ error: { code: 'previously_rejected' } });
    expect(await again('other')).toMatchObject({ kind: 'run' });
    await storage.close();
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
  const changes = writesOf({ type: 'remove_owner', ownerId: 'one', lastAccountId: 1, lastEndpointId: 1 });
  const emptied = changes.flatMap((write) => (write.op === 'delete' ? [write.table] : []));

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

describe('migrations', () => {
  it('bring an empty file to the current version, and leave a current one unchanged', async () => {
    const file = join(folder, 'countersign.db');
    const first = sqliteStorage({ file });
    const key = await addOwnerAndKey(first);
    const waiting = await ask(first, key);
    await first.close();
    const db = new SqliteDatabase(file, { readonly: true });
    expect(db.pragma('user_version', { simple: true })).toBe(MIGRATIONS.length);
    db.close();
    const again = sqliteStorage({ file });
    expect(await again.approval(key.ownerId, waiting.id)).toEqual(waiting);
    await again.close();
  });

  it('leave the folder roles of an older account open, to be decided once', async () => {
    const file = join(folder, 'countersign.db');
    const old = new SqliteDatabase(file);
    runMigrations(old, MIGRATIONS.slice(0, 3));
    old.exec(`
      INSERT INTO owners (owner_id, email, email_folded, timezone, plan, limits, created_at_ms)
        VALUES ('o', 'o@example.org', 'o@example.org', 'UTC', 'paid', '{}', 0);
      INSERT INTO accounts VALUES ('o', 1, 'work', 'w@example.org', '', 'sealed', 0)`);
    old.pragma('user_version = 3');
    old.close();
    const processes = [sqliteStorage({ file }), sqliteStorage({ file })];
    const [storage] = processes;
    expect(await storage?.accounts('o')).toMatchObject([{ accountId: 1, folderRoles: null }]);
    const archive = { type: 'made', role: 'archive', path: 'Archive' } as const;
    expect(await storage?.changeFolderRoles({ ownerId: 'o', accountId: 1, change: archive })).toBeNull();
    const decided = await Promise.all(
      processes.map((one, n) => {
        const roles: FolderRoles = { ...USUAL_ROLES, sent: { path: `Sent ${n}`, by: 'name' } };
        return one.changeFolderRoles({ ownerId: 'o', accountId: 1, change: { type: 'decide', roles } });
      }),
    );
    expect(decided[0]).not.toBeNull();
    expect(decided[1]).toEqual(decided[0]);
    expect(await storage?.accounts('o')).toMatchObject([{ folderRoles: decided[0] }]);
    for (const one of processes) await one.close();
  });

  it('give a tracker of the second version the fields of the third', async () => {
    const file = join(folder, 'countersign.db');
    const old = new SqliteDatabase(file);
    runMigrations(old, MIGRATIONS.slice(0, 2));
    old.exec(`
      INSERT INTO owners (owner_id, email, email_folded, timezone, plan, limits, created_at_ms)
        VALUES ('o', 'o@example.org', 'o@example.org', 'UTC', 'paid', '{}', 0);
      INSERT INTO trackers VALUES ('o', 1, 'r', 'Old', 'atlas', NULL, 'waiting', 1, 1000)`);
    old.pragma('user_version = 2');
    old.close();
    const storage = sqliteStorage({ file });
    const found = await storage.tracker({ ownerId: 'o', trackerId: 1, upTo: undefined, limit: 1 });
    expect(found).toEqual({
      tracker: {
        ownerId: 'o',
        trackerId: 1,
        title: 'Old',
        keywords: 'atlas',
        dueOn: null,
        status: 'waiting',
        addedByAgent: true,
        createdAt: new Date(1000),
        resolvedAt: null,
        lastAutoLinkAt: null,
        summary: { text: '', nextAction: '', importance: 'normal', sourceCount: 0 },
      },
      links: [],
      total: 0,
      more: false,
    });
    await storage.close();
  });

  /** A file as the version before this migration had it. */
  function openBefore(file: string, schema: string): SqliteDatabase.Database {
    const old = new SqliteDatabase(file);
    const before = MIGRATIONS.indexOf(schema);
    runMigrations(old, MIGRATIONS.slice(0, before));
    old.pragma(`user_version = ${before}`);
    return old;
  }

  it('end the sessions of a version whose browsers had no key, and nothing else', async () => {
    const file = join(folder, 'countersign.db');
    const old = openBefore(file, SCHEMA_6);
    old.exec(`
      INSERT INTO owners (owner_id, email, email_folded, timezone, plan, limits, password_hash, created_at_ms)
        VALUES ('o', 'o@example.org', 'o@example.org', 'UTC', 'paid', '{}', 'the hash', 0);
      INSERT INTO sessions (token_hash, owner_id, expires_at_ms) VALUES ('t', 'o', ${NOON.getTime() + 1000})`);
    old.close();
    const storage = sqliteStorage({ file });
    expect(await storage.session('t', NOON)).toBeUndefined();
    expect(await begin(storage, aSession('o', 's1'))).toBe(true);
    expect(await storage.session('s1', NOON)).toMatchObject({ owner: { email: 'o@example.org' } });
    await storage.close();
  });

  it('keep the plans of a version that kept no gists', async () => {
    const file = join(folder, 'countersign.db');
    const old = openBefore(file, SCHEMA_9);
    old.exec(`
      PRAGMA foreign_keys = OFF;
      INSERT INTO owners (owner_id, email, email_folded, timezone, plan, limits, created_at_ms)
        VALUES ('o', 'o@example.org', 'o@example.org', 'UTC', 'paid', '{}', 0);
      INSERT INTO approvals (owner_id, approval_id, credential_id, tool, permission_group, state, reasons,
          created_at_ms, expires_at_ms, fence, lease_until_ms, digest, request_hash, asked, sends)
        VALUES ('o', 'a', 'k', 'send_email', 'mail:send', 'pending', '[]', 0, 1, 0, 0, 'd', 'r', 1, 1);
      INSERT INTO plans VALUES ('o', 'a', 'the plan')`);
    old.close();
    const storage = sqliteStorage({ file });
    expect(await storage.plan('o', 'a')).toBe('the plan');
    expect(await storage.gists('o', ['a', 'b'])).toEqual(new Map([['a', null]]));
    await storage.close();
  });

  it('carry over how far an older version had read an inbox', async () => {
    const file = join(folder, 'countersign.db');
    const old = openBefore(file, SCHEMA_12);
    old.exec(`
      INSERT INTO owners (owner_id, email, email_folded, timezone, plan, limits, created_at_ms)
        VALUES ('o', 'o@example.org', 'o@example.org', 'UTC', 'paid', '{}', 0);
      INSERT INTO accounts (owner_id, account_id, label, email, signature, sealed_settings, created_at_ms)
        VALUES ('o', 1, 'work', 'w@example.org', '', 'sealed', 0), ('o', 2, 'empty', 'e@example.org', '', 'sealed', 0);
      INSERT INTO trackers (owner_id, tracker_id, request_id, title, keywords, status, added_by_agent, created_at_ms)
        VALUES ('o', 1, 'r', 'Atlas', 'atlas', 'open', 1, 0);
      INSERT INTO watched_inboxes VALUES ('o', 1, '4711', 4294967295), ('o', 2, NULL, 0)`);
    old.close();
    const startedS = Math.floor(Date.now() / 1000);
    const storage = sqliteStorage({ file });
    const inboxes = await leased(storage, 'o');
    expect(inboxes).toMatchObject(CARRIED_OVER);
    for (const { positions } of inboxes) expect(positions.links?.sinceS).toBeGreaterThanOrEqual(startedS);
    await storage.close();
  });

  it('refuse a file of a newer program, and leave it unchanged', async () => {
    const file = join(folder, 'countersign.db');
    await sqliteStorage({ file }).close();
    const db = new SqliteDatabase(file);
    const newer = MIGRATIONS.length + 1;
    db.pragma(`user_version = ${newer}`);
    db.exec('CREATE TABLE of_the_newer (x)');
    db.close();
    expect(() => sqliteStorage({ file })).toThrow(
      `The database ${file} cannot be opened: it has schema version ${newer}, and this program knows versions up to ${MIGRATIONS.length}.`,
    );
    const after = new SqliteDatabase(file, { readonly: true });
    expect(after.pragma('user_version', { simple: true })).toBe(newer);
    after.close();
  });

  it('create tables that are strict, and keyed by their owner first except the directory', () => {
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
  const levels = (file: string) => {
    const db = openDatabase(file);
    onTestFinished(() => {
      db.close();
    });
    return { db, level: () => db.pragma('synchronous', { simple: true }) };
  };

  it('is synced before it resolves if it is durable, and only then', async () => {
    const { db, level } = levels(join(folder, 'countersign.db'));
    const { together, durable } = transactionsOn(db);
    const [normal, full] = [1, 2];
    expect(await together(level)()).toBe(normal);
    expect(await durable(level)()).toBe(full);
    expect(await together(level)()).toBe(normal);
    const failing = durable(() => {
      throw new Error('of the verb');
    });
    await expect(failing()).rejects.toThrow('of the verb');
    expect(level()).toBe(normal);
  });

  it('leaves nothing behind if it fails', async () => {
    const { db } = levels(':memory:');
    db.exec('CREATE TABLE t (n)');
    const fails = transactionsOn(db).together(() => {
      db.exec('INSERT INTO t VALUES (1)');
      throw new Error('half way');
    });
    await expect(fails()).rejects.toThrow('half way');
    expect(db.prepare('SELECT * FROM t').all()).toEqual([]);
  });

  it('throws temporarily_unavailable, with the cause, if the file cannot be used', async () => {
    const { db } = levels(':memory:');
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
    await expect(storage.approval(key.ownerId, approval.id)).rejects.toThrow(/reason/);
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
  const text = STATEMENTS.due_deliveries.replaceAll(/@\w+/g, '1');
  const plan = z
    .array(z.object({ detail: z.string() }))
    .parse(db.prepare(`EXPLAIN QUERY PLAN ${text}`).all());
  const reads = plan.map(({ detail }) => detail).filter((detail) => detail.startsWith('SEARCH d '));
  expect(reads).toHaveLength(4);
  for (const detail of reads) expect(detail).toMatch(/endpoint_id=\? AND <expr>>\? AND <expr><\?/);
});
