import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { MINUTE_MS } from '../../../core/time/durations.ts';
import { browserIsMissing, inBrowser, openBrowser, press } from '../../servers/browser.ts';
import { type Dashboard, EMAIL, formTokenIn, openDashboard, PASSWORD, shownSince } from './open-dashboard.ts';

// A server on the same machine and another port, such as an agent's preview of a page. The browser sends it the
// dashboard's cookie, and it tries to approve its own request.

const HOSTS = ['127.0.0.1', 'localhost', 'countersign.localhost'] as const;

interface Thief {
  readonly port: number;
  /** The Cookie headers it received, newest last. */
  readonly cookies: string[];
}

async function openThief(): Promise<Thief> {
  const cookies: string[] = [];
  const server = createServer((request, response) => {
    if (request.headers.cookie !== undefined) cookies.push(request.headers.cookie);
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<!doctype html><title>Preview</title><p>Preview</p>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, cookies };
}

/** Posts a form to the dashboard from the open page, into one of its frames or windows. */
const FORM_TO = `const formTo = ({ action, fields, target }) => {
  const form = document.createElement('form');
  Object.assign(form, { method: 'post', action, target });
  for (const [name, value] of Object.entries(fields)) {
    const input = document.createElement('input');
    Object.assign(input, { type: 'hidden', name, value });
    form.append(input);
  }
  document.body.append(form);
  form.submit();
};`;

/** Sends a form to the dashboard from the open page, and reaches into the dashboard's pages in its frames. */
const FROM_THE_PAGE = `async ({ action, fields }) => {
  ${FORM_TO}
  const body = () => new URLSearchParams(fields);
  const tried = async (attempt) => { try { return await attempt(); } catch (error) { return error.name; } };
  const results = {};
  results.noCors = await tried(async () => {
    await fetch(action, { method: 'POST', mode: 'no-cors', credentials: 'include', body: body() });
    return 'answered';
  });
  results.cors = await tried(async () => {
    await fetch(action, { method: 'POST', credentials: 'include', body: body() });
    return 'read';
  });
  results.readPage = await tried(async () => (await fetch(action, { credentials: 'include' })).text());
  const loaded = (element) => new Promise((resolve) => {
    element.addEventListener('load', resolve);
  });
  const frame = document.createElement('iframe');
  frame.name = 'inside';
  document.body.append(frame);
  const posted = loaded(frame);
  formTo({ action, fields, target: 'inside' });
  await posted;
  results.frame = await tried(async () => frame.contentDocument.querySelector('button').click() ?? 'clicked');
  const shown = document.createElement('iframe');
  shown.src = action.replace(/\\/approve$/, '');
  const framed = loaded(shown);
  document.body.append(shown);
  await framed;
  results.framedPage = await tried(async () => shown.contentDocument.querySelector('button').click() ?? 'clicked');
  const databases = await indexedDB.databases();
  results.keys = databases.length;
  return results;
}`;

/** Reaches into the window that the open page opened. */
const INTO_THE_POPUP = `(() => {
  try { return opened.document.querySelector('button').click() ?? 'clicked'; } catch (error) { return error.name; }
})()`;

describe.skipIf(browserIsMissing)(inBrowser('a server on another port of the same host'), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });

  async function signedIn(context: BrowserContext, origin: string, path: string): Promise<Page> {
    const page = await context.newPage();
    await page.goto(`${origin}${path}`);
    await page.getByLabel('Email').fill(EMAIL);
    await page.getByLabel('Password').fill(PASSWORD);
    await press(page, 'Sign in');
    expect(page.url()).toBe(`${origin}${path}`);
    return page;
  }

  async function stateOf({ service, ownerId }: Dashboard, id: string) {
    return (await service.approvals.show(ownerId, id))?.approval.state;
  }

  it.each(HOSTS)('receives the cookie of %s, and can change nothing with it', async (host) => {
    const dashboard = await openDashboard();
    const thief = await openThief();
    const { port } = new URL(dashboard.url);
    const origin = `http://${host}:${port}`;
    const [own, other] = [await dashboard.ask({ subject: 'Own' }), await dashboard.ask({ subject: 'Other' })];
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await signedIn(context, origin, `/approvals/${own}`);

    // The owner views the preview, which receives the cookie.
    const preview = await context.newPage();
    await preview.goto(`http://${host}:${thief.port}/`);
    const cookie = thief.cookies.at(-1) ?? '';
    expect(cookie).toMatch(new RegExp(`countersign-${port}=[\\w-]{43}`));

    // The server itself reads the page and sends its form as a browser would.
    const headers = { cookie, host: `${host}:${port}`, origin, 'sec-fetch-site': 'same-origin' };
    const read = await dashboard.send({ path: `/approvals/${own}`, headers });
    expect(read.status).toBe(200);
    const form_token = formTokenIn(read.body);
    const digest = /name="digest" value="([^"]+)"/.exec(read.body)?.[1] ?? '';
    const approve = `/approvals/${own}/approve`;
    const send = async (path: string, form: Record<string, string>) => {
      const answer = await dashboard.send({ path, headers, form });
      expect(answer.status, path).toBe(403);
      expect(answer.body).toContain('Nothing has been done yet.');
    };
    const shown = shownSince(approve, form_token, Date.now() - MINUTE_MS);
    await send(approve, { form_token, digest, ...shown });

    // The owner rejects another request, and the server sees that form in full.
    const [request] = await Promise.all([
      page.waitForRequest((one) => one.method() === 'POST'),
      page.goto(`${origin}/approvals/${other}`).then(() => press(page, 'Reject')),
    ]);
    const observed = Object.fromEntries(new URLSearchParams(request.postData() ?? ''));
    expect(observed.form_proof).toMatch(/^[\w-]{22}\.[\w-]{86}$/);
    expect(await stateOf(dashboard, other)).toBe('rejected');
    await send(`/approvals/${other}/reject`, observed);
    await send(approve, { ...observed, ...shown });
    await send(approve, { ...observed, ...shown, digest });
    await send(approve, { form_token, digest, ...shown, form_proof: observed.form_proof ?? '' });
    await send('/integrations', { ...observed, name: 'mine', preset: 'full', days: '90' });

    // From its own page, under any host name.
    const posted: number[] = [];
    context.on('response', (response) => {
      if (response.url() === `${origin}${approve}` && response.request().method() === 'POST')
        posted.push(response.status());
    });
    for (const name of HOSTS) {
      await preview.goto(`http://${name}:${thief.port}/`);
      const form = {
        action: `${origin}${approve}`,
        fields: { form_token, digest, ...shown, form_proof: observed.form_proof },
      };
      const results: unknown = await preview.evaluate(`(${FROM_THE_PAGE})(${JSON.stringify(form)})`);
      expect(results).toEqual({
        noCors: 'TypeError',
        cors: 'TypeError',
        readPage: 'TypeError',
        frame: 'TypeError',
        framedPage: 'TypeError',
        keys: 0,
      });
      const approvalPage = `${origin}/approvals/${own}`;
      const [popup] = await Promise.all([
        context.waitForEvent('page'),
        preview.evaluate(`void (opened = window.open(${JSON.stringify(approvalPage)}, 'popup'))`),
      ]);
      await popup.waitForURL(approvalPage);
      expect(await preview.evaluate(INTO_THE_POPUP)).toMatch(/^(TypeError|SecurityError)$/);
      await Promise.all([
        context.waitForEvent('response', (one) => one.request().method() === 'POST'),
        preview.evaluate(`{${FORM_TO} formTo(${JSON.stringify({ ...form, target: 'popup' })}); }`),
      ]);
      for (const one of context.pages()) if (one !== page && one !== preview) await one.close();
    }
    expect(posted.length).toBeGreaterThanOrEqual(HOSTS.length);
    expect(new Set(posted)).toEqual(new Set([403]));
    expect(await stateOf(dashboard, own)).toBe('pending');
    expect(dashboard.mail.transmitted()).toEqual([]);
    expect(await dashboard.service.keys.list(dashboard.ownerId)).toHaveLength(1);

    // None of this keeps the owner from deciding with one click.
    await page.goto(`${origin}/approvals/${own}`);
    await press(page, 'Approve');
    expect(await page.locator('#just-decided .state').textContent()).toBe('Executed');
    expect(dashboard.mail.transmitted()).toHaveLength(1);
  });

  it('receives no cookie of countersign.localhost when opened under another name', async () => {
    const dashboard = await openDashboard();
    const thief = await openThief();
    const { port } = new URL(dashboard.url);
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    await signedIn(context, `http://countersign.localhost:${port}`, '/approvals');
    const preview = await context.newPage();
    for (const host of ['127.0.0.1', 'localhost', 'agent.localhost']) {
      await preview.goto(`http://${host}:${thief.port}/`);
      await preview.evaluate(
        `fetch('http://countersign.localhost:${thief.port}/', { mode: 'no-cors', credentials: 'include' })`,
      );
    }
    expect(thief.cookies).toEqual([]);
  });

  it('plants its own session, but the owner’s browser signs nothing for it', async () => {
    const dashboard = await openDashboard();
    const thief = { email: 'thief@example.org', password: 'a password of the thief' };
    await dashboard.service.owners.create(thief);
    const planted = await dashboard.cookie(thief);
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await signedIn(context, dashboard.url, '/integrations');
    // Any port of the host can set the cookie.
    const [name = '', value = ''] = planted.split('=');
    await context.addCookies([{ name, value, url: dashboard.url }]);
    await page.goto(`${dashboard.url}/integrations`);
    expect(await page.locator('.who').textContent()).toBe(thief.email);
    await page.getByLabel('Name').fill('Mine');
    await press(page, 'Create key');
    expect(await page.locator('main').innerText()).toContain('Nothing has been done yet.');
    await page.getByLabel('Your password').last().fill(PASSWORD);
    await press(page, 'Create key');
    expect(await page.getByRole('alert').textContent()).toBe('The password is wrong.');
  });
});
