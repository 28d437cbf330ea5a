import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { onceInRun } from '../once-in-run.ts';
import { missingPrograms } from './missing-servers.ts';
import { freePorts } from './ports.ts';
import { type ProcessGroup, run, startProcessGroup } from './process-group.ts';

export interface Postgres {
  /**
   * @param like  a database that nobody uses. Default: an empty one
   * @returns the connection string of a new copy, with a password
   */
  createDatabase(like?: string): Promise<string>;
  dropDatabase(url: string): Promise<void>;
  stop(): Promise<void>;
}

/** A server of the test run that tests may kill. */
export interface OwnPostgres extends Postgres {
  /** The folder of its socket. */
  readonly socket: string;
  /** Its configuration of sign-ins, `pg_hba.conf`, which it reads when it starts or `pg_reload_conf()` is called. */
  readonly hba: string;
  /** Kills the server at once. */
  crash(): Promise<void>;
  /** Restarts it on the same port with its stored data. */
  restart(): Promise<void>;
  /** Restarts it as a standby, without a primary. `SELECT pg_promote()` makes it one. */
  restartAsStandby(): Promise<void>;
}

const VERSIONS = '/usr/lib/postgresql';
const USER = 'countersign';

/** The newest version that Debian packages. */
function programs(): string {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS).map(Number).filter(Number.isFinite) : [];
  return `${VERSIONS}/${versions.length === 0 ? 'VERSION' : Math.max(...versions)}/bin`;
}

/** Why Postgres cannot start here; empty if it can. */
export function missingOwnPostgres(): string[] {
  return missingPrograms([`${programs()}/initdb`, `${programs()}/postgres`]);
}

/** The same, if an existing server in TEST_DATABASE_URL will do. */
export function missingPostgres(): string[] {
  return process.env.TEST_DATABASE_URL === undefined ? missingOwnPostgres() : [];
}

/** The server in TEST_DATABASE_URL, whose role must be able to create databases; otherwise a new one. */
export async function startPostgres(): Promise<Postgres> {
  const { TEST_DATABASE_URL: url } = process.env;
  return url === undefined ? startOwnPostgres() : { ...databasesOf(() => url), stop: async () => undefined };
}

/**
 * Starts Postgres on the loopback interface and a socket. Committed data survives the death of the server, not of the machine.
 * @param auth  how its users sign in. Default: md5, because SCRAM hashes a password 4,096 times for each of the thousands
 * of connections
 * @param settings  more of them, like `max_connections=20`
 */
export async function startOwnPostgres({
  auth = 'md5',
  settings: more = [],
}: {
  auth?: 'md5' | 'trust' | 'scram-sha-256';
  settings?: readonly string[];
} = {}): Promise<OwnPostgres> {
  const folder = mkdtempSync('/tmp/cs-postgres-');
  chmodSync(folder, 0o755);
  const { uid, gid, asPostgres } = await postgresUser();
  const data = `${folder}/data`;
  await copyCluster(folder, auth);
  const password = readFileSync(`${folder}/password`, 'utf8');
  let port = 0;
  let processes = await startOnFreePort();

  function start(): ProcessGroup {
    const settings = [
      'fsync=off',
      'full_page_writes=off',
      'autovacuum=off',
      'jit=off',
      'max_connections=200',
      'listen_addresses=127.0.0.1',
      ...more,
    ];
    return startProcessGroup(
      'setpriv',
      [
        ...asPostgres,
        `${programs()}/postgres`,
        ...['-D', data, '-p', String(port), '-k', data],
        ...settings.flatMap((setting) => ['-c', setting]),
      ],
      `${folder}/postgres.log`,
    );
  }

  async function startOnFreePort(): Promise<ProcessGroup> {
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      [port = 0] = await freePorts(1);
      const group = start();
      if (await answers(url(), group)) return group;
    }
    throw new Error(`Postgres did not start; see ${folder}/postgres.log`);
  }

  function url(): string {
    return `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`;
  }

  async function restart(): Promise<void> {
    for (let attempt = 1; attempt <= 50; attempt += 1) {
      // Connections are refused while processes of the killed server are still ending.
      processes = start();
      if (await answers(url(), processes)) return;
    }
    throw new Error(`Postgres did not start again; see ${folder}/postgres.log`);
  }

  return {
    ...databasesOf(url),
    socket: data,
    hba: `${data}/pg_hba.conf`,
    crash: () => processes.kill(),
    restart,
    async restartAsStandby() {
      await processes.kill();
      writeFileSync(`${data}/standby.signal`, '');
      chownSync(`${data}/standby.signal`, uid, gid);
      await restart();
    },
    async stop() {
      await processes.kill();
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/**
 * Fills a folder with the data of an empty server, and its password. `initdb` takes ten times as long as a copy of its
 * result, so the files of a test run share one.
 */
async function copyCluster(folder: string, auth: string): Promise<void> {
  const isTestRun = process.env.COUNTERSIGN_BUNDLES !== undefined;
  if (!isTestRun) return createCluster(folder, auth);
  const made = await onceInRun(`postgres-${auth}`, async (unfinished) => {
    // The user of Postgres may not reach the folder of the run.
    await createCluster(folder, auth);
    await run('cp', ['-a', `${folder}/.`, unfinished]);
  });
  if (!existsSync(`${folder}/data`)) await run('cp', ['-a', `${made}/.`, folder]);
}

async function createCluster(folder: string, auth: string): Promise<void> {
  const { uid, gid, asPostgres } = await postgresUser();
  mkdirSync(`${folder}/data`, { mode: 0o700 });
  chownSync(`${folder}/data`, uid, gid);
  writeFileSync(`${folder}/password`, randomBytes(12).toString('hex'));
  await run('setpriv', [
    ...asPostgres,
    `${programs()}/initdb`,
    ...['-D', `${folder}/data`, '-U', USER, `--pwfile=${folder}/password`, '-E', 'UTF8', '--locale=C.UTF-8'],
    ...[`--auth=${auth}`, '--no-sync'],
  ]);
}

/** The user of Debian's package. Postgres refuses to run as root. @returns `asPostgres`: the first arguments of setpriv */
export async function postgresUser(): Promise<{
  readonly uid: number;
  readonly gid: number;
  readonly asPostgres: readonly string[];
}> {
  const idOf = async (which: '-u' | '-g') => Number((await run('id', [which, 'postgres'])).trim());
  const [uid, gid] = [await idOf('-u'), await idOf('-g')];
  return { uid, gid, asPostgres: [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--'] };
}

/** Waits until the server accepts connections. @returns false if it ended first */
async function answers(url: string, server: ProcessGroup): Promise<boolean> {
  while (!server.hasEnded()) {
    try {
      await asked(url, 'SELECT 1');
      return true;
    } catch {
      // Not listening yet, or still replaying its log.
      await delay(20);
    }
  }
  return false;
}

function databasesOf(url: () => string): Pick<Postgres, 'createDatabase' | 'dropDatabase'> {
  return {
    async createDatabase(like) {
      const name = `countersign_test_${randomBytes(8).toString('hex')}`;
      const template = like === undefined ? '' : ` TEMPLATE ${new URL(like).pathname.slice(1)}`;
      await asked(url(), `CREATE DATABASE ${name}${template}`);
      const made = new URL(url());
      made.pathname = `/${name}`;
      return made.href;
    },
    async dropDatabase(made) {
      await asked(url(), `DROP DATABASE ${new URL(made).pathname.slice(1)} WITH (FORCE)`);
    },
  };
}

/** Runs a query on a new connection. @returns the rows */
export async function asked(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  return onPostgres(url, async (client) => (await client.query<Record<string, unknown>>(sql)).rows);
}

/** Works on a connection of its own. */
export async function onPostgres<Answer>(
  url: string,
  work: (client: pg.Client) => Promise<Answer>,
): Promise<Answer> {
  const client = new pg.Client({ connectionString: url });
  // A lost connection surfaces as the error of the query.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
