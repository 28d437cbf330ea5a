import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { editOf } from '../../../core/approvals/approval.ts';
import { browserIsMissing, inBrowser, openBrowser, press } from '../../servers/browser.ts';
import { type Dashboard, openDashboard } from './open-dashboard.ts';
import { signedInPage } from './signed-in-page.ts';

describe.skipIf(browserIsMissing)(inBrowser('a change that raises something new'), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });

  /** On a phone, up to the page that shows the request with the change. */
  async function previewed(): Promise<{ dashboard: Dashboard; id: string; page: Page }> {
    const dashboard = await openDashboard();
    const id = await dashboard.ask({ body: 'Please sign in today.' });
    const page = await signedInPage(browser, dashboard, `/approvals/${id}`, {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
    });
    await page.getByText('Change it, then approve').click();
    await page
      .getByLabel('Text, without quote and signature')
      .fill('Please sign in at https://bank.example@evil.example/ today.');
    await press(page, 'Approve as changed');
    await page.getByText('Nothing is approved yet.').waitFor();
    expect(await page.locator('#findings > [data-severity="red"]').count()).toBe(1);
    return { dashboard, id, page };
  }

  it('is shown with its own buttons in reach, and approved after the second tap', async () => {
    const { dashboard, page } = await previewed();
    const approve = page.getByRole('button', { name: 'Approve as changed' });
    expect(await approve.count()).toBe(1);
    for (const button of [approve, page.getByRole('button', { name: 'Reject', exact: true })]) {
      const box = await button.boundingBox();
      expect((box?.y ?? 844) + (box?.height ?? 0)).toBeLessThanOrEqual(844);
    }
    // The box is not ticked.
    await approve.tap();
    expect(await page.locator('input[name="risk"]:invalid').count()).toBe(1);
    expect(dashboard.mail.transmitted()).toEqual([]);
    await page.locator('input[name="risk"]').check();
    await approve.tap();
    await page.locator('#just-decided').waitFor();
    expect(dashboard.mail.transmitted()).toHaveLength(1);
    expect(Buffer.from(dashboard.mail.transmitted()[0]?.raw ?? []).toString()).toContain('evil.example');
  });

  it('is rejected from there, without the box', async () => {
    const { dashboard, id, page } = await previewed();
    await page.getByRole('button', { name: 'Reject', exact: true }).tap();
    await page.locator('#just-decided').waitFor();
    const view = await dashboard.service.approvals.show(dashboard.ownerId, id);
    expect(view?.approval.state).toBe('rejected');
    expect(view && editOf(view.approval)).toBeNull();
    expect(dashboard.mail.transmitted()).toEqual([]);
  });
});
