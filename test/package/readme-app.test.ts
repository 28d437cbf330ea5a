import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { blocksIn, documentText, sectionOf } from '../docs/documents.ts';
import { connectAccount, decide, enterAccount, stateOn, textOf } from '../e2e/owner-pages.ts';
import { filedIn, restClient } from '../e2e/rest-client.ts';
import { browserIsMissing, inBrowser, openBrowser } from '../servers/browser.ts';
import { startDovecot } from '../servers/dovecot.ts';
import { addressOf } from '../servers/mail-users.ts';
import { missingServers, titledWithout } from '../servers/missing-servers.ts';
import { startPostfix } from '../servers/postfix.ts';
import { until } from '../until.ts';
import { hasRegistry } from './npm.ts';
import { type PackedPackage, packPackage } from './packed-package.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const missing = [...missingServers(), ...((await hasRegistry()) ? [] : ['the npm registry'])];

const announced = z.strictObject({ url: z.url(), password: z.string() });

/** The app that the page takes for granted. */
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
  inBrowser(titledWithout(missing, 'the commands and code of README and docs, on the packed package')),
  () => {
    let packed: PackedPackage;
    let project: string;
    let app: ChildProcessByStdio<null, Readable, Readable>;
    let browser: Browser;
    beforeAll(async () => {
      packed = await packPackage();
      project = await packed.install();
      for (const name of ['better-sqlite3', 'express'])
        symlinkSync(join(ROOT, 'node_modules', name), join(project, 'node_modules', name));
      browser = await openBrowser();
    });
    afterAll(async () => {
      app?.kill('SIGKILL');
      await packed?.remove();
    });

    it('has an app of fewer than 20 lines, whose user connects a mailbox, creates a key and approves', async () => {
      const code = blocksIn(documentText('docs/embedding.md'), 'js')[0];
      const own = code.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('import '));
      expect(own.length).toBeLessThan(20);
      writeFileSync(join(project, 'page.mjs'), code);
      writeFileSync(join(project, 'app.mjs'), APP);
      cpSync(join(ROOT, 'examples/app'), join(project, 'app'), { recursive: true });
      const dovecot = await startDovecot();
      onTestFinished(() => dovecot.stop());
      const postfix = await startPostfix(dovecot, { certificate: dovecot.certificate });
      onTestFinished(() => postfix.stop());
      app = spawn(process.execPath, ['page.mjs'], { cwd: project, stdio: ['ignore', 'pipe', 'pipe'] });
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

    it('has a walk from the installed command to an approved reply, which is done word for word', async () => {
      const dovecot = await startDovecot();
      onTestFinished(() => dovecot.stop());
      const postfix = await startPostfix(dovecot, { certificate: dovecot.certificate });
      onTestFinished(() => postfix.stop());
      const [user, friend] = [dovecot.addUser(), dovecot.addUser()];
      await dovecot.deliver(
        user,
        `From: ${addressOf(friend)}\r\nSubject: Lunch?\r\n\r\nTomorrow at noon?\r\n`,
      );

      const walk =
        sectionOf(documentText('docs/self-hosting.md'), 'Serve your mailbox').split('\nThe link makes')[0] ??
        '';
      const [install = '', serve = ''] = blocksIn(walk, 'sh')[0].split('\n');
      // The package is built and packed already.
      const [, installed = ''] =
        /^npm ci && npm run build && (npm install --global \.) +#/.exec(install) ?? [];
      const home = await mkdtemp(join(tmpdir(), 'countersign-walk-'));
      onTestFinished(() => rm(home, { recursive: true }));
      const env = {
        PATH: `${join(home, 'bin')}:${process.env.PATH}`,
        HOME: home,
        npm_config_prefix: home,
        // Others may use the usual ports on this machine.
        COUNTERSIGN_PORT: '0',
      };
      const sh = (command: string) => bash(command, { cwd: join(project, 'node_modules/countersign'), env });
      await sh(installed);
      const server = inTerminal(serve, { cwd: home, env });
      onTestFinished(() => server.stop());
      const api = (await server.shows(/API +http:\/\/[\d.:]+/)).replace(/^API +/, '');
      const link = await server.shows(/http:\/\/countersign\.localhost:\d+\/setup\/[\w-]+/);

      const { origin } = new URL(link);
      const context = await browser.newContext({ baseURL: `${origin}/` });
      onTestFinished(() => context.close());
      const page = await context.newPage();
      const pressed: string[] = [];
      const press = async (name: string) => {
        pressed.push(name);
        await page.getByRole('button', { name }).click();
      };
      await page.goto(link);
      await page.getByLabel('Email').fill(addressOf(user));
      await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
      await page.getByLabel('The same password again').fill('correct horse battery');
      await press('Continue');
      await page.getByRole('heading', { name: 'Connect your mailbox' }).waitFor();
      // A domain of the tests has no servers to be found, so they are typed.
      await enterAccount(page, { dovecot, postfix }, { user });
      pressed.push('Connect account', 'Use these servers');
      await page.getByText('The account is connected.').waitFor();
      await page.getByLabel('Name').fill('My agent');
      await page.getByLabel('Preset').selectOption({ label: 'Full' });
      await press('Create key');
      const apiKey = await textOf(page, 'api-key');
      expect(await page.locator('#first-call').innerText()).toContain('Waiting');
      const tried = (await page.locator('code.exact').first().textContent()) ?? '';
      expect((await sh(tried)).stdout).toContain('"mail:reply":"approval"');
      await page.locator('#first-call[data-state=on]').waitFor();

      // The reply in README.
      const own = new Map([
        ['KEY=svc_pat_…', `KEY=${apiKey}`],
        ['API=http://127.0.0.1:8787', `API=${api}`],
      ]);
      const [, calls = ''] = blocksIn(sectionOf(documentText('README.md'), 'Try it'), 'sh');
      const [ask = '', look = ''] = [...own]
        .reduce((text, [from, to]) => {
          expect(text).toContain(from);
          return text.replace(from, to);
        }, calls)
        .split('# Sign in to the dashboard, read the request, and click Approve. Then:');
      const asked = await sh(ask);
      expect(asked.stdout).toContain('HTTP/1.1 202');
      await page.goto('approvals');
      await page.locator('main .rows a').first().click();
      expect(await textOf(page, 'message-text')).toMatch(/^Thank you, I will be there\.\n/);
      await press('Approve');
      await page.locator('#just-decided').waitFor();
      expect(await stateOn(page)).toBe('Executed');
      const seen = await sh(`${ask.split('\n').slice(0, 2).join('\n')}\n${look}`);
      expect(seen.stdout).toContain('"state":"executed"');
      await postfix.delivered();
      expect((await dovecot.messages(friend))[0]).toContain('Thank you, I will be there.');
      // It presses what the walk names, and nothing else.
      expect([...walk.matchAll(/\*([^*]+)\*/g)].map(([, name]) => name)).toEqual(pressed);
    });
  },
);

interface Surroundings {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Runs commands as a person types them. @throws Error if the last one fails */
function bash(commands: string, { cwd, env }: Surroundings): Promise<{ stdout: string }> {
  return promisify(execFile)('bash', ['-c', commands], { cwd, env });
}

/** Runs a command in a terminal of its own. */
function inTerminal(command: string, { cwd, env }: Surroundings) {
  // script (util-linux) gives it a terminal.
  const child = spawn('/usr/bin/script', ['--quiet', '--command', `exec ${command}`, '/dev/null'], {
    cwd,
    env,
  });
  let shown = '';
  child.stdout.on('data', (chunk) => {
    shown += String(chunk);
  });
  return {
    /** Waits until it has shown this. @returns what it has shown of it */
    async shows(pattern: RegExp): Promise<string> {
      await until(() => pattern.test(shown) || child.exitCode !== null);
      const [found] = pattern.exec(shown) ?? [];
      if (found === undefined) throw new Error(`it ended: ${shown}`);
      return found;
    },
    /** Presses Ctrl-C. */
    async stop(): Promise<void> {
      child.stdin.write('\x03');
      await once(child, 'close');
    },
  };
}
