import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { NO_FENCES } from '../../../core/keys/fences.ts';
import { browserIsMissing, inBrowser, openBrowser, press } from '../../servers/browser.ts';
import { type Dashboard, openDashboard } from './open-dashboard.ts';
import { signedInPage } from './signed-in-page.ts';

describe.skipIf(browserIsMissing)(inBrowser('an owner'), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });

  const keyOf = async ({ service, ownerId, key }: Dashboard) => {
    const found = (await service.keys.list(ownerId)).find(({ credentialId }) => credentialId === key.keyId);
    if (found === undefined) throw new Error('the key is missing');
    return found;
  };

  it('pauses a key with one click, approves what waits, and resumes the key', async () => {
    const dashboard = await openDashboard();
    const id = await dashboard.ask({ subject: 'Waiting' });
    const page = await signedInPage(browser, dashboard, '/integrations');
    await press(page, 'Pause');
    expect(await page.getByRole('status').innerText()).toContain('The key is paused.');
    expect(await page.locator('article.key').innerText()).toContain('Paused since');
    expect((await keyOf(dashboard)).pausedAt).not.toBeNull();
    await page.goto(`${dashboard.url}/approvals/${id}`);
    expect(await page.locator('#paused').innerText()).toContain('This key is paused');
    await press(page, 'Approve');
    expect(await page.locator('#paused').count()).toBe(0);
    expect((await dashboard.service.approvals.show(dashboard.ownerId, id))?.approval.state).toBe('executed');
    await page.goto(`${dashboard.url}/integrations`);
    await press(page, 'Resume');
    expect(await page.getByRole('status').innerText()).toContain('The key is resumed.');
    expect((await keyOf(dashboard)).pausedAt).toBeNull();
  });

  it('fences a key, sees its requests that are outside, and cannot approve them', async () => {
    const dashboard = await openDashboard({ timezone: 'Europe/Zurich' });
    const id = await dashboard.ask({ subject: 'Waiting' });
    const page = await signedInPage(browser, dashboard, '/integrations');
    const article = page.locator('article.key');
    const open = () => article.locator('summary', { hasText: 'Fences' }).click();
    await open();
    await article.getByLabel('Accounts', { exact: true }).selectOption('some');
    await press(page, 'Save fences');
    expect(await page.getByRole('alert').innerText()).toContain('tick at least one');
    await open();
    await article.getByLabel('Accounts', { exact: true }).selectOption('some');
    await article.locator('input[name="fence_account"]').check();
    await article.getByLabel('May write to').fill('Nova.Example\n\nmaya@müller.example');
    await article.getByLabel('Last day').fill('2099-07-31');
    await press(page, 'Save fences');
    expect((await keyOf(dashboard)).fences).toEqual({
      accounts: [1],
      recipients: ['maya@xn--mller-kva.example', 'nova.example'],
      until: new Date('2099-07-31T22:00:00.000Z'),
    });
    expect(await article.innerText()).toContain('last day 2099-07-31');
    await page.goto(`${dashboard.url}/approvals/${id}`);
    expect(await page.locator('#outside').innerText()).toContain('outside the fences');
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Reject' }).count()).toBe(1);
  });

  it('creates a key with fences, and keeps what was entered if a line is wrong', async () => {
    const dashboard = await openDashboard();
    const page = await signedInPage(browser, dashboard, '/integrations');
    const form = page.locator('form[aria-label="Create key"]');
    await form.getByLabel('Name').fill('Assistant');
    await form.getByText('Fences:').click();
    await form.getByLabel('May write to').fill('nova.example, atlas.example');
    await press(page, 'Create key');
    expect(await page.getByRole('alert').innerText()).toContain('one domain on each line');
    expect(await form.getByLabel('Name').inputValue()).toBe('Assistant');
    await form.getByLabel('May write to').fill('nova.example');
    await press(page, 'Create key');
    const created = (await dashboard.service.keys.list(dashboard.ownerId)).find(
      ({ name }) => name === 'Assistant',
    );
    expect(created?.fences).toEqual({ ...NO_FENCES, recipients: ['nova.example'] });
  });
});

describe('a form', () => {
  it('that resumes a key or widens its fences asks for the password again if the key may send directly', async () => {
    const dashboard = await openDashboard();
    const { service, ownerId, key, clock } = dashboard;
    const cookie = await dashboard.cookie();
    const submit = (path: string, form: Record<string, string> = {}) =>
      dashboard.submit({ path: `/integrations/${key.keyId}/${path}`, headers: { cookie }, form });
    const narrow = { fence_recipients: 'nova.example' };
    const wide = { fence_recipients: '' };
    clock.shift(11 * 60_000);
    for (const [path, form] of [['pause'], ['resume'], ['fences', narrow], ['fences', wide]] as const) {
      expect((await submit(path, form)).status, path).toBe(303);
    }
    await service.keys.setModes(ownerId, key.keyId, { 'mail:send': 'direct' });
    expect((await submit('pause')).status).toBe(303);
    expect((await submit('fences', narrow)).status).toBe(303);
    for (const [path, form] of [['resume'], ['fences', wide]] as const) {
      const answer = await submit(path, form);
      expect({ status: answer.status, asks: answer.body.includes('owner_password') }).toEqual({
        status: 403,
        asks: true,
      });
    }
    const [still] = await service.keys.list(ownerId);
    expect(still).toMatchObject({ pausedAt: expect.any(Date), fences: { recipients: ['nova.example'] } });
  });
});
