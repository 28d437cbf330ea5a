import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { casesOf, onlyLong } from '../../only-long.ts';
import { makeCertificate } from '../../servers/certificate.ts';
import { missingPrograms, titledWithout } from '../../servers/missing-servers.ts';
import {
  asked,
  missingOwnPostgres,
  type OwnPostgres,
  postgresUser,
  startOwnPostgres,
} from '../../servers/postgres.ts';
import { buildCli, type Cli, doctorReport, printedBy } from './cli-process.ts';

const OWNER = 'grace@example.org';
const OWNER_PASSWORD = 'correct horse battery staple';
const KEY = Buffer.alloc(32, 7).toString('base64');
/** Every character that an address has a use for. */
const ODD = `p#a/b?c@d:e%f g+h[i]"'\\é&=;`;
const missing = [
  ...missingOwnPostgres(),
  ...missingPrograms(['/usr/bin/openssl', '/usr/bin/pg_dump', '/usr/bin/psql']),
];

/** Who signs in from where, and how. Nobody else may. */
const SIGN_INS = `
local   all odd                           scram-sha-256
local   all peer                          peer
hostssl all tls_only         127.0.0.1/32 scram-sha-256
host    all trusted,nobody   127.0.0.1/32 trust
host    all odd,countersign,idle,busy,outside 127.0.0.1/32 scram-sha-256
`;

describe.skipIf(missing.length > 0)(titledWithout(missing, 'the address of a Postgres server'), () => {
  let cli: Cli;
  let postgres: OwnPostgres;
  let folder: string;
  let root: string;
  /** As the superuser. */
  let admin: URL;
  let made = 0;
  beforeAll(async () => {
    folder = mkdtempSync('/tmp/cs-postgres-tls-');
    const { certFile, keyFile } = await makeCertificate(folder);
    root = certFile;
    const { uid, gid } = await postgresUser();
    for (const file of [folder, certFile, keyFile]) chownSync(file, uid, gid);
    const tls = ['ssl=on', `ssl_cert_file=${certFile}`, `ssl_key_file=${keyFile}`];
    [cli, postgres] = await Promise.all([
      buildCli(),
      startOwnPostgres({ auth: 'scram-sha-256', settings: tls }),
    ]);
    admin = new URL(await postgres.createDatabase());
    await asked(
      admin.href,
      `CREATE ROLE odd LOGIN PASSWORD '${ODD.replaceAll("'", "''")}';
      CREATE ROLE peer LOGIN; CREATE ROLE trusted LOGIN;
      CREATE ROLE tls_only LOGIN PASSWORD 'p'; CREATE ROLE outside LOGIN PASSWORD 'p';
      CREATE ROLE unlisted LOGIN PASSWORD 'p'; CREATE ROLE idle PASSWORD 'p';
      CREATE ROLE busy LOGIN PASSWORD 'p' CONNECTION LIMIT 0`,
    );
    await postgres.crash();
    writeFileSync(postgres.hba, SIGN_INS);
    await postgres.restart();
  });
  afterAll(async () => {
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
    cli?.remove();
  });
  afterEach(() => vi.unstubAllEnvs());

  const settings = (url: string) => ({ COUNTERSIGN_DATABASE_URL: url, COUNTERSIGN_SECRET_KEY: KEY });
  /** A database that belongs to the role of the odd password. */
  const ownDatabase = async () => {
    made += 1;
    const name = `of_odd_${made}`;
    await asked(admin.href, `CREATE DATABASE ${name} OWNER odd`);
    return name;
  };
  const addOwner = (url: string) => cli.run(['owner', 'add', OWNER, '--json'], OWNER_PASSWORD, settings(url));
  const databaseFinding = async (url: string) => {
    const { stdout } = await cli.run(['doctor', '--json'], '', settings(url));
    return doctorReport.parse(JSON.parse(stdout)).machine.find(({ check }) => check === 'database');
  };
  const encoded = encodeURIComponent(ODD);
  const place = () => ({ socket: postgres.socket, port: admin.port, address: `127.0.0.1:${admin.port}` });

  const FORMS: readonly (readonly [form: string, (name: string) => string])[] = [
    ['postgres://user:password@host/name', (name) => `postgres://odd:${encoded}@${place().address}/${name}`],
    [
      'postgres:///name?user=&password=&host=&port=',
      (name) => `postgres:///${name}?user=odd&password=${encoded}&host=127.0.0.1&port=${place().port}`,
    ],
    [
      'postgres://user:password@/name?host=/socket',
      (name) => `postgres://odd:${encoded}@/${name}?host=${place().socket}&port=${place().port}`,
    ],
    [
      'postgres://user:password@%2Fsocket/name',
      (name) => `postgres://odd:${encoded}@${encodeURIComponent(place().socket)}:${place().port}/${name}`,
    ],
    [
      'socket://user:password@/socket?db=name',
      (name) => `socket://odd:${encoded}@${place().socket}?db=${name}&port=${place().port}`,
    ],
    ['sslmode=no-verify', (name) => `postgres://odd:${encoded}@${place().address}/${name}?sslmode=no-verify`],
    [
      'sslmode=verify-full',
      (name) =>
        `postgres://odd:${encoded}@${place().address}/${name}?sslmode=verify-full&sslrootcert=${root}`,
    ],
    [
      'uselibpqcompat=true&sslmode=verify-ca',
      (name) =>
        `postgres://odd:${encoded}@${place().address}/${name}?uselibpqcompat=true&sslmode=verify-ca&sslrootcert=${root}`,
    ],
  ];

  const GATE = new Set([
    'postgres://user:password@host/name',
    'socket://user:password@/socket?db=name',
    'sslmode=verify-full',
  ]);
  const forms = casesOf('Postgres addresses: forms', FORMS, ([form]) => GATE.has(form));
  it.each(forms)('is read, and given to pg_dump and psql: %s', async (form, urlOf) => {
    const [from, to] = [await ownDatabase(), await ownDatabase()];
    printedBy(await addOwner(urlOf(from)));
    expect(await databaseFinding(urlOf(from))).toMatchObject({ state: 'good' });
    const file = join(cli.folder, `${from}.backup`);
    const done = { code: 0, stderr: '' };
    expect(await cli.run(['backup', file], '', settings(urlOf(from)))).toMatchObject(done);
    const restored = await cli.run(['restore', file], '', settings(urlOf(to)));
    expect(restored).toMatchObject(done);
    const name = form.includes('socket')
      ? `postgres:///${to}?host=${place().socket}&port=${place().port}`
      : `postgres://${place().address}/${to}`;
    expect(restored.stdout).toContain(`is restored to ${name}.`);
    expect(await databaseFinding(urlOf(to))).toMatchObject({
      state: 'good',
      text: `The database ${name} answers.`,
    });
  });

  it('is trusted by pg_dump, too, if Node knows the authority of its certificate', async () => {
    const name = await ownDatabase();
    const url = `postgres://odd:${encoded}@${place().address}/${name}?sslmode=verify-full`;
    const env = { ...settings(url), NODE_EXTRA_CA_CERTS: root };
    const add = ['owner', 'add', OWNER, '--json'];
    expect(await cli.runApart(add, OWNER_PASSWORD, env)).toMatchObject({ code: 0, stderr: '' });
    const backup = ['backup', join(cli.folder, `${name}.backup`)];
    expect(await cli.runApart(backup, '', env)).toMatchObject({ code: 0, stderr: '' });
  });

  it('may leave the rest to the variables of node-postgres', async () => {
    const name = await ownDatabase();
    const variables = {
      PGUSER: 'odd',
      PGPASSWORD: ODD,
      PGPORT: place().port,
      PGSERVICE: 'none',
      PGHOSTADDR: '192.0.2.1',
    };
    for (const [variable, value] of Object.entries(variables)) vi.stubEnv(variable, value);
    const url = `${place().socket} ${name}`;
    printedBy(await addOwner(url));
    const file = join(cli.folder, `${name}.backup`);
    expect(await cli.run(['backup', file], '', settings(url))).toMatchObject({ code: 0, stderr: '' });
  });

  /** The line that every command and doctor end with. */
  async function expectLine(url: string, line: string | RegExp, secret: string): Promise<void> {
    const { code, stdout, stderr } = await addOwner(url);
    expect([code, stdout, stderr.split('\n').length]).toEqual([1, '', 2]);
    expect(stderr).toMatch(line);
    expect(stderr).not.toContain(secret);
    expect(await databaseFinding(url)).toEqual({ check: 'database', state: 'broken', text: stderr.trim() });
  }

  const REFUSALS: readonly (readonly [why: string, url: () => string, line: string | RegExp])[] = [
    [
      'the password is wrong',
      () => `postgres://odd:wrong-one@${place().address}/postgres`,
      'password authentication failed for user "odd". Correct the user and the password in the address.',
    ],
    [
      'the password is missing',
      () => `postgres://odd@${place().address}/postgres`,
      'the server asks for a password, and the address has none. Write it like postgres://user:password@host/name.',
    ],
    [
      'the database is missing',
      () => `postgres://odd:${encoded}@${place().address}/none`,
      'database "none" does not exist. Create it, or correct the address: CREATE DATABASE name',
    ],
    [
      'the role is missing',
      () => `postgres://nobody@${place().address}/postgres`,
      'role "nobody" does not exist. Create it: CREATE ROLE name LOGIN',
    ],
    [
      'the role may not sign in',
      () => `postgres://idle:p@${place().address}/postgres`,
      'role "idle" is not permitted to log in. Allow it: ALTER ROLE name LOGIN',
    ],
    [
      'it has too many connections',
      () => `postgres://busy:p@${place().address}/postgres`,
      'too many connections for role "busy". Stop other programs, or raise the limit',
    ],
    [
      'the sign-in needs TLS',
      () => `postgres://tls_only:p@${place().address}/postgres`,
      'no encryption. Allow it in pg_hba.conf. If the server demands TLS, add ?sslmode=verify-full to the address.',
    ],
    [
      'the sign-in is not allowed',
      () => `postgres://unlisted:p@${place().address}/postgres?sslmode=no-verify`,
      'SSL encryption. Allow it in the pg_hba.conf of the server.',
    ],
    [
      'the user of the machine is another',
      () => `socket://peer@${place().socket}?db=postgres&port=${place().port}`,
      'Peer authentication failed for user "peer". Allow this sign-in in the pg_hba.conf of the server, or correct the address.',
    ],
    [
      'the certificate is not trusted',
      () => `postgres://odd:${encoded}@${place().address}/postgres?sslmode=verify-full`,
      // Newer versions of Node say more of it.
      /self-signed certificate(?:; if the root CA is installed locally, try running Node\.js with --use-system-ca)?\. If its authority is your own, add sslrootcert=\/path\/of\/root\.crt to the address\./,
    ],
    [
      'nothing listens',
      () => 'postgres://odd:p@127.0.0.1:1/postgres',
      'Nothing listens there. Start Postgres, or correct the host and the port.',
    ],
    [
      'nothing listens at any address',
      () => 'postgres://odd:p@localhost:1/postgres',
      'Nothing listens there. Start Postgres, or correct the host and the port.',
    ],
    [
      'the host is not found',
      () => 'postgres://odd:p@nowhere.invalid/postgres',
      'The name of the host is not found. Correct it.',
    ],
    [
      'there is no socket',
      () => 'socket:/nowhere?db=postgres&user=odd',
      'There is no socket. Start Postgres, or correct its folder and port.',
    ],
  ];

  it.each(REFUSALS)('says in one line that %s', async (_why, url, line) => {
    await expectLine(url(), line, encoded);
  });

  it('says in one line that the role may not connect to the database', async () => {
    const name = await ownDatabase();
    await asked(admin.href, `REVOKE CONNECT ON DATABASE ${name} FROM PUBLIC`);
    await expectLine(
      `postgres://outside:p@${place().address}/${name}`,
      'Allow it: GRANT CONNECT ON DATABASE name TO role',
      ':p@',
    );
  });

  describe('of something else', () => {
    const told = async (greet: (socket: net.Socket) => void, line: string) => {
      const server = net.createServer((socket) => {
        socket.on('error', () => undefined);
        greet(socket);
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const address = server.address();
      const port = typeof address === 'object' ? address?.port : undefined;
      await expectLine(`postgres://odd:p@127.0.0.1:${port}/postgres`, line, ':p@');
      server.close();
    };

    it.each([
      ['closes the connection', (socket: net.Socket) => socket.end()],
      [
        'speaks HTTP',
        (socket: net.Socket) => socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'),
      ],
    ])('that %s is reported', async (_what, greet) => {
      await told(
        greet,
        'it closed the connection before it answered. Correct the host and the port, or try again.',
      );
    });

    onlyLong('silent Postgres', () =>
      it('that says nothing is reported', () => told(() => undefined, 'it did not answer within 5 seconds.')),
    );
  });
});
