import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acceptedContent, acceptedForms } from '../../../hosts/mcp/accepted-forms.ts';
import { type RestServer, restServer } from '../rest/rest-server.ts';
import { openSignInHost, type SignInHost, signedIn } from '../sign-in/open-sign-in-host.ts';

// Clients name the forms of an answer in every way; the protocol wants both named.

const head = (accept: string | undefined) => ({
  method: 'POST',
  target: '/mcp',
  headers: { accept },
  peer: '127.0.0.1',
});

describe('the header Accept', () => {
  it.each([
    [undefined, true, true],
    ['', true, true],
    ['*/*', true, true],
    ['application/*', true, false],
    ['application/json', true, false],
    ['Application/JSON; charset=utf-8', true, false],
    ['text/event-stream', false, true],
    ['text/*;q=0.5', false, true],
    ['application/json, text/event-stream', true, true],
    ['*/*, text/event-stream;q=0', true, false],
    ['application/json;q=0, */*', false, true],
    ['text/html', false, false],
  ])('%j: JSON %s, events %s', (accept, json, events) => {
    expect(acceptedForms(head(accept))).toEqual({ json, events });
  });

  it('leaves content that is accepted as it is, and of events only answers become JSON', () => {
    const progress = 'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n';
    const events = (...ids: number[]) =>
      ids.map((id) => `event: message\ndata: {"jsonrpc":"2.0","id":${id},"result":{}}\n\n`).join('');
    const type = 'text/event-stream';
    const onlyJson = { json: true, events: false };
    const asJson = (text: string): unknown => JSON.parse(acceptedContent({ type, text }, onlyJson).text);
    expect(asJson(progress + events(1))).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    expect(asJson(events(1, 2))).toMatchObject([{ id: 1 }, { id: 2 }]);
    const text = events(1);
    expect(acceptedContent({ type, text }, { json: true, events: true })).toEqual({ type, text });
  });
});

let server: RestServer;
let host: SignInHost;
beforeAll(async () => {
  [server, host] = await Promise.all([restServer(), openSignInHost()]);
});
afterAll(() => Promise.all([server.stop(), host.close()]));

const STATELESS = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

describe.each(['a key', 'a sign-in'])('the door with %s', (door) => {
  async function post(
    message: object | string,
    { accept, path = '/mcp', more = {} }: { accept?: string; path?: string; more?: object },
  ) {
    const [base, token] =
      door === 'a key'
        ? [`http://127.0.0.1:${server.port}`, server.apiKey]
        : [host.mcpUrl, await accessToken()];
    return fetch(`${base}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...(accept === undefined ? {} : { accept }),
        ...more,
      },
      body: typeof message === 'string' ? message : JSON.stringify(message),
    });
  }

  let token: string | undefined;
  async function accessToken(): Promise<string> {
    token ??= (await signedIn(host)).access_token;
    return token;
  }

  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_me', arguments: {} } };
  const stateless = {
    ...call,
    params: { ...call.params, _meta: STATELESS },
  };
  const labels = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'get_me' };
  const progress = { ...call, params: { ...call.params, _meta: { progressToken: 1 } } };
  const MESSAGES: [string, object, object][] = [
    ['a call', call, {}],
    ['a stateless call', stateless, labels],
    ['a call that asks for progress', progress, {}],
    [
      'initialize',
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
      },
      {},
    ],
  ];

  it.each(MESSAGES)('answers %s in a form that the client accepts', async (_what, message, more) => {
    for (const accept of [undefined, '*/*', 'application/json', 'text/event-stream']) {
      const answer = await post(message, { more, ...(accept === undefined ? {} : { accept }) });
      const text = await answer.text();
      expect([accept, answer.status, text.slice(0, 200)]).toEqual([accept, 200, expect.any(String)]);
      const type = answer.headers.get('content-type') ?? '';
      if (accept === 'application/json' || accept === 'text/event-stream') expect(type).toBe(accept);
      const data = type === 'text/event-stream' ? (/^data: (\{.*"id":1.*)$/mu.exec(text)?.[1] ?? '') : text;
      expect(JSON.parse(data)).toMatchObject({ jsonrpc: '2.0', id: 1, result: {} });
    }
  });

  it.each([
    ['a version', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't' } }, 'version'],
    [
      'a version that is set',
      { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: null } },
      'version',
    ],
    ['its own name', { protocolVersion: '2025-06-18', capabilities: {} }, 'clientInfo'],
    ['parameters', undefined, 'params'],
  ])('says in one line what is wrong with an initialize without %s', async (_what, params, field) => {
    const answer = await post({ jsonrpc: '2.0', id: 'a', method: 'initialize', params }, { accept: '*/*' });
    expect(await answer.json()).toEqual({
      jsonrpc: '2.0',
      id: 'a',
      error: {
        code: -32602,
        message: expect.stringMatching(
          new RegExp(`^Invalid initialize: [a-zA-Z.]*${field}: Invalid input: .*$`),
        ),
      },
    });
  });

  it.each([
    ['the parameters of a list', { method: 'tools/list', params: null }, {}],
    ['the cursor of a list', { method: 'tools/list', params: { cursor: null, _meta: null } }, {}],
    ['arguments', { method: 'tools/call', params: { name: 'get_me', arguments: null, _meta: null } }, {}],
    [
      'an argument',
      { method: 'tools/call', params: { name: 'summarize_inbox', arguments: { limit: null } } },
      {},
    ],
    [
      'a progress token',
      { method: 'tools/call', params: { name: 'get_me', _meta: { ...STATELESS, progressToken: null } } },
      labels,
    ],
  ])('takes null for %s as absent', async (_what, message, more) => {
    const answer = await post({ jsonrpc: '2.0', id: 1, ...message }, { accept: 'application/json', more });
    const json: unknown = await answer.json();
    expect([answer.status, json]).toEqual([
      200,
      expect.objectContaining({ id: 1, result: expect.anything() }),
    ]);
    expect(JSON.stringify(json)).not.toContain('invalid_arguments');
  });

  it('refuses a batch in a batch, however deep', async () => {
    const nested = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    expect((await post(nested, { accept: 'application/json' })).status).toBe(400);
  });

  it('refuses a client that accepts neither', async () => {
    expect((await post(call, { accept: 'text/html' })).status).toBe(406);
  });

  it('answers at a path with a slash at its end, and challenges there too', async () => {
    const answer = await post(call, { accept: 'application/json', path: '/mcp/' });
    expect([answer.status, answer.redirected]).toEqual([200, false]);
    const refused = await post(call, { path: '/mcp/', more: { authorization: 'Bearer wrong' } });
    expect([refused.status, refused.headers.has('www-authenticate')]).toEqual([401, true]);
  });
});
