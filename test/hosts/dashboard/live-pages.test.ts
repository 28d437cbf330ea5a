import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import { ServiceError } from '../../../core/contract/errors.ts';
import { browserIsMissing, inBrowser, openBrowser, press } from '../../servers/browser.ts';
import { openDashboard } from './open-dashboard.ts';
import { signedInPage } from './signed-in-page.ts';

const count = (page: Page) => page.locator('#waiting-count');
const announcement = (page: Page) => page.locator('#announcement');

/** A second tab of the same browser. */
async function otherTab(page: Page, url: string): Promise<Page> {
  const tab = await page.context().newPage();
  await tab.goto(url);
  return tab;
}

describe.skipIf(browserIsMissing)(inBrowser('an open page'), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });

  it('shows a new request, counts it everywhere, and says so once', async () => {
    const dashboard = await openDashboard();
    const page = await signedInPage(browser, dashboard, '/approvals');
    const other = await otherTab(page, `${dashboard.url}/settings`);
    await expect.poll(() => page.title()).toBe('Approvals · Countersign');
    const said: string[] = [];
    await page.exposeFunction('heard', (text: string) => said.push(text));
    await page.evaluate(`new MutationObserver(() => heard(document.getElementById('announcement').textContent))
      .observe(document.getElementById('announcement'), { childList: true, characterData: true, subtree: true })`);
    const id = await dashboard.ask({ subject: 'First' });
    await page.locator(`li#${id}`).waitFor();
    expect(await page.locator(`li#${id}`).textContent()).toContain('First');
    expect(await count(page).textContent()).toBe('1');
    expect(await page.title()).toBe('(1) Approvals · Countersign');
    await expect.poll(() => count(other).textContent()).toBe('1');
    expect(await other.title()).toBe('(1) Settings · Countersign');
    expect(await announcement(other).textContent()).toBe('1 request waits for you.');
    await dashboard.ask({ subject: 'Second' });
    await expect.poll(() => count(page).textContent()).toBe('2');
    await page.getByText('Second').waitFor();
    expect(said).toEqual(['1 request waits for you.', '2 requests wait for you.']);
  });

  it('shows what was decided in another tab, and its outcome', async () => {
    const dashboard = await openDashboard();
    const id = await dashboard.ask({ subject: 'Hello' });
    const page = await signedInPage(browser, dashboard, `/approvals/${id}`);
    const list = await otherTab(page, `${dashboard.url}/approvals`);
    const same = await otherTab(page, `${dashboard.url}/approvals/${id}`);
    expect(await same.getByRole('button', { name: 'Approve' }).count()).toBe(1);
    await press(page, 'Approve');
    await same.getByRole('button', { name: 'Approve' }).waitFor({ state: 'detached' });
    await same
      .locator('.state', { hasText: 'Carried out' })
      .or(same.getByText('carried out'))
      .first()
      .waitFor();
    await list.getByRole('heading', { name: 'Nothing waits for you' }).waitFor();
    expect(await count(list).textContent()).toBe('');
    expect(await list.title()).toBe('Approvals · Countersign');
  });

  it('keeps what is typed, chosen, opened and focused', async () => {
    const dashboard = await openDashboard();
    const page = await signedInPage(browser, dashboard, '/approvals');
    // The list has no fields yet, so the test adds them to the page and to what the script fetches.
    const fields =
      '<form action="/note"><label>Note <input name="note"></label><label><input type="checkbox" name="all"> All</label></form>' +
      '<details><summary>More</summary>Text</details>';
    await page.evaluate(
      `document.querySelector('h1').insertAdjacentHTML('afterend', ${JSON.stringify(fields)})`,
    );
    await page.route(`${dashboard.url}/approvals`, async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace('</h1>', `</h1>${fields}`);
      await route.fulfill({ response, body });
    });
    await page.getByLabel('Note').fill('half a sentence');
    await page.getByLabel('All').check();
    await page.getByText('More').click();
    await page.getByLabel('Note').focus();
    const id = await dashboard.ask({ subject: 'Hello' });
    await page.locator(`li#${id}`).waitFor();
    expect(await page.getByLabel('Note').inputValue()).toBe('half a sentence');
    expect(await page.getByLabel('All').isChecked()).toBe(true);
    expect(await page.locator('details').getAttribute('open')).toBe('');
    expect(await page.evaluate(`document.activeElement.name`)).toBe('note');
    await page.keyboard.type(' and more');
    expect(await page.getByLabel('Note').inputValue()).toBe('half a sentence and more');
  });

  it('keeps the focus on the row that stays, and loses no row and no order', async () => {
    const dashboard = await openDashboard();
    const ids = [];
    for (const subject of ['One', 'Two', 'Three', 'Four']) ids.push(await dashboard.ask({ subject }));
    const page = await signedInPage(browser, dashboard, '/approvals');
    await page.locator(`li#${ids[1]} a`).focus();
    await dashboard.service.approvals.reject(dashboard.ownerId, ids[0] ?? '');
    await dashboard.service.approvals.reject(dashboard.ownerId, ids[2] ?? '');
    const five = await dashboard.ask({ subject: 'Five' });
    await page.locator(`li#${five}`).waitFor();
    await expect.poll(() => count(page).textContent()).toBe('3');
    expect(await page.evaluate(`document.activeElement.closest('li').id`)).toBe(ids[1]);
    const rows = () => page.evaluate(`[...document.querySelectorAll('main li[id]')].map(({ id }) => id)`);
    await expect.poll(rows).toEqual([ids[1], ids[3], five, ids[2], ids[0]]);
    const live = await rows();
    await page.reload();
    expect(await rows()).toEqual(live);
  });

  it('goes to the sign-in once its owner signs out in another tab', async () => {
    const dashboard = await openDashboard();
    const page = await signedInPage(browser, dashboard, '/approvals');
    const other = await otherTab(page, `${dashboard.url}/settings`);
    await press(other, 'Sign out');
    await page.waitForURL(/\/sign-in/);
  });

  it('says so if storage is away while it loads, and an open page catches up once it is back', async () => {
    const storage = sqliteStorage({ file: ':memory:' });
    let isAway = false;
    const dashboard = await openDashboard({
      storage: {
        ...storage,
        openApprovals: (owners) =>
          isAway
            ? Promise.reject(new ServiceError('temporarily_unavailable', { details: { retry_after_s: 1 } }))
            : storage.openApprovals(owners),
      },
    });
    const page = await signedInPage(browser, dashboard, '/approvals');
    const other = await page.context().newPage();
    isAway = true;
    const id = await dashboard.ask({ subject: 'Hello' });
    expect((await other.goto(`${dashboard.url}/approvals`))?.status()).toBe(503);
    const text = await other.locator('main').innerText();
    expect(text).toContain('Nothing was changed, and what waits for you keeps waiting.');
    expect(text).toContain('Load the page again in a moment.');
    expect(await page.locator(`li#${id}`).count()).toBe(0);
    isAway = false;
    await page.locator(`li#${id}`).waitFor();
  });

  it('works by reload without JavaScript', async () => {
    const dashboard = await openDashboard();
    const context = { javaScriptEnabled: false };
    const page = await signedInPage(browser, dashboard, '/approvals', context);
    const id = await dashboard.ask({ subject: 'Hello' });
    await page.reload();
    expect(await page.locator(`li#${id}`).count()).toBe(1);
    expect(await page.title()).toBe('(1) Approvals · Countersign');
    expect(await count(page).textContent()).toBe('1');
  });

  it('asks every half minute, and opens no socket, if the server takes none', async () => {
    const dashboard = await openDashboard({ hasSockets: false });
    const page = await signedInPage(browser, dashboard, '/approvals');
    const sockets: string[] = [];
    page.on('websocket', (socket) => sockets.push(socket.url()));
    await page.clock.install();
    await page.reload();
    const id = await dashboard.ask({ subject: 'Hello' });
    await page.clock.runFor(25_000);
    expect(await count(page).textContent()).toBe('');
    await page.clock.runFor(10_000);
    await page.locator(`li#${id}`).waitFor();
    await expect.poll(() => count(page).textContent()).toBe('1');
    expect(sockets).toEqual([]);
  });
});
