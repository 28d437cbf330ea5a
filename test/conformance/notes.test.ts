import { type IncomingMessage, request } from 'node:http';
import { expect, it } from 'vitest';
import { shownOf } from '../core/scene.ts';
import { sendBytes } from '../hosts/rest/raw-http.ts';
import { approvalIn, doorOf, expectFailure, ownDoor } from './door.ts';
import { section } from './sections.ts';

// What the notes say of requests: the order of refusals, bodies, envelopes, characters.

const door = doorOf();

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

  it('no route has the method HEAD', async () => {
    const { server } = door();
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request({ port: server.port, host: '127.0.0.1', path: '/v1/me', method: 'HEAD' }, resolve)
        .on('error', reject)
        .end();
    });
    expect({ status: response.statusCode, allow: response.headers.allow }).toEqual({
      status: 405,
      allow: 'GET',
    });
    response.resume();
  });
});
