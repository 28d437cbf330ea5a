import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { faultsInEveryLook } from '../hosts/dashboard/axe.ts';
import { buildCli, type Cli } from '../hosts/server/cli-process.ts';
import { browserIsMissing, inBrowser, openBrowser, press } from '../servers/browser.ts';
import { type Dovecot, startDovecot } from '../servers/dovecot.ts';
import { addressOf } from '../servers/mail-users.ts';
import { missingServers, titled } from '../servers/missing-servers.ts';
import { type Postfix, startPostfix } from '../servers/postfix.ts';
import { decide, enterAccount, stateOn } from './owner-pages.ts';

const skipped = browserIsMissing || missingServers().length > 0;

const link = z.object({ setup_url: z.url() });
const configuration = z.object({
  mcpServers: z.object({
    countersign: z.object({ url: z.url(), headers: z.record(z.string(), z.string()) }),
  }),
});
const unread = z.object({ result: z.object({ messages: z.array(z.object({ id: z.string() })) }) });

describe.skipIf(skipped)(inBrowser(titled('a new owner')), () => {
  let dovecot: Dovecot;
  let postfix: Postfix;
  let cli: Cli;
  let server: Awaited<ReturnType<Cli['serve']>>;
  let browser: Browser;
  beforeAll(async () => {
    dovecot = await startDovecot();
    postfix = await startPostfix(dovecot, { certificate: dovecot.certificate });
    cli = await buildCli();
    server = await cli.serve(['serve', '--json']);
    browser = await openBrowser();
  });
  afterAll(async () => {
    await server?.stop('SIGTERM');
    cli?.remove();
    await postfix?.stop();
    await dovecot?.stop();
  });

  it('gets from an empty Countersign to an approved reply, by what the pages say', async () => {
    const [user, friend] = [dovecot.addUser(), dovecot.addUser()];
    const from = addressOf(friend);
    await dovecot.deliver(
      user,
      `From: ${from}\r\nSubject: Lunch\r\nMessage-ID: <lunch@x>\r\n\r\nAt noon?\r\n`,
    );
    const env = { COUNTERSIGN_DASHBOARD_URL: server.dashboard_url };
    const { setup_url } = link.parse(JSON.parse((await cli.run(['setup-link', '--json'], '', env)).stdout));
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const page = await context.newPage();
    const faults: string[] = [];
    const look = async (name: string) => faults.push(...(await faultsInEveryLook(page, name)));

    await page.goto(setup_url);
    await look('the setup link');
    await page.goto(setup_url);
    // The keyboard is in the first field.
    await page.keyboard.type(addressOf(user));
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
    await page.getByLabel('The same password again').fill('correct horse battery');
    await press(page, 'Continue');

    await enterAccount(page, { dovecot, postfix }, { user }, look);
    await page.getByRole('status').getByText('The account is connected.').waitFor();
    await page.keyboard.type('Assistant');
    await page.getByLabel('Preset').selectOption({ label: 'Full' });
    await press(page, 'Create key');

    await page.locator('.way').getByRole('button', { name: 'Copy' }).first().click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    const { url, headers } = configuration.parse(JSON.parse(copied)).mcpServers.countersign;
    const agent = new Client({ name: 'agent', version: '1' });
    await agent.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    await page.locator('#first-call[data-state=on]').waitFor();
    await page.getByRole('link', { name: 'I have copied it' }).click();
    await page.getByRole('heading', { name: 'Everything is set up' }).waitFor();

    const { structuredContent } = await agent.callTool({ name: 'list_unread', arguments: {} });
    const id = unread.parse(structuredContent).result.messages[0]?.id;
    await agent.callTool({ name: 'send_reply', arguments: { id, body: 'At noon it is.' } });
    await agent.close();
    expect(await dovecot.messages(friend)).toEqual([]);

    await page.getByRole('main').getByRole('link', { name: 'Approvals' }).click();
    await page.getByRole('link', { name: 'Reply to' }).click();
    await decide(page, 'Approve');
    expect(await stateOn(page)).toBe('Executed');
    await postfix.delivered();
    const [reply = '', ...others] = await dovecot.messages(friend);
    expect(others).toEqual([]);
    expect(reply).toContain('Subject: Re: Lunch');
    expect(reply).toContain('At noon it is.');

    await page.goto(setup_url);
    expect(await page.locator('main').innerText()).toContain('This link does not work');
    await page.goto(new URL('/activity', setup_url).href);
    expect(await page.locator('main').innerText()).not.toContain('unknown tool');
    expect(faults).toEqual([]);
  });
});
