import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { NEWEST } from '../../../adapters/postgres/migrations.ts';
import { unreadableVersion } from '../../../adapters/sql/schema.ts';
import { keyIdOf } from '../../../core/secrets/keyring.ts';
import { type BackupContents, restoredStatements } from './backup-contents.ts';
import { libpqEnvironment } from './libpq-environment.ts';
import { SEALED_COLUMNS, sealedTextIn } from './sealed-columns.ts';

/** Backups by pg_dump, pg_restore and psql. The address goes to them in the environment: others can read arguments. */

const SCHEMA = 'countersign';
const NO_ROLES = ['--no-owner', '--no-privileges'];

/** Writes the tables as they are at one moment, while others may use them. @throws Error with a message for the user */
export async function backUpPostgres(connectionString: string, to: string): Promise<void> {
  const options = ['--format=custom', `--schema=${SCHEMA}`, ...NO_ROLES, `--file=${to}`];
  const child = start('pg_dump', options, connectionString);
  child.stdin.end();
  child.stdout.resume();
  await succeeded('pg_dump', child);
}

/** @throws Error with a message for the user if it is not an intact backup of this version or an earlier one */
export async function readPostgresBackup(file: string): Promise<BackupContents> {
  const tables = [...new Set([...SEALED_COLUMNS.map(({ table }) => table), 'approvals', 'schema_version'])];
  const options = ['--data-only', `--schema=${SCHEMA}`, ...tables.map((table) => `--table=${table}`)];
  const child = start('pg_restore', [...options, '--file=-', file]);
  child.stdin.end();
  const ended = succeeded('pg_restore', child);
  const [contents] = await Promise.all([contentsOf(child.stdout), ended]);
  if (contents.schemaVersion === 0) throw new Error('it is not a backup of a database of Countersign.');
  const fault = unreadableVersion(contents.schemaVersion, NEWEST);
  if (fault !== undefined) throw new Error(fault);
  return contents;
}

/**
 * Restores a backup in one transaction. The database must not have Countersign's tables yet.
 * @throws Error with a message for the user
 */
export async function restorePostgres(connectionString: string, file: string): Promise<void> {
  const source = start('pg_restore', [`--schema=${SCHEMA}`, ...NO_ROLES, '--file=-', file]);
  source.stdin.end();
  const options = ['--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', '--file=-'];
  const target = start('psql', options, connectionString);
  target.stdout.resume();
  // If psql ends early, its own message says why.
  target.stdin.on('error', () => source.kill());
  const [written, committed] = [succeeded('pg_restore', source), succeeded('psql', target)];
  target.stdin.write(`BEGIN;\nDO $$ BEGIN
    IF to_regnamespace('${SCHEMA}') IS NULL THEN CREATE SCHEMA ${SCHEMA}; END IF;
  END $$;\n`);
  source.stdout.pipe(target.stdin, { end: false });
  written.then(
    () => target.stdin.end([...restoredStatements(`${SCHEMA}.`), 'COMMIT', ''].join(';\n')),
    // Without the COMMIT, the server rolls everything back.
    () => target.kill(),
  );
  const ends = await Promise.allSettled([committed, written]);
  const causes = ends.flatMap((end): readonly unknown[] => (end.status === 'rejected' ? [end.reason] : []));
  if (causes.length === 0) return;
  // A program that was stopped has no cause of its own.
  throw causes.find((cause) => !(cause instanceof KilledError)) ?? causes[0];
}

class KilledError extends Error {}

function start(
  program: string,
  options: readonly string[],
  connectionString?: string,
): ChildProcessWithoutNullStreams {
  const connects = connectionString !== undefined;
  return spawn(program, [...options, ...(connects ? ['--no-password'] : [])], {
    env: connects ? libpqEnvironment(connectionString) : process.env,
  });
}

/** @throws Error with the first line that the program reported, or what to install */
async function succeeded(program: string, child: ChildProcessWithoutNullStreams): Promise<void> {
  let reported = '';
  child.stderr.on('data', (chunk) => {
    reported += String(chunk);
  });
  let code: unknown;
  try {
    [code] = (await once(child, 'close')) as unknown[];
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')) throw cause;
    throw new Error(
      `${program} is not installed. Install the client programs of Postgres, of the server's version or newer ` +
        '(Debian and Ubuntu: postgresql-client, Fedora: postgresql, Homebrew: libpq).',
      { cause },
    );
  }
  if (code === 0) return;
  if (code === null) throw new KilledError(`${program} was stopped.`);
  const line = reported.split('\n').find((one) => /error|fatal/i.test(one)) ?? reported.trim();
  throw new Error(line === '' ? `${program} ended with code ${String(code)}.` : line);
}

const COPY = /^COPY countersign\.(\w+) \((.+)\) FROM stdin;$/;

/** Reads what pg_restore writes: for each table a COPY with its columns, one line per row, and a line `\.`. */
async function contentsOf(output: Readable): Promise<BackupContents> {
  const keyIds = new Set<string>();
  const states: Record<string, number> = {};
  let schemaVersion = 0;
  let table: string | undefined;
  let columns: readonly string[] = [];
  for await (const line of createInterface({ input: output, crlfDelay: Number.POSITIVE_INFINITY })) {
    const [, name, list = ''] = table === undefined ? (COPY.exec(line) ?? []) : [];
    if (name !== undefined) {
      table = name;
      columns = list.split(', ').map((column) => column.replaceAll('"', ''));
    } else if (line === '\\.') table = undefined;
    else if (table !== undefined) {
      const values = line.split('\t');
      const field = (column: string) => copied(values[columns.indexOf(column)]);
      if (table === 'schema_version') schemaVersion = Number(field('version'));
      if (table === 'approvals') {
        const state = field('state') ?? '';
        states[state] = (states[state] ?? 0) + 1;
      }
      for (const sealedColumn of SEALED_COLUMNS.filter((one) => one.table === table)) {
        const value = field(sealedColumn.column);
        const sealed = value === null ? null : sealedTextIn(sealedColumn, value);
        if (sealed !== null) keyIds.add(keyIdOf(sealed));
      }
    }
  }
  return { schemaVersion, keyIds, pending: states.pending ?? 0, approved: states.approved ?? 0 };
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** A value of COPY's text format. Null: NULL, or there is no such column. */
function copied(value: string | undefined): string | null {
  if (value === undefined || value === '\\N') return null;
  return value.replaceAll(/\\(.)/g, (_, char: string) => ESCAPES[char] ?? char);
}
