import { type IncomingMessage, request } from 'node:http';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { shownOf } from '../core/scene.ts';
import { sendBytes } from '../hosts/rest/raw-http.ts';
import { approvalIn, doorOf, expectFailure, goesThroughTools, ownDoor } from './door.ts';
import { section } from './sections.ts';

// What the notes say of requests: the order of refusals, bodies, envelopes, characters.

const door = doorOf();

const names = z.array(z.string());
const listed = z.object({
  tools: z.array(
    z.object({
      name: z.string(),
      inputSchema: z.object({
        properties: z.record(z.string(), z.unknown()).default({}),
        required: names.default([]),
      }),
    }),
  ),
});
const refused = z.looseObject({
  details: z.looseObject({ errors: z.array(z.looseObject({ field: z.string() })).optional() }).optional(),
});

section('Notes: Where the contract can be read in two ways', () => {
  it('the order of refusals: each request breaks a rule and all later ones', async () => {
    const { server, key } = door();
    const none = await key({ modes: { 'mail:send': 'off' } });
    const broken = {
      host: 'Host: elsewhere.example',
      origin: 'Origin: https://page.example',
      query: '?key=svc_pat_x',
      path: '/v1/nowhere',
      method: 'PUT',
      token: 'Authorization: Bearer nobody',
      length: 'Transfer-Encoding: chunked',
      type: 'Content-Type: text/plain',
    };
    const ask = (rules: readonly (keyof typeof broken)[]) => {
      const is = (rule: keyof typeof broken) => rules.includes(rule);
      const lines = [
        `${is('method') ? 'PUT' : 'POST'} ${is('path') ? broken.path : '/v1/messages'}${is('query') ? broken.query : ''} HTTP/1.1`,
        is('host') ? broken.host : `Host: 127.0.0.1:${server.port}`,
        ...(is('origin') ? [broken.origin] : []),
        is('token') ? broken.token : `Authorization: Bearer ${none}`,
        is('length') ? broken.length : 'Content-Length: 1',
        is('type') ? broken.type : 'Content-Type: application/json',
        'Idempotency-Key: has space',
      ];
      return sendBytes(server.port, `${lines.join('\r\n')}\r\n\r\n${is('length') ? '0\r\n\r\n' : '{'}`);
    };
    const order: [keyof typeof broken, string][] = [
      ['host', 'misdirected_request'],
      ['origin', 'origin_not_allowed'],
      ['query', 'token_in_url'],
      ['path', 'not_found'],
      ['method', 'method_not_allowed'],
      ['token', 'invalid_token'],
      ['length', 'length_required'],
      ['type', 'unsupported_media_type'],
    ];
    for (const [at, [, code]] of order.entries()) {
      const { json } = await ask(order.slice(at).map(([rule]) => rule));
      expect(json.code).toBe(code);
    }
    // Invalid JSON is reported before an invalid key, and an invalid key before a missing permission.
    expect((await ask([])).json.details?.errors).toMatchObject([{ field: '', rule: 'json' }]);
    const { call } = door();
    const rest = { key: none, body: { nonsense: 1 } };
    expectFailure(
      await call('POST', '/v1/messages', { ...rest, idempotencyKey: 'has space' }),
      400,
      'invalid_idempotency_key',
    );
    expectFailure(await call('POST', '/v1/messages', rest), 403, 'not_permitted');
  });

  it('a POST without a body needs no length if the route has no required fields', async () => {
    const { server, deliver } = door();
    const id = await deliver();
    const answer = await sendBytes(
      server.port,
      `POST /v1/messages/${id}/mark-read HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${server.apiKey}\r\n\r\n`,
    );
    expect(answer.status).toBe(200);
  });

  it('an Idempotency-Key on a read must be valid, and nothing is stored', async () => {
    const { tool } = door();
    expectFailure(
      await tool('list_folders', {}, { idempotencyKey: 'has space' }),
      400,
      'invalid_idempotency_key',
    );
    const first = await tool('list_folders', {}, { idempotencyKey: 'read' });
    const again = await tool('get_me', {}, { idempotencyKey: 'read' });
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.headers.has('idempotent-replayed')).toBe(false);
  });

  it('/v1/me, /v1/tools and the list of approvals are bare; the rest is enveloped', async () => {
    const { call } = door();
    for (const path of ['/v1/me', '/v1/tools', '/v1/approvals'])
      expect((await call('GET', path)).json).not.toHaveProperty('status');
    for (const path of ['/v1/accounts', '/v1/folders', '/v1/messages', '/v1/events']) {
      expect((await call('GET', path)).json).toHaveProperty('result');
    }
  });

  it('failures outside the Meta and approval routes are the envelope alone', async () => {
    const { json } = await door().call('GET', '/v1/messages?limit=0');
    expect(json).not.toHaveProperty('error');
  });

  it.each([
    ['CRLF and CR become LF', 'a\r\nb\rc\n', 'a\nb\nc'],
    ['TAB stays', 'a\tb', 'a\tb'],
  ])('characters of a body: %s', async (_name, body, shown) => {
    const own = await ownDoor();
    const { id } = approvalIn(await own.call('POST', '/v1/messages', { body: own.letter({ body }) }));
    const { message } = await shownOf(own.server, id);
    expect(message?.says.text).toBe(shown);
  });

  it.each(['\u0000', '\u0007', '\u007f', '\ud800'])(
    'characters of a body: %j is refused',
    async (character) => {
      const { call, letter } = door();
      const answer = await call('POST', '/v1/messages', { body: letter({ body: `a${character}b` }) });
      expectFailure(answer, 400, 'invalid_arguments');
    },
  );

  it.each(['q=caf%e9', 'folder=%ff', 'q=%ED%A0%80', 'q=a&from=%C3'])(
    'a query that is not UTF-8 is refused, and not searched for as something else: %s',
    async (query) => {
      const { server } = door();
      const { json } = await sendBytes(
        server.port,
        `GET /v1/messages?${query} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${server.apiKey}\r\n\r\n`,
      );
      const field = query.includes('&') ? 'from' : query.split('=')[0];
      expect(json).toMatchObject({
        code: 'invalid_arguments',
        details: { errors: [{ field, rule: 'utf8' }] },
      });
    },
  );

  it.each(['q=caf%C3%A9', 'q=100%', 'q=%EF%BF%BD', 'q=a+b&&folder=inbox'])(
    'a query may be %s',
    async (query) => {
      expect((await door().call('GET', `/v1/messages?${query}`)).status).toBe(200);
    },
  );

  it('null for an optional argument or field counts as absent, and for a required one is refused', async () => {
    const { call, tool, key, letter } = door();
    const apiKey = await key();
    const { tools } = listed.parse((await call('GET', '/v1/tools', { key: apiKey })).json);
    expect(tools.length).toBeGreaterThan(20);
    for (const { name, inputSchema } of tools) {
      const names = Object.keys(inputSchema.properties);
      const fieldsOf = async (args: object) => {
        const answer = await tool(name, args, { key: apiKey });
        return new Set((refused.parse(answer.json).details?.errors ?? []).map(({ field }) => field));
      };
      const unset = await fieldsOf(Object.fromEntries(names.map((one) => [one, null])));
      expect([name, unset]).toEqual([name, await fieldsOf({})]);
      for (const one of inputSchema.required)
        expect([name, [...unset]]).toEqual([name, expect.arrayContaining([one])]);
    }
    const sent = await call('POST', '/v1/messages', { body: { ...letter(), purpose: null }, key: apiKey });
    expect(sent.status).toBe(202);
    const event = {
      title: 'Talk',
      start: '2030-01-07T10:00',
      duration_min: null,
      attendee: null,
      // Only the route has it: it chooses the tool.
      ...(goesThroughTools() ? {} : { proposed: null }),
    };
    expect((await call('POST', '/v1/events', { body: event, key: apiKey })).status).toBe(202);
    expectFailure(
      await call('POST', '/v1/messages', { body: { ...letter(), body: null }, key: apiKey }),
      400,
      'invalid_arguments',
    );
    expectFailure(await tool('get_me', { nonsense: null }, { key: apiKey }), 400, 'invalid_arguments');
  });

  it('HEAD is answered as GET, without a body, and Allow names it', async () => {
    const { server, key } = door();
    const apiKey = await key();
    const asked = (method: string, path: string) =>
      new Promise<IncomingMessage>((resolve, reject) => {
        const headers = { authorization: `Bearer ${apiKey}` };
        request({ port: server.port, host: '127.0.0.1', path, method, headers }, resolve)
          .on('error', reject)
          .end();
      });
    for (const path of ['/v1/me', '/v1/messages?limit=1', '/v1/openapi.json', '/healthz']) {
      const [get, head] = [await asked('GET', path), await asked('HEAD', path)];
      get.resume();
      expect([path, head.statusCode, head.headers['content-type']]).toEqual([
        path,
        200,
        get.headers['content-type'],
      ]);
      const parts: unknown[] = [];
      for await (const part of head) parts.push(part);
      expect(parts).toEqual([]);
    }
    const other = await asked('PUT', '/v1/messages');
    other.resume();
    expect([other.statusCode, other.headers.allow]).toEqual([405, 'GET, HEAD, POST']);
  });
});
