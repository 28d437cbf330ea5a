import type pg from 'pg';
import { addressFault, parametersOf, UNREADABLE } from './address-faults.ts';
import { pgDriver } from './driver.ts';

/** Where a database is and how to sign in there, as node-postgres reads its address and the variables PGHOST and so on. */
export interface PostgresAddress {
  /** For node-postgres. */
  readonly connectionString: string;
  /** For messages, without user and password: `postgres://host/name`, or `postgres:///name?host=/folder` for a socket. */
  readonly name: string;
  /** A name, an address, or the absolute path of a socket's folder. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly password: string | undefined;
  /** The words of libpq for what node-postgres does. */
  readonly tls: 'disable' | 'require' | 'verify-ca' | 'verify-full';
  /** The parameters of the address, by their names. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** An address that cannot be used. The message comes after the name of its setting, and repeats no secret. */
export class AddressError extends Error {}

/**
 * Reads a connection string as node-postgres does.
 * @throws AddressError if node-postgres cannot read it, or reads something else than it says; Error that says what to
 * install if pg is missing
 */
export function readAddress(given: string): PostgresAddress {
  const connectionString = withModeByName(given);
  const fault = addressFault(connectionString);
  if (fault !== undefined) throw new AddressError(`${fault}.`);
  const { host, port, user, database = '', password, ssl } = clientFor(connectionString);
  if (user === undefined || user === '') {
    throw new AddressError('names no user. Write it like postgres://user:password@host/name.');
  }
  return {
    connectionString,
    name: nameOf(host, port, database),
    ...{ host, port, user, database },
    password: typeof password === 'string' ? password : undefined,
    tls: tlsOf(ssl),
    parameters: parametersOf(connectionString),
  };
}

/** node-postgres takes these modes for verify-full, which is stricter, and warns each time. Hosted databases are given so. */
function withModeByName(connectionString: string): string {
  if (/[?&]uselibpqcompat=true(?=&|$)/.test(connectionString)) return connectionString;
  return connectionString.replace(/([?&]sslmode=)(?:require|verify-ca)(?=&|$)/, '$1verify-full');
}

/** Never connects. */
function clientFor(connectionString: string): pg.Client {
  const { Client } = pgDriver();
  try {
    return new Client({ connectionString });
  } catch (cause) {
    // Its errors about the address itself may repeat a part of it.
    const isFile = cause instanceof Error && 'path' in cause && 'code' in cause;
    throw new AddressError(
      isFile
        ? `names the file ${String(cause.path)}, which cannot be read (${String(cause.code)}). Correct sslrootcert, sslcert or sslkey.`
        : `${UNREADABLE}.`,
    );
  }
}

const USUAL_PORT = 5432;

function nameOf(host: string, port: number, database: string): string {
  if (host.startsWith('/')) {
    const rest = port === USUAL_PORT ? '' : `&port=${port}`;
    return `postgres:///${database}?host=${host}${rest}`;
  }
  const written = host.includes(':') ? `[${host}]` : host;
  return `postgres://${written}${port === USUAL_PORT ? '' : `:${port}`}/${database}`;
}

/** @param ssl  true, false, or options of a TLS connection */
function tlsOf(ssl: unknown): PostgresAddress['tls'] {
  if (typeof ssl !== 'object' || ssl === null) return ssl === true ? 'verify-full' : 'disable';
  if ('rejectUnauthorized' in ssl && ssl.rejectUnauthorized === false) return 'require';
  return 'checkServerIdentity' in ssl ? 'verify-ca' : 'verify-full';
}
