import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { connectAccount, decide, stateOn, textOf } from '../e2e/owner-pages.ts';
import { filedIn, restClient } from '../e2e/rest-client.ts';
import { browserIsMissing, inBrowser, openBrowser } from '../servers/browser.ts';
import { startDovecot } from '../servers/dovecot.ts';
import { addressOf } from '../servers/mail-users.ts';
import { missingServers, titledWithout } from '../servers/missing-servers.ts';
import { startPostfix } from '../servers/postfix.ts';
import { hasRegistry, npm } from './npm.ts';
import { type PackedPackage, packPackage } from './packed-package.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const LONGEST_MS = 600_000;

const missing = [...missingServers(), ...((await hasRegistry()) ? [] : ['the npm registry'])];

const announced = z.strictObject({ url: z.url(), password: z.string() });

/** The app that the README takes for granted. */
const APP = `
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import express from 'express';
import * as users from './app/users.mjs';

export const { user } = users;
export const sessionOf = (req) => users.sessionOf(req.headers.cookie);
export const secretKey = randomBytes(32);
export const allowPrivateServers = true;
export const app = express();
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
export const url = \`http://127.0.0.1:\${server.address().port}/countersign\`;
app.get('/login', (req, res) => res.send(users.passwordPage('/login', req.query.next)));
app.post('/login', express.urlencoded({ extended: false }), (req, res) => {
  res.set('Set-Cookie', users.signIn(req.body)).redirect(303, users.safeNext(req.body.next));
});
setTimeout(() => console.log(JSON.stringify({ url, password: user.password })), 500);
`;

describe.skipIf(browserIsMissing || missing.length > 0)(
  inBrowser(titledWithout(missing, "the app of README's section Embed it, on the packed package")),
  { timeout: 120_000 },
  () => {
    let packed: PackedPackage;
    let project: string;
    let app: ChildProcessByStdio<null, Readable, Readable>;
    let browser: Browser;
    beforeAll(async () => {
      packed = await packPackage();
      project = await packed.install();
      const driver = process.versions.node.startsWith('20.')
        ? join(ROOT, 'node_modules/better-sqlite3')
        : 'better-sqlite3@13';
      const express = `express@${packageJson.devDependencies.express}`;
      await npm(project, ['install', '--ignore-scripts', driver, express]);
      browser = await openBrowser();
    }, LONGEST_MS);
    afterAll(async () => {
      await browser?.close();
      app?.kill('SIGKILL');
      await packed?.remove();
    });

    it('has fewer than 20 lines, and its user connects a mailbox, creates a key and approves', async () => {
      const code = codeOf('Embed it');
      const own = code.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('import '));
      expect(own.length).toBeLessThan(20);
      writeFileSync(join(project, 'readme.mjs'), code);
      writeFileSync(join(project, 'app.mjs'), APP);
      cpSync(join(ROOT, 'examples/app'), join(project, 'app'), { recursive: true });
      const dovecot = await startDovecot();
      onTestFinished(() => dovecot.stop());
      const postfix = await startPostfix(dovecot, { certificate: dovecot.certificate });
      onTestFinished(() => postfix.stop());
      app = spawn(process.execPath, ['readme.mjs'], { cwd: project, stdio: ['ignore', 'pipe', 'pipe'] });
      const errors = text(app.stderr);
      const [line] = await Promise.race([
        once(app.stdout, 'data'),
        errors.then((written) => Promise.reject(new Error(written))),
      ]);
      const { url, password } = announced.parse(JSON.parse(String(line)));

      const context = await browser.newContext({ baseURL: `${url}/` });
      onTestFinished(() => context.close());
      const page = await context.newPage();
      await page.goto('accounts');
      await page.getByLabel('Email').fill('grace@example.org');
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.waitForURL(`${url}/accounts`);
      const user = dovecot.addUser();
      await connectAccount(page, { dovecot, postfix }, { user });
      await page.waitForURL(/notice=account_connected/);

      await page.getByRole('link', { name: 'Integrations' }).click();
      await page.getByLabel('Name').fill('Assistant');
      await page.getByLabel('Preset').selectOption({ label: 'Full' });
      await page.getByRole('button', { name: 'Create key' }).click();
      const rest = restClient(url, await textOf(page, 'api-key'));

      const letter = { to: [addressOf(user)], subject: 'Hello', body: 'Hello.' };
      const approvalId = filedIn(await rest.post('/v1/messages', letter));
      await page.goto(`approvals/${approvalId}`);
      await decide(page, 'Approve');
      expect(await stateOn(page)).toBe('Executed');
      expect((await rest.get(`/v1/approvals/${approvalId}`)).body).toMatchObject({ executed: true });
      app.kill('SIGTERM');
      expect(await errors).toBe('');
    });
  },
);

/** The first JavaScript block of a section of the README. */
function codeOf(section: string): string {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const [, code] = /```js\n(.*?)```/s.exec(readme.slice(readme.indexOf(`## ${section}\n`))) ?? [];
  if (code === undefined) throw new Error(`README.md has no code in ${section}`);
  return code;
}
