import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  authorize,
  type Changes,
  caller,
  challengeOf,
  codeFor,
  listTools,
  openSignInHost,
  postToken,
  REDIRECT,
  redeem,
  refresh,
  register,
  type SignInHost,
  signedIn,
  tokens,
  VERIFIER,
} from './open-sign-in-host.ts';

const HOUR_MS = 3_600_000;

let host: SignInHost;
beforeAll(async () => {
  host = await openSignInHost();
});
afterAll(() => host.close());

async function errorOf(answer: Response): Promise<unknown> {
  const body: unknown = await answer.json();
  return body !== null && typeof body === 'object' && 'error' in body ? body.error : body;
}

/** The names of the tools that a token lists; the status if it lists none. */
async function toolsOf(token: string | undefined, headers: Record<string, string> = {}) {
  const answer = await listTools(host, token, headers);
  return answer.status === 200 ? answer.text() : answer.status;
}

describe('the documents of the sign-in host', () => {
  it('lead from a refused call to the endpoints', async () => {
    const refused = await listTools(host, undefined);
    expect(refused.status).toBe(401);
    const url = `${host.mcpUrl}/.well-known/oauth-protected-resource/mcp`;
    expect(refused.headers.get('www-authenticate')).toBe(`Bearer resource_metadata="${url}"`);
    const resource = { resource: `${host.mcpUrl}/mcp`, authorization_servers: [host.mcpUrl] };
    expect(await (await fetch(url, { headers: caller() })).json()).toMatchObject(resource);
    expect(await (await fetch(url.replace(/\/mcp$/, ''), { headers: caller() })).json()).toMatchObject(
      resource,
    );
    const server = `${host.mcpUrl}/.well-known/oauth-authorization-server`;
    expect(await (await fetch(server, { headers: caller() })).json()).toMatchObject({
      issuer: host.mcpUrl,
      authorization_endpoint: `${host.mcpUrl}/authorize`,
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: false,
    });
  });

  it('name the loopback host as the client does, and answer no other host', async () => {
    const localhost = host.mcpUrl.replace('127.0.0.1', 'localhost');
    const document = '/.well-known/oauth-authorization-server';
    expect(await (await fetch(`${localhost}${document}`, { headers: caller() })).json()).toMatchObject({
      issuer: localhost,
      token_endpoint: `${localhost}/token`,
    });
    const other = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { host: 'evil.example', ...caller() };
      get(`${host.mcpUrl}${document}`, { headers }, resolve).once('error', reject);
    });
    other.resume();
    expect(other.statusCode).toBe(421);
  });
});

describe('a sign-in', () => {
  it('lists the tools that the owner chose, with tokens that end', async () => {
    const { access_token, expires_in, scope } = await signedIn(host);
    expect(expires_in).toBe(3600);
    expect(scope).toBe('mail:read calendar:read trackers:read');
    const listed = await toolsOf(access_token);
    expect(listed).toContain('list_unread');
    expect(listed).not.toContain('send_email');
  });

  it('accepts no key, and its token is accepted nowhere else', async () => {
    const { apiKey } = await host.addKey('full');
    const { access_token, refresh_token } = await signedIn(host);
    expect(await toolsOf(apiKey)).toBe(401);
    expect(await toolsOf(refresh_token)).toBe(401);
    for (const token of [access_token, refresh_token]) {
      const admission = await host.service.calls.admitCaller({ token, address: '192.0.2.7' });
      expect(admission).toMatchObject({ kind: 'refused', failure: { code: 'invalid_token' } });
    }
  });

  it('refuses missing, unknown, tampered and ended tokens, and says why', async () => {
    const { access_token } = await signedIn(host);
    const tampered = access_token.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x'));
    for (const token of [tampered, `svc_oat_${'0'.repeat(49)}`, 'x']) {
      const answer = await listTools(host, token);
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
        401,
        expect.stringContaining('error="invalid_token"'),
      ]);
    }
    expect(await toolsOf(undefined, { authorization: 'Basic eDp5' })).toBe(401);
    host.clock.shift(HOUR_MS);
    expect(await toolsOf(access_token)).toBe(401);
    host.clock.shift(-HOUR_MS);
    expect(await toolsOf(access_token)).toContain('list_unread');
  });

  it('reads no cookie, and answers no page of another site', async () => {
    expect(await toolsOf(undefined, { cookie: 'countersign-1=x' })).toBe(401);
    const { access_token } = await signedIn(host);
    expect(await toolsOf(access_token, { origin: 'https://evil.example' })).toBe(403);
    const answer = await authorize(host, await register(host));
    expect(answer.headers.get('set-cookie')).toBeNull();
  });

  it('is withdrawn when its access token is in a URL', async () => {
    const { access_token } = await signedIn(host);
    const leaked = await fetch(`${host.mcpUrl}/mcp?access_token=${access_token}`, { headers: caller() });
    expect(leaked.status).toBe(400);
    expect(await toolsOf(access_token)).toBe(401);
  });

  it.each(['access_token', 'refresh_token'] as const)('is withdrawn by its %s', async (name) => {
    const signIn = await signedIn(host);
    const revoke = (token: string) =>
      fetch(`${host.mcpUrl}/revoke`, {
        method: 'POST',
        headers: caller(),
        body: new URLSearchParams({ token }),
      });
    expect((await revoke('unknown')).status).toBe(200);
    expect(await toolsOf(signIn.access_token)).toContain('list_unread');
    expect((await revoke(signIn[name])).status).toBe(200);
    expect(await toolsOf(signIn.access_token)).toBe(401);
    expect(await errorOf(await refresh(host, signIn.clientId, signIn.refresh_token))).toBe('invalid_grant');
  });

  it('ends on the day that the owner chose', async () => {
    const signIn = await signedIn(host, { days: 1 });
    host.clock.shift(24 * HOUR_MS);
    expect(await errorOf(await refresh(host, signIn.clientId, signIn.refresh_token))).toBe('invalid_grant');
    host.clock.shift(-24 * HOUR_MS);
  });

  it('loses a tool when the owner switches its group off', async () => {
    const { access_token } = await signedIn(host);
    const [signIn] = await host.service.keys.list(host.ownerId);
    await host.service.keys.setModes(host.ownerId, signIn?.credentialId ?? '', { 'mail:read': 'off' });
    expect(await toolsOf(access_token)).not.toContain('list_unread');
    await expect(host.service.keys.rotate(host.ownerId, signIn?.credentialId ?? '')).rejects.toThrow();
  });
});

describe('the authorization endpoint', () => {
  it('sends the browser to the owner, never to the client', async () => {
    const answer = await authorize(host, await register(host));
    expect(answer.status).toBe(302);
    const page = host.dashboardUrl.replace('127.0.0.1', 'countersign.localhost');
    expect(answer.headers.get('location')).toContain(`${page}/integrations/sign-in/`);
  });

  const REFUSED: readonly [string, Changes][] = [
    ['a redirect to another host', { redirect_uri: 'https://evil.example/callback' }],
    ['a redirect to another path', { redirect_uri: `${REDIRECT}/x` }],
    ['a redirect with another query', { redirect_uri: `${REDIRECT}?x=1` }],
    ['a redirect with a fragment', { redirect_uri: `${REDIRECT}#x` }],
    ['a redirect with a user', { redirect_uri: REDIRECT.replace('https://', 'https://evil.example@') }],
    ['a redirect in other letters', { redirect_uri: REDIRECT.replace('assistant', 'Assistant') }],
    ['a redirect to a script', { redirect_uri: 'javascript:alert(1)' }],
    ['no redirect', { redirect_uri: undefined }],
    ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }],
    ['plain PKCE', { code_challenge: VERIFIER, code_challenge_method: 'plain' }],
    ['PKCE without a method, which means plain', { code_challenge_method: undefined }],
    ['a challenge that is not a SHA-256', { code_challenge: 'x' }],
    ['another resource', { resource: 'https://evil.example/mcp' }],
    ['the implicit flow', { response_type: 'token' }],
    ['a state that is too long', { state: 'x'.repeat(1001) }],
    ['an unknown client', { client_id: 'svc_client_x' }],
    ['no client', { client_id: undefined }],
    [
      'a client that publishes its document, if the server fetches none',
      { client_id: 'https://a.example/c' },
    ],
  ];
  it.each(REFUSED)('refuses %s without a redirect', async (_what, changes) => {
    const answer = await authorize(host, await register(host), changes);
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await answer.text()).toContain('Nothing was granted.');
  });

  it('refuses a parameter that is repeated', async () => {
    const url = new URL(`${host.mcpUrl}/authorize?client_id=a&client_id=b`);
    expect(await (await fetch(url, { headers: caller() })).text()).toContain('A parameter is repeated.');
  });

  it('refuses a client_id that was tampered with', async () => {
    const clientId = await register(host);
    const tampered = clientId.replace(/.{4}$/, 'AAAA');
    expect((await authorize(host, tampered)).status).toBe(400);
  });

  it('lets a native program use any free port', async () => {
    const clientId = await register(host, 'http://127.0.0.1:4000/callback');
    const at = (redirect_uri: string) => authorize(host, clientId, { redirect_uri });
    expect((await at('http://127.0.0.1:5555/callback')).status).toBe(302);
    expect((await at('http://localhost:4000/callback')).status).toBe(400);
    expect((await at('http://127.0.0.1:5555/other')).status).toBe(400);
  });
});

describe('a client that publishes its document', () => {
  const URL_OF_CLIENT = 'https://assistant.example/client.json';
  const DOCUMENT = { client_id: URL_OF_CLIENT, client_name: 'Assistant', redirect_uris: [REDIRECT] };
  let published: unknown = DOCUMENT;
  let fetched: string[] = [];
  let publishing: SignInHost;
  beforeAll(async () => {
    publishing = await openSignInHost({
      documentSource: {
        async fetch({ url }) {
          fetched.push(url);
          if (published === undefined) return undefined;
          const text = typeof published === 'string' ? published : JSON.stringify(published);
          return { body: Buffer.from(text), cacheControl: 'max-age=60' };
        },
        close: async () => {},
      },
    });
  });
  beforeEach(() => {
    published = DOCUMENT;
    fetched = [];
    // What an earlier test published is forgotten.
    publishing.clock.shift(HOUR_MS);
  });
  afterAll(() => publishing.close());

  it('signs in with its URL as client_id, and its host vouches for it', async () => {
    const answer = await authorize(publishing, URL_OF_CLIENT);
    const request = (answer.headers.get('location') ?? '').split('/').at(-1) ?? '';
    expect(publishing.service.signIns.find(request)).toMatchObject({ documentHost: 'assistant.example' });
    const code = await codeFor(publishing, URL_OF_CLIENT);
    expect((await redeem(publishing, URL_OF_CLIENT, code)).status).toBe(200);
    expect((await publishing.service.keys.list(publishing.ownerId))[0]).toMatchObject({
      kind: 'oauth',
      name: 'assistant.example (“Assistant”)',
    });
    expect(fetched).toEqual([URL_OF_CLIENT]);
    publishing.clock.shift(60_000);
    await authorize(publishing, URL_OF_CLIENT);
    expect(fetched).toHaveLength(2);
  });

  it.each([
    ['that cannot be fetched', undefined],
    ['that is not JSON', '<html>'],
    ['with another client_id', { ...DOCUMENT, client_id: 'https://other.example/client.json' }],
    ['without redirects', { client_id: URL_OF_CLIENT }],
    ['with a redirect to a script', { ...DOCUMENT, redirect_uris: ['javascript:alert(1)'] }],
    ['of a client with a secret', { ...DOCUMENT, token_endpoint_auth_method: 'client_secret_post' }],
    ['whose redirects are others', { ...DOCUMENT, redirect_uris: ['https://other.example/callback'] }],
  ])('is refused with a document %s', async (_what, document) => {
    published = document;
    expect((await authorize(publishing, URL_OF_CLIENT)).status).toBe(400);
  });

  it.each([
    'http://assistant.example/client.json',
    'https://assistant.example',
    'https://assistant.example/',
    'https://assistant.example/x/../client.json',
    'https://user@assistant.example/client.json',
    'https://assistant.example/client.json#x',
    'https://ASSISTANT.example/client.json',
  ])('is not looked for at %s', async (clientId) => {
    expect((await authorize(publishing, clientId)).status).toBe(400);
    expect(fetched).toEqual([]);
  });
});

describe('the token endpoint', () => {
  it('withdraws the sign-in if its code is used twice', async () => {
    const clientId = await register(host);
    const code = await codeFor(host, clientId);
    const { access_token } = tokens.parse(await (await redeem(host, clientId, code)).json());
    expect(await toolsOf(access_token)).toContain('list_unread');
    expect(await errorOf(await redeem(host, clientId, code))).toBe('invalid_grant');
    expect(await toolsOf(access_token)).toBe(401);
  });

  it('does not withdraw it if somebody else tries the code', async () => {
    const clientId = await register(host);
    const code = await codeFor(host, clientId);
    const { access_token } = tokens.parse(await (await redeem(host, clientId, code)).json());
    await redeem(host, clientId, code, { code_verifier: 'b'.repeat(43) });
    expect(await toolsOf(access_token)).toContain('list_unread');
  });

  const WRONG: readonly [string, Changes, string][] = [
    ['another verifier', { code_verifier: 'b'.repeat(43) }, 'invalid_grant'],
    ['the challenge as the verifier', { code_verifier: challengeOf(VERIFIER) }, 'invalid_grant'],
    ['no verifier', { code_verifier: undefined }, 'invalid_grant'],
    ['another redirect', { redirect_uri: 'https://assistant.example/other' }, 'invalid_grant'],
    ['no redirect', { redirect_uri: undefined }, 'invalid_grant'],
    ['another client', { client_id: 'another' }, 'invalid_grant'],
    ['no client', { client_id: undefined }, 'invalid_grant'],
    ['another resource', { resource: 'https://evil.example/mcp' }, 'invalid_target'],
    ['an unknown code', { code: 'x' }, 'invalid_grant'],
    ['another grant type', { grant_type: 'client_credentials' }, 'unsupported_grant_type'],
    ['a client secret', { client_secret: 's' }, 'invalid_client'],
  ];
  it.each(WRONG)('refuses a code with %s, and still redeems it rightly', async (_what, changes, error) => {
    const clientId = await register(host);
    const code = await codeFor(host, clientId);
    const refused = await redeem(host, clientId, code, changes);
    expect([refused.status, await errorOf(refused)]).toEqual([error === 'invalid_client' ? 401 : 400, error]);
    expect(refused.headers.get('cache-control')).toBe('no-store');
    expect((await redeem(host, clientId, code)).status).toBe(200);
  });

  const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });

  it.each([
    ['an empty secret', { client_secret: '' }, {}],
    ['an empty password', {}, { authorization: 'ID:' }],
    ['its name in the password header alone', { client_id: undefined }, { authorization: 'ID:' }],
    ['an empty header', {}, { authorization: ':' }],
  ] as const)('takes %s for none', async (_what, changes, { authorization = '' }: Changes) => {
    const clientId = await register(host);
    const form = { code: await codeFor(host, clientId), redirect_uri: REDIRECT, code_verifier: VERIFIER };
    const headers =
      authorization === '' ? {} : basic(authorization.replace('ID', encodeURIComponent(clientId)));
    const answer = await postToken(
      host,
      { grant_type: 'authorization_code', client_id: clientId, ...form, ...changes },
      headers,
    );
    expect(answer.status).toBe(200);
    const { refresh_token, access_token } = tokens.parse(await answer.json());
    expect((await refresh(host, clientId, refresh_token, { client_secret: '' })).status).toBe(200);
    const withdrawn = await fetch(`${host.mcpUrl}/revoke`, {
      method: 'POST',
      headers: { ...caller(), ...headers },
      body: new URLSearchParams({ token: access_token, client_secret: '' }),
    });
    expect([withdrawn.status, await toolsOf(access_token)]).toEqual([200, 401]);
  });

  it.each([
    'Basic',
    'Basic %%%',
    'Bearer x',
    basic('a:secret').authorization,
    basic('another:').authorization,
  ])('does not take %s for none', async (authorization) => {
    const clientId = await register(host);
    const form = {
      grant_type: 'authorization_code',
      client_id: clientId,
      code: await codeFor(host, clientId),
    };
    const { status } = await postToken(host, form, { authorization });
    expect([400, 401]).toContain(status);
  });

  it('refuses a code that is too old, and one of another server', async () => {
    const clientId = await register(host);
    const code = await codeFor(host, clientId);
    host.clock.shift(121_000);
    expect(await errorOf(await redeem(host, clientId, code))).toBe('invalid_grant');
    host.clock.shift(-121_000);
    const other = await openSignInHost();
    try {
      const foreign = await codeFor(other, await register(other));
      expect(await errorOf(await redeem(host, clientId, foreign))).toBe('invalid_grant');
    } finally {
      await other.close();
    }
  });

  it('repeats the answer to a client that asks again at once, or did not get it', async () => {
    const { clientId, refresh_token: first } = await signedIn(host);
    const [one, other] = await Promise.all([refresh(host, clientId, first), refresh(host, clientId, first)]);
    const { expires_in, ...next } = tokens.parse(await one.json());
    expect(await other.json()).toMatchObject(next);
    expect(await errorOf(await refresh(host, 'another', first))).toBe('invalid_grant');
    host.clock.shift(50_000);
    const late = tokens.parse(await (await refresh(host, clientId, first)).json());
    expect(late).toMatchObject(next);
    expect(late.expires_in).toBeLessThanOrEqual(expires_in - 50);
    expect(await toolsOf(late.access_token)).toContain('list_unread');
    expect((await refresh(host, clientId, late.refresh_token)).status).toBe(200);
    host.clock.shift(-50_000);
  });

  it('rotates refresh tokens, and a late second use ends the whole sign-in', async () => {
    const { clientId, refresh_token: first } = await signedIn(host);
    const next = tokens.parse(await (await refresh(host, clientId, first)).json());
    host.clock.shift(61_000);
    expect(await errorOf(await refresh(host, 'another', next.refresh_token))).toBe('invalid_grant');
    expect(await toolsOf(next.access_token)).toContain('list_unread');
    expect(await errorOf(await refresh(host, clientId, first))).toBe('invalid_grant');
    expect(await toolsOf(next.access_token)).toBe(401);
    expect(await errorOf(await refresh(host, clientId, next.refresh_token))).toBe('invalid_grant');
    host.clock.shift(-61_000);
  });

  it('accepts only forms of a bounded size, without a secret', async () => {
    const post = (headers: Record<string, string>, body: string) =>
      fetch(`${host.mcpUrl}/token`, { method: 'POST', headers: { ...caller(), ...headers }, body });
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await post({ 'content-type': 'application/json' }, '{}')).status).toBe(415);
    expect((await post({ ...form, 'content-encoding': 'gzip' }, 'a=b')).status).toBe(415);
    expect((await post(form, 'x'.repeat(20_000))).status).toBe(413);
    expect(await errorOf(await post({ ...form, authorization: 'Basic eDp5' }, 'a=b'))).toBe('invalid_client');
    const repeated = await post(form, 'grant_type=refresh_token&grant_type=refresh_token');
    expect(await errorOf(repeated)).toBe('invalid_request');
    expect((await fetch(`${host.mcpUrl}/token`, { headers: caller() })).status).toBe(405);
    expect((await postToken(host, {}, { origin: 'https://evil.example' })).status).toBe(403);
  });
});

describe('the registration endpoint', () => {
  const post = (metadata: unknown, headers: Record<string, string> = caller()) =>
    fetch(`${host.mcpUrl}/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(metadata),
    });

  it('makes every client a public one', async () => {
    const metadata = { redirect_uris: [REDIRECT], token_endpoint_auth_method: 'client_secret_basic' };
    const answer = await post(metadata);
    expect(answer.status).toBe(201);
    const registered: unknown = await answer.json();
    expect(registered).toMatchObject({ token_endpoint_auth_method: 'none', client_name: 'without a name' });
    expect(registered).not.toHaveProperty('client_secret');
  });

  it.each([
    ['http://assistant.example/callback'],
    ['https://assistant.example/#x'],
    ['javascript:alert(1)'],
    ['data:text/html,x'],
    ['file:///etc/passwd'],
    ['assistant'],
    ['https://user:password@assistant.example/'],
    ['https://assistant.example/ x'],
    [`https://assistant.example/${'x'.repeat(500)}`],
  ])('refuses the redirect %s', async (uri) => {
    const answer = await post({ redirect_uris: [uri] });
    expect([answer.status, await errorOf(answer)]).toEqual([400, 'invalid_redirect_uri']);
    const mixed = await post({ redirect_uris: [uri, REDIRECT, 'http://127.0.0.1/callback'] });
    expect([mixed.status, await mixed.json()]).toMatchObject([
      201,
      { redirect_uris: [REDIRECT, 'http://127.0.0.1/callback'] },
    ]);
  });

  it('takes null for what is not set, and says which field is wrong', async () => {
    const unset = await post({
      redirect_uris: [REDIRECT],
      client_name: null,
      grant_types: null,
      scope: null,
    });
    expect([unset.status, await unset.json()]).toMatchObject([201, { client_name: 'without a name' }]);
    const wrong = await post({ redirect_uris: [REDIRECT], client_name: 5 });
    expect([wrong.status, await wrong.json()]).toEqual([
      400,
      { error: 'invalid_client_metadata', error_description: 'client_name must be text.' },
    ]);
  });

  it.each([
    [{}],
    [{ redirect_uris: [] }],
    [{ redirect_uris: Array.from({ length: 11 }, () => REDIRECT) }],
    [{ redirect_uris: [REDIRECT], grant_types: ['client_credentials'] }],
    [{ redirect_uris: [REDIRECT], response_types: ['token'] }],
    ['text'],
  ])('refuses %j', async (metadata) => {
    expect(await errorOf(await post(metadata))).toBe('invalid_client_metadata');
  });

  it('limits a flood from one address, and stores nothing of it', async () => {
    const statuses = new Map<number, number>();
    for (let n = 0; n < 70; n += 1) {
      const { status } = await post({ redirect_uris: [REDIRECT] }, { 'x-forwarded-for': '203.0.113.9' });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect(Object.fromEntries(statuses)).toEqual({ 201: 60, 429: 10 });
    expect((await post({ redirect_uris: [REDIRECT] })).status).toBe(201);
  });
});
