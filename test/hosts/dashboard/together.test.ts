import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { browserIsMissing, inBrowser, openBrowser, press } from '../../servers/browser.ts';
import { type Dashboard, formTokenIn, openDashboard, PASSWORD } from './open-dashboard.ts';
import { signedInPage } from './signed-in-page.ts';

async function messagesOf({ key }: Dashboard): Promise<string[]> {
  const listed = await key.call('summarize_inbox', { limit: 50 });
  if (listed.status !== 'ok') throw new Error(JSON.stringify(listed));
  return (listed.result.messages as { id: string }[]).map(({ id }) => id);
}

/** Files requests, each to archive one message. @returns their ids */
async function archive({ key }: Dashboard, messages: readonly string[]): Promise<string[]> {
  const filed = [];
  for (const id of messages) {
    const asked = await key.call('archive_email', { id });
    if (asked.status !== 'pending_approval') throw new Error(JSON.stringify(asked));
    filed.push(asked.approval.id);
  }
  return filed;
}

async function opened(count: number) {
  const dashboard = await openDashboard();
  await dashboard.service.owners.update(dashboard.ownerId, {
    limits: { waitingPerKey: 100, waitingPerOwner: 100 },
  });
  const messages = await messagesOf(dashboard);
  return { dashboard, messages, ids: await archive(dashboard, messages.slice(0, count)) };
}

async function statesOf({ service, ownerId }: Dashboard, ids: readonly string[]): Promise<string[]> {
  return (await service.approvals.summaries(ownerId, ids)).map(({ approval }) => approval.state);
}

describe.skipIf(browserIsMissing)(inBrowser('requests that are decided together'), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });

  const onPhone = { viewport: { width: 390, height: 844 }, hasTouch: true };
  const heading = (page: Page) => page.getByRole('heading', { level: 1 }).textContent();

  it('are ten, and three taps decide them on a phone', async () => {
    const { dashboard, ids } = await opened(10);
    const page = await signedInPage(browser, dashboard, '/approvals', onPhone);
    expect(await heading(page)).toBe('10 requests wait');
    let taps = 0;
    const tap = async (role: 'link' | 'button', name: string) => {
      taps += 1;
      const target = page.getByRole(role, { name });
      const box = await target.boundingBox();
      // In reach without scrolling.
      expect((box?.y ?? 844) + (box?.height ?? 0), name).toBeLessThanOrEqual(844);
      await target.tap();
    };
    await tap('link', '10 messages to archive');
    await page.locator('#members').waitFor();
    expect(await page.locator('#members .target b').count()).toBe(10);
    await tap('button', 'Approve selected');
    await page.locator('#just-decided').waitFor();
    expect(taps).toBeLessThanOrEqual(3);
    expect(await page.locator('#just-decided').innerText()).toContain(
      'You decided 10 requests: 10 executed.',
    );
    expect(await heading(page)).toBe('Nothing waits for you');
    expect(await statesOf(dashboard, ids)).toEqual(ids.map(() => 'executed'));
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  });

  it('are those that stay selected, also without scripts, with the password', async () => {
    const { dashboard, ids } = await opened(3);
    const page = await signedInPage(browser, dashboard, '/approvals', {
      ...onPhone,
      javaScriptEnabled: false,
    });
    await page.getByRole('link', { name: '3 messages to archive' }).click();
    await page.locator(`#${ids[1]}`).getByRole('checkbox').uncheck();
    // The server takes no press before.
    await page.waitForTimeout(1100);
    await press(page, 'Reject selected');
    expect(await page.locator('main').innerText()).toContain('2 selected. Read the requests again');
    await page.locator('input[name="owner_password"]').fill(PASSWORD);
    await press(page, 'Reject the selected requests');
    expect(await statesOf(dashboard, ids)).toEqual(['rejected', 'pending', 'rejected']);
    // The one that is left opens.
    expect(page.url()).toContain(`/approvals/${ids[1]}?decided=`);
    expect(await page.locator('#just-decided').innerText()).toContain('You decided 2 requests: 2 rejected.');
  });

  it('keep the selection while others come and go, and the page says how many', async () => {
    const { dashboard, messages, ids } = await opened(3);
    const page = await signedInPage(browser, dashboard, '/approvals');
    await page.getByRole('link', { name: '3 messages to archive' }).click();
    await page.locator(`#${ids[0]}`).getByRole('checkbox').uncheck();
    const added = await archive(dashboard, messages.slice(3, 5));
    await page.getByText('2 new.').waitFor();
    expect(await page.locator('#members > li').count()).toBe(3);
    await dashboard.key.call('cancel_approval', { approval_id: ids[2] });
    await page.getByText('2 new, 1 decided or withdrawn.').waitFor();
    expect(await page.locator('#waiting-count').textContent()).toBe('4');
    expect(await page.locator('#members input:checked').count()).toBe(2);

    // What the page did not show is not decided, and what was withdrawn meanwhile says so.
    await press(page, 'Approve selected');
    expect(await heading(page)).toBe('1 was approved; 1 was not');
    expect(await page.locator(`#${ids[2]}`).innerText()).toContain('it was already “Cancelled”');
    expect(await statesOf(dashboard, [...ids, ...added])).toEqual([
      ...['pending', 'executed', 'cancelled'],
      ...['pending', 'pending'],
    ]);
  });

  it('show what has come when the owner asks for it', async () => {
    const { dashboard, messages } = await opened(2);
    const page = await signedInPage(browser, dashboard, '/approvals');
    await page.getByRole('link', { name: '2 messages to archive' }).click();
    await archive(dashboard, messages.slice(2, 3));
    await page.getByRole('link', { name: 'Show them as they are now' }).click();
    await expect.poll(() => page.locator('#members > li').count()).toBe(3);
    expect(await page.locator('#changed').isVisible()).toBe(false);
  });

  it('are decided once by a double click', async () => {
    const { dashboard, ids } = await opened(3);
    const page = await signedInPage(browser, dashboard, '/approvals');
    await page.getByRole('link', { name: '3 messages to archive' }).click();
    await page.getByRole('button', { name: 'Approve selected' }).dblclick();
    await page.locator('#just-decided').waitFor();
    expect(await page.locator('#just-decided').innerText()).toContain('3 executed');
    expect(await statesOf(dashboard, ids)).toEqual(['executed', 'executed', 'executed']);
  });
});

describe('the form of requests that are decided together', () => {
  async function opening(count: number) {
    const { dashboard, ids } = await opened(count);
    const cookie = await dashboard.cookie();
    const headers = { cookie };
    const list = await dashboard.send({ path: '/approvals', headers });
    const path = /\/approvals\/together\/[\w-]+/.exec(list.body)?.[0] ?? '';
    const { body } = await dashboard.send({ path, headers });
    const members = [...body.matchAll(/name="member" value="([^"]+)"/g)].map(([, value]) => value ?? '');
    const post = (fields: readonly string[], button = 'approve') =>
      dashboard.submit({
        path: `${path}/${button}`,
        headers,
        form: fields.map((one): [string, string] => ['member', one]),
      });
    return { dashboard, ids, headers, path, body, members, post };
  }

  it('posts each member with its own digest', async () => {
    const { dashboard, ids, members, post } = await opening(3);
    const { approvals } = await dashboard.service.approvals.list(dashboard.ownerId, {
      state: 'open',
      limit: 9,
    });
    const expected = approvals.map(({ approval }) => `${approval.id}.${approval.digest}`);
    expect(members.toSorted()).toEqual(expected.toSorted());
    expect((await post(members)).headers.location).toMatch(/^\/approvals\?decided=apr_/);
    expect(await statesOf(dashboard, ids)).toEqual(['executed', 'executed', 'executed']);
  });

  it('decides nothing if nothing is selected, a member is malformed, or there are too many', async () => {
    const { dashboard, ids, members, post } = await opening(2);
    const none = await post([]);
    expect([none.status, none.body]).toEqual([422, expect.stringContaining('Select at least one request.')]);
    expect((await post([...members, 'apr_x'])).status).toBe(400);
    const digest = 'a'.repeat(64);
    const many = (count: number) => Array.from({ length: count }, (_, n) => `apr_${n}.${digest}`);
    expect((await post([...members, ...many(50)])).status).toBe(413);
    expect((await post(many(10_000))).status).toBe(413);
    expect(await statesOf(dashboard, ids)).toEqual(['pending', 'pending']);
  });

  it('gives each member its own outcome: of another owner, twice, stale, and a send', async () => {
    const { dashboard, ids, members, post } = await opening(2);
    const send = await dashboard.ask({});
    const { approvals } = await dashboard.service.approvals.list(dashboard.ownerId, {
      state: 'open',
      limit: 9,
    });
    const digestOf = (id: string) => approvals.find(({ approval }) => approval.id === id)?.approval.digest;
    const [good = '', stale = ''] = members;
    const answer = await post([
      good,
      good,
      `${stale.split('.')[0]}.${'a'.repeat(64)}`,
      `${send}.${digestOf(send)}`,
      `apr_none.${'a'.repeat(64)}`,
    ]);
    expect(answer.status).toBe(409);
    expect(answer.body).toContain('1 was approved; 3 were not');
    expect(answer.body).toContain('did not show what would happen now');
    expect(answer.body).toContain('It is decided by itself.');
    expect(answer.body).toContain('not yours or does not exist');
    const states = new Map(ids.map((id) => [id, '']));
    for (const { approval } of await dashboard.service.approvals.summaries(dashboard.ownerId, ids)) {
      states.set(approval.id, approval.state);
    }
    expect(states.get(good.split('.')[0] ?? '')).toBe('executed');
    expect(states.get(stale.split('.')[0] ?? '')).toBe('pending');
    expect(await statesOf(dashboard, [send])).toEqual(['pending']);
  });

  it('does nothing for a page without the token of the session', async () => {
    const { dashboard, headers, path, members, ids, body } = await opening(2);
    expect(formTokenIn(body)).not.toBe('none');
    const form = { member: members[0] ?? '', form_token: 'x' };
    expect((await dashboard.send({ path: `${path}/approve`, headers, form })).status).toBe(403);
    expect(await statesOf(dashboard, ids)).toEqual(['pending', 'pending']);
  });

  it('says that none waits once all are decided', async () => {
    const { dashboard, headers, path, ids } = await opening(2);
    for (const id of ids) await dashboard.service.approvals.reject(dashboard.ownerId, id);
    const { status, body } = await dashboard.send({ path, headers });
    expect([status, body]).toEqual([200, expect.stringContaining('None of these waits any more')]);
  });

  it('leaves out what is outside the fences of its key', async () => {
    const { dashboard, headers, path } = await opening(2);
    const { service, ownerId, key } = dashboard;
    const other = await service.accounts.connect({ ownerId, email: 'second@example.org', settings: {} });
    await service.keys.setFences(ownerId, key.keyId, { accounts: [other.accountId] });
    const { body } = await dashboard.send({ path, headers });
    expect(body).toContain('outside the fences of its key');
    expect(body).not.toContain('name="member"');
  });
});
