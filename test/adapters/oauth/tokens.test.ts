import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { limitedFetch } from '../../../adapters/oauth/limited-fetch.ts';
import { microsoftProvider } from '../../../adapters/oauth/providers.ts';
import { postgresStorage } from '../../../adapters/postgres/storage.ts';
import { accessTokens } from '../../../core/accounts/access-token.ts';
import { grantOf, sealGrant, tokenState } from '../../../core/accounts/grant.ts';
import { type AccessToken, SignInWithdrawn } from '../../../core/ports/mail.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { createKeyring } from '../../../core/secrets/keyring.ts';
import { addOwner } from '../../contracts/storage/scene.ts';
import { USUAL_ROLES } from '../../folder-roles.ts';
import { silentLog, type TestClock, testClock } from '../../open-service.ts';
import { bundleForChild, runChild } from '../../run-typescript.ts';
import { type MailProvider, startMailProvider } from '../../servers/mail-provider.ts';
import { addressOf } from '../../servers/mail-users.ts';
import { missingPostgres, type Postgres, startPostgres } from '../../servers/postgres.ts';
import { emptyDatabase, sqliteOnClock } from '../../store-clock.ts';
import { ownProvider } from './own-provider.ts';

const SECRET_KEY = new Uint8Array(32).fill(7);
const keyring = createKeyring([SECRET_KEY], (bytes) => new Uint8Array(bytes).fill(1));
const HOUR_MS = 3_600_000;
let provider: MailProvider;
let file: string;
let folder: string;
let postgres: Postgres | undefined;
beforeAll(async () => {
  provider = await startMailProvider();
  postgres = missingPostgres().length > 0 ? undefined : await startPostgres();
  folder = mkdtempSync(join(tmpdir(), 'cs-oauth-'));
});
afterAll(async () => {
  await provider.stop();
  await postgres?.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  provider.answerTokenRequests();
  provider.tokenRequests.splice(0);
});

/**
 * An account with a grant, in two processes: each has its own connection to the database.
 * @param connectionString  of Postgres. Default: SQLite, whose clock is that of the test
 */
async function inTwoProcesses(connectionString?: string) {
  file = join(folder, `${Math.random()}.db`);
  writeFileSync(file, emptyDatabase());
  const clock = testClock();
  const connect = () =>
    connectionString === undefined
      ? sqliteOnClock(file, () => clock.now().getTime())
      : postgresStorage({ connectionString });
  const storages = [connect(), connect()];
  onTestFinished(async () => {
    for (const storage of storages) await storage.close();
  });
  const [storage] = storages as [Storage, Storage];
  const ownerId = await addOwner(storage);
  const tokens = await provider.grant('alice');
  const grant = grantOf('own', { ...tokens, expiresInS: 3600 }, tokens.refreshToken, clock.now());
  await storage.addAccount({
    ...{ ownerId, label: 'a', email: addressOf('alice'), signature: '', folderRoles: USUAL_ROLES },
    seal: () => 'settings',
    sealGrant: (accountId) => sealGrant(keyring, ownerId, accountId, grant),
    now: clock.now(),
  });
  const processes = await Promise.all(
    storages.map(async (each): Promise<AccessToken> => {
      const [account] = await each.accounts(ownerId);
      if (account === undefined) throw new Error('no account');
      const ports = { storage: each, clock, log: silentLog, mailProviders: [ownProvider(provider)] };
      return accessTokens(ports, keyring, account);
    }),
  );
  const [one, two] = processes as [AccessToken, AccessToken];
  const withdrawnAt = async () => (await storage.accounts(ownerId))[0]?.grant?.withdrawnAt;
  return { one, two, clock, tokens, withdrawnAt, storage, ownerId };
}

const json = (status: number, body: unknown) => (response: ServerResponse) => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

describe('the access tokens of an account', () => {
  it('are used until shortly before their end, and then replaced', async () => {
    const { one, clock, tokens } = await inTwoProcesses();
    expect(await one()).toBe(tokens.accessToken);
    clock.shift(HOUR_MS - 6 * 60_000);
    expect(await one()).toBe(tokens.accessToken);
    expect(provider.tokenRequests).toHaveLength(0);
    clock.shift(2 * 60_000);
    expect(await one()).not.toBe(tokens.accessToken);
    expect(provider.tokenRequests).toHaveLength(1);
  });

  it.each(missingPostgres().length > 0 ? ['SQLite'] : ['SQLite', 'Postgres'])(
    'are fetched once by two processes, whose provider takes a refresh token once: %s',
    async (where) => {
      const { one, two, clock, withdrawnAt } = await inTwoProcesses(
        where === 'Postgres' ? await postgres?.createDatabase() : undefined,
      );
      for (let round = 1; round <= 3; round += 1) {
        clock.shift(2 * HOUR_MS);
        const tokens = await Promise.all([one(), two(), one(), two()]);
        expect(new Set(tokens).size).toBe(1);
        expect(provider.tokenRequests).toHaveLength(round);
      }
      // Each refresh token was used once.
      expect(new Set(provider.tokenRequests.map((fields) => fields.get('refresh_token'))).size).toBe(3);
      expect(await withdrawnAt()).toBeNull();
    },
  );

  it('are replaced if a server refuses one, but not one that is new', async () => {
    const { one, two, clock, tokens } = await inTwoProcesses();
    expect(await one(tokens.accessToken)).toBe(tokens.accessToken);
    clock.shift(2 * 60_000);
    const fresh = await one(tokens.accessToken);
    expect(fresh).not.toBe(tokens.accessToken);
    expect(await two(tokens.accessToken)).toBe(fresh);
    expect(provider.tokenRequests).toHaveLength(1);
  });

  it('end with a withdrawn sign-in, in every process and without further requests', async () => {
    const { one, two, clock, withdrawnAt } = await inTwoProcesses();
    clock.shift(2 * HOUR_MS);
    await provider.withdraw('alice');
    await expect(one()).rejects.toBeInstanceOf(SignInWithdrawn);
    expect(await withdrawnAt()).toBeInstanceOf(Date);
    await expect(two()).rejects.toBeInstanceOf(SignInWithdrawn);
    await expect(one()).rejects.toMatchObject({ code: 'auth' });
    expect(provider.tokenRequests).toHaveLength(1);
  });

  describe('that a process got and did not save, because it was killed', () => {
    async function afterKill() {
      const scene = await inTwoProcesses();
      const { issuer, clientId, clientSecret } = provider;
      const bundle = await bundleForChild(join(import.meta.dirname, 'refresh-process.ts'));
      const key = Buffer.from(SECRET_KEY).toString('hex');
      const args = [file, scene.ownerId, key, String(2 * HOUR_MS), issuer, clientId, clientSecret];
      expect(await runChild(bundle, args)).toMatchObject({ signal: 'SIGKILL' });
      expect(provider.tokenRequests).toHaveLength(1);
      // The lease of the process that died is over.
      scene.clock.shift(2 * HOUR_MS);
      return scene;
    }
    const usedTokens = () => provider.tokenRequests.map((fields) => fields.get('refresh_token'));

    it('are fetched again with the old refresh token, if the provider lets that pass', async () => {
      const { one, tokens, withdrawnAt } = await afterKill();
      provider.answerTokenRequests(json(200, { token_type: 'bearer', access_token: 'again' }));
      expect(await one()).toBe('again');
      expect(usedTokens()).toEqual([tokens.refreshToken, tokens.refreshToken]);
      expect(await withdrawnAt()).toBeNull();
    });

    it('end the sign-in otherwise, and the next one mends the account', async () => {
      const { one, two, storage, ownerId, clock, withdrawnAt, tokens } = await afterKill();
      await expect(one()).rejects.toMatchObject({ trouble: 'sign_in_again' });
      expect(await withdrawnAt()).toBeInstanceOf(Date);
      await expect(two()).rejects.toBeInstanceOf(SignInWithdrawn);
      expect(usedTokens()).toEqual([tokens.refreshToken, tokens.refreshToken]);
      const granted = await provider.grant('alice');
      const next = grantOf('own', { ...granted, expiresInS: 3600 }, granted.refreshToken, clock.now());
      const sealed = sealGrant(keyring, ownerId, 1, next);
      expect(await storage.replaceGrant({ ownerId, accountId: 1, sealed })).toBe(true);
      expect(await one()).toBe(granted.accessToken);
      expect(await two()).toBe(granted.accessToken);
    });
  });

  it.each<[string, (response: ServerResponse) => void, string]>([
    ['an error of its own', json(500, { error: 'server_error' }), 'unavailable'],
    ['an overload that looks like an answer', json(503, { error: 'invalid_grant' }), 'unavailable'],
    ['too many requests', json(429, { error: 'invalid_grant' }), 'unavailable'],
    [
      'a page of HTML',
      (r) => r.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello'),
      'unavailable',
    ],
    [
      'a page of HTML with 400',
      (r) => r.writeHead(400, { 'content-type': 'text/html' }).end('<p>'),
      'unavailable',
    ],
    ['nothing, and hangs up', (r) => r.destroy(), 'unavailable'],
    ['a redirect', (r) => r.writeHead(302, { location: 'https://example.test/' }).end(), 'unavailable'],
    ['an endless answer', (r) => r.writeHead(200).end('x'.repeat(300_000)), 'unavailable'],
    ['no token', json(200, { token_type: 'bearer' }), 'unavailable'],
    ['a token with a line break', json(200, { token_type: 'bearer', access_token: 'a\r\nb' }), 'unavailable'],
    ['that the client is wrong', json(401, { error: 'invalid_client' }), 'refused'],
    ['that the client may not', json(400, { error: 'unauthorized_client' }), 'refused'],
  ])('survive a provider that answers %s', async (_what, answer, code) => {
    const { one, clock, withdrawnAt, tokens } = await inTwoProcesses();
    provider.answerTokenRequests(answer);
    clock.shift(HOUR_MS - 60_000);
    // The old one is still good.
    expect(await one()).toBe(tokens.accessToken);
    clock.shift(2 * 60_000);
    await expect(one()).rejects.toMatchObject({ name: 'MailError', code });
    expect(await withdrawnAt()).toBeNull();
    provider.answerTokenRequests();
    expect(await one()).not.toBe(tokens.accessToken);
  });

  it('survive a clock that is set back or forward', async () => {
    const { one, clock, tokens } = await inTwoProcesses();
    clock.shift(-24 * HOUR_MS);
    const fresh = await one();
    expect(fresh).not.toBe(tokens.accessToken);
    clock.shift(48 * HOUR_MS);
    expect(await one()).not.toBe(fresh);
  });
});

it('a token with a short life is replaced in its last fifth', () => {
  const clock: TestClock = testClock();
  const grant = grantOf('own', { accessToken: 'a', refreshToken: 'r', expiresInS: 50 }, 'r', clock.now());
  const stateAfter = (seconds: number) =>
    tokenState(grant, undefined, new Date(grant.obtainedAtMs + seconds * 1000));
  expect([0, 39, 41, 49, 50].map(stateAfter)).toEqual(['good', 'good', 'ending', 'ending', 'ended']);
});

it('a provider that never answers is given up', async () => {
  const server = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await expect(limitedFetch(url, { method: 'POST', headers: {} }, 100)).rejects.toThrow();
});

it('an address without TLS is refused, and so is a tenant that is not one', () => {
  const wrong = { issuer: 'http://id.example.test', clientId: 'c', clientSecret: 's' };
  expect(() => ownProvider(wrong)).toThrow('https:');
  expect(() => microsoftProvider({ clientId: 'c', tenant: '../x' })).toThrow('tenant');
});
