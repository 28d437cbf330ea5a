import { afterAll, beforeAll, expect, it } from 'vitest';
import { sandboxCalendar } from '../../../adapters/sandbox/calendar.ts';
import { type RestServer, restServer } from './rest-server.ts';
import { readWireBody } from './wire-body.ts';

// The routes of calendar events, through a plain HTTP client.

let server: RestServer;
/** Runs its changes at once. */
let key: string;

beforeAll(async () => {
  server = await restServer({ given: { calendar: sandboxCalendar({ samples: [] }) } });
  key = await server.key({ modes: { 'calendar:write': 'direct' } });
});
afterAll(() => server.stop());

async function call(method: string, path: string, body?: unknown, apiKey = key) {
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const json = readWireBody(await response.text());
  return { status: response.status, headers: response.headers, json };
}

const start = `${new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10)}T09:00`;
const done = (tool: string, action: string, id: unknown) => ({
  status: 'ok',
  executed: true,
  auto_approved: true,
  result: {
    approval: {
      tool,
      state: 'executed',
      result: { done: true, action, object_kind: 'event', object_id: id },
    },
  },
});

it('an event is created, changed, and cancelled', async () => {
  const made = await call('POST', '/v1/events', { title: 'Planning', start, proposed: false });
  expect([made.status, made.json]).toMatchObject([200, done('create_event', 'create', 1)]);
  const changed = await call('PATCH', '/v1/events/1', { title: 'Plans', duration_min: 60 });
  expect([changed.status, changed.json]).toMatchObject([200, done('update_event', 'update', 1)]);
  const { json } = await call('GET', '/v1/events');
  expect(json.result).toMatchObject({ events: [{ event_id: 1, title: 'Plans', status: 'confirmed' }] });
  const cancelled = await call('DELETE', '/v1/events/1');
  expect([cancelled.status, cancelled.json]).toMatchObject([200, done('cancel_event', 'cancel', 1)]);
  const again = await call('DELETE', '/v1/events/1');
  expect([again.status, again.json]).toMatchObject([
    404,
    { code: 'not_found', details: { reason: 'event' } },
  ]);
});

it('an event is proposed, and confirmed', async () => {
  const proposed = await call('POST', '/v1/events', { title: 'Coffee', start, proposed: true });
  expect([proposed.status, proposed.json]).toMatchObject([200, done('propose_event', 'propose', 2)]);
  const tentative = await call('GET', '/v1/events');
  expect(tentative.json.result).toMatchObject({ events: [{ event_id: 2, status: 'tentative' }] });
  const confirmed = await call('POST', '/v1/events/2/confirm');
  expect([confirmed.status, confirmed.json]).toMatchObject([200, done('confirm_event', 'confirm', 2)]);
});

it('a key that asks first is answered 202, with the address of its request', async () => {
  const { status, headers, json } = await call(
    'POST',
    '/v1/events',
    { title: 'Later', start },
    server.apiKey,
  );
  expect([status, json.status]).toEqual([202, 'pending_approval']);
  expect(headers.get('location')).toMatch(/^\/v1\/approvals\/apr_/);
});

it.each([
  ['POST', '/v1/events', { title: 'x', start, proposed: 'yes' }, 400, 'proposed'],
  ['POST', '/v1/events', { title: 'x' }, 400, 'start'],
  ['POST', '/v1/events', { title: 'x', start: `${start}Z` }, 400, 'start'],
  ['PATCH', '/v1/events/2', { status: 'confirmed' }, 400, 'status'],
  ['PATCH', '/v1/events/2', {}, 400, 'event_id'],
  ['PATCH', '/v1/events/0', { title: 'x' }, 400, 'event_id'],
  ['DELETE', '/v1/events/2147483648', undefined, 400, 'event_id'],
  ['DELETE', '/v1/events/first', undefined, 400, 'event_id'],
  ['DELETE', '/v1/events/2', { title: 'x' }, 400, 'title'],
] as const)('%s %s of %j is refused', async (method, path, body, status, field) => {
  const answer = await call(method, path, body);
  expect([answer.status, answer.json]).toMatchObject([
    status,
    { code: 'invalid_arguments', details: { errors: [{ field }] } },
  ]);
});

it.each([
  ['PUT', '/v1/events', 'GET, HEAD, POST'],
  ['GET', '/v1/events/2', 'DELETE, PATCH'],
  ['DELETE', '/v1/events/2/confirm', 'POST'],
])('%s %s is not allowed', async (method, path, allowed) => {
  const { status, headers } = await call(method, path);
  expect(status).toBe(405);
  expect(headers.get('allow')?.split(', ').toSorted().join(', ')).toBe(allowed);
});

it('a key without the permission is told its group', async () => {
  const reader = await server.key({ preset: 'read' });
  for (const [method, path, body] of [
    ['POST', '/v1/events', { title: 'x', start }],
    ['POST', '/v1/events', { title: 'x', start, proposed: true }],
    ['PATCH', '/v1/events/2', { title: 'x' }],
    ['DELETE', '/v1/events/2', undefined],
    ['POST', '/v1/events/2/confirm', undefined],
  ] as const) {
    const { status, json } = await call(method, path, body, reader);
    expect([status, json.details]).toEqual([403, { group: 'calendar:write' }]);
  }
});
