import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readAddress } from '../../../adapters/postgres/address.ts';
import { postgresStorage } from '../../../adapters/postgres/storage.ts';

const SECRET = 'secret';

/** What is not given: the user `me`, the database of that name, port 5432, no password and no TLS. */
type Read = Partial<Omit<ReturnType<typeof readAddress>, 'parameters'>>;

const READ: readonly (readonly [address: string, read: Read])[] = [
  ['postgres://u:p@h/db', { name: 'postgres://h/db', host: 'h', user: 'u', password: 'p', database: 'db' }],
  [
    'POSTGRESQL://u@Db.Example:5433/db',
    { name: 'postgres://Db.Example:5433/db', host: 'Db.Example', port: 5433, user: 'u', database: 'db' },
  ],
  ['pg://u@h/db', { name: 'postgres://h/db', host: 'h', user: 'u', database: 'db' }],
  ['postgres://u@h:5432', { name: 'postgres://h/u', host: 'h', user: 'u', database: 'u' }],
  ['postgres://', { name: 'postgres://localhost/me', host: 'localhost' }],
  ['postgresql:///db', { name: 'postgres://localhost/db', host: 'localhost', database: 'db' }],
  [
    'postgres://u@/db?host=/socket',
    { name: 'postgres:///db?host=/socket', host: '/socket', user: 'u', database: 'db' },
  ],
  [
    'postgres:///db?host=/socket&user=u&password=p&port=5433',
    {
      name: 'postgres:///db?host=/socket&port=5433',
      host: '/socket',
      port: 5433,
      user: 'u',
      password: 'p',
      database: 'db',
    },
  ],
  [
    'postgres://u:p@%2Fvar%2Frun%2Fpostgresql:5433/db',
    {
      name: 'postgres:///db?host=/var/run/postgresql&port=5433',
      host: '/var/run/postgresql',
      port: 5433,
      user: 'u',
      password: 'p',
      database: 'db',
    },
  ],
  ['socket:/socket?db=db', { name: 'postgres:///db?host=/socket', host: '/socket', database: 'db' }],
  [
    'socket://u:p@/socket?db=db&encoding=utf8&port=5433',
    {
      name: 'postgres:///db?host=/socket&port=5433',
      host: '/socket',
      port: 5433,
      user: 'u',
      password: 'p',
      database: 'db',
    },
  ],
  ['socket:/run/a@b?db=db', { name: 'postgres:///db?host=/run/a@b', host: '/run/a@b', database: 'db' }],
  ['/socket db', { name: 'postgres:///db?host=/socket', host: '/socket', database: 'db' }],
  ['/socket', { name: 'postgres:///me?host=/socket', host: '/socket' }],
  [
    'postgres://u:p@[::1]:5433/db',
    { name: 'postgres://[::1]:5433/db', host: '::1', port: 5433, user: 'u', password: 'p', database: 'db' },
  ],
  ['postgres://u@h/d%20b%C3%A9', { name: 'postgres://h/d bé', host: 'h', user: 'u', database: 'd bé' }],
  [
    'postgres://u:%23%3F%2F%40%3A%25%20@h/db',
    { name: 'postgres://h/db', host: 'h', user: 'u', password: '#?/@:% ', database: 'db' },
  ],
  // These are not encoded, and node-postgres reads them as they are meant.
  [
    'postgres://u:a@b@h/db',
    { name: 'postgres://h/db', host: 'h', user: 'u', password: 'a@b', database: 'db' },
  ],
  [
    'postgres://u:a:b[\\@h/db',
    { name: 'postgres://h/db', host: 'h', user: 'u', password: 'a:b[\\', database: 'db' },
  ],
  [
    'postgres://u:a b%@h/db',
    { name: 'postgres://h/db', host: 'h', user: 'u', password: 'a b%', database: 'db' },
  ],
  [
    'postgres://u:é@h/a@b',
    { name: 'postgres://h/a@b', host: 'h', user: 'u', password: 'é', database: 'a@b' },
  ],
  ['postgres://u:@h/db', { name: 'postgres://h/db', host: 'h', user: 'u', database: 'db' }],
  ['postgres://u:p@h/db\n', { name: 'postgres://h/db', host: 'h', user: 'u', password: 'p', database: 'db' }],
  // Parameters that only tune a connection of another program are passed over.
  [
    'postgres://u@h/db?options=-c%20work_mem%3D1MB&application_name=x&connect_timeout=3&channel_binding=require',
    { name: 'postgres://h/db', host: 'h', user: 'u', database: 'db' },
  ],
  ...(
    [
      ['ssl=0', 'disable'],
      ['ssl=1', 'verify-full'],
      ['ssl=true', 'verify-full'],
      ['ssl=no-verify', 'require'],
      ['sslmode=disable', 'disable'],
      ['sslmode=no-verify', 'require'],
      ['sslmode=verify-full', 'verify-full'],
      // As node-postgres reads them, without its warning.
      ['sslmode=require', 'verify-full'],
      ['sslmode=verify-ca', 'verify-full'],
      ['channel_binding=require&sslmode=require&application_name=x', 'verify-full'],
      [`sslmode=verify-full&sslrootcert=${import.meta.filename}`, 'verify-full'],
      [`sslrootcert=${import.meta.filename}`, 'verify-full'],
      ['sslnegotiation=direct', 'verify-full'],
      ['sslnegotiation=postgres', 'disable'],
      ['uselibpqcompat=false&sslmode=no-verify', 'require'],
      ['uselibpqcompat=true&sslmode=disable', 'disable'],
      ['uselibpqcompat=true&sslmode=require', 'require'],
      [`uselibpqcompat=true&sslmode=require&sslrootcert=${import.meta.filename}`, 'verify-ca'],
      [`uselibpqcompat=true&sslmode=verify-ca&sslrootcert=${import.meta.filename}`, 'verify-ca'],
      ['uselibpqcompat=true&sslmode=verify-full', 'verify-full'],
    ] as const
  ).map(
    ([parameters, tls]) =>
      [
        `postgres://u@h/db?${parameters}`,
        { name: 'postgres://h/db', host: 'h', user: 'u', database: 'db', tls },
      ] as const,
  ),
];

const ENCODE = '# as %23, / as %2F, ? as %3F';
const SOCKET = 'socket:/var/run/postgresql?db=name';
const TLS =
  'Write sslmode=verify-full (TLS, and the certificate is checked), sslmode=no-verify (TLS, not checked) or sslmode=disable';

const REFUSED: readonly (readonly [address: string, remedy: string])[] = [
  ['mysql://u:secret@h/db', ENCODE],
  ['host=/socket dbname=db password=secret', ENCODE],
  [' postgres://u:secret@h/db', ENCODE],
  ['postgres:db', ENCODE],
  ['postgres:/db', ENCODE],
  ['postgres://u:secret@[x', ENCODE],
  ['postgres://u:secret@h:99999/db', ENCODE],
  ['postgres://u:secret@:5433/db?host=/socket', ENCODE],
  ['postgres://u:%E9secret@h/db', ENCODE],
  ['postgres://u:secret@h/db ', 'ends with a space'],
  ['postgres://u:secret#@h/db', 'Write # as %23'],
  ['postgres://u:12#secret@h/db', 'Write # as %23'],
  ['postgres://u:#secret@h/db', 'Write # as %23'],
  ['postgres://u:p@h/db?password=a#secret', 'Write # as %23'],
  ['postgres://u:secret/@h/db', 'write / as %2F'],
  ['postgres://u:12/secret@h/db', 'write / as %2F'],
  ['postgres://u:secret?@h/db', 'write ? as %3F'],
  ['postgres://u:12?secret@h/db', 'write ? as %3F'],
  ['postgres://u:p@h/db?password=a&@secret', '& as %26'],
  ['postgres://u:p@h/db?password=a+secret', 'Write + as %2B'],
  ['postgres://u:secret 100%2f@h/db', 'Write every space as %20'],
  ['postgres://u:secret%@h/d%C3%A9', 'every % that begins no such code as %25'],
  ['postgres://u:secret@h1,h2/db', 'names several hosts'],
  ['postgres://u:secret@h1:5432,h2:5432/db', 'names several hosts'],
  ['postgres://u:secret@/db?host=h1,h2', 'names several hosts'],
  ['postgres://u:secret@%2Fsocket/db?host=h', 'names two hosts'],
  ['postgres://u:secret@h/db?port=5432,5433', 'a port that is not a number'],
  ['postgres://u:secret@h/db?port=x', 'a port that is not a number'],
  ['postgres://u:secret@h/a%2Fb', 'does not decode'],
  ['socket://u:secret@/run/a%23b?db=db', 'does not decode'],
  ['socket://u:secret@run/postgresql?db=db', SOCKET],
  ['socket:run/postgresql?db=db', SOCKET],
  ['//h/db', SOCKET],
  ['/socket  db', SOCKET],
  ['postgres://u:secret@h/db?dbname=other', 'Write the database as postgres://host/name'],
  ['postgres://u:secret@h?db=other', 'Write the database as postgres://host/name'],
  ['postgres://u:secret@h/db?hostaddr=127.0.0.1', 'Write the address as the host'],
  ['postgres://u:secret@h/db?service=x', 'the parameter service'],
  ['postgres://u:secret@h/db?target_session_attrs=primary', 'name the primary'],
  ['postgres://u:secret@h/db?replication=database', 'the parameter replication'],
  [
    'postgres://u:secret@h/db?sslrootcert=/nowhere/root.crt',
    'names the file /nowhere/root.crt, which cannot be read (ENOENT)',
  ],
  ['postgres://u:secret@h/db?sslrootcert=system', 'the authorities that Node knows'],
  ['postgres://u:secret@/db?host=/socket&sslmode=verify-full', 'Remove its parameters that begin with ssl'],
  ['socket://u:secret@/socket?db=db&ssl=true', 'Remove its parameters that begin with ssl'],
  ...(
    [
      ['ssl=false', 'Write sslmode=disable'],
      ...['ssl', 'ssl=', 'ssl=off', 'ssl=no', 'ssl=disable', 'ssl=require', 'ssl=TRUE'].map(
        (one) => [one, TLS] as const,
      ),
      [`ssl=0&sslrootcert=${import.meta.filename}`, TLS],
      ...['prefer', 'allow'].map(
        (one) =>
          [
            `sslmode=${one}`,
            `has sslmode=${one}, which node-postgres does not read as other programs do. ${TLS}`,
          ] as const,
      ),
      ...['sslmode=', 'sslmode=off', 'sslmode=Disable', 'sslmode=secret'].map((one) => [one, TLS] as const),
      ['sslmode=disable&ssl=true', 'Keep sslmode'],
      ...['prefer', 'allow', 'no-verify', 'off'].map(
        (one) =>
          [
            `uselibpqcompat=true&sslmode=${one}`,
            'Write sslmode=verify-full, verify-ca, require or disable',
          ] as const,
      ),
      ['uselibpqcompat=true&sslmode=verify-ca', 'Add sslrootcert=/path/of/root.crt'],
      ['uselibpqcompat=1&sslmode=require', 'not true or false'],
      ['sslnegotiation=fast', 'not postgres or direct'],
      ['sslnegotiation=direct&sslmode=disable', 'which needs TLS'],
    ] as const
  ).map(([parameters, remedy]) => [`postgres://u:secret@h/db?${parameters}`, remedy] as const),
];

const { user } = pg.defaults;

describe('the address of a Postgres database', () => {
  const warned = vi.fn();
  beforeEach(() => {
    // node-postgres reads USER once.
    pg.defaults.user = 'me';
    for (const name of ['PGHOST', 'PGPORT', 'PGUSER', 'PGPASSWORD', 'PGDATABASE', 'PGSSLMODE'])
      vi.stubEnv(name, undefined);
    vi.spyOn(process, 'emitWarning').mockImplementation(warned);
  });
  afterEach(() => {
    pg.defaults.user = user;
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
    expect(warned).not.toHaveBeenCalled();
  });

  it.each(READ)('is read: %s', (address, read) => {
    const { parameters: _, connectionString: __, ...all } = readAddress(address);
    const usual = { port: 5432, user: 'me', database: 'me', password: undefined, tls: 'disable' };
    expect(all).toEqual({ ...usual, ...read });
    expect(() => postgresStorage({ connectionString: address })).not.toThrow();
  });

  it.each(REFUSED)('is refused with what to write: %s', (address, remedy) => {
    const reading = () => readAddress(address);
    expect(reading).toThrow(remedy);
    expect(reading).toThrow(/^(?!.*secret)[^\n]+\.$/);
    const opening = () => postgresStorage({ connectionString: address });
    expect(opening).toThrow(/^postgresStorage: the option `connectionString` (?!.*secret)[^\n]+\.$/);
    expect(opening).toThrow(remedy);
  });

  it('takes what it does not say from the variables of node-postgres', () => {
    const variables = {
      PGHOST: '/socket',
      PGPORT: '5433',
      PGUSER: 'u',
      PGPASSWORD: SECRET,
      PGDATABASE: 'db',
    };
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    const read = { host: '/socket', port: 5433, user: 'u', password: SECRET, database: 'db' };
    expect(readAddress('postgres://')).toMatchObject({
      ...read,
      name: 'postgres:///db?host=/socket&port=5433',
    });
    expect(readAddress('postgres://me:p@h:1/it')).toMatchObject({
      host: 'h',
      port: 1,
      user: 'me',
      password: 'p',
      database: 'it',
    });
  });

  it('is refused if nothing names a user', () => {
    pg.defaults.user = undefined;
    expect(() => readAddress('postgres://h/db')).toThrow('names no user');
  });
});
