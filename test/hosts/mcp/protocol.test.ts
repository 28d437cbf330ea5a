import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import packageJson from '../../../package.json' with { type: 'json' };
import { ownRestServer, type RestServer, restServer } from '../rest/rest-server.ts';

// The tool protocol as its official client speaks it, in the revision before there were stateless requests and in
// the one since.

const REVISIONS: readonly [string, ClientOptions][] = [
  ['2025-11-25', {}],
  ['2026-07-28', { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
];

let server: RestServer;
beforeAll(async () => {
  server = await restServer();
});
afterAll(() => server.stop());

async function connected(
  options: ClientOptions,
  { key = server.apiKey, port = server.port, headers = {} } = {},
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, options);
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  const authorization = { Authorization: `Bearer ${key}` };
  await client.connect(
    new StreamableHTTPClientTransport(url, { requestInit: { headers: { ...authorization, ...headers } } }),
  );
  onTestFinished(() => client.close());
  return client;
}

const list = z.object({ messages: z.array(z.looseObject({ id: z.string() })) });
let letters = 0;

function letter() {
  letters += 1;
  return { to: ['ada@example.org'], subject: `Letter ${letters}`, body: 'Hello.' };
}

describe.each(REVISIONS)('a client of revision %s', (revision, options) => {
  it('is told who answers, and how to read the answers', async () => {
    const client = await connected(options);
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    expect(client.getServerVersion()).toMatchObject({ name: 'countersign', version: packageJson.version });
    expect(client.getInstructions()).toContain('"pending_approval" is NOT done');
    expect(client.getServerCapabilities()).toEqual({ tools: {} });
  });

  it('lists the tools that GET /v1/tools lists, for its key', async () => {
    for (const preset of ['read', 'organise', 'full'] as const) {
      const key = await server.key({ preset });
      const { tools } = await (await connected(options, { key })).listTools();
      const response = await fetch(`http://127.0.0.1:${server.port}/v1/tools`, {
        headers: { authorization: `Bearer ${key}` },
      });
      expect({ tools }).toEqual(await response.json());
    }
  });

  it('reads, and gets the outcome as data and as text', async () => {
    const client = await connected(options);
    const { content, structuredContent, isError } = await client.callTool({
      name: 'summarize_inbox',
      arguments: { limit: 2 },
    });
    expect(isError).toBe(false);
    expect(structuredContent).toMatchObject({ status: 'ok', result: { returned: 2 } });
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }]);
  });

  it('is told that a write waits, as an ordinary result, and how it ended', async () => {
    const client = await connected(options);
    const { structuredContent, isError } = await client.callTool({ name: 'send_email', arguments: letter() });
    expect(isError).toBe(false);
    const { approval } = z
      .looseObject({ status: z.literal('pending_approval'), approval: z.looseObject({ id: z.string() }) })
      .parse(structuredContent);
    const view = await server.service.approvals.show(server.ownerId, approval.id);
    await server.service.approvals.approve(server.ownerId, approval.id, view?.approval.digest ?? '');
    const ended = await client.callTool({ name: 'get_approval', arguments: { approval_id: approval.id } });
    expect(ended.structuredContent).toMatchObject({ result: { approval: { state: 'executed' } } });
  });

  it('gets refusals of the service as results that are errors', async () => {
    const client = await connected(options, { key: await server.key({ preset: 'read' }) });
    const { structuredContent, isError } = await client.callTool({ name: 'send_email', arguments: letter() });
    expect(isError).toBe(true);
    expect(structuredContent).toMatchObject({
      status: 'error',
      code: 'not_permitted',
      details: { group: 'mail:send' },
    });
    const wrong = await client.callTool({ name: 'summarize_inbox', arguments: { limit: 0, nonsense: 1 } });
    expect(wrong).toMatchObject({ isError: true, structuredContent: { code: 'invalid_arguments' } });
  });

  it('gets an error of the protocol for a name that no tool has', async () => {
    const client = await connected(options);
    await expect(client.callTool({ name: 'send_everything', arguments: {} })).rejects.toMatchObject({
      code: -32602,
    });
  });

  it.each(['header', 'meta'])('repeats a call, which is made once; the key is in the %s', async (where) => {
    const key = `once-${revision}-${where}`;
    const client = await connected(
      options,
      where === 'header' ? { headers: { 'Idempotency-Key': key } } : {},
    );
    const meta = where === 'meta' ? { _meta: { 'countersign/idempotency-key': key } } : {};
    const call = { name: 'send_email', arguments: letter(), ...meta };
    const first = await client.callTool(call);
    const again = await client.callTool(call);
    expect(again.structuredContent).toEqual(first.structuredContent);
    expect(first._meta?.['countersign/idempotent-replayed']).toBeUndefined();
    expect(again._meta?.['countersign/idempotent-replayed']).toBe(true);
    const other = await client.callTool({ ...call, arguments: letter() });
    expect(other).toMatchObject({ isError: true, structuredContent: { code: 'idempotency_key_reused' } });
  });

  it('is refused if its idempotency key is not text', async () => {
    const client = await connected(options);
    const call = {
      name: 'send_email',
      arguments: letter(),
      _meta: { 'countersign/idempotency-key': 7 },
    };
    expect(await client.callTool(call)).toMatchObject({
      isError: true,
      structuredContent: { code: 'invalid_idempotency_key' },
    });
  });

  it('leaves no slot taken, whatever it asks', async () => {
    const own = await ownRestServer({ limits: { concurrentCalls: 1 } });
    const client = await connected(options, { key: own.apiKey, port: own.port });
    for (let time = 0; time < 3; time += 1) {
      await client.listTools();
      await client.callTool({ name: 'get_me', arguments: {} });
      await client.callTool({ name: 'no_such_tool', arguments: {} }).catch(() => undefined);
      await client.callTool({ name: 'get_email', arguments: { id: 'nothing' } });
    }
    expect(await client.callTool({ name: 'get_me', arguments: {} })).toMatchObject({ isError: false });
  });

  it('can use the ids of a list', async () => {
    const client = await connected(options);
    const inbox = await client.callTool({ name: 'summarize_inbox', arguments: { limit: 3 } });
    const { messages } = z.looseObject({ result: list }).parse(inbox.structuredContent).result;
    for (const { id } of messages) {
      const read = await client.callTool({ name: 'get_email', arguments: { id } });
      expect(read.structuredContent).toMatchObject({ status: 'ok', result: { id } });
    }
  });
});

describe('a request that is not from the official client', () => {
  const post = (
    body: string | Uint8Array<ArrayBuffer>,
    { headers = {}, to = server }: { headers?: Record<string, string>; to?: RestServer } = {},
  ) =>
    fetch(`http://127.0.0.1:${to.port}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${to.apiKey}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body,
    });
  const call = (id: number, name: string, args: object = {}) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: args },
  });
  const messagesIn = (text: string) =>
    [...text.matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json ?? '') as { id: number });

  it.each(['2025-11-25', '2026-07-28'])(
    'of revision %s has the same answer, whether the library reads it or not',
    async (revision) => {
      const own = await ownRestServer();
      const isStateless = revision === '2026-07-28';
      const envelope = {
        'io.modelcontextprotocol/protocolVersion': revision,
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      /** @param meta  with a progress token, the library reads the request */
      const result = async (method: string, { name, ...params }: { name?: string }, meta: object) => {
        const labels = { 'Mcp-Method': method, ...(name === undefined ? {} : { 'Mcp-Name': name }) };
        const all = { ...(isStateless && envelope), ...meta };
        const body = { jsonrpc: '2.0', id: 'x"', method, params: { name, ...params, _meta: all } };
        const headers = { 'MCP-Protocol-Version': revision, ...(isStateless ? labels : {}) };
        const response = await post(JSON.stringify(body), { to: own, headers });
        const text = await response.text();
        return [response.status, JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text)];
      };
      const once = { 'countersign/idempotency-key': `once-${revision}` };
      const requests: readonly [method: string, params: object, meta: object][] = [
        ['tools/list', {}, {}],
        ['tools/call', { name: 'list_folders', arguments: {} }, {}],
        ['tools/call', { name: 'list_trackers' }, {}],
        ['tools/call', { name: 'get_email', arguments: { id: 'x' } }, {}],
        ['tools/call', { name: 'send_email', arguments: letter() }, once],
        ['tools/call', { name: 'send_email', arguments: letter() }, { 'countersign/idempotency-key': 7 }],
        ['tools/call', { name: 'no_tool' }, {}],
        ['tools/call', { name: 'list_folders' }, { 'countersign/content': 'text' }],
        ['tools/call', { name: 'get_email', arguments: { id: 'x' } }, { 'countersign/content': 'text' }],
        ['tools/call', { name: 'list_folders' }, { 'countersign/content': 'structured' }],
      ];
      await result('tools/call', { name: 'send_email', ...requests[4]?.[1] }, once);
      for (const [method, params, meta] of requests) {
        const read = await result(method, params, { ...meta, progressToken: 1 });
        expect(await result(method, params, meta)).toEqual(read);
      }
    },
  );

  it('has its answer as text alone, if its client asks for that', async () => {
    const result = async (meta: object) => {
      const { params } = call(1, 'list_folders');
      const response = await post(
        JSON.stringify({ ...call(1, 'list_folders'), params: { ...params, _meta: meta } }),
      );
      return z.object({ result: z.record(z.string(), z.unknown()) }).parse(await response.json()).result;
    };
    const { structuredContent, ...others } = await result({});
    expect(structuredContent).toMatchObject({ status: 'ok' });
    expect(await result({ 'countersign/content': 'text' })).toEqual(others);
    for (const content of ['structured', 1, null])
      expect(await result({ 'countersign/content': content })).toEqual({ ...others, structuredContent });
  });

  it('may hold several calls, each admitted on its own', async () => {
    const own = await ownRestServer({ limits: { callsPerMinute: 2 } });
    const batch = JSON.stringify([1, 2, 3].map((id) => call(id, 'get_me')));
    const response = await post(batch, { to: own });
    const answers = messagesIn(await response.text()).sort((a, b) => a.id - b.id);
    expect(answers).toMatchObject([
      { id: 1, result: { isError: false } },
      { id: 2, result: { isError: false } },
      { id: 3, result: { isError: true, structuredContent: { code: 'rate_limited' } } },
    ]);
  });

  it.each([
    ['no JSON', '{"jsonrpc":'],
    ['no UTF-8', Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping\xff"}', 'latin1')],
    ['nothing', ''],
  ])('that is %s is a parse error', async (_what, body) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: -32700 } });
  });

  it('that is a notification is accepted without an answer', async () => {
    const { status, headers } = await post(
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
    );
    expect([status, headers.get('content-length'), headers.get('content-type')]).toEqual([202, '0', null]);
  });

  it('that subscribes to changes is accepted for none of them, and ends at once', async () => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: { notifications: { toolsListChanged: true }, _meta: meta },
    });
    const headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'subscriptions/listen' };
    const response = await post(body, { headers });
    expect(messagesIn(await response.text())).toMatchObject([
      { method: 'notifications/subscriptions/acknowledged', params: { notifications: {} } },
      { id: 1, result: { resultType: 'complete' } },
    ]);
  });

  it('never makes the door fail, whatever it says', async () => {
    const scalar = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.boolean());
    const anything = fc.oneof(scalar, fc.array(scalar), fc.dictionary(fc.string(), scalar));
    const request = fc.record(
      {
        jsonrpc: fc.constantFrom('2.0', '1.0'),
        id: fc.oneof(fc.integer(), fc.string(), anything),
        method: fc.oneof(
          fc.constantFrom(
            'tools/call',
            'tools/list',
            'initialize',
            'ping',
            'server/discover',
            'resources/list',
          ),
          fc.string(),
        ),
        params: fc.oneof(
          anything,
          fc.record({
            name: fc.oneof(fc.constantFrom('get_me', 'summarize_inbox', '__proto__'), anything),
            arguments: anything,
            _meta: anything,
          }),
        ),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(request, fc.array(request, { maxLength: 3 }), anything), async (said) => {
        const { status } = await post(JSON.stringify(said));
        expect(status).toBeLessThan(500);
      }),
      { numRuns: 200 },
    );
    expect((await post(JSON.stringify(call(1, 'get_me')))).status).toBe(200);
  });
});
