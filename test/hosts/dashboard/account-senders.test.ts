import { Buffer } from 'node:buffer';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { browserIsMissing, inBrowser, openBrowser } from '../../servers/browser.ts';
import { type Dashboard, EMAIL, openDashboard, PASSWORD } from './open-dashboard.ts';
import { signedInPage } from './signed-in-page.ts';

const RECEIVER = 'mx.provider.example';

describe.skipIf(browserIsMissing)(inBrowser('the senders of an account'), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });

  async function receiveFrom(
    { mail, ownerId }: Dashboard,
    domains: number,
    receiver = RECEIVER,
  ): Promise<void> {
    const account = { ownerId, accountId: 1, email: EMAIL, settings: async () => ({}) };
    for (let at = 0; at < 50; at += 1) {
      const domain = `d${at % domains}.example`;
      const head = [
        `Authentication-Results: ${receiver}; dmarc=pass header.from=${domain}`,
        `Received: from ${domain} by mx.provider.example with ESMTP`,
        `From: a@${domain}`,
        `Message-ID: <${at}.${receiver}@${domain}>`,
      ];
      await mail.deliver(account, 'INBOX', Buffer.from(`${head.join('\r\n')}\r\n\r\nText`));
    }
  }

  async function openSenders(dashboard: Dashboard): Promise<Page> {
    const page = await signedInPage(browser, dashboard, '/accounts', {
      javaScriptEnabled: false,
      viewport: { width: 390, height: 844 },
    });
    await page.getByRole('link', { name: 'Senders' }).click();
    return page;
  }

  /** Without the script that signs forms, the dashboard asks for the password. */
  async function prove(page: Page): Promise<void> {
    await page.getByRole('textbox', { name: 'Your password' }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Save whose word counts' }).click();
  }

  const confirmed = async ({ service, ownerId }: Dashboard) =>
    (await service.accounts.list(ownerId))[0]?.authservId;

  it('are proven after the owner has confirmed the name with the password, and can be unproven again', async () => {
    const dashboard = await openDashboard();
    await receiveFrom(dashboard, 10);
    const page = await openSenders(dashboard);
    const main = page.locator('main');
    expect(await main.innerText()).toContain(`carry results of ${RECEIVER}`);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await page.getByRole('button', { name: 'Confirm' }).click();
    expect(await confirmed(dashboard)).toBeNull();
    await prove(page);
    await page.waitForURL(/notice=senders_confirmed/);
    expect(await confirmed(dashboard)).toBe(RECEIVER);
    await page.getByRole('link', { name: 'Senders' }).click();
    expect(await main.innerText()).toContain('The newest messages still carry it.');
    await page.getByRole('button', { name: 'Stop believing it' }).click();
    await prove(page);
    await page.waitForURL(/notice=senders_unproven/);
    expect(await confirmed(dashboard)).toBeNull();
  });

  it('cannot be proven where the messages do not show whose results count', async () => {
    const dashboard = await openDashboard();
    await receiveFrom(dashboard, 9);
    const page = await openSenders(dashboard);
    expect(await page.locator('#none-found').innerText()).toContain('at least ten domains');
    expect(await page.getByRole('button', { name: 'Confirm' }).count()).toBe(0);
  });

  it('are not proven under a name that the inbox no longer shows when the form is sent', async () => {
    const dashboard = await openDashboard();
    await receiveFrom(dashboard, 10);
    const page = await openSenders(dashboard);
    await receiveFrom(dashboard, 10, 'mx.other.example');
    await page.getByRole('button', { name: 'Confirm' }).click();
    await prove(page);
    expect(await page.getByRole('alert').innerText()).toContain(
      'The name: is not the name that the inbox shows.',
    );
    expect(await confirmed(dashboard)).toBeNull();
  });
});
