import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { buildCli, type Cli, printedBy } from '../hosts/server/cli-process.ts';
import { startBearerProxy } from '../servers/bearer-proxy.ts';
import { browserIsMissing, inBrowser, openBrowser } from '../servers/browser.ts';
import { makeCalendar } from '../servers/calendar-user.ts';
import { type Dovecot, startDovecot } from '../servers/dovecot.ts';
import { type MailProvider, startMailProvider } from '../servers/mail-provider.ts';
import { addressOf } from '../servers/mail-users.ts';
import { missingServers, titled } from '../servers/missing-servers.ts';
import { freePorts } from '../servers/ports.ts';
import { type Postfix, startPostfix } from '../servers/postfix.ts';
import { RADICALE_PROGRAMS, startRadicale } from '../servers/radicale.ts';
import { decide, type Owner, signedIn, textOf } from './owner-pages.ts';
import { filedIn, restClient } from './rest-client.ts';

const PROGRAMS = [...RADICALE_PROGRAMS, '/usr/sbin/nginx'];
const skipped = browserIsMissing || missingServers(PROGRAMS).length > 0;
const CALLBACK = '/accounts/sign-in/own/callback';

describe.skipIf(skipped)(inBrowser(titled('signing in at the provider', PROGRAMS)), () => {
  let provider: MailProvider;
  let dovecot: Dovecot;
  let postfix: Postfix;
  let cli: Cli;
  let server: Awaited<ReturnType<Cli['serve']>>;
  let browser: Browser;
  /** The provider, as in the configuration. */
  let own: Readonly<Record<string, unknown>>;
  const owner: Owner = { email: 'owner@example.org', password: 'correct horse battery staple' };
  beforeAll(async () => {
    provider = await startMailProvider([CALLBACK, '/callback']);
    dovecot = await startDovecot({ tokenInfoUrl: provider.tokenInfoUrl });
    postfix = await startPostfix(dovecot, { certificate: dovecot.certificate });
    cli = await buildCli();
    const leg = (port: number) => ({
      ...{ host: '127.0.0.1', port, security: 'starttls', tlsFingerprint: dovecot.certificate.fingerprint },
    });
    const { issuer, clientId, clientSecret } = provider;
    own = {
      ...{ name: 'Own Mail', issuer, clientId, clientSecret, scopes: ['mail'] },
      ...{ imap: leg(dovecot.port), smtp: leg(postfix.port) },
    };
    const [port = 0] = await freePorts(1);
    const settings = {
      ...{ port, allowPrivateServers: 'all' },
      mailProviders: { own, 'own-device': { ...own, name: 'Own Device', device: true } },
    };
    writeFileSync(join(cli.folder, 'countersign.config.json'), JSON.stringify(settings));
    server = await cli.serve(['serve', '--json'], { COUNTERSIGN_PORT: '' });
    printedBy(
      await cli.run(['owner', 'add', owner.email, '--json'], owner.password, { COUNTERSIGN_PORT: '' }),
    );
    browser = await openBrowser();
  });
  afterAll(async () => {
    await server?.stop('SIGTERM');
    cli?.remove();
    await postfix?.stop();
    await dovecot?.stop();
    await provider?.stop();
  });

  /** On the provider's own pages. */
  async function signInThere(page: Page, user: string): Promise<void> {
    await page.locator('input[name="login"]').fill(addressOf(user));
    await page.locator('input[name="password"]').fill('any');
    await page.locator('button[type="submit"]').click();
    await page.getByRole('button', { name: 'Continue' }).click();
  }

  async function begin(page: Page, user: string): Promise<void> {
    await page.goto('/accounts');
    await page.getByLabel('Email').fill(addressOf(user));
    await page.getByRole('button', { name: 'Sign in with Own Mail' }).click();
    await page.waitForURL(`${provider.issuer}/**`);
  }

  /** A calendar server that takes the provider's tokens, with two calendars of a user. */
  async function bearerCalendars(user: string): Promise<string> {
    const radicale = await startRadicale();
    onTestFinished(() => radicale.stop());
    const calendar = await radicale.addUser(user);
    await makeCalendar(
      { ...calendar, calendarUrl: calendar.calendarUrl.replace('/calendar/', '/team/') },
      'Team',
    );
    const proxy = await startBearerProxy(calendar.url, provider.tokenInfoUrl);
    onTestFinished(() => proxy.stop());
    return proxy.url;
  }

  it('leads a new owner from an empty server to an approved reply', async () => {
    const email = addressOf('dora');
    const env = {
      COUNTERSIGN_PORT: String((await freePorts(1))[0]),
      // As for an operator who sets nothing: the provider then sends the browser to 127.0.0.1.
      COUNTERSIGN_DASHBOARD_URL: '',
      COUNTERSIGN_DATA_DIR: join(cli.folder, 'another'),
      COUNTERSIGN_MAIL_PROVIDERS: JSON.stringify({
        own: { ...own, domains: ['example.test'], caldav: await bearerCalendars('dora') },
      }),
    };
    const fresh = await cli.serve(['serve', '--json'], env);
    onTestFinished(async () => void (await fresh.stop('SIGTERM')));
    const question = `From: Ada <${addressOf('bob')}>\r\nSubject: Lunch?\r\nMessage-ID: <q@x>\r\n\r\nAt noon?\r\n`;
    await dovecot.deliver('dora', question);
    const link = await cli.run(['setup-link', '--json'], '', env);
    const { setup_url } = z.object({ setup_url: z.url() }).parse(JSON.parse(link.stdout));
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();

    await page.goto(setup_url);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(owner.password);
    await page.getByLabel('The same password again').fill(owner.password);
    await page.getByRole('button', { name: 'Continue' }).click();

    await page.getByRole('button', { name: 'Connect account' }).click();
    await page.getByRole('button', { name: 'Sign in with Own Mail' }).click();
    await page.waitForURL(`${provider.issuer}/**`);
    await signInThere(page, 'dora');
    await page.waitForURL('**/accounts/1/calendar?notice=account_connected');
    await page.getByLabel('Calendar for new events').selectOption({ label: 'Team' });
    await page.getByRole('button', { name: 'Save' }).click();

    await page.waitForURL('**/setup?notice=calendar_chosen');
    await page.getByLabel('Name').fill('Assistant');
    await page.getByLabel('Preset').selectOption({ label: 'Full' });
    await page.getByRole('button', { name: 'Create key' }).click();
    const rest = restClient(fresh.base_url, await textOf(page, 'api-key'));
    const { id } = await rest.newest();
    await page.locator('#first-call[data-state=on]').waitFor();
    const reply = filedIn(await rest.post(`/v1/messages/${id}/reply`, { body: 'Yes.' }));
    const start = `${new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)}T12:00`;
    const event = filedIn(await rest.post('/v1/events', { title: 'Lunch', start }));

    await page.getByRole('link', { name: 'Approvals' }).click();
    await page.locator(`a[href="/approvals/${reply}"]`).first().click();
    await decide(page, 'Approve');
    await postfix.delivered();
    expect((await dovecot.messages('bob')).join()).toContain('Subject: Re: Lunch?');
    await page.goto(`${new URL(setup_url).origin}/approvals/${event}`);
    // In its details.
    expect(await page.locator('main').textContent()).toContain('Team');
    await decide(page, 'Approve');
    expect(await rest.get('/v1/events')).toMatchObject({
      body: { result: { events: [{ title: 'Lunch' }] } },
    });
  });

  const dashboard = () => signedIn(browser, server.dashboard_url, owner);
  const mainText = (page: Page) => page.locator('main').innerText();

  it('connects a mailbox, notices that the sign-in is withdrawn, and mends it', async () => {
    const page = await dashboard();
    await dovecot.deliver('alice', 'From: Ada <ada@example.org>\r\nSubject: By token\r\n\r\nHello.\r\n');
    await begin(page, 'alice');
    await signInThere(page, 'alice');
    await page.waitForURL('**/setup?notice=account_connected');
    await page.goto('/accounts');
    expect(await mainText(page)).toContain('signed in at Own Mail');

    const options = ['--owner', owner.email, '--name', 'Agent', '--preset', 'read', '--json'];
    const key = printedBy(await cli.run(['key', 'add', ...options], '', { COUNTERSIGN_PORT: '' }));
    const rest = restClient(server.base_url, key.api_key ?? '');
    expect(await rest.newest()).toMatchObject({ subject: 'By token' });

    await provider.withdraw('alice');
    // A server that refuses a token of a few seconds is not a reason to get another one.
    const doctor = async () => (await cli.run(['doctor', '--json'], '', { COUNTERSIGN_PORT: '' })).stdout;
    await expect.poll(doctor).toContain('The provider has withdrawn the sign-in');
    await page.goto('/accounts');
    expect(await mainText(page)).toContain('Own Mail has withdrawn the sign-in');

    await page.getByRole('button', { name: 'Sign in again' }).click();
    await page.waitForURL(`${provider.issuer}/**`);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL('**/accounts?notice=signed_in_again');
    expect(await mainText(page)).not.toContain('has withdrawn');
    expect(await rest.newest()).toMatchObject({ subject: 'By token' });
  });

  it('saves nothing for another mailbox, for a denied sign-in, or for an answer that was used or is forged', async () => {
    const page = await dashboard();
    const nothing = async (text: string) => {
      expect(await page.getByRole('alert').innerText()).toContain(text);
      expect(await mainText(page)).not.toContain(addressOf('carol'));
    };
    await begin(page, 'carol');
    await signInThere(page, 'bob');
    await page.waitForURL(`**${CALLBACK}**`);
    expect(await page.getByRole('alert').innerText()).toContain(
      `You signed in at Own Mail as ${addressOf('bob')}, and not as ${addressOf('carol')}.`,
    );
    const used = page.url();
    await page.goto(used);
    await nothing('was finished before');

    await begin(page, 'carol');
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.waitForURL(`**${CALLBACK}**`);
    await nothing('was not allowed at Own Mail');

    // The answer of another provider, and one that another session began.
    const other = await dashboard();
    await begin(other, 'carol');
    const state = new URL(other.url()).searchParams.get('state') ?? (await pendingState(other));
    await page.goto(`${CALLBACK}?code=stolen&state=${state}`);
    await nothing('begun in another session');
    await page.goto(`${CALLBACK}?code=stolen&state=made-up`);
    await nothing('was finished before');
    await page.goto(`${CALLBACK}?code=stolen`);
    await nothing('was finished before');
  });

  /** The provider keeps the state in its interaction, and shows it when it is cancelled. */
  async function pendingState(page: Page): Promise<string> {
    const cancel = await page.getByRole('link', { name: 'Cancel' }).getAttribute('href');
    const context = page.context();
    let state = '';
    await context.route(`**${CALLBACK}**`, async (route) => {
      state = new URL(route.request().url()).searchParams.get('state') ?? '';
      await route.abort();
    });
    await page.goto(cancel ?? '').catch(() => undefined);
    return state;
  }

  /** Runs a command that waits for a browser. @param act  gets what the command tells the user */
  async function command(
    args: readonly string[],
    tells: RegExp,
    act: (match: RegExpExecArray) => Promise<void>,
  ) {
    const running = cli.start(args, { COUNTERSIGN_PORT: '' });
    onTestFinished(() => void running.child.kill());
    await act(await running.told(tells));
    return running.ended;
  }

  it('works from the command line, by a loopback address and by a device code', async () => {
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const add = (user: string, id: string) => [
      ...['account', 'add', '--owner', owner.email, '--email', addressOf(user), '--provider', id, '--json'],
    ];
    const byLoopback = await command(add('carol', 'own'), /^(http:\S+)$/m, async ([url = '']) => {
      await page.goto(url);
      const callback = new URL(new URL(url).searchParams.get('redirect_uri') ?? '');
      expect((await fetch(`${callback.href}?state=forged&code=x`)).status).toBe(404);
      // The path of this address is `//`, which is not an address by itself.
      expect((await fetch(`${callback.origin}//`)).status).toBe(404);
      await signInThere(page, 'carol');
      await page.waitForURL(`${callback.href}**`);
      expect(await page.locator('body').innerText()).toContain('go back to the terminal');
    });
    expect(byLoopback.stdout).toMatch(/"account_id":\d/);

    await context.clearCookies();
    const told = /Open (\S+) in any browser and enter the code (\S+)/;
    const byDevice = await command(add('bob', 'own-device'), told, async ([, uri = '', code = '']) => {
      await page.goto(uri);
      await page.locator('input[name="user_code"]').fill(code);
      await page.locator('[type="submit"]').first().click();
      await page.locator('[type="submit"]').first().click();
      await signInThere(page, 'bob');
    });
    expect(byDevice.stdout).toMatch(/"account_id":\d/);
  });
});
