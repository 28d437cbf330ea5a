import { expect, it } from 'vitest';
import { ROUTES } from '../../hosts/rest/routes.ts';
import { sendRaw } from '../hosts/rest/raw-http.ts';
import { approvalIn, doorOf, expectFailure, FRIEND, refusedFields, resultIn } from './door.ts';
import { section } from './sections.ts';

// Endpoints: the rules of all routes; Meta, approvals, accounts and folders.

const someText: unknown = expect.stringMatching(/\S/);
const door = doorOf();

section('Endpoints: Common rules', () => {
  it.each([1, 255])('an Idempotency-Key of %i characters is accepted', async (length) => {
    const { call, letter } = door();
    const answer = await call('POST', '/v1/messages', {
      body: letter(),
      idempotencyKey: `${length}-`.padEnd(length, 'k').slice(0, length),
    });
    expect(answer.status).toBe(202);
  });

  it.each(['x'.repeat(256), 'has space', 'caf\u00e9'])(
    'an Idempotency-Key like %j is refused',
    async (idempotencyKey) => {
      const { call, letter } = door();
      expectFailure(
        await call('POST', '/v1/messages', { body: letter(), idempotencyKey }),
        400,
        'invalid_idempotency_key',
      );
    },
  );

  it('a body of 256 KB is read; one byte more is refused with the limit', async () => {
    const { call } = door();
    const frame = JSON.stringify({ body: '' }).length;
    const within = await call('POST', '/v1/messages', { body: { body: 'x'.repeat(262_144 - frame) } });
    expect(refusedFields(within)).toContain('body');
    const over = await call('POST', '/v1/messages', { body: { body: 'x'.repeat(262_145 - frame) } });
    expectFailure(over, 413, 'payload_too_large', { max_bytes: 262_144 });
  });

  it('a body of another media type is refused', async () => {
    const { call, letter } = door();
    const headers = { 'content-type': 'text/plain' };
    expectFailure(
      await call('POST', '/v1/messages', { body: letter(), headers }),
      415,
      'unsupported_media_type',
    );
  });

  // Each from its own address: callers without a key share the budget of their address.
  const OPERATIONS = ROUTES.filter(({ call }) => call !== 'describe').map(
    ({ method, path }, n) => [method, path, `198.51.100.${n}`] as const,
  );

  it.each(OPERATIONS)('%s %s needs a key, and a body in the right form', async (method, path, from) => {
    const { server } = door();
    const ask = async (headers: Readonly<Record<string, string>>, body = '') => {
      const given: Record<string, string> = {
        Host: `127.0.0.1:${server.port}`,
        Authorization: `Bearer ${server.apiKey}`,
        'X-Forwarded-For': from,
        ...headers,
      };
      const target = path
        .replace(/\{\w*id\}/, '1')
        .replace('{name}', 'get_me')
        .replace('{index}', '0');
      const answer = await sendRaw(server.port, { method, target, headers: Object.entries(given), body });
      return `${answer.status} ${answer.json.code}`;
    };
    const json = 'application/json';
    expect(await ask({ Authorization: '' })).toBe('401 invalid_token');
    expect(await ask({ 'Transfer-Encoding': 'chunked', 'Content-Type': json }, '0\r\n\r\n')).toBe(
      '411 length_required',
    );
    expect(await ask({ 'Content-Length': '262145', 'Content-Type': json })).toBe('413 payload_too_large');
    expect(await ask({ 'Content-Length': '2', 'Content-Type': 'text/plain' }, '{}')).toBe(
      '415 unsupported_media_type',
    );
    if (method === 'GET') return;
    const badKey = { 'Content-Length': '2', 'Content-Type': json, 'Idempotency-Key': 'has space' };
    expect(await ask(badKey, '{}')).toBe('400 invalid_idempotency_key');
  });

  const WRITES: [path: string, body: object][] = [
    ['/v1/messages', { to: [FRIEND], subject: 'x', body: 'x' }],
    ['/v1/messages/{id}/reply', { body: 'x' }],
    ['/v1/messages/{id}/forward', { to: [FRIEND] }],
    ['/v1/messages/{id}/archive', {}],
    ['/v1/messages/{id}/trash', {}],
    ['/v1/messages/{id}/move', { target_folder: 'Archive' }],
    ['/v1/messages/{id}/label', { label: 'Bills' }],
    ['/v1/messages/{id}/mark-read', {}],
    ['/v1/messages/{id}/mark-unread', {}],
    ['/v1/messages/{id}/flag', {}],
    ['/v1/approvals/apr_x/cancel', {}],
    ['/v1/tools/get_me', { arguments: {} }],
    ['/v1/events', { title: 'x', start: '2027-01-04T09:00' }],
    ['/v1/trackers', { title: 'x' }],
    ['/v1/trackers/1/notes', { note: 'x' }],
    ['/v1/trackers/1/links', { event_id: 1 }],
  ];

  it.each(WRITES)('%s refuses unknown properties', async (path, body) => {
    const { call, deliver } = door();
    const at = path.includes('{id}') ? path.replace('{id}', await deliver()) : path;
    const refused = refusedFields(await call('POST', at, { body: { ...body, colour: 'red' } }));
    expect(refused.join()).toMatch(/colour/);
  });

  it.each(WRITES)('%s refuses a body that is not a JSON object', async (path) => {
    const { call, deliver } = door();
    const at = path.includes('{id}') ? path.replace('{id}', await deliver()) : path;
    expect(refusedFields(await call('POST', at, { body: ['list'] }))).toEqual(['']);
  });
});

section('Endpoints: Meta', () => {
  it('GET /v1/tools lists the tools that the key may use, each with its schema', async () => {
    const { status, json } = await door().call('GET', '/v1/tools');
    expect(status).toBe(200);
    expect(Object.keys(json)).toEqual(['tools']);
    for (const tool of json.tools as object[]) {
      expect(tool).toEqual({
        name: expect.stringMatching(/^[a-z_]{1,64}$/) as unknown,
        title: someText,
        description: someText,
        inputSchema: expect.objectContaining({ type: 'object', additionalProperties: false }) as unknown,
        annotations: expect.objectContaining({ readOnlyHint: expect.any(Boolean) as unknown }) as unknown,
      });
    }
  });

  it('GET /v1/tools leaves out the tools of groups that are off', async () => {
    const { call, key } = door();
    const names = async (apiKey: string) =>
      ((await call('GET', '/v1/tools', { key: apiKey })).json.tools as { name: string }[]).map(
        ({ name }) => name,
      );
    const all = await names(door().server.apiKey);
    const reads = await names(await key({ preset: 'read' }));
    expect(all).toEqual(expect.arrayContaining([...reads, 'send_email', 'archive_email']));
    expect(reads).toEqual(expect.arrayContaining(['get_me', 'get_email', 'list_events', 'cancel_approval']));
    expect(reads).not.toEqual(expect.arrayContaining(['send_email']));
  });

  it('only reads have the read-only hint', async () => {
    const { json } = await door().call('GET', '/v1/tools');
    const hints = (json.tools as { name: string; annotations: { readOnlyHint: boolean } }[]).map(
      ({ name, annotations }) => [name, annotations.readOnlyHint] as const,
    );
    const reading = /^(get|list|search|summarize|read)_/;
    expect(hints.filter(([name, isRead]) => isRead !== reading.test(name))).toEqual([]);
  });

  it('POST /v1/tools/{name} calls the tool', async () => {
    expect(await door().tool('list_accounts')).toMatchObject({ status: 200, json: { status: 'ok' } });
    const { letter, tool } = door();
    expect(await tool('send_email', letter())).toMatchObject({ status: 202 });
  });

  it.each(['no_such_tool', 'x'.repeat(64), 'x'.repeat(65)])('POST /v1/tools/%s: 404', async (name) => {
    const answer = await door().tool(name);
    expectFailure(answer, 404, 'not_found', { reason: 'tool' });
    expect(answer.json.error).toBe('not_found');
  });

  it('POST /v1/tools/{name} needs arguments as an object', async () => {
    const { call } = door();
    expect(refusedFields(await call('POST', '/v1/tools/get_me', { body: {} }))).toEqual(['']);
    expect(refusedFields(await call('POST', '/v1/tools/get_me', { body: { arguments: 'x' } }))).toEqual(['']);
    const more = { arguments: {}, name: 'get_me' };
    expect(refusedFields(await call('POST', '/v1/tools/get_me', { body: more }))).toEqual(['body.name']);
  });

  it.each([64, 65])(
    'POST /v1/tools/{name} with an unknown name of %i characters: not found',
    async (length) => {
      const answer = await door().tool('x'.repeat(length));
      expectFailure(answer, 404, 'not_found', { reason: 'tool' });
    },
  );

  it.each([
    ['/v1/trackers/', 'a slash at the end'],
    ['//v1/me', 'an extra slash'],
    ['/V1/me', 'in another case'],
    ['/v1/messages/%zz', 'an invalid escape'],
    ['/v1/messages/a%2Fattachments', 'a slash inside a segment'],
  ])('GET %s: %s', async (path) => {
    const answer = await door().call('GET', path);
    if (path.includes('%2F')) expectFailure(answer, 400, 'invalid_message_id');
    else expectFailure(answer, 404, 'not_found', { reason: 'route' });
  });

  it('GET /v1/openapi.json needs no key', async () => {
    const answer = await door().call('GET', '/v1/openapi.json', { headers: { authorization: '' } });
    expect(answer).toMatchObject({ status: 200, json: { openapi: '3.1.0', info: { version: '1.0.0' } } });
  });

  it.each(['/v1/me', '/v1/tools', '/v1/approvals', '/v1/approvals/apr_x'])(
    'GET %s: failures also have an error field',
    async (path) => {
      const answer = await door().call('GET', path, { key: 'svc_pat_nobody' });
      expect(answer).toMatchObject({
        status: 401,
        json: { error: 'invalid_token', status: 'error', code: 'invalid_token', message: someText },
      });
    },
  );
});

section('Endpoints: Approvals', () => {
  it('the list is bare, newest first, of this key only, and of open ones by default', async () => {
    const { call, clock, letter, key, reject } = door();
    const own = await key();
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) {
      ids.unshift(approvalIn(await call('POST', '/v1/messages', { body: letter(), key: own })).id);
      // No two at the same time.
      clock.shift(1);
    }
    await call('POST', '/v1/messages', { body: letter() });
    await reject(ids[1] ?? '');
    const list = async (query: string) => {
      const { status, json } = await call('GET', `/v1/approvals${query}`, { key: own });
      expect(status).toBe(200);
      return { ...json, approvals: (json.approvals as { id: string }[]).map(({ id }) => id) };
    };
    expect(await list('')).toEqual({ approvals: [ids[0], ids[2]], returned: 2, has_more: false });
    expect(await list('?state=open')).toEqual({ approvals: [ids[0], ids[2]], returned: 2, has_more: false });
    expect(await list('?state=all')).toEqual({ approvals: ids, returned: 3, has_more: false });
    const page = await list('?state=all&limit=2');
    expect(page).toEqual({ approvals: ids.slice(0, 2), returned: 2, has_more: true, next_cursor: someText });
    const cursor = 'next_cursor' in page ? String(page.next_cursor) : '';
    expect((await list(`?state=all&limit=2&cursor=${cursor}`)).approvals).toEqual(ids.slice(2));
  });

  it.each([
    ['state=pending', 'state'],
    ['limit=0', 'limit'],
    ['limit=51', 'limit'],
    ['limit=x', 'limit'],
    ['colour=red', 'colour'],
  ])('GET /v1/approvals?%s is refused', async (query, field) => {
    expect(refusedFields(await door().call('GET', `/v1/approvals?${query}`))).toContain(field);
  });

  it.each([1, 50])('GET /v1/approvals?limit=%i is accepted', async (limit) => {
    expect((await door().call('GET', `/v1/approvals?limit=${limit}`)).status).toBe(200);
  });

  it('one is 202 with its Location while it is pending, and 200 when it has ended', async () => {
    const { call, letter, approve } = door();
    const { id } = approvalIn(await call('POST', '/v1/messages', { body: letter() }));
    const waiting = await call('GET', `/v1/approvals/${id}`);
    expect(waiting).toMatchObject({
      status: 202,
      json: { status: 'pending_approval', approval: { id }, approvals_url: someText, poll_after_s: 15 },
    });
    expect(waiting.headers.get('location')).toBe(`/v1/approvals/${id}`);
    await approve(id);
    expect(await call('GET', `/v1/approvals/${id}`)).toMatchObject({
      status: 200,
      json: { executed: true, result: { approval: { id }, meaning: someText } },
    });
  });

  it('of another key is not found and cannot be cancelled', async () => {
    const { call, letter, key } = door();
    const { id } = approvalIn(await call('POST', '/v1/messages', { body: letter() }));
    const other = await key();
    expectFailure(await call('GET', `/v1/approvals/${id}`, { key: other }), 404, 'not_found', {
      reason: 'approval',
    });
    expectFailure(await call('POST', `/v1/approvals/${id}/cancel`, { key: other }), 404, 'not_found');
    expect((await call('GET', `/v1/approvals/${id}`)).status).toBe(202);
  });

  it('are permitted to a key with no permissions', async () => {
    const { call, key } = door();
    const modes = { 'mail:read': 'off', 'calendar:read': 'off', 'trackers:read': 'off' } as const;
    const none = await key({ preset: 'read', modes });
    expect((await call('GET', '/v1/approvals', { key: none })).status).toBe(200);
    expectFailure(await call('GET', '/v1/approvals/apr_x', { key: none }), 404, 'not_found');
    expect((await call('GET', '/v1/me', { key: none })).status).toBe(200);
  });
});

section('Endpoints: Accounts and folders', () => {
  it.each(['accounts', 'folders'])('GET /v1/%s', async (what) => {
    const result = resultIn(await door().call('GET', `/v1/${what}`));
    expect(result.returned).toBe((result[what] as unknown[]).length);
    expect(result).toMatchObject({ total: result.returned, has_more: false });
  });

  it('GET /v1/folders of one account, or of one that does not exist', async () => {
    expect((await door().call('GET', '/v1/folders?account_id=1')).status).toBe(200);
    expectFailure(await door().call('GET', '/v1/folders?account_id=7'), 404, 'not_found', {
      reason: 'account',
    });
  });
});
