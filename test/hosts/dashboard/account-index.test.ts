import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { MailIndex } from '../../../core/ports/mail-index.ts';
import { inlineIndex } from '../../inline-index.ts';
import { browserIsMissing, inBrowser, openBrowser } from '../../servers/browser.ts';
import { until } from '../../until.ts';
import { type Dashboard, openDashboard } from './open-dashboard.ts';
import { signedInPage } from './signed-in-page.ts';

describe.skipIf(browserIsMissing)(inBrowser('the index of an account'), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });

  async function openIndex(dashboard: Dashboard): Promise<Page> {
    const page = await signedInPage(browser, dashboard, '/accounts', {
      viewport: { width: 390, height: 844 },
    });
    await page.getByRole('link', { name: 'Index' }).click();
    return page;
  }

  const indexed = async (page: Page) => {
    await page.reload();
    return page.locator('#indexed').innerText();
  };

  it('is begun by the first call, and can be erased, turned off and on, and built again', async () => {
    const index = inlineIndex();
    const dashboard = await openDashboard({ mailIndex: index });
    const account = { ownerId: dashboard.ownerId, accountId: 1 };
    const messages = async () => (await index.size(account)).messages;
    await dashboard.key.call('summarize_inbox', {});
    const page = await openIndex(dashboard);
    await until(async () => /^Index: \d+ messages, less than 1 MB\.$/.test(await indexed(page)));
    const all = await messages();
    expect(all).toBeGreaterThan(10);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await page.getByRole('button', { name: 'Turn off and erase' }).click();
    await page.waitForURL(/notice=index_off/);
    expect(await page.locator('main').innerText()).toContain('Index: off.');
    expect(await messages()).toBe(0);
    // The server is asked, and nothing is indexed for it.
    expect((await dashboard.key.call('search_inbox', { q: 'the' })).status).toBe('ok');
    await dashboard.key.call('summarize_inbox', {});
    expect(await messages()).toBe(0);
    await page.getByRole('link', { name: 'Index' }).click();
    expect(await page.getByRole('button', { name: 'Turn off' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Turn on' }).click();
    await until(async () => (await messages()) === all);
    await page.getByRole('button', { name: 'Build again' }).click();
    await until(async () => (await messages()) === all);
  });

  it('says that it cannot be read, and what could not be erased', async () => {
    const index = inlineIndex();
    const down = { is: false };
    const failing: MailIndex = {
      ...index,
      size: (...asked) => (down.is ? Promise.reject(new Error('The disk is full.')) : index.size(...asked)),
      forgetAccount: (...asked) =>
        down.is ? Promise.reject(new Error('The disk is full.')) : index.forgetAccount(...asked),
    };
    const dashboard = await openDashboard({ mailIndex: failing });
    await dashboard.key.call('summarize_inbox', {});
    const page = await openIndex(dashboard);
    await until(async () => /messages/.test(await indexed(page)));
    down.is = true;
    expect(await indexed(page)).toBe('Index: cannot be read; the mail server is asked.');
    await page.getByRole('button', { name: 'Build again' }).click();
    await page.getByText('The index could not be opened.').waitFor();
    await page.goto(`${dashboard.url}/accounts/1/index`);
    await page.getByRole('button', { name: 'Turn off' }).click();
    await page.getByText('what it has could not be erased').waitFor();
    down.is = false;
    await page.goto(`${dashboard.url}/accounts/1/index`);
    expect(await page.locator('#indexed').innerText()).toBe('Index: off, but not all of it is erased.');
    await page.getByRole('button', { name: 'Erase' }).click();
    await page.waitForURL(/notice=index_off/);
    expect(await page.locator('main').innerText()).toContain('Index: off.');
  });
});

it('is not on the pages of a service without an index', async () => {
  const dashboard = await openDashboard();
  const cookie = await dashboard.cookie();
  expect((await dashboard.send({ path: '/accounts/1/index', headers: { cookie } })).status).toBe(404);
  expect((await dashboard.send({ path: '/accounts', headers: { cookie } })).body).not.toContain('Index');
});
