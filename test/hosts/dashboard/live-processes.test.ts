import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { postgresStorage } from '../../../adapters/postgres/storage.ts';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import { openTestService } from '../../open-service.ts';
import { bundleForChild } from '../../run-typescript.ts';
import { browserIsMissing, openBrowser } from '../../servers/browser.ts';
import { titledWithout } from '../../servers/missing-servers.ts';
import { missingPostgres, type Postgres, startPostgres } from '../../servers/postgres.ts';
import { sessionToken } from '../../session-token.ts';

// The page is served by one process. The agent calls, and the owner decides, in another one with the same database.

const SECRET_KEY = randomBytes(32);
const EMAIL = 'owner@example.org';
const PASSWORD = 'correct horse battery';

interface Site {
  readonly child: ChildProcess;
  readonly port: number;
}

async function startSite(bundle: string, location: string, port = 0): Promise<Site> {
  const args = [bundle, location, SECRET_KEY.toString('hex'), String(port)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  return { child, port: Number(value) };
}

const missing = [...missingPostgres(), ...(browserIsMissing ? ['Chromium'] : [])];

describe.skipIf(missing.length > 0)(titledWithout(missing, 'a page of another process'), () => {
  let postgres: Postgres;
  let browser: Browser;
  let bundle: string;
  beforeAll(async () => {
    [postgres, browser, bundle] = await Promise.all([
      startPostgres(),
      openBrowser(),
      bundleForChild(join(import.meta.dirname, 'live-site.ts')),
    ]);
  });
  afterAll(() => postgres.stop());

  it.each(['SQLite', 'Postgres'])(
    'shows changes on %s, and after a restart those that it missed',
    async (kind) => {
      const folder = await mkdtemp(join(tmpdir(), 'countersign-live-'));
      const location = kind === 'SQLite' ? join(folder, 'app.db') : await postgres.createDatabase();
      const storage =
        kind === 'SQLite'
          ? sqliteStorage({ file: location })
          : postgresStorage({ connectionString: location });
      const { service, ownerId, addKey } = await openTestService({
        storage,
        secretKeys: [SECRET_KEY],
        email: EMAIL,
      });
      onTestFinished(async () => {
        await service.stop();
        await rm(folder, { recursive: true });
      });
      await service.owners.setPassword(ownerId, PASSWORD);
      const key = await addKey('full');
      const ask = async (subject: string) => {
        const outcome = await key.call('send_email', { to: ['ada@example.net'], subject, body: 'Hello' });
        if (outcome.status !== 'pending_approval') throw new Error(JSON.stringify(outcome));
        return outcome.approval.id;
      };
      const from = { address: '192.0.2.1', device: undefined, browser: 'Chromium', proofKey: null };
      const signedIn = await service.sessions.signIn({ email: EMAIL, password: PASSWORD, ...from });
      const first = await startSite(bundle, location);
      const url = `http://127.0.0.1:${first.port}`;
      const context = await browser.newContext();
      onTestFinished(() => context.close());
      await context.addCookies([{ name: `countersign-${first.port}`, value: sessionToken(signedIn), url }]);
      const page = await context.newPage();
      await page.goto(`${url}/approvals`);
      const row = (id: string, section: string) =>
        page.locator(`section[aria-labelledby=${section}] li#${id}`);

      const one = await ask('One');
      await row(one, 'waiting').waitFor();
      await service.approvals.reject(ownerId, one);
      await row(one, 'earlier').waitFor();

      first.child.stdin?.end();
      expect(await once(first.child, 'exit')).toEqual([0, null]);
      const two = await ask('Two');
      await startSite(bundle, location, first.port);
      await row(two, 'waiting').waitFor();
      await service.approvals.reject(ownerId, two);
      await row(two, 'earlier').waitFor();
    },
  );
});
