import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RestServer, restServer } from './rest-server.ts';
import { approvalIdIn, firstMessageIn, readWireBody } from './wire-body.ts';

// The routes of trackers, through a plain HTTP client.

let server: RestServer;
let messageId: string;
/** Every change runs at once. */
let direct: string;
/** Every change asks first. */
let asking: string;

beforeAll(async () => {
  server = await restServer();
  direct = await server.key({ modes: { 'trackers:remove': 'direct' } });
  asking = await server.key({ modes: { 'trackers:write': 'approval' } });
  messageId = firstMessageIn((await call('GET', '/v1/messages?limit=1')).json).id;
});
afterAll(() => server.stop());

interface Wanted {
  body?: unknown;
  key?: string;
  idempotencyKey?: string;
}

async function call(method: string, path: string, { body, key = direct, idempotencyKey }: Wanted = {}) {
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const { status, headers } = response;
  return { status, headers, json: readWireBody(await response.text()) };
}

/** A new tracker. @returns its path */
async function made(body: object = { title: 'Atlas' }): Promise<string> {
  const { status, headers } = await call('POST', '/v1/trackers', { body });
  expect(status).toBe(201);
  return headers.get('location') ?? '';
}

describe('GET /v1/trackers and the tracker that POST made', () => {
  it('shows it with its links at the address of the 201', async () => {
    const path = await made({ title: 'Atlas', keywords: 'atlas, launch', due: '2026-12-01' });
    const { status, json } = await call('GET', path);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      status: 'ok',
      result: {
        title: 'Atlas',
        status: 'open',
        importance: 'normal',
        keywords: 'atlas, launch',
        due_at: '2026-12-01T23:59:59+00:00',
        summary_source_count: 0,
        resolved_at: null,
        added_by_agent: true,
        links: [],
        total: 0,
        returned: 0,
        untrusted_fields: ['title', 'keywords', 'summary', 'next_action'],
      },
    });
    const list = await call('GET', '/v1/trackers');
    expect(list.status).toBe(200);
    expect(list.json.result).toMatchObject({ trackers: [{ title: 'Atlas' }], total: 1, returned: 1 });
  });

  it.each([
    ['/v1/trackers?state=all', 'state'],
    ['/v1/trackers?cursor=x', 'cursor'],
    ['/v1/trackers/0', 'tracker_id'],
    ['/v1/trackers/2147483648', 'tracker_id'],
    ['/v1/trackers/one', 'tracker_id'],
    ['/v1/trackers/1.0', 'tracker_id'],
    ['/v1/trackers/1?limit=3', 'limit'],
  ])('refuses %s', async (path, field) => {
    const { status, json } = await call('GET', path);
    expect(status).toBe(400);
    expect(json.code).toBe('invalid_arguments');
    expect(json.details?.errors?.map((error) => error.field)).toContain(field);
  });

  it('does not find a tracker that does not exist', async () => {
    for (const path of ['/v1/trackers/99', '/v1/trackers/2147483647']) {
      expect(await call('GET', path)).toMatchObject({
        status: 404,
        json: { code: 'not_found', details: { reason: 'tracker' } },
      });
    }
  });

  it('allows no other methods', async () => {
    const answer = await call('DELETE', '/v1/trackers/1');
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET, HEAD, PATCH');
  });
});

describe('PATCH /v1/trackers/{tracker_id}', () => {
  it.each(['waiting', 'open', 'resolved', 'resolved', 'waiting'])('sets %s', async (wanted) => {
    const path = await made();
    const { status, json } = await call('PATCH', path, { body: { status: wanted } });
    expect(status).toBe(200);
    expect(json).toEqual({
      status: 'ok',
      executed: true,
      auto_approved: true,
      result: { tracker_id: Number(path.split('/').at(-1)), status: wanted },
    });
    expect((await call('GET', path)).json.result).toMatchObject({ status: wanted });
  });

  it('is another tool, with another permission, if it resolves the tracker', async () => {
    const path = await made();
    const filed = await call('PATCH', path, { body: { status: 'resolved' }, key: server.apiKey });
    expect(filed).toMatchObject({
      status: 202,
      json: { approval: { tool: 'resolve_tracker', action: 'resolve', state: 'pending' } },
    });
    expect(filed.headers.get('location')).toBe(`/v1/approvals/${approvalIdIn(filed.json)}`);
    const key = await server.key({ modes: { 'trackers:remove': 'off' } });
    expect(await call('PATCH', path, { body: { status: 'resolved' }, key })).toMatchObject({
      status: 403,
      json: { code: 'not_permitted', details: { group: 'trackers:remove' } },
    });
    expect((await call('PATCH', path, { body: { status: 'waiting' }, key })).status).toBe(200);
    const writes = await call('PATCH', path, { body: { status: 'waiting' }, key: asking });
    expect(writes.json.approval).toMatchObject({ tool: 'set_tracker_status' });
    expect(writes.json.approval).not.toHaveProperty('action');
  });

  it.each([
    [{}, 'status'],
    [{ status: 'closed' }, 'status'],
    [{ status: null }, 'status'],
    [{ status: ['resolved'] }, 'status'],
    [{ status: 'open', title: 'x' }, 'title'],
    [{ status: 'resolved', title: 'x' }, 'title'],
    [{ status: 'resolved', tracker_id: 1 }, 'body.tracker_id'],
  ])('refuses %j', async (body, field) => {
    const { status, json } = await call('PATCH', await made(), { body });
    expect(status).toBe(400);
    expect(json.details?.errors?.map((error) => error.field)).toContain(field);
  });

  it('requires a body', async () => {
    expect((await call('PATCH', await made())).status).toBeGreaterThanOrEqual(400);
  });
});

describe('POST /v1/trackers/{tracker_id}/notes', () => {
  it('adds a note, once for an Idempotency-Key', async () => {
    const path = await made();
    const wanted = { body: { note: 'Call Maya' }, idempotencyKey: `note ${path}`.replaceAll(' ', '-') };
    const first = await call('POST', `${path}/notes`, wanted);
    expect(first.status).toBe(200);
    expect(first.json).toMatchObject({ executed: true, result: { kind: 'note' } });
    const again = await call('POST', `${path}/notes`, wanted);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.json).toEqual(first.json);
    expect((await call('GET', path)).json.result).toMatchObject({
      links: [{ kind: 'note', note: 'Call Maya', added_by: 'agent' }],
      total: 1,
    });
    const other = await call('POST', `${path}/notes`, { ...wanted, body: { note: 'Other' } });
    expect(other).toMatchObject({ status: 422, json: { code: 'idempotency_key_reused' } });
  });

  it('files a request if the key has to ask first', async () => {
    const path = await made();
    const filed = await call('POST', `${path}/notes`, { body: { note: 'Call Maya' }, key: asking });
    expect(filed.status).toBe(202);
    expect(filed.json.approval).toMatchObject({ tool: 'add_tracker_note', state: 'pending' });
    const more = await call('POST', `${path}/notes`, { body: { note: 'Another' }, key: asking });
    expect(more).toMatchObject({
      status: 409,
      json: { code: 'pending_exists_for_target', details: { approval_id: approvalIdIn(filed.json) } },
    });
    expect((await call('GET', path)).json.result).toMatchObject({ total: 0 });
  });

  it.each([{}, { note: '' }, { note: 'n'.repeat(10_001) }, { note: 'a\u0000' }, { note: 'a', kind: 'note' }])(
    'refuses a bad note',
    async (body) => {
      expect((await call('POST', `${await made()}/notes`, { body })).json.code).toBe('invalid_arguments');
    },
  );

  it('takes 10,000 characters', async () => {
    const path = await made();
    expect((await call('POST', `${path}/notes`, { body: { note: '😀'.repeat(10_000) } })).status).toBe(200);
  });
});

describe('POST /v1/trackers/{tracker_id}/links', () => {
  it('links a message', async () => {
    const path = await made();
    const { status, json } = await call('POST', `${path}/links`, { body: { message_id: messageId } });
    expect(status).toBe(200);
    expect(json.result).toMatchObject({ id: messageId, linked: true });
    expect((await call('GET', path)).json.result).toMatchObject({ links: [{ kind: 'mail', id: messageId }] });
  });

  it('links an event by another tool', async () => {
    const path = await made();
    expect(await call('POST', `${path}/links`, { body: { event_id: 2_147_483_647 } })).toMatchObject({
      status: 404,
      json: { code: 'not_found', details: { reason: 'event' } },
    });
  });

  it.each([
    [{}, 'invalid_arguments'],
    [{ message_id: 'm1_A', event_id: 1 }, 'invalid_arguments'],
    [{ message_id: 'nonsense' }, 'invalid_message_id'],
    [{ message_id: 'm1_AAAA' }, 'invalid_message_id'],
    [{ message_id: 7 }, 'invalid_arguments'],
    [{ event_id: 0 }, 'invalid_arguments'],
    [{ event_id: 2_147_483_648 }, 'invalid_arguments'],
    [{ event_id: '1' }, 'invalid_arguments'],
    [{ event_id: 1, note: 'x' }, 'invalid_arguments'],
  ])('refuses %j', async (body, code) => {
    const answer = await call('POST', `${await made()}/links`, { body });
    expect([answer.status, answer.json.code]).toEqual([400, code]);
  });

  it('does not find a tracker of another owner', async () => {
    const path = await made();
    const { ownerId } = await server.service.owners.create({ email: 'eve@example.org' });
    const key = await server.key({ ownerId, modes: { 'trackers:remove': 'direct' } });
    const gone = { status: 404, json: { code: 'not_found', details: { reason: 'tracker' } } };
    expect(await call('GET', path, { key })).toMatchObject(gone);
    expect(await call('PATCH', path, { key, body: { status: 'open' } })).toMatchObject(gone);
    expect(await call('PATCH', path, { key, body: { status: 'resolved' } })).toMatchObject(gone);
    expect(await call('POST', `${path}/notes`, { key, body: { note: 'x' } })).toMatchObject(gone);
    expect(await call('POST', `${path}/links`, { key, body: { message_id: messageId } })).toMatchObject(gone);
    expect(await call('POST', `${path}/links`, { key, body: { event_id: 1 } })).toMatchObject(gone);
  });
});
