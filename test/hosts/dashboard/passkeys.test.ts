import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { browserIsMissing, inBrowser, openBrowser, press } from '../../servers/browser.ts';
import { type Dashboard, EMAIL, openDashboard, PASSWORD } from './open-dashboard.ts';
import { addAuthenticator } from './virtual-authenticator.ts';

const MINUTE_MS = 60_000;

async function enterPassword(page: Page): Promise<void> {
  await page.getByLabel('Email').fill(EMAIL);
  await page.getByLabel('Password').fill(PASSWORD);
  await press(page, 'Sign in');
}

describe.skipIf(browserIsMissing)(inBrowser('passkeys'), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });

  async function openAt(dashboard: Dashboard, host: string) {
    const url = `http://${host}:${new URL(dashboard.url).port}`;
    const context = await browser.newContext({ baseURL: url });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await addAuthenticator(page);
    await page.goto('/sign-in?next=/settings');
    return { url, context, page };
  }

  it('are added, let the owner in, and prove who it is; at another host name they are not offered', async () => {
    const dashboard = await openDashboard();
    const { page, context } = await openAt(dashboard, 'countersign.localhost');
    await enterPassword(page);
    await page.getByLabel('Name of the passkey').fill('My <b>phone</b>');
    await press(page, 'Add a passkey');
    expect(await page.locator('#recovery-codes li').count()).toBe(10);
    await page.goto('/settings');
    await page.getByText('Passkey My <b>phone</b>').waitFor();
    await page.getByText('not used yet').waitFor();

    await context.clearCookies();
    await page.goto('/sign-in?next=/settings');
    await press(page, 'Use a passkey');
    await page.waitForURL('**/settings');
    await page.getByText('not used yet').waitFor({ state: 'detached' });

    // The password is no longer enough; the passkey follows it.
    await context.clearCookies();
    await page.goto('/sign-in?next=/settings');
    await enterPassword(page);
    await page.getByRole('heading', { name: 'Second step' }).waitFor();
    await press(page, 'Use a passkey');
    await page.waitForURL('**/settings');

    // To approve, hours later.
    const id = await dashboard.ask({});
    dashboard.clock.shift(13 * 60 * MINUTE_MS);
    await page.goto(`/approvals/${id}`);
    await press(page, 'Approve');
    await press(page, 'Use a passkey instead');
    await page.getByText('Executed').first().waitFor();
    expect(dashboard.mail.transmitted()).toHaveLength(1);

    // The same authenticator at another name of the same dashboard.
    const port = new URL(dashboard.url).port;
    await page.goto(`http://localhost:${port}/sign-in`);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('No passkey was used.').waitFor();
  });

  it('are explained where browsers have none, and are removed with a fresh proof', async () => {
    const dashboard = await openDashboard();
    const plain = await openAt(dashboard, '127.0.0.1');
    expect(await plain.page.getByText('Use a passkey').count()).toBe(0);
    await enterPassword(plain.page);
    await plain.page.getByText('Passkeys need a host name and https').waitFor();
    expect(await plain.page.getByRole('link', { name: /^countersign\.localhost/ }).count()).toBe(1);

    const { page } = await openAt(dashboard, 'countersign.localhost');
    await enterPassword(page);
    await page.getByLabel('Name of the passkey').fill('One');
    await press(page, 'Add a passkey');
    await page.goto('/settings');
    await page.getByLabel('Name of the passkey').fill('Two');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByText('This device already has a passkey for you.').waitFor();
    dashboard.clock.shift(11 * MINUTE_MS);
    await press(page, 'Remove the passkey');
    await page.getByText('Nothing has been done yet.').waitFor();
    await press(page, 'Use a passkey instead');
    await page.getByText('The passkey is removed.').waitFor();
    expect(await dashboard.service.secondSteps.show(dashboard.ownerId)).toBeNull();
  });
});
