import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readConfiguration } from '../../../hosts/server/configuration.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');

function folderWith(file?: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  if (file !== undefined) {
    const text = typeof file === 'string' ? file : JSON.stringify(file);
    writeFileSync(join(folder, 'countersign.config.json'), text);
  }
  return folder;
}

describe('the configuration', () => {
  it('has a default for everything', () => {
    const file = '/home/grace/.local/share/countersign/countersign.db';
    expect(readConfiguration({ HOME: '/home/grace' }, folderWith())).toEqual({
      database: { kind: 'file', name: file, file },
      host: '127.0.0.1',
      port: 8787,
      baseUrl: undefined,
      dashboardUrl: undefined,
      trustedProxies: [],
      allowPrivateTargets: [],
      secretKeys: { kind: 'file', file: `${file}.key` },
      indexFile: `${file}.index`,
      mailProviders: [],
      plan: 'paid',
      limits: {},
      log: 'info',
    });
  });

  it('names the providers of mailboxes, known ones and others', () => {
    const own = {
      ...{ name: 'Own', issuer: 'https://id.example.org', clientId: 'c', scopes: ['mail'] },
      ...{ imap: { host: 'imap.example.org' }, smtp: { host: 'smtp.example.org' } },
    };
    const providers = { google: { clientId: 'c', clientSecret: 's' }, microsoft: { clientId: 'c' }, own };
    const read = (given: unknown) =>
      readConfiguration(
        { HOME: '/home/grace', COUNTERSIGN_MAIL_PROVIDERS: JSON.stringify(given) },
        folderWith(),
      );
    expect(read(providers).mailProviders.map(({ id, offersDevice }) => [id, offersDevice])).toEqual([
      ['google', false],
      ['microsoft', true],
      ['own', false],
    ]);
    for (const wrong of [
      { google: { clientId: 'c' } },
      { own: { ...own, issuer: 'http://id.example.org' } },
      { 'Not an id': own },
      { own: { ...own, scopes: [] } },
      'google',
    ]) {
      expect(() => read(wrong)).toThrow('COUNTERSIGN_MAIL_PROVIDERS: must be providers by id');
    }
  });

  it.each([
    ['file:/var/my%20mail/it.db', '/var/my mail/it.db'],
    ['file:///var/my%20mail/it.db', '/var/my mail/it.db'],
    ['file:/var/100%25.db', '/var/100%.db'],
  ])('%s names the file %s', (url, file) => {
    expect(readConfiguration({ COUNTERSIGN_DATABASE_URL: url }, '/srv').database).toMatchObject({ file });
  });

  it('comes from the environment', () => {
    const env = {
      COUNTERSIGN_DATABASE_URL: 'file:///var/lib/countersign/it.db',
      COUNTERSIGN_HOST: '0.0.0.0',
      COUNTERSIGN_PORT: '0',
      COUNTERSIGN_BASE_URL: 'https://api.example.org/',
      COUNTERSIGN_DASHBOARD_URL: 'https://approve.example.org:8443',
      COUNTERSIGN_TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8,fd00::/8',
      COUNTERSIGN_ALLOW_PRIVATE_TARGETS: 'hooks.lan, 192.168.1.7',
      COUNTERSIGN_NOTICE_SMTP: 'smtp://notices%40example.org:s%3Acret@mail.example.org',
      COUNTERSIGN_NOTICE_FROM: 'notices@example.org',
      COUNTERSIGN_SECRET_KEY: `${KEY},${KEY}`,
      COUNTERSIGN_INDEX: 'off',
      COUNTERSIGN_PLAN: 'free',
      COUNTERSIGN_LIMITS: '{"callsPerMinute":1000}',
      COUNTERSIGN_LOG: 'warn',
    };
    expect(readConfiguration(env, folderWith())).toEqual({
      database: { kind: 'file', name: '/var/lib/countersign/it.db', file: '/var/lib/countersign/it.db' },
      host: '0.0.0.0',
      port: 0,
      baseUrl: 'https://api.example.org',
      dashboardUrl: 'https://approve.example.org:8443',
      trustedProxies: ['127.0.0.1', '10.0.0.0/8', 'fd00::/8'],
      allowPrivateTargets: ['hooks.lan', '192.168.1.7'],
      mailProviders: [],
      noticeMail: {
        ...{ host: 'mail.example.org', port: 587, security: 'starttls' },
        ...{ user: 'notices@example.org', pass: 's:cret', from: 'notices@example.org' },
      },
      secretKeys: { kind: 'set', keys: [Buffer.alloc(32, 7), Buffer.alloc(32, 7)] },
      indexFile: undefined,
      plan: 'free',
      limits: { callsPerMinute: 1000 },
      log: 'warn',
    });
  });

  it('names a Postgres database without user and password', () => {
    const folder = folderWith();
    const connectionString =
      'postgresql://u:secret@db.example.org:5433/it?sslmode=verify-full&password=secret';
    const { database, secretKeys } = readConfiguration(
      { COUNTERSIGN_DATABASE_URL: connectionString, COUNTERSIGN_DATA_DIR: 'state' },
      folder,
    );
    const name = 'postgres://db.example.org:5433/it';
    expect(database).toEqual({ kind: 'postgres', name, connectionString });
    expect(secretKeys).toEqual({ kind: 'file', file: join(folder, 'state/countersign.key') });
  });

  it('names a Postgres database at a socket by the socket, and no file', () => {
    const name = 'postgres:///it?host=/var/run/postgresql';
    vi.stubEnv('PGUSER', 'u');
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const connectionString of [
      'postgres://u:secret@/it?host=/var/run/postgresql',
      'postgres://u:secret@%2Fvar%2Frun%2Fpostgresql/it',
      'socket://u:secret@/var/run/postgresql?db=it',
      '/var/run/postgresql it',
    ]) {
      const env = { COUNTERSIGN_DATABASE_URL: connectionString, COUNTERSIGN_DATA_DIR: 'state' };
      const { database } = readConfiguration(env, folderWith());
      expect(database).toEqual({ kind: 'postgres', name, connectionString });
    }
  });

  it('refuses an address of Postgres that would be misread by the name that it has in the file', () => {
    const read = () => readConfiguration({}, folderWith({ databaseUrl: 'postgres://u:1#secret@h/it' }));
    expect(read).toThrow(/^databaseUrl in countersign.config.json: is cut at #. Write # as %23.$/);
  });

  it('comes from the file if the environment does not set it', () => {
    const folder = folderWith({
      port: 9000,
      plan: 'free',
      limits: { callsPerDay: 1 },
      trustedProxies: ['::1'],
    });
    const read = readConfiguration({ COUNTERSIGN_PLAN: 'paid', COUNTERSIGN_PORT: '' }, folder);
    expect(read).toMatchObject({
      port: 9000,
      plan: 'paid',
      limits: { callsPerDay: 1 },
      trustedProxies: ['::1'],
    });
  });

  it.each([
    ['COUNTERSIGN_DATABASE_URL', 'mysql://localhost/it', 'postgres://user:password@host/name'],
    ['COUNTERSIGN_DATABASE_URL', 'postgres://u:secret@[it', 'postgres://user:password@host/name'],
    ['COUNTERSIGN_DATABASE_URL', 'postgres://u:1#secret@host/it', 'Write # as %23'],
    ['COUNTERSIGN_DATABASE_URL', 'postgres://u:secret@host/it?ssl=false', 'Write sslmode=disable'],
    ['COUNTERSIGN_DATABASE_URL', 'postgres://u:secret@host/it?sslmode=prefer', 'Write sslmode=verify-full'],
    ['COUNTERSIGN_DATABASE_URL', 'postgres://u:secret@one,two/it', 'names several hosts'],
    ['COUNTERSIGN_DATABASE_URL', '/var/lib/it.db', 'file:/var/lib/countersign/countersign.db'],
    ['COUNTERSIGN_DATABASE_URL', '/my data/it.db', 'file:/var/lib/countersign/countersign.db'],
    ['COUNTERSIGN_DATABASE_URL', 'data.db', 'file:/var/lib/countersign/countersign.db'],
    ['COUNTERSIGN_DATABASE_URL', 'file:/var/lib/100%.db', 'a percent sign is written %25'],
    ['COUNTERSIGN_DATABASE_URL', 'file:/var/lib/a%00.db', 'must be a file on this machine'],
    ['COUNTERSIGN_DATABASE_URL', 'file://server/share/it.db', 'must be a file on this machine'],
    ['COUNTERSIGN_PORT', '80a', 'a number from 0'],
    ['COUNTERSIGN_PORT', '65535', 'a number from 0'],
    ['COUNTERSIGN_BASE_URL', 'countersign.internal', 'like https://api.example.org'],
    ['COUNTERSIGN_BASE_URL', 'https://api.example.org/?v=1', 'like https://api.example.org'],
    ['COUNTERSIGN_BASE_URL', 'https://api.example.org/a%20b', 'like https://api.example.org'],
    ['COUNTERSIGN_BASE_URL', 'https://me@api.example.org', 'like https://api.example.org'],
    ['COUNTERSIGN_DASHBOARD_URL', 'ftp://approve.example.org', 'like https://approve.example.org'],
    ['COUNTERSIGN_TLS_CERT', 'cert.pem', 'COUNTERSIGN_TLS_KEY'],
    ['COUNTERSIGN_TLS_KEY', 'key.pem', 'COUNTERSIGN_TLS_CERT'],
    ['COUNTERSIGN_TRUSTED_PROXIES', 'proxy.example', '10.0.0.0/8'],
    ['COUNTERSIGN_ALLOW_PRIVATE_TARGETS', 'https://hooks.lan/', 'like hooks.lan'],
    ['COUNTERSIGN_NOTICE_SMTP', 'http://mail.example.org', 'smtps://mail.example.org'],
    ['COUNTERSIGN_NOTICE_SMTP', 'smtp://user@mail.example.org', 'smtps://mail.example.org'],
    ['COUNTERSIGN_NOTICE_FROM', 'Owner <owner@example.org>', 'countersign@example.org'],
    ['COUNTERSIGN_SECRET_KEY', 'c2VjcmV0LXRvby1zaG9ydA==', 'openssl rand -base64 32'],
    ['COUNTERSIGN_INDEX', 'yes', 'on or off'],
    ['COUNTERSIGN_PLAN', 'gold', 'free or paid'],
    ['COUNTERSIGN_LIMITS', '{"callsPerHour":1}', 'callsPerMinute'],
    ['COUNTERSIGN_LIMITS', 'callsPerMinute=1', 'callsPerMinute'],
    ['COUNTERSIGN_LOG', 'debug', 'info, warn, error'],
    ['COUNTERSIGN_PROT', '1', 'unknown setting'],
  ])('rejects %s=%s with the name and a remedy, but not the value', (name, value, remedy) => {
    const read = () => readConfiguration({ [name]: value }, folderWith());
    expect(read).toThrow(new RegExp(`^${name}: .*${remedy.replaceAll(/[.+{}/]/g, '\\$&')}`));
    expect(read).not.toThrow(value);
  });

  it.each(
    Object.entries({
      dataDir: [1, null, ['/data']],
      databaseUrl: [1, null, {}, 'data.db'],
      host: [127, null, ['127.0.0.1']],
      port: ['9000', 1.5, null, [8787]],
      baseUrl: [1, null, ['https://api.example.org']],
      dashboardUrl: [true, null, {}],
      mcpUrl: [true, null, {}],
      trustedProxies: ['127.0.0.1', 1, null, [1], {}],
      allowPrivateServers: [true, 'mail.lan', null, [1], {}],
      allowPrivateTargets: ['hooks.lan', true, null, [1], {}],
      noticeSmtp: [1, null, ['smtp://mail.example.org']],
      noticeFrom: [1, null, {}],
      secretKey: [KEY, 1, null, [1], {}],
      plan: [1, null, ['paid']],
      limits: ['{"callsPerMinute":1}', null, [], { callsPerMinute: '1' }],
      log: [1, null, true, ['info']],
    }).flatMap(([name, values]) => values.map((value) => [name, value] as const)),
  )('names %s in the file if it has the wrong type: %j', (name, value) => {
    const read = () => readConfiguration({}, folderWith({ [name]: value }));
    expect(read).toThrow(new RegExp(`^${name} in countersign\\.config\\.json: must be `));
    expect(read).not.toThrow(KEY);
  });

  it.each(['trustedProxies', 'allowPrivateServers', 'allowPrivateTargets', 'secretKey'])(
    'says that %s is an array in the file',
    (name) => {
      expect(() => readConfiguration({}, folderWith({ [name]: KEY }))).toThrow('a list is a JSON array');
    },
  );

  it('names the address of notices and their server together', () => {
    const read = (env: Record<string, string>) => () => readConfiguration(env, folderWith());
    const problem = 'noticeSmtp and noticeFrom belong together: set both, or none.';
    expect(read({ COUNTERSIGN_NOTICE_SMTP: 'smtp://localhost:25' })).toThrow(problem);
    expect(read({ COUNTERSIGN_NOTICE_FROM: 'notices@example.org' })).toThrow(problem);
  });

  it.each([
    [{ port: '9000' }, 'port in countersign.config.json: must be a number'],
    [{ prot: 1 }, 'prot in countersign.config.json: unknown setting'],
    [[], 'countersign.config.json is not a JSON object'],
    ['{', 'countersign.config.json is not a JSON object'],
  ])('rejects a file that contains %j', (file, message) => {
    expect(() => readConfiguration({}, folderWith(file))).toThrow(message);
  });
});
