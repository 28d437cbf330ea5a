import { describe, expect, it } from 'vitest';
import { type Dashboard, formTokenIn, openDashboard } from './open-dashboard.ts';

const PAGES = [
  '/approvals',
  '/accounts',
  '/integrations',
  '/integrations/webhooks',
  '/activity',
  '/settings',
];

describe('every answer of the dashboard', () => {
  it('is protected: pages, redirects, refusals and the style sheet', async () => {
    const dashboard = await openDashboard();
    const cookie = await dashboard.cookie();
    const first = await dashboard.send({ path: '/approvals', headers: { cookie } });
    const style = /href="(\/assets\/[^"]+\.css)"/.exec(first.body)?.[1] ?? '';
    for (const path of [...PAGES, '/', '/sign-in', '/missing', style]) {
      const { headers } = await dashboard.send({ path, headers: { cookie } });
      const policy = headers['content-security-policy'];
      for (const rule of [
        "default-src 'none'",
        `script-src ${new URL(dashboard.url).host}/assets/`,
        "style-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
      ]) {
        expect(policy, path).toContain(rule);
      }
      const { host } = new URL(dashboard.url);
      expect(policy).toContain(`connect-src ${host}/ ws://${host}/live;`);
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['referrer-policy']).toBe('same-origin');
      if (path !== style) expect(headers['cache-control']).toBe('no-store');
    }
    expect((await dashboard.send({ path: style })).headers['content-type']).toContain('text/css');
  });

  it('allows one script by its full URL', async () => {
    const dashboard = await openDashboard();
    const { body, headers } = await dashboard.send({ path: '/sign-in' });
    const scripts = [...body.matchAll(/<script[^>]*>/g)].map(([tag]) => tag);
    const path = /^<script src="([^"]+)">$/.exec(scripts.join())?.[1] ?? '';
    const policy = headers['content-security-policy'];
    expect(policy).toContain(`script-src ${new URL(dashboard.url).host}${path};`);
    const script = await dashboard.send({ path });
    expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(script.body).toContain('generateKey');
    expect(script.body).toContain('new WebSocket');
    expect(Buffer.byteLength(script.body)).toBeLessThanOrEqual(30 * 1024);
  });

  it('is only served on its own host', async () => {
    const dashboard = await openDashboard();
    const cookie = await dashboard.cookie();
    const port = new URL(dashboard.url).port;
    const strange = { cookie, host: `rebound.example:${port}` };
    expect((await dashboard.send({ path: '/approvals', headers: strange })).status).toBe(421);
    const local = { cookie, host: `localhost:${port}` };
    expect((await dashboard.send({ path: '/approvals', headers: local })).status).toBe(200);
  });

  it('leads to the sign-in and shows nothing of the page if nobody is signed in', async () => {
    const dashboard = await openDashboard();
    const id = await dashboard.ask({ subject: 'Confidential' });
    for (const path of [...PAGES, `/approvals/${id}`]) {
      for (const headers of [{}, { cookie: `countersign-${new URL(dashboard.url).port}=made-up` }]) {
        const answer = await dashboard.send({ path, headers });
        expect(answer).toMatchObject({ status: 303, body: '' });
        expect(answer.headers.location).toBe(`/sign-in?next=${encodeURIComponent(path)}`);
      }
    }
  });

  it('has the right status if the page does not exist', async () => {
    const dashboard = await openDashboard();
    const cookie = await dashboard.cookie();
    for (const [method, path, status] of [
      ['GET', '/missing', 404],
      ['GET', '/approvals/', 404],
      ['GET', '/approvals/apr_%2e%2e', 404],
      ['GET', '/approvals/apr_0000000000000000000000', 404],
      ['GET', '/accounts/99/remove', 404],
      ['DELETE', '/approvals', 405],
      ['GET', '/approvals/apr_0000000000000000000000/approve', 405],
    ] as const) {
      const answer = await dashboard.send({ method, path, headers: { cookie } });
      expect(answer.status, `${method} ${path}`).toBe(status);
    }
    const head = await dashboard.send({ method: 'HEAD', path: '/approvals', headers: { cookie } });
    expect(head).toMatchObject({ status: 200, body: '' });
  });

  it('reveals nothing about a failure, and the log names its kind', async () => {
    const logged: unknown[] = [];
    const dashboard = await openDashboard({
      log: { info() {}, warn() {}, error: (message, fields) => logged.push([message, fields]) },
      between: (service) => ({
        ...service,
        owners: { ...service.owners, activity: () => Promise.reject(new TypeError('secret detail')) },
      }),
    });
    const answer = await dashboard.send({ path: '/activity', headers: { cookie: await dashboard.cookie() } });
    expect(answer.status).toBe(500);
    expect(answer.body).not.toContain('secret detail');
    expect(logged).toEqual([['a dashboard page failed', { method: 'GET', error: 'TypeError' }]]);
  });
});

describe('a form', () => {
  const act = async (
    dashboard: Dashboard,
    headers: Record<string, string>,
    fields: Record<string, string>,
  ) => {
    const { keyId } = dashboard.key;
    const path = `/integrations/${keyId}/revoke`;
    const { cookie } = headers;
    const answer =
      cookie === undefined
        ? await dashboard.send({ path, headers, form: fields })
        : await dashboard.submit({ path, headers: { ...headers, cookie }, form: fields });
    const [key] = await dashboard.service.keys.list(dashboard.ownerId);
    const [, title = ''] = /<h1>(.*?)<\/h1>/.exec(answer.body) ?? [];
    return { status: answer.status, title, revoked: key?.revokedAt !== null };
  };

  it('is accepted with the token of its page', async () => {
    const dashboard = await openDashboard();
    const cookie = await dashboard.cookie();
    const form_token = formTokenIn(
      (await dashboard.send({ path: '/integrations', headers: { cookie } })).body,
    );
    const origin = dashboard.url;
    expect(await act(dashboard, { cookie, origin }, { form_token })).toMatchObject({
      status: 303,
      revoked: true,
    });
  });

  it('does nothing without a token, with a forged one, one of another session, or from another site', async () => {
    const dashboard = await openDashboard();
    const [cookie, other] = [await dashboard.cookie(), await dashboard.cookie()];
    const tokenOf = async (of: string) =>
      formTokenIn((await dashboard.send({ path: '/integrations', headers: { cookie: of } })).body);
    const form_token = await tokenOf(cookie);
    // Each form is correctly signed: the token is a separate defence.
    const refused = { status: 403, title: 'Nothing was done', revoked: false };
    expect(await act(dashboard, { cookie }, { form_token: '' })).toEqual(refused);
    expect(await act(dashboard, { cookie }, { form_token: `${form_token.slice(1)}x` })).toEqual(refused);
    expect(await act(dashboard, { cookie }, { form_token: await tokenOf(other) })).toEqual(refused);
    expect(await act(dashboard, { cookie, origin: 'https://evil.example' }, { form_token })).toEqual(refused);
    expect(await act(dashboard, { cookie, 'sec-fetch-site': 'cross-site' }, { form_token })).toEqual(refused);
    expect(await act(dashboard, {}, { form_token })).toMatchObject({ status: 303, revoked: false });
  });

  it('that is too large, or not a form, is not read', async () => {
    const dashboard = await openDashboard();
    const headers = { cookie: await dashboard.cookie() };
    const form = { name: 'x'.repeat(270_000) };
    expect((await dashboard.send({ path: '/integrations', headers, form })).status).toBe(413);
    const chunked = { ...headers, 'transfer-encoding': 'chunked' };
    expect((await dashboard.send({ path: '/integrations', headers: chunked, form })).status).toBe(413);
    const json = { ...headers, 'content-type': 'application/json' };
    expect((await dashboard.send({ path: '/integrations', headers: json, form: {} })).status).toBe(415);
    const coded = { 'content-encoding': 'gzip' };
    expect((await dashboard.send({ path: '/integrations', headers: coded, form: {} })).status).toBe(415);
  });
});

describe('a key in a URL', () => {
  it.each([
    ['in the query', (key: string) => `/approvals?key=${key}`],
    ['in the path', (key: string) => `/${key}`],
    ['encoded twice', (key: string) => `/x?k=${encodeURIComponent(key.replaceAll('_', '%5f'))}`],
  ])('%s is refused and revoked, whoever sends it', async (_, path) => {
    const dashboard = await openDashboard();
    const answer = await dashboard.send({ path: path(dashboard.key.apiKey) });
    expect(answer.status).toBe(400);
    expect(answer.body).not.toContain(dashboard.key.apiKey);
    expect(await dashboard.key.call('get_me')).toMatchObject({ status: 'error', code: 'invalid_token' });
  });

  it('is revoked even if the host is wrong', async () => {
    const dashboard = await openDashboard();
    const headers = { host: 'other.example' };
    expect((await dashboard.send({ path: `/?${dashboard.key.apiKey}`, headers })).status).toBe(421);
    expect(await dashboard.key.call('get_me')).toMatchObject({ status: 'error', code: 'invalid_token' });
  });
});
