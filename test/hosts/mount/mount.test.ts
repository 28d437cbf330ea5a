import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { AppSession } from '../../../hosts/dashboard/owners/app-session.ts';
import { nodeHandler } from '../../../hosts/node/node-handler.ts';
import { openTestService } from '../../open-service.ts';
import { BASE, fileSend, openMount, request, sendForm, signInToApp } from './open-mount.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('a mount below a path', () => {
  it('answers REST, MCP and the pages, and every address that it writes has the path', async () => {
    const app = await openMount();
    const cookie = signInToApp(app);
    const authorization = `Bearer ${app.key.apiKey}`;

    const document: unknown = await (await request(app, `${BASE}/v1/openapi.json`)).json();
    expect(document).toMatchObject({
      servers: [{ url: app.url }],
      components: { headers: { Location: { schema: { pattern: '^/countersign/v1/' } } } },
    });
    const filed = await request(app, `${BASE}/v1/messages`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ to: ['ada@example.net'], subject: 'Hello', body: 'Hello' }),
    });
    expect(filed.status).toBe(202);
    expect(filed.headers.get('location')).toMatch(/^\/countersign\/v1\/approvals\/apr_/);
    expect(await filed.json()).toMatchObject({ approvals_url: `${app.url}/approvals` });
    const listed = await request(app, `${BASE}/mcp`, {
      method: 'POST',
      headers: {
        authorization,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    expect(await listed.text()).toContain('send_email');
    expect((await request(app, `${BASE}/healthz`)).status).toBe(200);

    expect((await request(app, BASE, { headers: { cookie } })).headers.get('location')).toBe(
      `${BASE}/approvals`,
    );
    const page = await request(app, `${BASE}/approvals`, { headers: { cookie } });
    expect(page.status).toBe(200);
    const html = await page.text();
    const addresses = [...html.matchAll(/(?:href|src|action|formaction)="([^"]*)"/g)].map(([, to]) => to);
    expect(addresses.length).toBeGreaterThan(6);
    // A link within the page skips to its content.
    expect(addresses.filter((to) => !to?.startsWith(`${BASE}/`))).toEqual(['#content']);
    const [style] = addresses.filter((to) => to?.endsWith('.css'));
    expect((await request(app, style ?? '')).headers.get('content-type')).toBe('text/css; charset=utf-8');
  });

  it('answers below the same path if the framework has removed it from the URL', async () => {
    const app = await openMount();
    app.answerWith((mount) => (req, res) => {
      // As Express does for app.use('/countersign', mount).
      Object.assign(req, { originalUrl: req.url, url: req.url?.slice(BASE.length) || '/' });
      mount(req, res);
    });
    const cookie = signInToApp(app);
    expect((await request(app, `${BASE}/approvals`, { headers: { cookie } })).status).toBe(200);
    expect((await request(app, `${BASE}/v1/openapi.json`)).status).toBe(200);
  });

  it.each([
    ['removes the path', (url: string) => url.slice(BASE.length)],
    ['doubles the path', (url: string) => `${BASE}${url}`],
    ['changes the path', (url: string) => `/Countersign${url.slice(BASE.length)}`],
  ])('names its address and the setting if a proxy %s', async (_name, change) => {
    const app = await openMount();
    app.answerWith((mount) => (req, res) => {
      req.url = change(req.url ?? '');
      mount(req, res);
    });
    for (const path of ['/v1/me', '/approvals', '/mcp']) {
      const answer = await request(app, `${BASE}${path}`);
      expect(answer.status).toBe(421);
      expect(await answer.json()).toMatchObject({
        code: 'misdirected_request',
        details: { expected: app.url, setting: 'dashboardUrl' },
      });
    }
  });

  it('may have the name of one of its pages', async () => {
    const app = await openMount({}, { base: '/accounts' });
    const cookie = signInToApp(app);
    expect((await request(app, '/accounts/accounts', { headers: { cookie } })).status).toBe(200);
    expect((await request(app, '/accounts/accounts/approvals', { headers: { cookie } })).status).toBe(421);
  });

  it('also answers where a proxy removes the first part of the path, if basePath says so', async () => {
    const app = await openMount({ basePath: '/' });
    const cookie = signInToApp(app);
    const page = await request(app, '/approvals', { headers: { cookie } });
    expect(await page.text()).toContain(`href="${BASE}/accounts"`);
  });

  it('answers another host with 421 that names the expected host and the setting', async () => {
    const app = await openMount();
    const { port } = new URL(app.origin);
    const from = (path: string) => fetch(`http://[::ffff:127.0.0.1]:${port}${BASE}${path}`);
    expect(await (await from('/v1/me')).json()).toMatchObject({
      code: 'misdirected_request',
      details: { expected: app.url, setting: 'baseUrl' },
    });
    const page = await from('/approvals');
    expect(page.status).toBe(421);
    expect(await page.text()).toContain(`The dashboard is at ${app.url} (the setting dashboardUrl).`);
  });

  it('revokes a key that comes in the URL, also outside the path', async () => {
    const app = await openMount();
    const answer = await request(app, `/elsewhere?key=${app.key.apiKey}`);
    expect(answer.status).toBe(421);
    expect((await app.service.keys.list(app.ownerId))[0]?.revokedAt).not.toBeNull();
  });

  it('has cookies of this path alone with its own sign-in', async () => {
    const app = await openMount({}, { ownSignIn: true });
    const answer = await request(app, `${BASE}/sign-in`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('set-cookie')).toContain(`; Path=${BASE};`);
  });
});

describe('two services in one process', () => {
  it('do not accept the keys, sessions or form tokens of each other', async () => {
    const [one, other] = [await openMount(), await openMount({}, { base: '/second' })];
    const headers = { authorization: `Bearer ${one.key.apiKey}` };
    expect((await request(one, `${BASE}/v1/me`, { headers })).status).toBe(200);
    expect((await request(other, '/second/v1/me', { headers })).status).toBe(401);
    const session = { id: 'same', ownerId: 'same' };
    const token = one.service.sessions.formToken(session);
    expect(one.service.sessions.isFormToken(session, token)).toBe(true);
    expect(other.service.sessions.isFormToken(session, token)).toBe(false);
  });
});

describe("with the app's session", () => {
  it('the user of the app approves, and nothing of the session is on the page', async () => {
    const app = await openMount();
    const cookie = signInToApp(app);
    const id = await fileSend(app);
    const page = `${BASE}/approvals/${id}`;
    const html = await (await request(app, page, { headers: { cookie } })).text();
    expect(html).toContain(`formaction="${page}/approve"`);
    expect(html).not.toContain('secret-');
    expect(html).not.toContain('/sign-out');
    const approved = await sendForm(app, cookie, page, `${page}/approve`);
    expect([approved.status, approved.headers.get('location')]).toEqual([
      303,
      `${BASE}/approvals?decided=${id}`,
    ]);
    expect((await app.service.approvals.show(app.ownerId, id))?.approval.state).toBe('executed');
  });

  it('a visitor without one is sent to signInUrl, and from there back to the page', async () => {
    const app = await openMount();
    const location = async (path: string, init?: RequestInit) =>
      (await request(app, path, init)).headers.get('location');
    expect(await location(`${BASE}/trackers`)).toBe(`/login?next=${encodeURIComponent(`${BASE}/trackers`)}`);
    const headers = { origin: app.origin };
    const body = new URLSearchParams({ name: 'agent' });
    expect(await location(`${BASE}/accounts/1/activate`, { method: 'POST', headers, body })).toBe(
      `/login?next=${encodeURIComponent(`${BASE}/accounts`)}`,
    );
  });

  it('whole URLs work for sign-in and step-up, and get a whole URL to return to', async () => {
    const app = await openMount({
      signInUrl: 'https://login.example.org/?app=1',
      stepUpUrl: 'https://login.example.org/confirm',
    });
    const answer = await request(app, `${BASE}/approvals`);
    expect(answer.headers.get('location')).toBe(
      `https://login.example.org/?app=1&next=${encodeURIComponent(`${app.url}/approvals`)}`,
    );
    expect(answer.headers.get('content-security-policy')).toContain(
      "form-action 'self' https://login.example.org;",
    );
  });

  it.each(['/sign-in', '/settings/password', '/settings/remove'])(
    "Countersign's own page %s does not exist",
    async (path) => {
      const app = await openMount();
      const cookie = signInToApp(app);
      expect((await request(app, `${BASE}${path}`, { headers: { cookie } })).status).toBe(404);
    },
  );

  it("the settings have what is not the app's, and each of them works", async () => {
    const app = await openMount();
    const page = `${BASE}/settings`;
    const cookie = signInToApp(app);
    const html = await (await request(app, page, { headers: { cookie } })).text();
    const actions = [...html.matchAll(/action="([^"]*)"/g)].map(([, action]) => action?.slice(page.length));
    expect(actions).toEqual(['/time-zone', '/date-language', '/plans-kept', '/export']);
    for (const [form, fields] of [
      ['time-zone', { timezone: 'Asia/Tokyo' }],
      ['date-language', { language: 'de-DE' }],
      ['plans-kept', { days: '90' }],
    ] as const) {
      expect((await sendForm(app, cookie, page, `${page}/${form}`, fields)).status).toBe(303);
    }
    expect(await app.service.owners.byId(app.ownerId)).toMatchObject({
      ...{ timezone: 'Asia/Tokyo', language: 'de-DE', plansKeptDays: 90 },
    });
    const exported = await sendForm(app, cookie, page, `${page}/export`);
    expect(await exported.json()).toMatchObject({ owner: { language: 'de-DE' }, is_complete: true });
    const old = signInToApp(app, { authenticatedAt: new Date(app.clock.now().getTime() - 11 * 60_000) });
    const stopped = await sendForm(app, old, page, `${page}/export`);
    expect(stopped.headers.get('location')).toBe(`/confirm?next=${encodeURIComponent(page)}`);
  });

  it('an approval needs a proof of the last 12 hours, and goes through stepUpUrl', async () => {
    const app = await openMount();
    const id = await fileSend(app);
    const page = `${BASE}/approvals/${id}`;
    const old = signInToApp(app, { authenticatedAt: new Date(app.clock.now().getTime() - DAY_MS) });
    const stopped = await sendForm(app, old, page, `${page}/approve`);
    expect(stopped.headers.get('location')).toBe(`/confirm?next=${encodeURIComponent(page)}`);
    expect((await app.service.approvals.show(app.ownerId, id))?.approval.state).toBe('pending');
    // The app renews authenticatedAt. The session stays the same, and so does the form.
    const session = app.sessions.get(old.slice('app='.length)) as AppSession;
    app.sessions.set(old.slice('app='.length), { ...session, authenticatedAt: app.clock.now() });
    expect((await sendForm(app, old, page, `${page}/approve`)).headers.get('location')).toBe(
      `${BASE}/approvals?decided=${id}`,
    );
    expect((await app.service.approvals.show(app.ownerId, id))?.approval.state).toBe('executed');
  });

  it('a key needs a proof of the last 10 minutes, a rejection needs none', async () => {
    const app = await openMount();
    const cookie = signInToApp(app, { authenticatedAt: new Date(app.clock.now().getTime() - 11 * 60_000) });
    const granted = await sendForm(app, cookie, `${BASE}/integrations`, `${BASE}/integrations`, {
      name: 'agent',
    });
    expect(granted.headers.get('location')).toBe(
      `/confirm?next=${encodeURIComponent(`${BASE}/integrations`)}`,
    );
    const id = await fileSend(app);
    const page = `${BASE}/approvals/${id}`;
    expect((await sendForm(app, cookie, page, `${page}/reject`)).headers.get('location')).toBe(
      `${BASE}/approvals?decided=${id}`,
    );
  });

  it('a form of another session, of another site or without a token changes nothing', async () => {
    const app = await openMount();
    const id = await fileSend(app);
    const page = `${BASE}/approvals/${id}`;
    const [cookie, other] = [signInToApp(app), signInToApp(app)];
    const html = await (await request(app, page, { headers: { cookie: other } })).text();
    const form_token = /name="form_token" value="([^"]*)"/.exec(html)?.[1] ?? '';
    for (const token of [form_token, '', 'x']) {
      const refused = await sendForm(app, cookie, page, `${page}/reject`, { form_token: token });
      expect(refused.status).toBe(403);
    }
    const foreign = await request(app, `${page}/reject`, {
      method: 'POST',
      headers: { cookie: other, origin: 'https://evil.example' },
      body: new URLSearchParams({ form_token }),
    });
    expect(foreign.status).toBe(403);
    expect((await app.service.approvals.show(app.ownerId, id))?.approval.state).toBe('pending');
  });

  it.each<[string, () => unknown, { status: number; reason: string }]>([
    [
      'throws',
      () => {
        throw new RangeError('secret of the app');
      },
      { status: 503, reason: 'threw' },
    ],
    ['rejects', () => Promise.reject(new Error('secret of the app')), { status: 503, reason: 'threw' }],
    ['never answers', () => new Promise(() => undefined), { status: 503, reason: 'timed_out' }],
    ['returns nothing', () => undefined, { status: 503, reason: 'wrong_type' }],
    [
      'returns only an owner',
      () => ({ ownerId: 'secret of the app' }),
      { status: 503, reason: 'wrong_type' },
    ],
    [
      'returns a time as text',
      () => ({ ownerId: 'secret of the app', sessionId: 's', authenticatedAt: '2026-11-22' }),
      { status: 503, reason: 'wrong_type' },
    ],
    [
      'returns an invalid time',
      () => ({ ownerId: 'o', sessionId: 's', authenticatedAt: new Date(Number.NaN) }),
      { status: 503, reason: 'wrong_type' },
    ],
    [
      'returns an empty session id',
      () => ({ ownerId: 'o', sessionId: '', authenticatedAt: new Date() }),
      { status: 503, reason: 'wrong_type' },
    ],
  ])('a hook that %s gives a page that says so, and nothing is done', async (_name, hook, expected) => {
    const app = await openMount();
    const id = await fileSend(app);
    const cookie = signInToApp(app);
    const page = `${BASE}/approvals/${id}`;
    const html = await (await request(app, page, { headers: { cookie } })).text();
    const form_token = /name="form_token" value="([^"]*)"/.exec(html)?.[1] ?? '';
    app.sessions.set(cookie.slice('app='.length), hook);
    const answers = [
      await request(app, page, { headers: { cookie } }),
      await request(app, `${page}/reject`, {
        method: 'POST',
        headers: { cookie, origin: app.origin },
        body: new URLSearchParams({ form_token }),
      }),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(expected.status);
      expect(await answer.text()).toContain('The app could not tell who you are. Nothing was done.');
    }
    expect((await app.service.approvals.show(app.ownerId, id))?.approval.state).toBe('pending');
    expect(app.logged).toEqual([
      ['the session hook of the app failed', expect.objectContaining({ reason: expected.reason })],
      ['the session hook of the app failed', expect.objectContaining({ reason: expected.reason })],
    ]);
    expect(JSON.stringify(app.logged)).not.toContain('secret of the app');
  });

  it('an owner who does not exist gets a page that says so', async () => {
    const app = await openMount();
    const cookie = signInToApp(app, { ownerId: 'nobody-7' });
    const answer = await request(app, `${BASE}/approvals`, { headers: { cookie } });
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain('it has not set up Countersign for your account');
    expect(JSON.stringify(app.logged)).not.toContain('nobody-7');
  });
});

describe('a service that is stopped', () => {
  it('answers 503 at every door', async () => {
    const app = await openMount();
    const cookie = signInToApp(app);
    const key = { authorization: `Bearer ${app.key.apiKey}` };
    const call = { method: 'POST', headers: { ...key, 'content-type': 'application/json' }, body: '{}' };
    await app.service.stop();
    const statuses = await Promise.all([
      request(app, `${BASE}/v1/me`, { headers: key }),
      request(app, `${BASE}/mcp`, call),
      request(app, `${BASE}/approvals`, { headers: { cookie } }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([503, 503, 503]);
  });
});

describe('the options', () => {
  const given = (options: object) => async () => {
    const url = 'https://app.example.org/countersign';
    const { service } = await openTestService({ baseUrl: url, dashboardUrl: url });
    try {
      return nodeHandler(service, options);
    } finally {
      await service.stop();
    }
  };
  const session = () => null;

  it.each<[string, object, string]>([
    ['an unknown option', { colour: 'red' }, 'nodeHandler: there is no option colour.'],
    ['doors as text', { doors: 'rest' }, 'nodeHandler: the option doors must be an object.'],
    ['a session that is no function', { session: {} }, 'the option session must be a function.'],
    [
      'a session without the addresses',
      { session },
      'session (a function), signInUrl and stepUpUrl belong together',
    ],
    [
      'a session without stepUpUrl',
      { session, signInUrl: '/login' },
      'belong together. Pass all of them, or none.',
    ],
    ['addresses without a session', { signInUrl: '/login', stepUpUrl: '/confirm' }, 'belong together'],
    [
      'a sign-in address of another host',
      { session, signInUrl: '//evil', stepUpUrl: '/c' },
      'signInUrl must be a path',
    ],
    [
      'a script as an address',
      { session, signInUrl: '/login', stepUpUrl: 'javascript:1' },
      'stepUpUrl must be a path',
    ],
    [
      'a header in an address',
      { session, signInUrl: '/a\r\nX: 1', stepUpUrl: '/c' },
      'signInUrl must be a path',
    ],
    [
      'a base path that is not in the address',
      { basePath: '/other' },
      "Pass baseUrl: 'https://app.example.org/other'",
    ],
    ['a base path with a space', { basePath: '/my app' }, 'basePath must be a path such as /countersign'],
    ['a base path with a semicolon', { basePath: '/a;b' }, 'basePath must be a path'],
    ['a base path that leads upwards', { basePath: '/a/../b' }, 'basePath must be a path'],
    ['a base path without a slash', { basePath: 'countersign' }, 'basePath must be a path'],
    [
      'an unknown door',
      { doors: ['soap'] },
      'doors has no soap. The doors are rest, mcp, dashboard, sign-in.',
    ],
    ['no doors', { doors: [] }, 'doors is empty'],
    ['the sign-in host with other doors', { doors: ['rest', 'sign-in'] }, 'Mount it alone'],
    [
      'the sign-in host without its address',
      { doors: ['sign-in'] },
      'needs the option mcpUrl of createService',
    ],
    ['connect without settings', { connect: {} }, 'connect must be an object with the function settings'],
    ['a proxy that is not an address', { trustedProxies: ['proxy'] }, 'trustedProxies: "proxy"'],
  ])('refuse %s, and name the option', async (_name, options, message) => {
    await expect(given(options)()).rejects.toThrow(message);
  });

  it.each([{ basePath: '/countersign' }, { basePath: '/countersign/' }, { basePath: '/' }, {}])(
    'accept %j',
    async (options) => {
      await expect(given(options)()).resolves.toBeTypeOf('function');
    },
  );

  it('refuse a base path if one address has another path', async () => {
    const { service } = await openTestService({
      baseUrl: 'https://api.example.org',
      dashboardUrl: 'https://app.example.org/mail',
      secretKeys: [randomBytes(32)],
    });
    expect(() => nodeHandler(service)).toThrow(
      'baseUrl and dashboardUrl have different paths. Mount their doors',
    );
    expect(() => nodeHandler(service, { doors: ['dashboard'] })).not.toThrow();
    await service.stop();
  });
});
