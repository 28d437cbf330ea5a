import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { missingPrograms } from './missing-servers.ts';
import { onFreePort } from './on-free-port.ts';
import { missingOwnPostgres, postgresUser } from './postgres.ts';
import { startProcessGroup } from './process-group.ts';

const PGBOUNCER = '/usr/sbin/pgbouncer';

export interface PgBouncer {
  /** @param url  of a database of the server behind it. @returns the connection string through pgbouncer */
  through(url: string): string;
  stop(): Promise<void>;
}

/** Why pgbouncer cannot start here; empty if it can. */
export function missingPgBouncer(): string[] {
  return [...missingPrograms([PGBOUNCER]), ...missingOwnPostgres()];
}

/**
 * Starts pgbouncer. In transaction mode, each transaction of a client may run on another connection to the server.
 * @param url  of any database of the server
 * @param onConnect  a statement that each new connection to the server runs first
 */
export async function startPgBouncer(
  url: string,
  onConnect: string,
  mode: 'transaction' | 'statement' | 'session' = 'transaction',
): Promise<PgBouncer> {
  const { hostname, port: serverPort, username, password } = new URL(url);
  const folder = mkdtempSync('/tmp/cs-pgbouncer-');
  chmodSync(folder, 0o700);
  const { uid, gid, asPostgres } = await postgresUser();
  writeFileSync(`${folder}/users`, `"${username}" "${password}"\n`);
  const log = `${folder}/pgbouncer.log`;
  const [port, server] = await onFreePort(log, (free) => {
    writeFileSync(
      `${folder}/pgbouncer.ini`,
      `[databases]
* = host=${hostname} port=${serverPort} connect_query='${onConnect}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${free}
unix_socket_dir =
auth_type = plain
auth_file = ${folder}/users
pool_mode = ${mode}
max_client_conn = 1000
default_pool_size = 8
`,
    );
    for (const file of ['', '/users', '/pgbouncer.ini']) chownSync(`${folder}${file}`, uid, gid);
    // Like Postgres, it refuses to run as root.
    return startProcessGroup('setpriv', [...asPostgres, PGBOUNCER, `${folder}/pgbouncer.ini`], log);
  });
  return {
    through(of) {
      const made = new URL(of);
      made.port = String(port);
      // pgbouncer 1.18 refuses it.
      made.searchParams.delete('options');
      return made.href;
    },
    async stop() {
      await server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
