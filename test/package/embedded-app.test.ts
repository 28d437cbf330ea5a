import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decide, stateOn } from '../e2e/owner-pages.ts';
import { filedIn, restClient } from '../e2e/rest-client.ts';
import { browserIsMissing, inBrowser, openBrowser } from '../servers/browser.ts';
import { titledWithout } from '../servers/missing-servers.ts';
import { freePorts } from '../servers/ports.ts';
import { hasRegistry, npm } from './npm.ts';
import { type PackedPackage, packPackage } from './packed-package.ts';

const LONGEST_MS = 600_000;
const [port = 0] = await freePorts(1);
const origin = `http://127.0.0.1:${port}`;

/** An app's own lines: a user of its own, below a path. The mailbox is a sandbox. */
const APP = `
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { createService } from 'countersign';
import { countersign } from 'countersign/node';
import { processReader } from 'countersign/reader';
import { sandboxMail } from 'countersign/sandbox';
import { sqliteStorage } from 'countersign/sqlite';

const [storage, mail, reader] = [sqliteStorage({ file: 'app.db' }), sandboxMail(), processReader()];
const [baseUrl, dashboardUrl] = ['${origin}/mail', '${origin}/mail'];
const service = createService({ storage, mail, reader, secretKeys: [randomBytes(32)], baseUrl, dashboardUrl });
const { ownerId } = await service.owners.create({ ownerId: 'grace', email: 'grace@example.org' });
await service.accounts.connect({ ownerId, email: 'grace@example.org', settings: {} });
const session = async () => ({ ownerId, sessionId: 'session-1', authenticatedAt: new Date() });
const mount = countersign(service, { session, signInUrl: '/login', stepUpUrl: '/confirm' });
createServer((req, res) => (req.url.startsWith('/mail') ? mount(req, res) : res.end())).listen(${port}, '127.0.0.1');
service.start();
console.log('ready');
`;

const missing = (await hasRegistry()) ? [] : ['the npm registry'];

describe.skipIf(browserIsMissing || missing.length > 0)(
  inBrowser(titledWithout(missing, 'an app of fewer than 20 lines on the packed package')),
  () => {
    let packed: PackedPackage;
    let app: ChildProcess;
    let browser: Browser;
    beforeAll(async () => {
      packed = await packPackage();
      const project = await packed.install();
      const driver = process.versions.node.startsWith('20.')
        ? join(resolve(import.meta.dirname, '../..'), 'node_modules/better-sqlite3')
        : 'better-sqlite3@13';
      await npm(project, ['install', '--ignore-scripts', driver]);
      await writeFile(join(project, 'app.mjs'), APP);
      app = spawn(process.execPath, ['app.mjs'], { cwd: project, stdio: ['ignore', 'pipe', 'inherit'] });
      if (app.stdout !== null) await once(app.stdout, 'data');
      browser = await openBrowser();
    }, LONGEST_MS);
    afterAll(async () => {
      await browser?.close();
      app?.kill('SIGKILL');
      await packed?.remove();
    });

    it('lets its user create a key and approve what an agent requests, below a path', {
      timeout: 90_000,
    }, async () => {
      expect(APP.trim().split('\n').length).toBeLessThan(20);
      const page = await browser.newPage();
      await page.goto(`${origin}/mail/integrations`);
      await page.getByLabel('Name').first().fill('agent');
      await page.getByLabel('Preset').selectOption('full');
      await page.getByRole('button', { name: 'Create key' }).click();
      const key = await page.locator('.secret').first().innerText();
      const rest = restClient(`${origin}/mail`, key.trim());
      const body = { to: ['ada@example.org'], subject: 'Hello', body: 'Hello, Ada.' };
      const approvalId = filedIn(await rest.post('/v1/messages', body));
      await page.goto(`${origin}/mail/approvals/${approvalId}`);
      await decide(page, 'Approve');
      expect(await stateOn(page)).toBe('Executed');
      expect((await rest.get(`/v1/approvals/${approvalId}`)).body).toMatchObject({ executed: true });
      await page.close();
    });
  },
);
