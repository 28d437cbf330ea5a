import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { decisionOf } from '../../../core/approvals/approval.ts';
import { SHOWN_FIELD } from '../../../hosts/dashboard/forms/shown-field.ts';
import { shownMark, wasShown } from '../../../hosts/dashboard/forms/shown-since.tsx';
import type { OwnerVisit } from '../../../hosts/dashboard/visit.ts';
import { browserIsMissing, inBrowser, openBrowser, press } from '../../servers/browser.ts';
import { until } from '../../until.ts';
import { type Dashboard, formTokenIn, openDashboard } from './open-dashboard.ts';
import { signedInPage } from './signed-in-page.ts';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true };
/** Longer than the screen. */
const LONG = Array.from({ length: 120 }, (_, line) => `Line ${line} of a long text.`).join('\n');

async function askedFor(dashboard: Dashboard, count: number): Promise<string[]> {
  const { service, ownerId } = dashboard;
  await service.owners.update(ownerId, { limits: { waitingPerKey: 100, waitingPerOwner: 100 } });
  const ids = [];
  for (let n = 1; n <= count; n += 1) ids.push(await dashboard.ask({ subject: `Letter ${n}`, body: LONG }));
  return ids;
}

/** When each of them was decided, the earliest first. */
async function decisions({ service, ownerId }: Dashboard, ids: readonly string[]): Promise<number[]> {
  const summaries = await service.approvals.summaries(ownerId, ids);
  return summaries
    .flatMap(({ approval }) => decisionOf(approval)?.at.getTime() ?? [])
    .sort((one, other) => one - other);
}

async function opened(browser: Browser, count: number) {
  const dashboard = await openDashboard();
  const ids = await askedFor(dashboard, count);
  const page = await signedInPage(browser, dashboard, '/approvals', PHONE);
  const path = (id: string) => `${dashboard.url}/approvals/${id}`;
  return { dashboard, ids, page, path, decided: () => decisions(dashboard, ids) };
}

/** A request is decided by a press that began when its buttons had been visible for a second, and the next opens only then. */
function expectSecondsBetween(openedAtMs: number, decidedAtMs: readonly number[]): void {
  expect(decidedAtMs.length).toBeGreaterThan(0);
  for (const [index, atMs] of decidedAtMs.entries()) {
    expect(atMs - (decidedAtMs[index - 1] ?? openedAtMs)).toBeGreaterThanOrEqual(1000);
  }
}

async function middleOf(page: Page, name: string): Promise<[number, number]> {
  const box = await page.getByRole('button', { name, exact: true }).boundingBox();
  if (box === null) throw new Error(`${name} is not visible`);
  return [box.x + box.width / 2, box.y + box.height / 2];
}

describe.skipIf(browserIsMissing)(inBrowser('a press that was meant for the page before'), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });

  it.each(['Approve', 'Reject'])('decides nothing with taps every 50 ms at %s', async (button) => {
    const { ids, page, path, decided } = await opened(browser, 8);
    await page.goto(path(ids[0] ?? ''));
    const at = await middleOf(page, button);
    const openedAtMs = Date.now();
    await page.goto(path(ids[0] ?? ''));
    // Until it is certain that the taps reach the buttons.
    while ((await decided()).length < 3) {
      // Chromium may never acknowledge a tap during which a page goes.
      await Promise.race([page.touchscreen.tap(...at), page.waitForTimeout(500)]);
      await page.waitForTimeout(50);
    }
    expectSecondsBetween(openedAtMs, await decided());
  });

  it('decides nothing by the keys, pressed twice', async () => {
    const { ids, page, path, decided } = await opened(browser, 4);
    const openedAtMs = Date.now();
    await page.goto(path(ids[0] ?? ''));
    await page.keyboard.press('a');
    await page.waitForTimeout(1200);
    await page.keyboard.press('a');
    await page.locator('#just-decided').waitFor();
    await page.keyboard.press('a');
    await page.keyboard.press('r');
    await page.waitForTimeout(300);
    expectSecondsBetween(openedAtMs, await decided());
  });

  it('decides nothing by a key that is still held', async () => {
    const { ids, page, path, decided } = await opened(browser, 3);
    await page.goto(path(ids[0] ?? ''));
    await page.waitForTimeout(1200);
    await page.getByRole('button', { name: 'Approve', exact: true }).focus();
    await page.keyboard.down('Enter');
    await page.locator('#just-decided').waitFor();
    await page.getByRole('button', { name: 'Approve', exact: true }).focus();
    for (let n = 0; n < 30; n += 1) {
      // The keyboard repeats it.
      await page.keyboard.down('Enter');
      await page.waitForTimeout(50);
    }
    await page.keyboard.up('Enter');
    await page.waitForTimeout(300);
    expect(await decided()).toHaveLength(1);
  });

  it('decides nothing if it began too early, however long it lasts', async () => {
    const { ids, page, path, decided } = await opened(browser, 1);
    await page.goto(path(ids[0] ?? ''));
    const at = await middleOf(page, 'Approve');
    await page.goto(path(ids[0] ?? ''));
    await page.mouse.move(...at);
    await page.mouse.down();
    await page.waitForTimeout(1500);
    await page.mouse.up();
    await page.waitForTimeout(300);
    expect(await decided()).toHaveLength(0);
    await page.mouse.click(...at);
    await page.locator('#just-decided').waitFor();
    expect(await decided()).toHaveLength(1);
  });

  it('decides nothing while the button is in another tab or behind a fold', async () => {
    const { ids, page, path, decided } = await opened(browser, 1);
    await page.goto(path(ids[0] ?? ''));
    await page.waitForTimeout(1500);
    // Chromium without a screen keeps every tab visible.
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await page.keyboard.press('a');
    expect(await decided()).toHaveLength(0);
    await page.getByText('Reject with a reason').click();
    const reason = page.getByRole('button', { name: 'Suspicious' });
    await reason.scrollIntoViewIfNeeded();
    await reason.dispatchEvent('click');
    expect(await decided()).toHaveLength(0);
    await press(page, 'Suspicious');
    await expect.poll(decided).toHaveLength(1);
  });

  it('is not confused with one on a page that another request has refreshed', async () => {
    const { dashboard, ids, page, path, decided } = await opened(browser, 1);
    await page.goto(path(ids[0] ?? ''));
    await page.waitForTimeout(1200);
    await dashboard.ask({ subject: 'Another' });
    await page.locator('#waiting-count', { hasText: '2' }).waitFor();
    await expect.poll(() => page.title()).toContain('(2)');
    await page.keyboard.press('a');
    await page.locator('#just-decided').waitFor();
    expect(await decided()).toHaveLength(1);
  });

  it('decides nothing without JavaScript, where the server refuses it and shows the request again', async () => {
    const dashboard = await openDashboard();
    const [id = ''] = await askedFor(dashboard, 1);
    const page = await signedInPage(browser, dashboard, '/approvals', { ...PHONE, javaScriptEnabled: false });
    const alert = page.getByRole('alert');
    await until(async () => {
      await page.goto(`${dashboard.url}/approvals/${id}`);
      await press(page, 'Approve');
      // On a busy machine, the press may come later than a second.
      return (await alert.count()) > 0;
    });
    expect(await alert.innerText()).toContain('open for less than a second');
    expect(await page.locator('#sentence').count()).toBe(1);
    await page.waitForTimeout(1100);
    await press(page, 'Approve');
    // This browser signs nothing, so the password is asked for.
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Approve');
    expect(await page.locator('main').innerText()).not.toContain('shown');
  });
});

describe('the server', () => {
  it('refuses every decision that comes within a second of its page', async () => {
    const dashboard = await openDashboard();
    const { service, ownerId, key } = dashboard;
    const [id = ''] = await askedFor(dashboard, 1);
    const listed = await key.call('summarize_inbox', {});
    const messages = (listed.status === 'ok' ? listed.result.messages : []) as { id: string }[];
    for (const message of messages.slice(0, 2)) await key.call('archive_email', { id: message.id });
    const waiting = (await service.approvals.list(ownerId, { state: 'open', limit: 10 })).approvals;
    const [send] = await service.approvals.summaries(ownerId, [id]);
    const headers = { cookie: await dashboard.cookie() };
    const list = await dashboard.send({ path: '/approvals', headers });
    const [together = '', togetherId = ''] = /\/approvals\/together\/([\w-]{16})/.exec(list.body) ?? [];
    const digest = send?.approval.digest ?? '';
    const archive = waiting.find(({ approval }) => approval.tool === 'archive_email')?.approval;
    const member = `${archive?.id}.${archive?.digest}`;
    const cases: [string, Record<string, string>][] = [
      [`/approvals/${id}/approve`, { digest }],
      [`/approvals/${id}/reject`, {}],
      [`/approvals/${id}/reject/suspicious`, {}],
      [`/approvals/${id}/change`, { digest, to: 'ada@example.net', subject: 'Hello', text: 'Changed' }],
      [`${together}/approve`, { member }],
      [`${together}/reject`, { member }],
    ];
    for (const [path, form] of cases) {
      const page = await dashboard.send({ path: `/approvals/${id}`, headers });
      const token = formTokenIn(page.body);
      const param = path.startsWith(together) ? togetherId : id;
      for (const shown of ['', 'x', shownMark({ token, param }, Date.now())]) {
        const answer = await dashboard.submit({ path, headers, form: { ...form, [SHOWN_FIELD]: shown } });
        expect([path, answer.status]).toEqual([path, 409]);
        expect(answer.body).toContain('open for less than a second');
      }
      if (path.endsWith('change')) {
        const answer = await dashboard.submit({ path, headers, form: { ...form, [SHOWN_FIELD]: '' } });
        // What was typed is not lost.
        expect(answer.body).toContain('Changed');
      }
    }
    const after = (await service.approvals.list(ownerId, { state: 'open', limit: 10 })).approvals;
    expect(after.map(({ approval }) => approval.state)).toEqual(['pending', 'pending', 'pending']);
  });

  it('relies only on its own mark for when the page was shown', () => {
    const visit = (shown: string, nowMs: number, token = 'token', param = 'apr_1') =>
      ({
        token,
        param,
        fields: new URLSearchParams({ [SHOWN_FIELD]: shown }),
        requests: { storeNowMs: nowMs },
      }) as unknown as OwnerVisit;
    const atMs = Date.UTC(2026, 10, 24);
    const shown = shownMark({ token: 'token', param: 'apr_1' }, atMs);
    expect(wasShown(visit(shown, atMs + 1000))).toBe(true);
    expect(wasShown(visit(shown, atMs + 999))).toBe(false);
    // The clock was set back.
    expect(wasShown(visit(shown, atMs - 5000))).toBe(false);
    expect(wasShown(visit(shown, atMs + 1000, 'other'))).toBe(false);
    expect(wasShown(visit(shown, atMs + 1000, 'token', 'apr_2'))).toBe(false);
    const earlier = shown.replace(/^[^.]+/, (atMs - 10_000).toString(36));
    for (const forged of [earlier, `${shown}x`, shown.slice(0, -1), `${shown.slice(0, -1)}é`, '-1.x', '']) {
      expect([forged, wasShown(visit(forged, atMs + 1000))]).toEqual([forged, false]);
    }
  });
});
