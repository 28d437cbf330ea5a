import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { newApiKey } from '../../core/keys/credential.ts';
import { sendRaw } from '../hosts/rest/raw-http.ts';
import {
  approvalIn,
  type Door,
  doorOf,
  expectFailure,
  FRIEND,
  LOST,
  ownDoor,
  REFUSED,
  resultIn,
} from './door.ts';
import { section } from './sections.ts';

// Authentication and versioning.

const DAY_MS = 24 * 60 * 60_000;
const door = doorOf();

async function works({ call }: Door, key: string): Promise<boolean> {
  const { status, json } = await call('GET', '/v1/me', { key });
  if (status !== 200) expect({ status, code: json.code }).toEqual({ status: 401, code: 'invalid_token' });
  return status === 200;
}

section('Authentication', () => {
  it('1. a key starts with svc_pat_, and its presets match the names in the dashboard', async () => {
    const { call, key } = door();
    const modesOf = async (preset: 'read' | 'organise' | 'full') => {
      const apiKey = await key({ preset });
      expect(apiKey).toMatch(/^svc_pat_[0-9A-Za-z]+$/);
      const { json } = await call('GET', '/v1/me', { key: apiKey });
      return (json.permissions as { groups: Record<string, string> }).groups;
    };
    const off = {
      'mail:send': 'off',
      'mail:reply': 'off',
      'calendar:write': 'off',
      'trackers:remove': 'off',
    };
    const read = { 'mail:read': 'on', 'calendar:read': 'on', 'trackers:read': 'on' };
    const small = { 'mail:organize': 'direct', 'trackers:write': 'direct', 'mail:manage': 'approval' };
    expect(await modesOf('read')).toEqual({
      ...read,
      ...off,
      'mail:organize': 'off',
      'trackers:write': 'off',
      'mail:manage': 'off',
    });
    expect(await modesOf('organise')).toEqual({ ...read, ...off, ...small });
    expect(await modesOf('full')).toEqual({
      ...read,
      ...small,
      'mail:send': 'approval',
      'mail:reply': 'approval',
      'calendar:write': 'approval',
      'trackers:remove': 'approval',
    });
  });

  it.each([
    ['in the query', (key: string) => `/v1/me?api_key=${key}`],
    ['in the path', (key: string) => `/v1/messages/${key}`],
    ['encoded', (key: string) => `/v1/me?k=${key.replaceAll('_', '%5F')}`],
    ['on an unknown route', (key: string) => `/elsewhere?k=${key}`],
  ])('2. a key in a URL, %s: 400 token_in_url, and it is revoked', async (_name, target) => {
    const { call, key } = door();
    const apiKey = await key();
    expectFailure(await call('GET', target(apiKey), { key: apiKey }), 400, 'token_in_url');
    expect(await works(door(), apiKey)).toBe(false);
  });

  it.each([
    ['missing', ''],
    ['of another scheme', 'Basic abc'],
    ['malformed', 'Bearer svc_pat_x'],
    ['unknown', `Bearer ${newApiKey(randomBytes)}`],
  ])('3. a key that is %s: 401 invalid_token', async (_name, authorization) => {
    const answer = await door().call('GET', '/v1/me', { headers: { authorization } });
    expectFailure(answer, 401, 'invalid_token');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('3. a key that is revoked: 401', async () => {
    const { server } = door();
    const { service, ownerId } = server;
    const { keyId, apiKey } = await service.keys.create({ ownerId, name: 'k', preset: 'read' });
    expect(await works(door(), apiKey)).toBe(true);
    await service.keys.revoke(ownerId, keyId);
    expect(await works(door(), apiKey)).toBe(false);
  });

  it("4. a key reaches only its own user's data", async () => {
    const own = await ownDoor();
    const { service } = own.server;
    const { ownerId } = await service.owners.create({ email: 'eve@example.org' });
    const other = await own.key({ ownerId });
    const id = await own.deliver();
    const request = approvalIn(await own.call('POST', '/v1/messages', { body: own.letter() })).id;
    expectFailure(await own.call('GET', '/v1/messages', { key: other }), 409, 'no_mail_account_connected');
    expectFailure(await own.call('GET', `/v1/messages/${id}`, { key: other }), 404, 'not_found');
    expectFailure(await own.call('GET', `/v1/approvals/${request}`, { key: other }), 404, 'not_found');
    expect((await own.call('GET', '/v1/approvals?state=all', { key: other })).json.approvals).toEqual([]);
  });

  it('4., 8. no route approves, rejects, or changes what a key may do', async () => {
    const { call, letter } = door();
    const { id } = approvalIn(await call('POST', '/v1/messages', { body: letter() }));
    for (const [method, path] of [
      ['POST', `/v1/approvals/${id}/approve`],
      ['POST', `/v1/approvals/${id}/reject`],
      ['POST', '/v1/tools/approve'],
      ['POST', '/v1/keys'],
    ] as const) {
      expect((await call(method, path, { body: { arguments: {} } })).status).toBe(404);
    }
    for (const [method, path] of [
      ['PATCH', '/v1/me'],
      ['PATCH', `/v1/approvals/${id}`],
      ['DELETE', `/v1/approvals/${id}`],
    ] as const) {
      expect((await call(method, path)).status).toBe(405);
    }
  });

  it('5. keys expire: after 90 days by default, after at most 180', async () => {
    const own = await ownDoor();
    const { service, ownerId } = own.server;
    const create = async (days?: number) =>
      (
        await service.keys.create({
          ownerId,
          name: 'k',
          preset: 'read',
          ...(days === undefined ? {} : { days }),
        })
      ).apiKey;
    const [plain, longest] = [await create(), await create(180)];
    await expect(create(181)).rejects.toMatchObject({ code: 'invalid_arguments' });
    await expect(create(0)).rejects.toMatchObject({ code: 'invalid_arguments' });
    own.clock.shift(90 * DAY_MS - 60_000);
    expect([await works(own, plain), await works(own, longest)]).toEqual([true, true]);
    own.clock.shift(60_000);
    expect([await works(own, plain), await works(own, longest)]).toEqual([false, true]);
    own.clock.shift(90 * DAY_MS);
    expect(await works(own, longest)).toBe(false);
  });

  it('5. rotation leaves the old key working for 24 hours', async () => {
    const own = await ownDoor();
    const { service, ownerId } = own.server;
    const { keyId, apiKey: old } = await service.keys.create({ ownerId, name: 'k', preset: 'read' });
    const { apiKey: fresh } = await service.keys.rotate(ownerId, keyId);
    own.clock.shift(DAY_MS - 60_000);
    expect([await works(own, old), await works(own, fresh)]).toEqual([true, true]);
    own.clock.shift(60_000);
    expect([await works(own, old), await works(own, fresh)]).toEqual([false, true]);
  });

  it.each(['https://page.example', 'null'])('6. the browser origin %s: 403', async (origin) => {
    const { server } = door();
    const answer = await sendRaw(server.port, {
      method: 'GET',
      target: '/v1/me',
      headers: [
        ['Host', `127.0.0.1:${server.port}`],
        ['Authorization', `Bearer ${server.apiKey}`],
        ['Origin', origin],
      ],
      body: '',
    });
    expect(answer).toMatchObject({ status: 403, json: { code: 'origin_not_allowed' } });
  });

  it('6. another host: 421', async () => {
    const { server } = door();
    const answer = await sendRaw(server.port, {
      method: 'GET',
      target: '/v1/me',
      headers: [
        ['Host', 'elsewhere.example'],
        ['Authorization', `Bearer ${server.apiKey}`],
      ],
      body: '',
    });
    expect(answer).toMatchObject({
      status: 421,
      json: { error: 'misdirected_request', code: 'misdirected_request' },
    });
  });

  it('8. no answer contains a link that approves', async () => {
    const { call, letter } = door();
    const { json, text } = await call('POST', '/v1/messages', { body: letter() });
    expect(json.approvals_url).toBe('http://127.0.0.1:1/approvals');
    expect(text.match(/https?:/g)).toHaveLength(1);
  });
});

section('Versioning', () => {
  it('1. the version is in the path, and the description says 1.0.0', async () => {
    const { json } = await door().call('GET', '/v1/openapi.json');
    expect(json.info).toMatchObject({ version: '1.0.0' });
    expect(Object.keys(json.paths as object).every((path) => path.startsWith('/v1/'))).toBe(true);
  });

  it('3. the description of a tool, its listing and its route share one schema', async () => {
    const { json: listed } = await door().call('GET', '/v1/tools');
    const { json } = await door().call('GET', '/v1/openapi.json');
    const { inputSchema } = (listed.tools as { name: string; inputSchema: unknown }[]).find(
      ({ name }) => name === 'send_email',
    ) ?? { inputSchema: undefined };
    const paths = json.paths as Record<
      string,
      Record<string, { requestBody: { content: Record<string, { schema: unknown }> } }>
    >;
    const body = paths['/v1/messages']?.post?.requestBody.content['application/json']?.schema;
    expect(body).toEqual({ $ref: '#/components/schemas/SendEmailArguments' });
    const { schemas } = json.components as { schemas: Record<string, unknown> };
    expect(schemas.SendEmailArguments).toEqual(inputSchema);
  });

  it('5. a tool may move to a stricter mode at any time: its next call returns 202', async () => {
    const own = await ownDoor();
    const { service, ownerId } = own.server;
    const { keyId, apiKey } = await service.keys.create({ ownerId, name: 'k', preset: 'organise' });
    const mark = async () =>
      own.call('POST', `/v1/messages/${await own.deliver()}/mark-read`, { key: apiKey });
    expect((await mark()).status).toBe(200);
    await service.keys.setModes(ownerId, keyId, { 'mail:organize': 'approval' });
    expect((await mark()).status).toBe(202);
  });

  it('6. the description lists the webhook events', async () => {
    const { json } = await door().call('GET', '/v1/openapi.json', { headers: { authorization: '' } });
    expect(Object.keys(json.webhooks as object)).toEqual([
      'message.received',
      'approval.decided',
      'webhook.test',
    ]);
  });
});

section('Events', () => {
  it("the owner's decision, and how it ends, become events with ids only", async () => {
    const own = await ownDoor();
    const { service, ownerId } = own.server;
    const { id } = approvalIn(await own.call('POST', '/v1/messages', { body: own.letter() }));
    await own.approve(id);
    const events = await service.owners.events(ownerId, 0, 10);
    expect(events.map(({ type, data }) => ({ type, data }))).toEqual(
      ['approved', 'executed'].map((state) => ({
        type: 'approval.decided',
        data: { approval_id: id, state, account_id: 1 },
      })),
    );
  });

  it.each([
    ['rejected', FRIEND, ['rejected']],
    ['failed', REFUSED, ['approved', 'failed']],
    ['outcome_unknown', LOST, ['approved', 'outcome_unknown']],
  ])('a request that ends %s is an event', async (state, to, states) => {
    const own = await ownDoor();
    const { service, ownerId } = own.server;
    const { id } = approvalIn(await own.call('POST', '/v1/messages', { body: own.letter({ to: [to] }) }));
    await (state === 'rejected' ? own.reject(id) : own.approve(id));
    const events = await service.owners.events(ownerId, 0, 10);
    expect(events.map(({ data }) => data)).toMatchObject(
      states.map((each) => ({ approval_id: id, state: each })),
    );
  });

  it('a run by policy emits only its end; an expired or cancelled request emits nothing', async () => {
    const own = await ownDoor();
    const { service, ownerId } = own.server;
    const key = await own.key({ modes: { 'mail:send': 'direct' } });
    await own.call('POST', '/v1/messages', { body: own.letter(), key });
    const { id } = approvalIn(await own.call('POST', '/v1/messages', { body: own.letter() }));
    await own.call('POST', `/v1/approvals/${id}/cancel`);
    await own.call('POST', '/v1/messages', { body: own.letter() });
    own.clock.shift(DAY_MS);
    await service.recover();
    const events = await service.owners.events(ownerId, 0, 10);
    expect(events.map(({ data }) => data)).toMatchObject([{ state: 'executed' }]);
  });

  it('an id in the description is an id that the same key can read', async () => {
    const { call, deliver } = door();
    expect(resultIn(await call('GET', `/v1/messages/${await deliver()}`)).account_id).toBe(1);
  });
});
