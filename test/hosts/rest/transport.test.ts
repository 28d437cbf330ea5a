import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { newApiKey } from '../../../core/keys/credential.ts';
import { dashboardCookies } from '../../../hosts/dashboard/cookies.ts';
import { nodeHandler } from '../../../hosts/node/node-handler.ts';
import { sizeOf } from '../../only-long.ts';
import { sessionToken } from '../../session-token.ts';
import { type Answer, closesAfter, everythingFrom, sendBytes, sendPackets, sendRaw } from './raw-http.ts';
import { ownRestServer, type RestServer, restServer } from './rest-server.ts';

let server: RestServer;
beforeAll(async () => {
  server = await restServer();
});
afterAll(() => server.stop());

interface Wanted {
  method?: string;
  host?: string;
  headers?: [string, string][];
  body?: string;
  to?: RestServer;
}

/** With a right Host and key, and what a body needs. */
function ask(
  target: string,
  { method = 'GET', host, headers = [], body, to = server }: Wanted = {},
): Promise<Answer> {
  const ofBody: [string, string][] =
    body === undefined
      ? []
      : [
          ['Content-Type', 'application/json'],
          ['Content-Length', String(Buffer.byteLength(body))],
        ];
  const own: [string, string][] = [
    ['Host', host ?? `127.0.0.1:${to.port}`],
    ['Authorization', `Bearer ${to.apiKey}`],
  ];
  const given = new Set(headers.map(([name]) => name.toLowerCase()));
  return sendRaw(to.port, {
    method,
    target,
    headers: [...[...own, ...ofBody].filter(([name]) => !given.has(name.toLowerCase())), ...headers],
    body: body ?? '',
  });
}

const MESSAGE = { to: ['ada@example.org'], subject: 'Hello', body: 'Hello from a test.' };

describe('every answer', () => {
  const requests: [string, string, Wanted, number][] = [
    ['a result', '/v1/me', {}, 200],
    ['a failure of a tool', '/v1/approvals/apr_none', {}, 404],
    ['an unknown route', '/v1/nothing', {}, 404],
    ['another method', '/v1/me', { method: 'POST' }, 405],
    ['no key', '/v1/me', { headers: [['Authorization', 'Bearer nonsense']] }, 401],
    ['another host', '/v1/me', { host: 'elsewhere.example' }, 421],
    ['a broken request', '/v1/messages', { method: 'POST', headers: [['Content-Length', 'abc']] }, 400],
  ];

  it.each(requests)('carries the common headers: %s', async (_name, target, wanted, status) => {
    const answer = await ask(target, wanted);
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(answer.text)),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
      'ratelimit-limit': expect.stringMatching(/^\d+$/) as unknown,
      'ratelimit-remaining': expect.stringMatching(/^\d+$/) as unknown,
      'ratelimit-reset': expect.stringMatching(/^[1-9]\d*$/) as unknown,
      'ratelimit-policy': `${answer.headers['ratelimit-limit']};w=60`,
    });
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });

  it('has a request id of its own', async () => {
    const [one, other] = await Promise.all([ask('/v1/me'), ask('/v1/me')]);
    expect(one.headers['x-request-id']).not.toBe(other.headers['x-request-id']);
  });
});

describe('the rate headers', () => {
  it('count down the budget of the key', async () => {
    const own = await ownRestServer({ limits: { callsPerMinute: 2 } });
    const answers = [
      await ask('/v1/me', { to: own }),
      await ask('/v1/me', { to: own }),
      await ask('/v1/me', { to: own }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers.map(({ headers }) => headers['ratelimit-remaining'])).toEqual(['1', '0', '0']);
    expect(answers[2]?.headers['ratelimit-policy']).toBe('2;w=60');
  });

  it('match Retry-After when the minute is used up', async () => {
    const own = await ownRestServer({ limits: { callsPerMinute: 0 } });
    const { status, headers, json } = await ask('/v1/me', { to: own });
    expect(status).toBe(429);
    expect(json.code).toBe('rate_limited');
    expect(headers['retry-after']).toBe(headers['ratelimit-reset']);
    expect(String(json.details?.retry_after_s)).toBe(headers['retry-after']);
  });

  it('show the budget of the address if no key was admitted, and limit guessing by it', async () => {
    const from = (address: string): Wanted => ({
      headers: [
        ['Authorization', 'Bearer guess'],
        ['X-Forwarded-For', address],
      ],
    });
    const first = await ask('/v1/me', from('198.51.100.1'));
    expect(first.headers).toMatchObject({ 'ratelimit-limit': '60', 'ratelimit-remaining': '59' });
    for (let call = 2; call <= 60; call++) await ask('/v1/me', from('198.51.100.1'));
    const over = await ask('/v1/me', from('198.51.100.1'));
    expect(over).toMatchObject({ status: 429, json: { code: 'rate_limited' } });
    expect(over.headers['retry-after']).toBe(over.headers['ratelimit-reset']);
    expect((await ask('/v1/me', from('198.51.100.2'))).status).toBe(401);
    // A refusal that comes before that of the key is still the one reported, and uses the same budget.
    const elsewhere = await ask('/v1/nothing', from('198.51.100.1'));
    expect(elsewhere).toMatchObject({ status: 404, headers: { 'ratelimit-remaining': '0' } });
  });
});

describe('limits', () => {
  it('say when the day is over', async () => {
    const own = await ownRestServer({ limits: { callsPerDay: 0 } });
    const { status, headers, json } = await ask('/v1/me', { to: own });
    expect(status).toBe(429);
    expect(json).toMatchObject({ error: 'daily_limit_reached', code: 'daily_limit_reached' });
    expect(json.details?.resets_at).toMatch(/T00:00:00\.000Z$/);
    expect(Number(headers['retry-after'])).toBe(json.details?.retry_after_s);
  });

  it('refuse a further call while the key has calls in flight, and free the slot when a caller goes away', async () => {
    let admitted = (): void => {};
    let left = (): void => {};
    const isAdmitted = new Promise<void>((resolve) => (admitted = resolve));
    const hasLeft = new Promise<void>((resolve) => (left = resolve));
    const own = await ownRestServer({
      limits: { concurrentCalls: 1 },
      between: (service) => ({
        ...service,
        calls: {
          ...service.calls,
          async admitCaller(request) {
            const admission = await service.calls.admitCaller(request);
            if (admission.kind === 'admitted') admitted();
            return admission;
          },
          async endCall(caller, outcome) {
            await service.calls.endCall(caller, outcome);
            left();
          },
        },
      }),
    });
    const socket = connect(own.port, '127.0.0.1');
    socket.write(
      `POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1:${own.port}\r\nAuthorization: Bearer ${own.apiKey}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"to":',
    );
    await isAdmitted;
    expect(await ask('/v1/me', { to: own })).toMatchObject({
      status: 429,
      headers: { 'retry-after': '1' },
      json: { code: 'busy' },
    });
    socket.destroy();
    await hasLeft;
    expect((await ask('/v1/me', { to: own })).status).toBe(200);
  });

  it('free the slot after every refusal of the door', async () => {
    const own = await ownRestServer({ limits: { concurrentCalls: 1 } });
    const refusals: Wanted[] = [
      { method: 'POST' },
      { method: 'POST', body: '{}', headers: [['Content-Type', 'text/plain']] },
      { method: 'POST', body: '{' },
      { method: 'POST', headers: [['Content-Length', 'abc']] },
    ];
    for (const refusal of refusals) {
      const { status } = await ask('/v1/messages', { ...refusal, to: own });
      expect(status).toBeGreaterThanOrEqual(400);
      expect((await ask('/v1/me', { to: own })).status).toBe(200);
    }
  });
});

describe('the host', () => {
  const port = () => server.port;
  it.each([
    ['its name', () => `127.0.0.1:${port()}`, 200],
    ['another name of the loopback host', () => `localhost:${port()}`, 200],
    ['in capitals', () => `LOCALHOST:${port()}`, 200],
    ['the IPv6 name', () => `[::1]:${port()}`, 200],
    ['another port', () => `127.0.0.1:${port() + 1}`, 421],
    ['no port', () => '127.0.0.1', 421],
    ['another host', () => `127.0.0.2:${port()}`, 421],
    ['a host that only begins alike', () => `127.0.0.1.evil.example:${port()}`, 421],
    ['what is no host', () => `user@127.0.0.1:${port()}`, 421],
  ])('%s', async (_name, host, status) => {
    expect((await ask('/v1/me', { host: host() })).status).toBe(status);
  });

  it('missing: 421', async () => {
    expect((await sendBytes(port(), 'GET /v1/me HTTP/1.1\r\n\r\n')).status).toBe(421);
  });

  it('of a whole address in the request line overrides the header', async () => {
    expect((await ask(`http://127.0.0.1:${port()}/v1/me`, { host: 'elsewhere.example' })).status).toBe(200);
    expect((await ask('http://elsewhere.example/v1/me')).status).toBe(421);
  });

  it('behind a proxy: the public one, with the port that its scheme means', async () => {
    const own = await ownRestServer({ baseUrl: 'https://api.example.org' });
    const hosts = ['api.example.org', 'api.example.org:443', 'api.example.org:80', `127.0.0.1:${own.port}`];
    const statuses = await Promise.all(
      hosts.map(async (host) => (await ask('/v1/me', { host, to: own })).status),
    );
    expect(statuses).toEqual([200, 200, 421, 421]);
  });
});

describe('an origin', () => {
  it.each(['https://page.example', 'null', 'http://127.0.0.1', ''])('%j is refused', async (origin) => {
    const answer = await ask('/v1/me', { headers: [['Origin', origin]] });
    expect(answer).toMatchObject({
      status: 403,
      json: { error: 'origin_not_allowed', code: 'origin_not_allowed' },
    });
  });
});

describe('a key in the address', () => {
  const encoded = (key: string) => key.replace('_', '%5F').replace('t', '%74');
  const places: [string, (key: string) => string][] = [
    ['in the query', (key) => `/v1/me?key=${key}`],
    ['in the path', (key) => `/v1/messages/${key}`],
    ['on a route that does not exist', (key) => `/elsewhere/${key}`],
    ['encoded', (key) => `/v1/me?key=${encoded(key)}`],
    ['encoded twice', (key) => `/v1/me?key=${encodeURIComponent(encoded(key))}`],
    ['encoded three times', (key) => `/v1/me?key=${encodeURIComponent(encodeURIComponent(encoded(key)))}`],
    ['beside broken encoding', (key) => `/v1/me?%zz&key=${encoded(key)}`],
    ['on healthz', (key) => `/healthz?key=${key}`],
  ];

  it.each(places)('%s: refused and revoked', async (_name, target) => {
    const key = await server.key();
    const authorization: Wanted = { headers: [['Authorization', `Bearer ${key}`]] };
    expect((await ask('/v1/me', authorization)).status).toBe(200);
    const answer = await ask(target(key), authorization);
    expect(answer).toMatchObject({ status: 400, json: { code: 'token_in_url' } });
    expect(answer.text).not.toContain(key);
    expect((await ask('/v1/me', authorization)).status).toBe(401);
  });

  it.each<[string, Wanted]>([
    ['another host', { host: 'elsewhere.example' }],
    ['a browser', { headers: [['Origin', 'https://page.example']] }],
  ])('is revoked also when the request is refused for %s', async (_name, wanted) => {
    const key = await server.key();
    expect((await ask(`/v1/me?key=${key}`, wanted)).json.code).not.toBe('token_in_url');
    expect((await ask('/v1/me', { headers: [['Authorization', `Bearer ${key}`]] })).status).toBe(401);
  });

  it('that was never issued is refused as well', async () => {
    const { status, json } = await ask(`/v1/me?key=${newApiKey(randomBytes)}`);
    expect({ status, code: json.code }).toEqual({ status: 400, code: 'token_in_url' });
  });
});

describe('the Authorization header', () => {
  it.each([
    ['bearer', (key: string) => `bearer ${key}`, 200],
    ['two spaces', (key: string) => `Bearer  ${key}`, 200],
    ['no scheme', (key: string) => key, 401],
    ['another scheme', (key: string) => `Basic ${key}`, 401],
    ['a changed key', (key: string) => `Bearer ${key.slice(0, -1)}`, 401],
    ['two keys', (key: string) => `Bearer ${key} ${key}`, 401],
    ['nothing', () => '', 401],
  ])('%s', async (_name, value, status) => {
    const answer = await ask('/v1/me', { headers: [['Authorization', value(server.apiKey)]] });
    expect(answer.status).toBe(status);
    if (status === 401) {
      expect(answer.headers['www-authenticate']).toBe('Bearer');
      expect(answer.json).toMatchObject({ error: 'invalid_token', status: 'error', code: 'invalid_token' });
    }
  });
});

describe('the cookie of the owner’s session', () => {
  it('opens nothing at the API, which sets none', async () => {
    const { service, ownerId } = server;
    const password = 'correct horse battery';
    await service.owners.setPassword(ownerId, password);
    const from = { address: '192.0.2.1', device: undefined, browser: 'b', proofKey: null };
    const token = sessionToken(
      await service.sessions.signIn({ email: 'owner@example.org', password, ...from }),
    );
    const cookie = `${dashboardCookies(service.dashboardUrl).session}=${encodeURIComponent(token)}`;
    for (const target of ['/v1/me', '/mcp']) {
      const headers: [string, string][] = [
        ['Cookie', cookie],
        ['Authorization', ''],
      ];
      const refused = await ask(target, { method: target === '/mcp' ? 'POST' : 'GET', headers, body: '{}' });
      expect([refused.status, refused.headers['set-cookie']]).toEqual([401, undefined]);
    }
    const answer = await ask('/v1/me', { headers: [['Cookie', cookie]] });
    expect([answer.status, answer.headers['set-cookie']]).toEqual([200, undefined]);
  });
});

describe('methods and paths', () => {
  it.each([
    ['POST', '/v1/me', 'GET, HEAD'],
    ['OPTIONS', '/v1/messages', 'GET, HEAD, POST'],
    ['DELETE', '/v1/approvals', 'GET, HEAD'],
    ['GET', '/v1/messages/m1_x/reply', 'POST'],
    ['HEAD', '/v1/messages/m1_x/reply', 'POST'],
    ['POST', '/healthz', 'GET, HEAD'],
  ])('%s %s: 405, Allow %s', async (method, path, allow) => {
    const answer = await ask(path, { method });
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe(allow);
  });

  it.each(['/', '/v1', '/v1/', '/v1/me/', '//v1/me', '/V1/me', '/v1/approvals//cancel', '/v1/messages/%zz'])(
    '%s: 404',
    async (path) => {
      expect(await ask(path)).toMatchObject({ status: 404, json: { code: 'not_found' } });
    },
  );

  it('decode a parameter within its segment', async () => {
    const answer = await ask('/v1/messages/m1_a%2Freply');
    expect(answer).toMatchObject({ status: 400, json: { code: 'invalid_message_id' } });
  });
});

describe('the body', () => {
  const post = (wanted: Wanted) => ask('/v1/messages', { method: 'POST', ...wanted });

  it.each([
    ['gzip', 415],
    ['br, identity', 415],
    ['Identity', 400],
  ])('with Content-Encoding %s: %i', async (encoding, status) => {
    for (const path of ['/v1/trackers', '/mcp']) {
      const headers: [string, string][] = [
        ['Content-Type', 'application/json'],
        ['Content-Encoding', encoding],
      ];
      const answer = await ask(path, { method: 'POST', headers, body: '{"nonsense":1}' });
      expect([path, answer.status]).toEqual([path, status]);
    }
  });

  it('of exactly 256 KB is read, one byte more is not', async () => {
    const frame = JSON.stringify({ ...MESSAGE, body: '' }).length;
    const body = (bytes: number) => JSON.stringify({ ...MESSAGE, body: 'x'.repeat(bytes - frame) });
    const right = await post({ body: body(262_144) });
    expect(right.json.details?.errors).toMatchObject([{ field: 'body', rule: 'maxLength' }]);
    const over = await post({ body: body(262_145) });
    expect(over).toMatchObject({
      status: 413,
      json: { code: 'payload_too_large', details: { max_bytes: 262_144 } },
    });
  });

  it('that is far too large gets its answer all the same', async () => {
    expect((await post({ body: JSON.stringify({ ...MESSAGE, body: 'x'.repeat(900_000) }) })).status).toBe(
      413,
    );
  });

  it.each([
    ['application/json; charset=utf-8', 202],
    ['Application/JSON', 202],
    ['application/jsonp', 415],
    ['application/x-www-form-urlencoded', 415],
    ['', 415],
  ])('of type %j', async (type, status) => {
    const body = JSON.stringify({ ...MESSAGE, subject: `As ${type}` });
    const own = await ownRestServer();
    expect((await post({ to: own, body, headers: [['Content-Type', type]] })).status).toBe(status);
  });

  it.each([
    ['no JSON', '{"to":', 'json'],
    ['a list', '[]', 'type'],
    ['a text', '"to"', 'type'],
    ['null', 'null', 'type'],
  ])('that is %s', async (_name, body, rule) => {
    const answer = await post({ body });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({
      code: 'invalid_arguments',
      details: { errors: [{ field: '', rule }] },
    });
  });

  it('that is not UTF-8', async () => {
    const bytes =
      `POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${server.apiKey}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 15\r\n\r\n{"subject":"é"}';
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(server.port, '127.0.0.1', () => socket.write(Buffer.from(bytes, 'latin1')));
      socket.on('data', (chunk) => {
        resolve(chunk.toString());
        socket.destroy();
      });
      socket.on('error', reject);
    });
    expect(answer).toContain('the body is not JSON in UTF-8');
  });

  it('is required, with its length, if it has required fields', async () => {
    expect(await post({})).toMatchObject({ status: 411, json: { code: 'length_required' } });
    expect(await ask('/v1/tools/get_me', { method: 'POST' })).toMatchObject({
      status: 411,
      json: { error: 'length_required', code: 'length_required' },
    });
  });

  it('that is empty means the same as {}', async () => {
    const answer = await post({ headers: [['Content-Length', '0']] });
    expect(answer.json.details?.errors?.map(({ field }) => field).toSorted()).toEqual([
      'body',
      'subject',
      'to',
    ]);
  });

  it('is not required if it has no fields: none, an empty one and {} are accepted, others are refused', async () => {
    const cancel = (wanted: Wanted) => ask('/v1/approvals/apr_none/cancel', { method: 'POST', ...wanted });
    expect((await cancel({})).status).toBe(404);
    expect((await cancel({ headers: [['Content-Length', '0']] })).status).toBe(404);
    expect((await cancel({ body: '{}' })).status).toBe(404);
    expect(await cancel({ body: '{"approval_id":"apr_other"}' })).toMatchObject({
      status: 400,
      json: { code: 'invalid_arguments', details: { errors: [{ field: 'body.approval_id' }] } },
    });
  });

  it.each([
    ['chunked', 'Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'],
    ['chunked, on a route without a body', 'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['with both lengths', 'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    [
      'with both lengths, the other way round',
      'Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n',
    ],
  ])('%s: 411', async (_name, rest) => {
    const head = `POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${server.apiKey}\r\n`;
    const answer = await sendBytes(server.port, `${head}Content-Type: application/json\r\n${rest}`);
    expect(answer).toMatchObject({ status: 411, json: { code: 'length_required' } });
  });

  it('with both lengths ends the connection', async () => {
    const bytes = `POST /v1/me HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`;
    expect(await closesAfter(server.port, bytes)).toBe(true);
  });

  it.each([
    ['abc', 400, 'invalid_content_length'],
    ['-1', 400, 'invalid_content_length'],
    ['1.5', 400, 'invalid_content_length'],
    ['99999999999999999999999', 413, 'payload_too_large'],
  ])('with the length %s: %i %s', async (length, status, code) => {
    const answer = await post({ headers: [['Content-Length', length]] });
    expect(answer).toMatchObject({ status, json: { code }, headers: { connection: 'close' } });
  });

  it('with two lengths is refused', async () => {
    const answer = await post({
      headers: [
        ['Content-Length', '2'],
        ['Content-Length', '2'],
      ],
    });
    expect(answer).toMatchObject({ status: 400, json: { code: 'invalid_content_length' } });
  });
});

describe('a refused head', () => {
  let callers = 0;
  /** From another address each time, so that none uses up its budget. */
  const own = (port: number) => {
    callers += 1;
    const from = `198.18.${100 + Math.floor(callers / 100)}.${100 + (callers % 100)}`;
    return `Host: 127.0.0.1:${port}\r\nX-Forwarded-For: ${from}\r\n`;
  };
  const key = (apiKey: string) => `Authorization: Bearer ${apiKey}\r\n`;
  const request = (lines: string, { line = 'POST /v1/messages', before = '', after = '' } = {}) =>
    `${line} HTTP/1.1\r\n${before}Content-Type: application/json\r\n${lines}\r\n${after}\r\n`;

  const WRONG = 'Content-Length: 2x';
  /** Status and code of the answer, and the head that a server gets. */
  const HEADS: [number, string, (port: number, apiKey: string) => string][] = [
    [400, 'invalid_content_length', (p, k) => request(WRONG, { before: own(p) + key(k) })],
    [400, 'invalid_content_length', (p, k) => request(WRONG, { before: own(p), after: key(k) })],
    [400, 'invalid_content_length', (p, k) => request(WRONG, { after: own(p) + key(k) })],
    [400, 'invalid_content_length', (p, k) => request('Content-Length:', { before: own(p) + key(k) })],
    [
      400,
      'invalid_content_length',
      (p, k) => request('Content-Length: 2\r\nContent-Length: 2', { before: own(p) + key(k) }),
    ],
    [
      413,
      'payload_too_large',
      (p, k) => request(`Content-Length: ${'9'.repeat(24)}`, { before: own(p) + key(k) }),
    ],
    [413, 'payload_too_large', (p, k) => request('Content-Length: 262145', { before: own(p) + key(k) })],
    [
      411,
      'length_required',
      (p, k) => request('Content-Length: 2\r\nTransfer-Encoding: chunked', { before: own(p) + key(k) }),
    ],
    [
      411,
      'length_required',
      (p, k) => request('Transfer-Encoding: chunked\r\nContent-Length: 2', { before: own(p) + key(k) }),
    ],
    [411, 'length_required', (p, k) => request('Transfer-Encoding: gzip', { before: own(p) + key(k) })],
    [401, 'invalid_token', (p) => request(WRONG, { before: own(p) })],
    [401, 'invalid_token', (p) => request(WRONG, { before: own(p), after: 'Authorization: Bearer x\r\n' })],
    [404, 'not_found', (p, k) => request(WRONG, { line: 'POST /v1/nothing', before: own(p) + key(k) })],
    [405, 'method_not_allowed', (p, k) => request(WRONG, { line: 'DELETE /v1/me', before: own(p) + key(k) })],
    [
      421,
      'misdirected_request',
      (_p, k) => request(WRONG, { before: 'Host: elsewhere.example\r\n', after: key(k) }),
    ],
    [421, 'misdirected_request', (_p, k) => request(WRONG, { before: key(k) })],
  ];

  /** The heads have much in common: in the gate, each is split at some of its places, each time at others. */
  const STEP = sizeOf('wrong heads: splits', 1, 5);

  it.each(HEADS)('is answered %i %s, wherever it is split', async (status, code, headOf) => {
    const index = HEADS.findIndex((one) => one[2] === headOf);
    const wanted = { status, json: { code } };
    const whole = headOf(server.port, server.apiKey);
    expect(await sendBytes(server.port, whole)).toMatchObject(wanted);
    for (let at = 1 + (index % STEP); at < whole.length; at += STEP) {
      const head = headOf(server.port, server.apiKey);
      const answer = await sendPackets(server.port, [head.slice(0, at), head.slice(at)]);
      expect(answer, `split before ${JSON.stringify(head.slice(at, at + 20))}`).toMatchObject(wanted);
    }
  });

  it('is answered alike in many packets, and with a body that comes later', async () => {
    const head = request(WRONG, { before: own(server.port), after: key(server.apiKey) });
    const wanted = { status: 400, json: { code: 'invalid_content_length' } };
    expect(await sendPackets(server.port, [...head])).toMatchObject(wanted);
    for (let time = 0; time < 20; time++) {
      expect(await sendPackets(server.port, [head, '{}', '{}'])).toMatchObject(wanted);
    }
  });

  it('is answered after requests on the same connection', async () => {
    const good = `GET /v1/me HTTP/1.1\r\n${own(server.port)}${key(server.apiKey)}\r\n`;
    const head = request(WRONG, { before: own(server.port), after: key(server.apiKey) });
    const closed = await everythingFrom(server.port, [good, head.slice(0, 40), head.slice(40)]);
    expect([...closed.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status)).toEqual(['200', '400']);
    expect(closed).toContain('invalid_content_length');
  });

  it('is answered with what is wrong with it by a server that kept no bytes of it', async () => {
    const app = await ownRestServer({ recordsHeads: false });
    const valid = HEADS.filter(([status]) => [400, 411].includes(status) || status === 413);
    for (const [status, code, headOf] of valid) {
      const head = headOf(app.port, app.apiKey);
      for (let at = 1; at < head.length; at += 3) {
        const answer = await sendPackets(app.port, [head.slice(0, at), head.slice(at)]);
        expect(answer, JSON.stringify([head, at])).toMatchObject({ status, json: { code } });
      }
    }
  });
});

describe('a message that is not HTTP at all', () => {
  it('is refused, and the connection is closed', async () => {
    expect(
      await sendBytes(server.port, 'NONSENSE\r\n\r\n').catch((error: Error) => error.message),
    ).toMatchObject({
      status: 400,
    });
  });
});

describe('query parameters', () => {
  const errorsOf = async (target: string) => {
    const { status, json } = await ask(target);
    return {
      status,
      errors: json.details?.errors?.map(({ field, rule }) => `${field} ${rule}`),
    };
  };

  it.each([
    ['/v1/approvals?limit=ten', ['limit type']],
    ['/v1/approvals?limit=1.5', ['limit type']],
    ['/v1/approvals?limit=', ['limit type']],
    ['/v1/approvals?limit=51', ['limit maximum']],
    ['/v1/approvals?state=open&state=all', ['state type', 'state enum']],
    ['/v1/approvals?colour=red', ['colour additionalProperties']],
    ['/v1/approvals?approval_id=apr_x', ['approval_id additionalProperties']],
    ['/v1/messages?unread=maybe', ['unread type']],
    ['/v1/tools?limit=1', ['query.limit additionalProperties']],
    ['/v1/messages/m1_x?id=m1_y', ['query.id additionalProperties']],
  ])('%s is refused', async (target, errors) => {
    expect(await errorsOf(target)).toEqual({
      status: 400,
      errors: expect.arrayContaining(errors) as unknown,
    });
  });

  it('on a write are refused', async () => {
    const body = JSON.stringify(MESSAGE);
    const answer = await ask('/v1/messages?account_id=1', { method: 'POST', body });
    expect(answer.json.details?.errors).toMatchObject([{ field: 'query.account_id' }]);
  });

  it('are numbers if the tool expects numbers', async () => {
    expect(await ask('/v1/messages?limit=1&account_id=1')).toMatchObject({
      status: 200,
      json: { result: { returned: 1 } },
    });
  });

  it('on a read, a body is refused', async () => {
    expect(await ask('/v1/approvals', { body: '{"state":"all"}' })).toMatchObject({
      status: 400,
      json: { details: { errors: [{ field: 'body.state' }] } },
    });
  });
});

describe('healthz', () => {
  it('answers on any host name, without a key', async () => {
    const answer = await sendBytes(server.port, 'GET /healthz HTTP/1.1\r\nHost: anything\r\n\r\n');
    expect(answer).toMatchObject({ status: 200, json: { status: 'ok' } });
  });

  it('is 503 when storage does not answer', async () => {
    const own = await ownRestServer({
      between: (service) => ({ ...service, healthy: () => Promise.reject(new Error('disk gone')) }),
    });
    const answer = await sendBytes(own.port, 'GET /healthz HTTP/1.1\r\nHost: anything\r\n\r\n');
    expect(answer).toMatchObject({
      status: 503,
      headers: { 'retry-after': '5' },
      json: { code: 'temporarily_unavailable', details: { retry_after_s: 5 } },
    });
    expect(answer.text).not.toContain('disk gone');
  });
});

describe('a failure of our own', () => {
  it('is a 500 that reveals nothing, and is logged by its request id without its text', async () => {
    const lines: unknown[] = [];
    const note = (...line: unknown[]) => void lines.push(line);
    const own = await ownRestServer({
      log: { info: note, warn: note, error: note },
      between: (service) => ({
        ...service,
        calls: {
          ...service.calls,
          admitCaller: async (request) => {
            if (request.token !== undefined) throw new RangeError('ada@example.org');
            return service.calls.admitCaller(request);
          },
        },
      }),
    });
    const { status, json, headers } = await ask('/v1/me', { to: own });
    expect({ status, json }).toMatchObject({
      status: 500,
      json: { error: 'internal_error', code: 'internal_error' },
    });
    expect(headers['ratelimit-limit']).toBe('60');
    expect(lines).toEqual([
      [
        'request failed',
        { request_id: headers['x-request-id'], code: 'internal_error', error: 'RangeError' },
      ],
    ]);
  });
});

describe('a body that somebody read before the door', () => {
  it('is reported to whoever placed the door there, and nobody is left waiting', async () => {
    const own = await ownRestServer();
    const lines: unknown[] = [];
    const note = (...line: unknown[]) => void lines.push(line);
    const handler = nodeHandler(own.service, { log: { info: note, warn: note, error: note } });
    const app = createServer((req, res) => {
      req.resume().once('end', () => handler(req, res));
    });
    await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void app.close());
    const { port } = app.address() as AddressInfo;
    const answer = await sendRaw(port, {
      method: 'POST',
      target: '/v1/messages',
      headers: [
        ['Host', `127.0.0.1:${own.port}`],
        ['Authorization', `Bearer ${own.apiKey}`],
        ['Content-Type', 'application/json'],
        ['Content-Length', '2'],
      ],
      body: '{}',
    });
    expect(answer).toMatchObject({ status: 500, json: { code: 'internal_error' } });
    expect(lines).toMatchObject([['request failed', { error: 'BodyTaken' }]]);
  });
});
