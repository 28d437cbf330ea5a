import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { readAddress } from '../../../adapters/postgres/address.ts';

/**
 * The variables that lead the programs of Postgres to the same database, in the same way. Their library, libpq, reads
 * fewer forms of an address than node-postgres, and some parameters differently.
 */
export function libpqEnvironment(connectionString: string): NodeJS.ProcessEnv {
  const { host, port, user, database, password, tls, parameters } = readAddress(connectionString);
  const { PGSSLROOTCERT, PGSSLCERT, PGSSLKEY, PGOPTIONS } = process.env;
  const root = parameters.get('sslrootcert') ?? PGSSLROOTCERT;
  return {
    ...process.env,
    // node-postgres does not read these.
    ...{ PGHOSTADDR: undefined, PGSERVICE: undefined, PGTARGETSESSIONATTRS: undefined },
    ...{ PGHOST: host, PGPORT: String(port), PGUSER: user, PGPASSWORD: password, PGDATABASE: database },
    PGSSLMODE: tls,
    PGSSLROOTCERT: root === undefined && tls === 'verify-full' ? nodeAuthorities() : root,
    PGSSLCERT: parameters.get('sslcert') ?? PGSSLCERT,
    PGSSLKEY: parameters.get('sslkey') ?? PGSSLKEY,
    PGOPTIONS: parameters.get('options') ?? PGOPTIONS,
  };
}

/** A file of the authorities that Node trusts, until the end of this process. libpq 15 cannot use those of the system. */
function nodeAuthorities(): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-roots-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const { NODE_EXTRA_CA_CERTS: extra } = process.env;
  const more = extra === undefined ? [] : [readFileSync(extra, 'utf8')];
  const file = join(folder, 'roots.pem');
  writeFileSync(file, [...rootCertificates, ...more].join('\n'));
  return file;
}
