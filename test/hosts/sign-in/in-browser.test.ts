import { auth, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { browserIsMissing, inBrowser, openBrowser, press } from '../../servers/browser.ts';
import { authorize, OWNER, openSignInHost, register, type SignInHost } from './open-sign-in-host.ts';
import { Program } from './program.ts';

describe.skipIf(browserIsMissing)(inBrowser('a sign-in with the official client'), () => {
  let browser: Browser;
  let host: SignInHost;
  beforeAll(async () => {
    browser = await openBrowser();
    host = await openSignInHost();
    await host.service.owners.setPassword(host.ownerId, OWNER.password);
  });
  afterAll(() => host?.close());

  const serverUrl = () => new URL(`${host.mcpUrl}/mcp`);

  /** Starts the sign-in, and signs the owner in. @returns the page that asks the owner */
  async function asked(program: Program): Promise<Page> {
    await program.listen();
    expect(await auth(program, { serverUrl: serverUrl() })).toBe('REDIRECT');
    return askedAt(program.authorizationUrl?.href ?? '');
  }

  async function askedAt(url: string): Promise<Page> {
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(url);
    await page.getByLabel('Email').fill(OWNER.email);
    await page.getByLabel('Password').fill(OWNER.password);
    await press(page, 'Sign in');
    await page.getByRole('heading', { name: 'Let this assistant in?' }).waitFor();
    return page;
  }

  async function connected(program: Program): Promise<Client> {
    const client = new Client({ name: 'assistant', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(serverUrl(), { authProvider: program }));
    onTestFinished(() => client.close());
    return client;
  }

  it('goes from the address of the server to a call, refreshes, and ends when the owner withdraws it', async () => {
    const program = new Program();
    const page = await asked(program);
    expect(await page.locator('#receiver').innerText()).toBe('a program on this computer');
    expect(await page.locator('#voucher').innerText()).toBe('nobody');
    expect(await page.locator('main').innerText()).toContain('“Desktop Assistant”');
    await page.getByLabel('Accounts').selectOption('only those ticked below');
    await page.getByLabel(OWNER.email).check();
    await page.getByLabel('Preset').selectOption('Full');
    await page.getByLabel('Days').fill('7');
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('You can close this page.').waitFor();

    const [answer] = program.returns;
    expect([answer?.get('state'), answer?.get('iss')]).toEqual(['state of the program', host.mcpUrl]);
    const authorizationCode = answer?.get('code') ?? '';
    expect(
      await auth(program, { serverUrl: serverUrl(), authorizationCode, iss: answer?.get('iss') ?? '' }),
    ).toBe('AUTHORIZED');
    const client = await connected(program);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('send_email');
    const sent = await client.callTool({
      name: 'send_email',
      arguments: { to: ['ada@example.net'], subject: 'Hello', body: 'Hello.' },
    });
    expect(sent).toMatchObject({ isError: false, structuredContent: { status: 'pending_approval' } });
    const { access_token: first } = program.tokens() ?? {};
    expect(await auth(program, { serverUrl: serverUrl() })).toBe('AUTHORIZED');
    expect(program.tokens()?.access_token).not.toBe(first);

    await page.goto(`${host.dashboardUrl.replace('127.0.0.1', 'countersign.localhost')}/integrations`);
    const signIn = page.locator('article', { hasText: 'Desktop Assistant' });
    expect(await signIn.innerText()).toContain('A program on your computer (“Desktop Assistant”)');
    expect(await signIn.innerText()).toContain(`only ${OWNER.email}`);
    await signIn.getByRole('link', { name: 'Withdraw' }).click();
    expect(await page.locator('#consequences').innerText()).toContain('Its waiting request is cancelled.');
    await press(page, 'Withdraw');
    expect(await page.getByRole('status').innerText()).toContain('The sign-in is withdrawn.');
    await expect(client.listTools()).rejects.toThrow();
    const { approvals } = await host.service.approvals.list(host.ownerId, { state: 'all', limit: 1 });
    expect(approvals).toMatchObject([{ approval: { state: 'cancelled', error: 'credential_off' } }]);
  });

  it('is refused when the owner denies it, and is not asked for if the request was changed', async () => {
    const program = new Program();
    const page = await asked(program);
    const request = page.url();
    await page.goto(request.replace(/.{4}$/, 'AAAA'));
    expect(await page.locator('h1').innerText()).toBe('Nothing was granted');
    await page.goto(request);
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('You can close this page.').waitFor();
    const [answer] = program.returns;
    expect(Object.fromEntries(answer ?? [])).toEqual({
      error: 'access_denied',
      state: 'state of the program',
      iss: host.mcpUrl,
    });
  });

  it('names the scheme of a program that has its own', async () => {
    const uri = 'warp://mcp/callback';
    const clientId = await register(host, uri);
    const answer = await authorize(host, clientId, { redirect_uri: uri });
    const page = await askedAt(answer.headers.get('location') ?? '');
    expect(await page.locator('#receiver').innerText()).toBe(
      'the program on this computer that opens warp: addresses',
    );
    expect(await page.locator('main').innerText()).toContain(
      'Any program on this computer can use this name, and can register for warp: addresses.',
    );
    await press(page, 'Deny');
    const back = await page.getByRole('link', { name: 'Continue to the program' }).getAttribute('href');
    expect(back).toMatch(/^warp:\/\/mcp\/callback\?error=access_denied&/);
  });

  it('asks for the password if the owner signed in a while ago, and names the assistant there', async () => {
    const program = new Program();
    const page = await asked(program);
    host.clock.shift(11 * 60_000);
    await press(page, 'Allow');
    expect(await page.locator('#repeated').innerText()).toContain('A program on your computer');
    expect(program.returns).toEqual([]);
    await page.getByRole('textbox', { name: 'Your password' }).fill(OWNER.password);
    await page.getByRole('button', { name: 'Allow the sign-in' }).click();
    await page.getByText('You can close this page.').waitFor();
    expect(program.returns[0]?.get('code')).toMatch(/^[\w-]{100,2000}$/);
  });

  it('is not shown in a frame', async () => {
    const program = new Program();
    const page = await asked(program);
    expect(await page.getByRole('button', { name: 'Allow' }).count()).toBe(1);
    const framing = await page.context().newPage();
    await framing.goto(program.redirectUrl);
    await framing.setContent(`<iframe src="${page.url()}"></iframe>`);
    const [, frame] = framing.frames();
    await frame?.waitForLoadState();
    expect(frame?.url()).toMatch(/^chrome-error:/);
  });
});
