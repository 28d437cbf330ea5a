import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { browserIsMissing, inBrowser, openBrowser, press } from '../../servers/browser.ts';
import { type Dashboard, EMAIL, openDashboard, PASSWORD } from './open-dashboard.ts';

describe.skipIf(browserIsMissing)(inBrowser('the owner’s own browser'), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });

  async function newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const context = await browser.newContext(options);
    onTestFinished(() => context.close());
    return context;
  }

  async function signedIn(context: BrowserContext, dashboard: Dashboard, path: string): Promise<Page> {
    const page = await context.newPage();
    await page.goto(`${dashboard.url}${path}`);
    await page.getByLabel('Email').fill(EMAIL);
    await page.getByLabel('Password').fill(PASSWORD);
    await press(page, 'Sign in');
    return page;
  }

  const stateOn = (page: Page) =>
    page.locator('#just-decided .state, .approval .state').first().textContent();

  /** Enters the password on the page that asks for it, and continues. */
  async function confirm(page: Page, button: string): Promise<void> {
    expect(await page.locator('main').innerText()).toContain('Nothing has been done yet.');
    await page.locator('input[name="owner_password"]').fill(PASSWORD);
    await press(page, button, page.getByRole('form', { name: 'Your password' }));
  }

  it('without scripts approves with the password, each time', async () => {
    const dashboard = await openDashboard();
    const context = await newContext({ javaScriptEnabled: false });
    const [one, two] = [await dashboard.ask({ subject: 'One' }), await dashboard.ask({ subject: 'Two' })];
    const page = await signedIn(context, dashboard, `/approvals/${one}`);
    for (const id of [one, two]) {
      await page.goto(`${dashboard.url}/approvals/${id}`);
      // The server takes no press before.
      await page.waitForTimeout(1100);
      await press(page, 'Approve');
      await confirm(page, 'Approve');
      expect(page.url()).toContain(`decided=${id}`);
      expect(await stateOn(page)).toBe('Executed');
    }
    expect(dashboard.mail.transmitted()).toHaveLength(2);
    await press(page, 'Sign out');
    await confirm(page, 'Sign out');
    expect(page.url()).toBe(`${dashboard.url}/sign-in`);
  });

  it('without scripts connects an account, with multi-line text and both passwords', async () => {
    const settings: unknown[] = [];
    const dashboard = await openDashboard({ connect: { settings: (fields) => settings.push(fields) } });
    const context = await newContext({ javaScriptEnabled: false });
    const page = await signedIn(context, dashboard, '/accounts');
    await page.getByLabel('Email').fill('work@example.org');
    await press(page, 'Connect account');
    await confirm(page, 'Find the servers');
    await page.getByLabel('IMAP host').fill('imap.example.org');
    await page.getByLabel('SMTP host').fill('smtp.example.org');
    await page.getByLabel('Signature').fill('Bob\n  at work');
    await press(page, 'Use these servers');
    await confirm(page, 'Use these servers');
    await page.getByLabel('Password').fill('hunter2hunter2');
    await press(page, 'Connect account');
    expect(await page.content()).not.toContain('hunter2');
    await page.getByLabel('Mailbox password').fill('hunter2hunter2');
    await confirm(page, 'Connect account');
    expect(await page.getByRole('status').textContent()).toBe('The account is connected.');
    expect(settings).toMatchObject([{ password: 'hunter2hunter2' }]);
    const [, work] = await dashboard.service.accounts.list(dashboard.ownerId);
    expect(work?.signature).toBe('Bob\n  at work');
  });

  it('approves in two tabs with one click each, even after one of them signed in again', async () => {
    const dashboard = await openDashboard();
    const context = await newContext();
    const [one, two] = [await dashboard.ask({ subject: 'One' }), await dashboard.ask({ subject: 'Two' })];
    const first = await signedIn(context, dashboard, `/approvals/${one}`);
    const second = await context.newPage();
    await second.goto(`${dashboard.url}/approvals/${two}`);
    await press(first, 'Approve');
    await press(second, 'Approve');
    expect([await stateOn(first), await stateOn(second)]).toEqual(['Executed', 'Executed']);

    await press(second, 'Sign out');
    const three = await dashboard.ask({ subject: 'Three' });
    const again = await signedIn(context, dashboard, `/approvals/${three}`);
    await first.goto(`${dashboard.url}/approvals/${three}`);
    await press(first, 'Approve');
    expect(await stateOn(first)).toBe('Executed');
    await again.close();
  });

  it('whose key is lost enters the password once, and then signs with a new key', async () => {
    const dashboard = await openDashboard();
    const context = await newContext();
    const [one, two] = [await dashboard.ask({ subject: 'One' }), await dashboard.ask({ subject: 'Two' })];
    const page = await signedIn(context, dashboard, `/approvals/${one}`);
    await page.evaluate(`new Promise((resolve, reject) => {
      const request = indexedDB.deleteDatabase('countersign');
      request.onsuccess = resolve;
      request.onerror = request.onblocked = reject;
    })`);
    await press(page, 'Approve');
    await confirm(page, 'Approve');
    expect(await stateOn(page)).toBe('Executed');
    await page.goto(`${dashboard.url}/approvals/${two}`);
    await press(page, 'Approve');
    expect(await stateOn(page)).toBe('Executed');
  });

  it('on a page that names no key, as in an app that signs people in itself, sends the form unsigned', async () => {
    const dashboard = await openDashboard();
    const id = await dashboard.ask({});
    const page = await signedIn(await newContext(), dashboard, '/approvals');
    await page.route(`**/approvals/${id}`, async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replaceAll(/ data-(?:session|key)="[^"]*"/g, '');
      await route.fulfill({ response, body });
    });
    await page.goto(`${dashboard.url}/approvals/${id}`);
    expect(await page.locator('script[data-key]').count()).toBe(0);
    await press(page, 'Approve');
    await confirm(page, 'Approve');
    expect(await stateOn(page)).toBe('Executed');
  });

  it('keeps a key that no script can read', async () => {
    const dashboard = await openDashboard();
    const page = await signedIn(await newContext(), dashboard, '/approvals');
    const found = await page.evaluate(`new Promise((resolve, reject) => {
      const opening = indexedDB.open('countersign');
      opening.onerror = reject;
      opening.onsuccess = () => {
        const all = opening.result.transaction('keys').objectStore('keys').getAll();
        all.onsuccess = async () => {
          const { privateKey, publicKey } = all.result[0];
          const exported = await crypto.subtle.exportKey('jwk', privateKey).catch((error) => error.name);
          resolve({ count: all.result.length, extractable: privateKey.extractable, exported, publicKey });
        };
      };
    })`);
    const publicKey = await page.locator('script').getAttribute('data-key');
    expect(found).toEqual({
      count: 1,
      extractable: false,
      exported: 'InvalidAccessError',
      publicKey,
    });
  });

  it('that nobody signed in with cannot use the session of another', async () => {
    const dashboard = await openDashboard();
    const context = await newContext();
    const id = await dashboard.ask({});
    const page = await signedIn(context, dashboard, `/approvals/${id}`);
    // As if the cookie had been copied to another browser, or to a private window of this one.
    const other = await newContext();
    await other.addCookies(await context.cookies());
    const stolen = await other.newPage();
    await stolen.goto(`${dashboard.url}/approvals/${id}`);
    await press(stolen, 'Approve');
    expect(await stolen.locator('main').innerText()).toContain('Nothing has been done yet.');
    await page.reload();
    expect(await stateOn(page)).toBe('Pending');
    await press(page, 'Approve');
    expect(await stateOn(page)).toBe('Executed');
  });

  it('ends the session of another browser, which is then signed out', async () => {
    const dashboard = await openDashboard();
    const one = await signedIn(await newContext(), dashboard, '/settings');
    const other = await signedIn(await newContext(), dashboard, '/settings');
    await one.reload();
    expect(await one.getByRole('listitem').count()).toBe(2);
    await press(one, 'End', one.getByRole('listitem').nth(1));
    expect(await one.getByRole('status').textContent()).toBe('The session is ended.');
    expect(await one.getByRole('listitem').count()).toBe(1);
    await other.goto(`${dashboard.url}/approvals`);
    expect(other.url()).toContain('/sign-in');
  });

  it('sees the safer address, follows it, and approves there with one click', async () => {
    const dashboard = await openDashboard();
    const context = await newContext();
    const id = await dashboard.ask({});
    const page = await context.newPage();
    await page.goto(`${dashboard.url}/approvals/${id}`);
    const { port } = new URL(dashboard.url);
    await page.getByRole('link', { name: `countersign.localhost:${port}` }).click();
    await page.waitForURL(/countersign\.localhost/);
    expect(await page.getByRole('link', { name: 'countersign.localhost' }).count()).toBe(0);
    await page.getByLabel('Email').fill(EMAIL);
    await page.getByLabel('Password').fill(PASSWORD);
    await press(page, 'Sign in');
    expect(page.url()).toBe(`http://countersign.localhost:${port}/approvals/${id}`);
    await press(page, 'Approve');
    expect(await stateOn(page)).toBe('Executed');
    expect((await context.cookies()).map(({ domain }) => domain)).toContain('countersign.localhost');
  });

  it('signs once for a double click', async () => {
    const dashboard = await openDashboard();
    const page = await signedIn(await newContext(), dashboard, '/integrations');
    await page.getByLabel('Name').fill('Mine');
    const answered = page.waitForEvent('framenavigated');
    await page.getByRole('button', { name: 'Create key' }).dblclick();
    await answered;
    await page.locator('#api-key').waitFor();
    expect(await dashboard.service.keys.list(dashboard.ownerId)).toHaveLength(2);
  });
});
