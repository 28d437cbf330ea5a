import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { browserIsMissing, inBrowser, openBrowser } from '../servers/browser.ts';
import { type InstalledPackage, installPackage, lineOf } from './installed-package.ts';
import { decide, signedIn, stateOn, textOf } from './owner-pages.ts';
import { filedIn, restClient } from './rest-client.ts';

const ready = z.strictObject({
  base_url: z.url(),
  dashboard_url: z.url(),
  owner: z.strictObject({ email: z.string(), password: z.string() }),
  api_key: z.string(),
});

describe.skipIf(browserIsMissing)(inBrowser('an app that embeds the service: examples/embedded.mjs'), () => {
  let installed: InstalledPackage;
  let browser: Browser;
  beforeAll(async () => {
    installed = await installPackage();
    browser = await openBrowser();
  });
  afterAll(() => installed?.remove());

  it('serves its own pages, the API and the dashboard, and is notified of pending requests', async () => {
    const app = installed.run('embedded');
    const line = async () => JSON.parse(await lineOf(app, () => true)) as unknown;
    const { base_url, dashboard_url, owner, api_key } = ready.parse(await line());
    const rest = restClient(base_url, api_key);
    expect(await (await fetch(base_url)).text()).toBe('The app itself.\n');

    const client = new Client({ name: 'assistant', version: '1.0.0' });
    const headers = { Authorization: `Bearer ${api_key}` };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${base_url}/mcp`), { requestInit: { headers } }),
    );
    const me = await client.callTool({ name: 'get_me', arguments: {} });
    expect(me).toMatchObject({ isError: false, structuredContent: { status: 'ok' } });
    await client.close();

    const { id } = await rest.newest();
    const approvalId = filedIn(await rest.post(`/v1/messages/${id}/reply`, { body: 'Gladly.' }));
    const path = `${dashboard_url}/approvals/${approvalId}`;
    expect(await line()).toEqual({ waits_for: 'user-17', page: path });

    const page = await signedIn(browser, dashboard_url, owner, path);
    expect(await textOf(page, 'message-text')).toMatch(/^Gladly\.\n/);
    await decide(page, 'Approve');
    expect(await stateOn(page)).toBe('Executed');
    expect((await rest.get(`/v1/approvals/${approvalId}`)).body).toMatchObject({ executed: true });
    await page.close();
    expect(await line()).toEqual({ decided_for: 'user-17', state: 'approved' });
    expect(await line()).toEqual({ decided_for: 'user-17', state: 'executed' });

    app.kill('SIGTERM');
    expect(await app.ended).toMatchObject({ code: 0, stderr: '' });
  });
});
