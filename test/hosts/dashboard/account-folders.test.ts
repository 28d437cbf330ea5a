import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { browserIsMissing, inBrowser, openBrowser } from '../../servers/browser.ts';
import { type Dashboard, EMAIL, openDashboard, PASSWORD } from './open-dashboard.ts';
import { signedInPage } from './signed-in-page.ts';

const RLO = '\u202e';
const HOSTILE = `<b>Se${RLO}nt</b>" selected`;

describe.skipIf(browserIsMissing)(inBrowser('the folders of an account'), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });

  async function openFolders(): Promise<{ dashboard: Dashboard; page: Page }> {
    const dashboard = await openDashboard();
    const account = { ownerId: dashboard.ownerId, accountId: 1, email: EMAIL, settings: async () => ({}) };
    const call = { account, signal: new AbortController().signal, deadlineMs: 5000 };
    for (const name of ['Outbox 2026', HOSTILE]) await dashboard.mail.createFolder(call, name);
    const page = await signedInPage(browser, dashboard, '/accounts', {
      javaScriptEnabled: false,
      viewport: { width: 390, height: 844 },
    });
    return { dashboard, page };
  }

  /** Without the script that signs forms, the dashboard asks for the password. */
  async function save(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('textbox', { name: 'Your password' }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Save the folders' }).click();
  }

  const pinned = async ({ service, ownerId }: Dashboard) =>
    (await service.accounts.list(ownerId))[0]?.folderRoles;

  it('show how each was decided, and can be changed without JavaScript', async () => {
    const { dashboard, page } = await openFolders();
    expect(await page.locator('main').innerText()).toContain('Sent: Sent · Drafts: Drafts');
    await page.getByRole('link', { name: 'Folders' }).click();
    const main = page.locator('main');
    expect(await main.innerText()).toContain('The server says so.');
    expect(await main.locator('b').count()).toBe(0);
    expect(await page.getByLabel('Sent').innerText()).toContain('<b>Se⟨U+202E⟩nt</b>');
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(390);
    await page.getByLabel('Sent').selectOption('Outbox 2026');
    await page.getByLabel('Spam').selectOption('None');
    await save(page);
    await page.waitForURL(/notice=folders_saved/);
    expect(await main.innerText()).toContain('Sent: Outbox 2026');
    expect(await pinned(dashboard)).toMatchObject({
      sent: { path: 'Outbox 2026', by: 'owner' },
      drafts: { path: 'Drafts', by: 'special_use' },
      spam: { path: null, by: 'owner' },
    });
    await page.getByRole('link', { name: 'Folders' }).click();
    expect(await main.innerText()).toContain('You chose it. The server says that Sent is for this.');
  });

  it('each have one role only: a conflict is reported, and nothing changes', async () => {
    const { dashboard, page } = await openFolders();
    const before = await pinned(dashboard);
    await page.getByRole('link', { name: 'Folders' }).click();
    await page.getByLabel('Sent').selectOption('Trash');
    await save(page);
    expect(await page.getByRole('alert').innerText()).toContain(
      'Sent: the folder is also the folder for trash.',
    );
    expect(await pinned(dashboard)).toEqual(before);
  });
});
