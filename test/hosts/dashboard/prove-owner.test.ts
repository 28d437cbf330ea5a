import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ProofLevel } from '../../../core/owners/owner-proof.ts';
import { browserIsMissing, inBrowser, openBrowser, press } from '../../servers/browser.ts';
import { openMount, request, sendForm, signInToApp } from '../mount/open-mount.ts';
import { type Dashboard, EMAIL, openDashboard, PASSWORD } from './open-dashboard.ts';
import { addAuthenticator } from './virtual-authenticator.ts';

async function opened(proofFor: ProofLevel) {
  const dashboard = await openDashboard();
  await dashboard.service.owners.update(dashboard.ownerId, { proofFor });
  return dashboard;
}

async function stateOf({ service, ownerId }: Dashboard, id: string) {
  return (await service.approvals.show(ownerId, id))?.approval.state;
}

const digestIn = (html: string) => /name="digest" value="([^"]+)"/.exec(html)?.[1] ?? '';

describe.skipIf(browserIsMissing)(inBrowser('an owner who proves each decision'), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });

  async function signedIn(
    dashboard: Dashboard,
    { passkey = false, javaScriptEnabled = true } = {},
  ): Promise<Page> {
    const host = `http://countersign.localhost:${new URL(dashboard.url).port}`;
    const context = await browser.newContext({ baseURL: host, javaScriptEnabled });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    if (passkey) await addAuthenticator(page);
    await page.goto('/sign-in?next=/settings');
    await page.getByLabel('Email').fill(EMAIL);
    await page.getByLabel('Password').fill(PASSWORD);
    await press(page, 'Sign in');
    if (passkey) {
      await page.getByLabel('Name of the passkey').fill('Phone');
      await press(page, 'Add a passkey');
    }
    return page;
  }

  it('approves with one press and a passkey, on the page of the request', async () => {
    const dashboard = await opened('leaving');
    const id = await dashboard.ask({});
    const page = await signedIn(dashboard, { passkey: true });
    await page.goto(`/approvals/${id}`);
    expect(await page.locator('input[type=password]').count()).toBe(0);
    await press(page, 'Approve');
    await page.getByText('Executed').first().waitFor();
    expect(dashboard.mail.transmitted()).toHaveLength(1);
  });

  it('is not helped by a passkey that answered for another request, or for signing in', async () => {
    const dashboard = await opened('always');
    const [one, other] = [await dashboard.ask({ subject: 'One' }), await dashboard.ask({ subject: 'Other' })];
    const page = await signedIn(dashboard, { passkey: true });
    await page.goto(`/approvals/${one}`);
    const options = await page.locator('[data-proves]').getAttribute('data-proves');
    await page.goto(`/approvals/${other}`);
    await page.evaluate(
      `document.querySelector('[data-proves]').dataset.proves = ${JSON.stringify(options)}`,
    );
    await press(page, 'Approve');
    expect(await page.locator('main').innerText()).toContain('The passkey is not one of yours here');
    expect(await stateOf(dashboard, other)).toBe('pending');
    // The page that asks again takes the passkey for the request that it is about.
    await press(page, 'Use a passkey instead');
    await page.getByText('Executed').first().waitFor();
    expect([await stateOf(dashboard, one), await stateOf(dashboard, other)]).toEqual(['pending', 'executed']);
  });

  it('is shown what to do if no passkey answers, and can use the password', async () => {
    const dashboard = await opened('always');
    const id = await dashboard.ask({});
    const page = await signedIn(dashboard, { passkey: true });
    await page.goto(`/approvals/${id}`);
    await page.evaluate(
      "navigator.credentials.get = () => Promise.reject(new DOMException('no', 'NotAllowedError'))",
    );
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByText('No passkey was used, so nothing was approved.').waitFor();
    expect(await stateOf(dashboard, id)).toBe('pending');
    await press(page, 'Use the password');
    expect(await page.locator('main').innerText()).toContain('Your settings ask who you are before this.');
  });

  it.each([true, false])(
    'enters the password beside Approve without a passkey; with JavaScript: %s',
    async (javaScriptEnabled) => {
      const dashboard = await opened('leaving');
      const id = await dashboard.ask({});
      const page = await signedIn(dashboard, { javaScriptEnabled });
      await page.goto(`/approvals/${id}`);
      await page.waitForTimeout(1100);
      // The field is required to approve, and nothing was sent.
      await page.getByRole('button', { name: 'Approve', exact: true }).click();
      expect(await page.locator('input[type=password]:invalid').count()).toBe(1);
      await page.getByLabel('Your password, to approve').fill('a wrong password');
      await press(page, 'Approve');
      expect(await page.locator('main').innerText()).toContain('The password is wrong.');
      expect(await stateOf(dashboard, id)).toBe('pending');
      await page.goto(`/approvals/${id}`);
      await page.getByLabel('Your password, to approve').fill(PASSWORD);
      await page.waitForTimeout(1100);
      await press(page, 'Approve');
      await page.getByText('Executed').first().waitFor();
    },
  );

  it('chooses it in the settings, which ask for the password each time', async () => {
    const dashboard = await opened('every_12_hours');
    const page = await signedIn(dashboard);
    for (const [name, level] of [
      ['For each request', 'always'],
      ['Every 12 hours', 'every_12_hours'],
    ] as const) {
      await page.goto('/settings');
      await page.getByLabel('Ask who I am').selectOption(name);
      await press(page, 'Save when to ask');
      expect(await page.locator('main').innerText()).toContain('Countersign always asks for your password');
      await page.locator('input[name="owner_password"]').fill(PASSWORD);
      await press(page, 'Save when to ask who you are');
      await page.getByText('It is saved, and counts from now on.').waitFor();
      expect((await dashboard.service.owners.byId(dashboard.ownerId))?.proofFor).toBe(level);
    }
  });
});

describe('a form of an owner who proves each decision', () => {
  it('approves nothing by its signature, however recent the sign-in is, and says why', async () => {
    const dashboard = await opened('always');
    const id = await dashboard.ask({});
    const headers = { cookie: await dashboard.cookie() };
    const { body } = await dashboard.send({ path: `/approvals/${id}`, headers });
    const form = { digest: digestIn(body) };
    const path = `/approvals/${id}/approve`;
    for (const empty of [{}, { owner_password: '', owner_passkey: '' }]) {
      const answer = await dashboard.submit({ path, headers, form: { ...form, ...empty } });
      expect([answer.status, await stateOf(dashboard, id)]).toEqual([403, 'pending']);
      expect(answer.body).toContain('Your settings ask who you are before this.');
      expect(answer.body).not.toContain('<dt>shown</dt>');
    }
    const changed = await dashboard.submit({
      path: `/approvals/${id}/change`,
      headers,
      form: { ...form, to: 'ada@example.net', subject: 'Hello', text: 'Changed' },
    });
    expect([changed.status, await stateOf(dashboard, id)]).toEqual([403, 'pending']);
    expect(changed.body).toContain('Changed');
    const passed = await dashboard.submit({ path, headers, form: { ...form, owner_password: PASSWORD } });
    expect([passed.status, await stateOf(dashboard, id)]).toEqual([303, 'executed']);
  });

  it('rejects without a password, also if the browser filled in a wrong one', async () => {
    const dashboard = await opened('always');
    const id = await dashboard.ask({});
    const headers = { cookie: await dashboard.cookie() };
    const answer = await dashboard.submit({
      path: `/approvals/${id}/reject`,
      headers,
      form: { owner_password: 'filled in by the browser' },
    });
    expect([answer.status, await stateOf(dashboard, id)]).toEqual([303, 'rejected']);
  });
});

describe('an app that signs its users in itself', () => {
  it('is asked who the person is for each decision, and one answer counts for one request', async () => {
    const app = await openMount();
    const { service, ownerId, clock, key } = app;
    await service.owners.update(ownerId, { proofFor: 'always' });
    const file = async (subject: string) => {
      const outcome = await key.call('send_email', { to: ['ada@example.net'], subject, body: 'Hello' });
      if (outcome.status !== 'pending_approval') throw new Error(outcome.status);
      return `/countersign/approvals/${outcome.approval.id}`;
    };
    const [one, other] = [await file('One'), await file('Other')];
    const cookie = signInToApp(app);
    const pathOf = (page: string) => page.replace(/\?.*/, '');
    const isPending = async (page: string) => {
      const id = pathOf(page).replace(/.*\//, '');
      return (await service.approvals.show(ownerId, id))?.approval.state === 'pending';
    };
    const leave = async (page: string) => {
      const answer = await sendForm(app, cookie, page, `${pathOf(page)}/approve`);
      const to = new URL(answer.headers.get('location') ?? '', app.origin);
      expect([answer.status, to.pathname, await isPending(page)]).toEqual([303, '/confirm', true]);
      return to.searchParams.get('next') ?? '';
    };
    const back = await leave(one);
    expect(back).toMatch(/^\/countersign\/approvals\/apr_[\w-]+\?proving=/);
    // Back without having been asked.
    expect(await leave(back)).toMatch(/\?proving=/);
    clock.shift(5000);
    const session = app.sessions.get(cookie.slice('app='.length));
    app.sessions.set(cookie.slice('app='.length), {
      ...(session as object),
      authenticatedAt: clock.now(),
    } as never);
    // The answer was given after the other request was shown, but the person was not asked for that one.
    await leave(other);
    await leave(back.replace(/.*\?/, `${other}?`));
    expect((await request(app, back, { headers: { cookie } })).status).toBe(200);
    const approved = await sendForm(app, cookie, back, `${one}/approve`);
    expect(approved.headers.get('location')).toContain('decided=');
    expect([await isPending(one), await isPending(other)]).toEqual([false, true]);
  });
});
