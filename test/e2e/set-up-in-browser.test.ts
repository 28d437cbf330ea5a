import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserIsMissing, inBrowser, openBrowser } from '../servers/browser.ts';
import { addressOf } from '../servers/mail-users.ts';
import { missingServers, titled } from '../servers/missing-servers.ts';
import { connectAccount, type Owner, signedIn, stateOn, textOf } from './owner-pages.ts';
import { filedIn, restClient } from './rest-client.ts';
import { type SelfHosted, selfHosted } from './self-hosted.ts';

const skipped = browserIsMissing || missingServers().length > 0;

describe.skipIf(skipped)(inBrowser(titled('setting up in the browser')), () => {
  let home: SelfHosted;
  let browser: Browser;
  beforeAll(async () => {
    home = await selfHosted();
    browser = await openBrowser();
  });
  afterAll(() => home?.stop());

  const signIn = (owner: Owner) => signedIn(browser, home.server.dashboard_url, owner);

  /** The form of /integrations. @returns the key, shown this once */
  async function createKey(page: Page): Promise<string> {
    await page.goto('/integrations');
    await page.getByLabel('Name').fill('Assistant');
    await page.getByLabel('Preset').selectOption({ label: 'Full' });
    await page.getByRole('button', { name: 'Create key' }).click();
    const apiKey = await textOf(page, 'api-key');
    await page.getByRole('link', { name: 'I have copied it' }).click();
    await page.getByRole('link', { name: 'Revoke' }).waitFor();
    expect(await page.content()).not.toContain(apiKey);
    return apiKey;
  }

  it('connects an account, and saves nothing if the server refuses it', async () => {
    const page = await signIn(await home.addOwner('accounts@example.org'));
    const apiKey = await createKey(page);
    const rest = restClient(home.server.base_url, apiKey);
    const user = home.dovecot.addUser();

    await connectAccount(page, home, { user, password: 'not the password' });
    const problem = page.getByRole('alert');
    expect(await problem.textContent()).toContain('Nothing was saved.');
    expect(await problem.textContent()).toContain(
      'The IMAP server does not accept the user name and password.',
    );
    expect(await page.content()).not.toContain('not the password');
    expect(await rest.get('/v1/messages')).toMatchObject({
      status: 409,
      body: { code: 'no_mail_account_connected' },
    });

    await page.goto('/accounts');
    expect(await page.locator('main').innerText()).toContain('No account is connected yet.');

    await home.dovecot.deliver(user, 'From: Ada <ada@example.org>\r\nSubject: Welcome\r\n\r\nHello.\r\n');
    await connectAccount(page, home, { user });
    expect(await page.getByRole('status').textContent()).toBe('The account is connected.');
    expect(await page.getByRole('listitem').innerText()).toContain(addressOf(user));
    expect(await rest.newest()).toMatchObject({ subject: 'Welcome' });
  });

  it('creates a key that works immediately; ending a permission also ends its pending requests', async () => {
    const owner = await home.addOwner('keys@example.org');
    await home.addAccount(owner);
    const page = await signIn(owner);
    const rest = restClient(home.server.base_url, await createKey(page));
    const recipient = home.dovecot.addUser();
    const send = (subject: string) =>
      rest.post('/v1/messages', { to: [addressOf(recipient)], subject, body: 'Hello.' });
    const stateOf = async (id: string) => (await rest.get(`/v1/approvals/${id}`)).body;

    const id = filedIn(await send('While it may'));
    await page.locator('article.key summary', { hasText: 'Modes' }).click();
    await page.getByRole('form', { name: 'Modes' }).locator('select[name="mail:send"]').selectOption('off');
    await page.getByRole('button', { name: 'Save modes' }).click();
    expect(await page.getByRole('status').textContent()).toBe('The modes are saved.');
    expect(await stateOf(id)).toMatchObject({
      executed: false,
      result: { approval: { state: 'cancelled', error: 'permission_off' } },
    });
    expect(await send('Now it may not')).toMatchObject({
      status: 403,
      body: { code: 'not_permitted', details: { group: 'mail:send' } },
    });
    await page.goto(`/approvals/${id}`);
    expect(await stateOn(page)).toBe('Cancelled');
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);

    await page.goto('/integrations');
    await page.getByRole('link', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Revoke' }).click();
    expect(await page.getByRole('status').textContent()).toContain('The key is revoked.');
    expect(await rest.get('/v1/me')).toMatchObject({ status: 401, body: { code: 'invalid_token' } });
    await home.postfix.delivered();
    expect(await home.dovecot.messages(recipient)).toEqual([]);
  });
});
