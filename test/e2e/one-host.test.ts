import { auth, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { buildCli, type Cli } from '../hosts/server/cli-process.ts';
import { Program } from '../hosts/sign-in/program.ts';
import { casesOf } from '../only-long.ts';
import { browserIsMissing, inBrowser, openBrowser, press } from '../servers/browser.ts';
import { freePortRow } from '../servers/ports.ts';
import { PROXIES } from './documented-proxies.ts';

describe.skipIf(browserIsMissing || PROXIES.some(({ isMissing }) => isMissing))(
  inBrowser('all parts behind one host name, as documented'),
  () => {
    let cli: Cli;
    let browser: Browser;
    beforeAll(async () => {
      cli = await buildCli();
      browser = await openBrowser();
    });
    afterAll(() => cli?.remove());

    const inGate = casesOf('proxies: browser', PROXIES, ({ name }) => ['nginx', 'HAProxy'].includes(name));
    it.each(inGate)(
      'on $name: REST, a sign-in by the official client, and the pages with their socket, also after a restart',
      async ({ start }) => {
        const port = await freePortRow(3);
        const proxy = await start({ port });
        onTestFinished(() => proxy.stop());
        const origin = `http://127.0.0.1:${proxy.port}`;
        const serving = await cli.serve(['serve', '--demo', '--json'], {
          COUNTERSIGN_PORT: String(port),
          COUNTERSIGN_BASE_URL: `${origin}/api`,
          COUNTERSIGN_DASHBOARD_URL: origin,
          COUNTERSIGN_MCP_URL: `${origin}/assistant`,
          COUNTERSIGN_TRUSTED_PROXIES: '127.0.0.1',
        });
        onTestFinished(() => void serving.stop('SIGTERM'));
        const headers = { Authorization: `Bearer ${serving.api_key}` };
        expect((await fetch(`${origin}/api/v1/me`, { headers })).status).toBe(200);
        expect(await (await fetch(`${origin}/api/v1/openapi.json`)).json()).toMatchObject({
          servers: [{ url: `${origin}/api` }],
        });

        const serverUrl = new URL(`${origin}/assistant/mcp`);
        const program = new Program();
        await program.listen();
        expect(await auth(program, { serverUrl })).toBe('REDIRECT');
        expect(program.authorizationUrl?.href).toContain(`${origin}/assistant/authorize?`);
        const context = await browser.newContext();
        onTestFinished(() => context.close());
        const page = await context.newPage();
        await page.goto(program.authorizationUrl?.href ?? '');
        await page.getByLabel('Email').fill(serving.owner?.email ?? '');
        await page.getByLabel('Password').fill(serving.owner?.password ?? '');
        await press(page, 'Sign in');
        await page.getByLabel('Preset').selectOption('Full');
        await page.getByRole('button', { name: 'Allow' }).click();
        await page.getByText('You can close this page.').waitFor();
        const [answer] = program.returns;
        expect(answer?.get('iss')).toBe(`${origin}/assistant`);
        const authorizationCode = answer?.get('code') ?? '';
        expect(await auth(program, { serverUrl, authorizationCode, iss: answer?.get('iss') ?? '' })).toBe(
          'AUTHORIZED',
        );

        const opened = page.waitForEvent('websocket');
        await page.goto(`${origin.replace('127.0.0.1', 'countersign.localhost')}/approvals`);
        const socket = await opened;
        await socket.waitForEvent('framereceived');
        const client = new Client({ name: 'assistant', version: '1.0.0' });
        await client.connect(new StreamableHTTPClientTransport(serverUrl, { authProvider: program }));
        onTestFinished(() => client.close());
        const arguments_ = { to: ['ada@example.net'], subject: 'From one host', body: 'Hello.' };
        expect(await client.callTool({ name: 'send_email', arguments: arguments_ })).toMatchObject({
          structuredContent: { status: 'pending_approval' },
        });
        await page.getByText('From one host').waitFor();

        const again = page.waitForEvent('websocket');
        await proxy.restart();
        await (await again).waitForEvent('framereceived');
        expect(
          await client.callTool({
            name: 'send_email',
            arguments: { ...arguments_, subject: 'After a restart' },
          }),
        ).toMatchObject({ structuredContent: { status: 'pending_approval' } });
        await page.getByText('After a restart').waitFor();
      },
    );
  },
);
