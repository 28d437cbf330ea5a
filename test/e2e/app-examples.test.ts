import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { browserIsMissing, inBrowser, openBrowser } from '../servers/browser.ts';
import { nginxIsMissing, startNginx } from '../servers/nginx.ts';
import { freePorts } from '../servers/ports.ts';
import { type InstalledPackage, installPackage, lineOf } from './installed-package.ts';
import { decide, stateOn, textOf } from './owner-pages.ts';
import { filedIn, restClient } from './rest-client.ts';

const announced = z.strictObject({
  url: z.url(),
  owner: z.strictObject({ email: z.string(), password: z.string() }),
  api_key: z.string(),
});

describe.skipIf(browserIsMissing)(inBrowser('the user of an app approves in it'), { timeout: 90_000 }, () => {
  let installed: InstalledPackage;
  let browser: Browser;
  beforeAll(async () => {
    installed = await installPackage();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    installed?.remove();
  });

  it.each([
    ['express', []],
    ['koa', []],
    ['fastify', []],
    ['fastify', ['parsed']],
    ['hono', []],
  ])('examples/%s.mjs %j', async (name, args) => {
    const [port = 0] = await freePorts(1);
    const app = installed.run(name, { PORT: String(port) }, args);
    await approves(app);
    app.kill('SIGTERM');
    expect(await app.ended).toMatchObject({ code: 0, stderr: '' });
  });

  it.skipIf(nginxIsMissing)('examples/express.mjs behind nginx', async () => {
    const [port = 0] = await freePorts(1);
    const nginx = await startNginx(
      `location / {
        proxy_pass http://127.0.0.1:${port};
        proxy_set_header Host $http_host;
        proxy_set_header X-Forwarded-For $remote_addr;
      }
      location /stripped/ {
        proxy_pass http://127.0.0.1:${port}/countersign/countersign/;
        proxy_set_header Host $http_host;
      }`,
    );
    onTestFinished(() => nginx.stop());
    const origin = `http://127.0.0.1:${nginx.port}`;
    const app = installed.run('express', { PORT: String(port), APP_URL: origin });
    await approves(app);
    const doubled = await fetch(`${origin}/stripped/approvals`);
    expect(doubled.status).toBe(421);
    expect(await doubled.json()).toMatchObject({ details: { expected: `${origin}/countersign` } });
    app.kill('SIGTERM');
    expect(await app.ended).toMatchObject({ code: 0, stderr: '' });
  });

  async function approves(app: ReturnType<InstalledPackage['run']>): Promise<void> {
    const { url, owner, api_key } = announced.parse(JSON.parse(await lineOf(app, () => true)));
    expect(await (await fetch(new URL('/', url))).text()).toBe('The app itself.\n');

    const client = new Client({ name: 'assistant', version: '1.0.0' });
    const requestInit = { headers: { Authorization: `Bearer ${api_key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
    const me = await client.callTool({ name: 'get_me', arguments: {} });
    expect(me).toMatchObject({ isError: false, structuredContent: { status: 'ok' } });
    await client.close();

    const rest = restClient(url, api_key);
    const { id } = await rest.newest();
    const approvalId = filedIn(await rest.post(`/v1/messages/${id}/reply`, { body: 'Gladly.' }));
    const page = await signedInToApp(`${url}/approvals/${approvalId}`, owner);
    expect(await textOf(page, 'message-text')).toMatch(/^Gladly\.\n/);
    await decide(page, 'Approve');
    expect(await stateOn(page)).toBe('Executed');
    expect((await rest.get(`/v1/approvals/${approvalId}`)).body).toMatchObject({ executed: true });

    // A form with many fields: the program gets another key.
    await page.getByRole('navigation').getByRole('link', { name: 'Integrations' }).click();
    await page.getByLabel('Name').first().fill('Second');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('svc_pat_').first().waitFor();
  }

  /** Opens a page of Countersign. The app asks who is there, and leads back to the page. */
  async function signedInToApp(address: string, owner: z.infer<typeof announced>['owner']): Promise<Page> {
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(address);
    expect(new URL(page.url()).pathname).toBe('/login');
    await page.getByLabel('Email').fill(owner.email);
    await page.getByLabel('Password').fill(owner.password);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL(address);
    return page;
  }
});
