import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { auth, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { verifyWebhook } from '../../hosts/webhooks/verify-webhook.ts';
import { buildCli, type Cli } from '../hosts/server/cli-process.ts';
import { Program } from '../hosts/sign-in/program.ts';
import { browserIsMissing, inBrowser, openBrowser } from '../servers/browser.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../servers/webhook-receiver.ts';
import { eventually } from '../until.ts';
import { decide, type Owner, signedIn, stateOn, textOf } from './owner-pages.ts';
import { filedIn, type RestClient, restClient } from './rest-client.ts';

describe.skipIf(browserIsMissing)(inBrowser('serve --demo, as npm start runs it'), () => {
  let cli: Cli;
  let server: Awaited<ReturnType<Cli['serve']>>;
  let browser: Browser;
  let owner: Owner;
  let rest: RestClient;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    cli = await buildCli();
    receiver = await startWebhookReceiver();
    const caFile = join(cli.folder, 'receiver.crt');
    writeFileSync(caFile, receiver.ca);
    server = await cli.serve(['serve', '--demo', '--json'], {
      COUNTERSIGN_ALLOW_PRIVATE_TARGETS: 'localhost',
      NODE_EXTRA_CA_CERTS: caFile,
    });
    browser = await openBrowser();
    if (server.owner === undefined || server.api_key === undefined)
      throw new Error('the demo names no owner');
    owner = server.owner;
    rest = restClient(server.base_url, server.api_key);
  });
  afterAll(async () => {
    await server?.stop('SIGTERM');
    cli?.remove();
    receiver?.close();
  });

  it('has mail to read and answer, and saves approved mail in Sent', async () => {
    const { id, from, subject } = await rest.newest();
    expect((await rest.get(`/v1/messages/${id}`)).body).toMatchObject({
      result: { from, subject, untrusted_fields: expect.arrayContaining(['body']) as unknown },
    });
    const approvalId = filedIn(await rest.post(`/v1/messages/${id}/reply`, { body: 'Thank you!' }));
    const before = await rest.newest({ folder: 'sent' });

    const page = await signedIn(browser, server.dashboard_url, owner);
    await page.locator(`a[href="/approvals/${approvalId}"]`).click();
    expect(await textOf(page, 'message-text')).toContain('Thank you!\n\nOn ');
    const answer = await textOf(page, 'message-subject');
    await decide(page, 'Approve');
    expect(await stateOn(page)).toBe('Executed');

    expect((await rest.get(`/v1/approvals/${approvalId}`)).body).toMatchObject({ executed: true });
    await eventually(async () => expect((await rest.newest({ folder: 'sent' })).id).not.toBe(before.id), {
      intervalMs: 250,
    });
    const sent = await rest.newest({ folder: 'sent' });
    expect(sent).toMatchObject({ subject: answer, from: owner.email });
    expect((await rest.get(`/v1/messages/${sent.id}`)).body).toMatchObject({
      result: { body: expect.stringContaining('Thank you!') as unknown },
    });
  });

  it('does the same for an assistant that speaks MCP', async () => {
    const client = new Client({ name: 'assistant', version: '1.0.0' });
    const headers = { Authorization: `Bearer ${server.api_key}` };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${server.base_url}/mcp`), { requestInit: { headers } }),
    );
    const { id } = await rest.newest();
    const { structuredContent } = await client.callTool({
      name: 'send_reply',
      arguments: { id, body: 'An assistant says thank you.' },
    });
    const approvalId = filedIn({ status: 202, body: structuredContent });

    const page = await signedIn(browser, server.dashboard_url, owner, `/approvals/${approvalId}`);
    expect(await textOf(page, 'message-text')).toContain('An assistant says thank you.\n\nOn ');
    await decide(page, 'Approve');
    expect(await stateOn(page)).toBe('Executed');

    const ended = await client.callTool({
      name: 'get_approval',
      arguments: { approval_id: approvalId },
    });
    expect(ended).toMatchObject({ isError: false, structuredContent: { executed: true } });
    await client.close();
  });

  it('sends webhooks', async () => {
    const page = await signedIn(browser, server.dashboard_url, owner, '/integrations/webhooks');
    await page.getByLabel('URL').fill(`${receiver.origin}/hook`);
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    const secret = await textOf(page, 'endpoint-secret');

    await page.goto(`${server.dashboard_url}/integrations/webhooks/wh_1`);
    await page.getByRole('button', { name: 'Send test event' }).click();
    await eventually(() => expect(receiver.requests).toHaveLength(1));
    const [request] = receiver.requests;
    expect(verifyWebhook(request?.body ?? '', request?.headers ?? {}, secret)).toMatchObject({
      type: 'webhook.test',
      data: { endpoint_id: 'wh_1' },
    });
  });

  it('lets an assistant sign in that knows only the address', async () => {
    const program = new Program();
    await program.listen();
    const serverUrl = new URL(`${server.mcp_url}/mcp`);
    expect(await auth(program, { serverUrl })).toBe('REDIRECT');
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(program.authorizationUrl?.href ?? '');
    await page.getByLabel('Email').fill(owner.email);
    await page.getByLabel('Password').fill(owner.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('You can close this page.').waitFor();
    const [answer] = program.returns;
    const [authorizationCode, iss] = [answer?.get('code') ?? '', answer?.get('iss') ?? ''];
    expect(await auth(program, { serverUrl, authorizationCode, iss })).toBe('AUTHORIZED');
    const client = new Client({ name: 'assistant', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(serverUrl, { authProvider: program }));
    const read = await client.callTool({ name: 'list_unread', arguments: {} });
    expect(read).toMatchObject({ isError: false, structuredContent: { status: 'ok' } });
    await client.close();
  });

  it('connects no real account, and says how to', async () => {
    const page = await signedIn(browser, server.dashboard_url, owner, '/accounts');
    expect(await page.locator('main').innerText()).toContain('countersign serve');
    expect(await page.getByRole('button', { name: 'Connect account' }).count()).toBe(0);
    // As if the form existed.
    const token = await page.locator('input[name="form_token"]').first().inputValue();
    const refused = await page.request.post('/accounts', {
      form: { form_token: token, email: 'grace@example.org', owner_password: owner.password },
    });
    expect(refused.status()).toBe(403);
    expect(await refused.text()).toContain('countersign serve');
    expect((await rest.get('/v1/accounts')).body).toMatchObject({
      result: { accounts: [{ email: owner.email }], total: 1 },
    });
  });
});
