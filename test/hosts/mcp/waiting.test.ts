import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import type { Answer } from '../../../core/gate/tool-call.ts';
import { systemClock } from '../../../hosts/embedded/system-clock.ts';
import { type RestServer, restServer } from '../rest/rest-server.ts';

// `wait_s` of get_approval through both doors. No wait of these tests ends by its time and no poll finds anything,
// unless the test says so: only a notice, or what the test does, ends a wait.

const LONG_MS = 3_600_000;
const POLL_MS = 2000;

let pollMs = LONG_MS;
const answers: Promise<Answer>[] = [];
let folder: string;
let server: RestServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-waiting-'));
  server = await restServer({
    limits: { filedPerDay: 1000, waitingPerKey: 1000, waitingPerOwner: 1000, concurrentCalls: 2 },
    given: {
      storage: sqliteStorage({ file: join(folder, 'test.db') }),
      clock: {
        ...systemClock,
        every: (ms, task) => systemClock.every(ms === POLL_MS ? pollMs : ms, task),
        after: (ms, task) => systemClock.after(ms === 25_000 ? LONG_MS : ms, task),
      },
    },
    between: (service) => ({
      ...service,
      calls: {
        ...service.calls,
        runTool(caller, call) {
          const answer = service.calls.runTool(caller, call);
          answers.push(answer);
          return answer;
        },
      },
    }),
  });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const pending = z.looseObject({ approval: z.looseObject({ id: z.string() }) });
let letters = 0;

async function rest(
  path: string,
  { key = server.apiKey, body, ...init }: RequestInit & { key?: string } = {},
) {
  return fetch(`http://127.0.0.1:${server.port}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body }),
  });
}

/** Files a request. @returns its id */
async function filed(key = server.apiKey): Promise<string> {
  letters += 1;
  const body = JSON.stringify({ to: ['ada@example.org'], subject: `Letter ${letters}`, body: 'Hello.' });
  return pending.parse(await (await rest('/v1/messages', { key, body })).json()).approval.id;
}

/** Resolves when `count` calls that wait are recorded: they hold no slot from then on. */
async function recorded(count = 1): Promise<void> {
  const reads = async () => {
    const calls = (await server.service.owners.activity(server.ownerId, { limit: 50 })).entries.filter(
      ({ kind }) => kind === 'call',
    );
    const filing = calls.findIndex(({ tool }) => tool === 'send_email');
    return calls.slice(0, filing).filter(({ tool }) => tool === 'get_approval').length;
  };
  await expect.poll(reads).toBe(count);
}

function deferred() {
  let resolve = (_value: unknown): void => {};
  const promise = new Promise<unknown>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

describe('GET /v1/approvals/{id} with wait_s', () => {
  it('answers as soon as the owner decides, and is recorded before it waits', async () => {
    const id = await filed();
    const waiting = rest(`/v1/approvals/${id}?wait_s=25`);
    await recorded();
    await server.service.approvals.reject(server.ownerId, id);
    const response = await waiting;
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      executed: false,
      result: { approval: { id, state: 'rejected' } },
    });
    await recorded();
  });

  it('answers when a request is executed, and not already when it is approved', async () => {
    const id = await filed();
    const waiting = rest(`/v1/approvals/${id}?wait_s=25`);
    await recorded();
    const view = await server.service.approvals.show(server.ownerId, id);
    await server.service.approvals.approve(server.ownerId, id, view?.approval.digest ?? '');
    const answer = await waiting;
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      executed: true,
      result: { approval: { state: 'executed' } },
    });
  });

  it('answers when the key is revoked while it waits', async () => {
    const { keyId, apiKey } = await server.service.keys.create({
      ownerId: server.ownerId,
      name: 'revoked',
      preset: 'full',
    });
    const id = await filed(apiKey);
    const waiting = rest(`/v1/approvals/${id}?wait_s=25`, { key: apiKey });
    await recorded();
    await server.service.keys.revoke(server.ownerId, keyId);
    expect(await (await waiting).json()).toMatchObject({ result: { approval: { state: 'cancelled' } } });
  });

  it('holds no slot: more calls wait than a key may have in flight, and others go on', async () => {
    const id = await filed();
    const waiting = [1, 2, 3, 4].map(async (n) => {
      // Each is admitted after the one before has been recorded.
      await recorded(n - 1);
      return rest(`/v1/approvals/${id}?wait_s=25`);
    });
    await recorded(4);
    expect((await rest('/v1/me')).status).toBe(200);
    await rest(`/v1/approvals/${id}/cancel`, { method: 'POST' });
    for (const response of await Promise.all(waiting)) {
      expect(await response.json()).toMatchObject({ result: { approval: { state: 'cancelled' } } });
    }
  });

  it('counts as one call', async () => {
    const id = await filed();
    const remaining = async () => Number((await rest('/v1/me')).headers.get('ratelimit-remaining'));
    const before = await remaining();
    const waiting = rest(`/v1/approvals/${id}?wait_s=25`);
    await recorded();
    await server.service.approvals.reject(server.ownerId, id);
    await waiting;
    expect(before - (await remaining())).toBe(2);
  });

  it('ends when its caller hangs up', async () => {
    const id = await filed();
    const caller = new AbortController();
    const waiting = rest(`/v1/approvals/${id}?wait_s=25`, { signal: caller.signal });
    await recorded();
    caller.abort();
    await expect(waiting).rejects.toThrow();
    expect(await answers.at(-1)).toMatchObject({ outcome: { status: 'pending_approval' } });
  });

  it('finds a decision that another process made', async () => {
    const id = await filed();
    pollMs = 20;
    onTestFinished(() => {
      pollMs = LONG_MS;
    });
    const waiting = rest(`/v1/approvals/${id}?wait_s=25`);
    await recorded();
    const other = sqliteStorage({ file: join(folder, 'test.db') });
    onTestFinished(() => other.close());
    const { approvals } = await other.approvals({
      ...{ ownerId: server.ownerId, credentialId: undefined, state: 'all', after: undefined, limit: 1 },
    });
    const [approval] = approvals;
    if (approval === undefined) throw new Error('nothing is filed');
    const { ownerId, credentialId } = approval;
    await other.cancel({ ownerId, credentialId, approvalId: id, now: new Date() });
    expect(await (await waiting).json()).toMatchObject({ result: { approval: { state: 'cancelled' } } });
  });

  it('answers at once if the request has ended, and after its time if nothing happens', async () => {
    const id = await filed();
    expect((await rest(`/v1/approvals/${id}?wait_s=1`)).status).toBe(202);
    await rest(`/v1/approvals/${id}/cancel`, { method: 'POST' });
    expect((await rest(`/v1/approvals/${id}?wait_s=25`)).status).toBe(200);
  });

  it.each(['26', '-1', '1.5', 'soon', ''])('refuses %j', async (waitS) => {
    const response = await rest(`/v1/approvals/apr_1?wait_s=${waitS}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ details: { errors: [{ field: 'wait_s' }] } });
  });

  it("does not wait for another key's request", async () => {
    const id = await filed();
    expect((await rest(`/v1/approvals/${id}?wait_s=25`, { key: await server.key() })).status).toBe(404);
  });
});

const REVISIONS: readonly [string, ClientOptions][] = [
  ['2025-11-25', {}],
  ['2026-07-28', { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
];

describe.each(REVISIONS)('get_approval with wait_s, by a client of revision %s', (_revision, options) => {
  let client: Client;
  beforeAll(async () => {
    client = new Client({ name: 'test', version: '1.0.0' }, options);
    const url = new URL(`http://127.0.0.1:${server.port}/mcp`);
    const headers = { Authorization: `Bearer ${server.apiKey}` };
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  });
  afterAll(() => client.close());

  it('reports progress while it waits, and answers as soon as the owner decides', async () => {
    const id = await filed();
    const call = { name: 'get_approval', arguments: { approval_id: id, wait_s: 25 } };
    const { promise: firstReport, resolve } = deferred();
    const waiting = client.callTool(call, { onprogress: resolve });
    // It arrives before the answer: nothing else ends the wait.
    expect(await firstReport).toEqual({
      progress: 0,
      total: 25,
      message: 'Waiting for the request to end.',
    });
    await server.service.approvals.reject(server.ownerId, id);
    expect((await waiting).structuredContent).toMatchObject({ result: { approval: { state: 'rejected' } } });
  });

  it('waits without progress for a client that asks for none', async () => {
    const id = await filed();
    const call = { name: 'get_approval', arguments: { approval_id: id, wait_s: 25 } };
    const waiting = client.callTool(call);
    await recorded();
    await server.service.approvals.reject(server.ownerId, id);
    expect((await waiting).structuredContent).toMatchObject({ result: { approval: { state: 'rejected' } } });
  });

  it('answers other calls whole, also with a progress token', async () => {
    const reports: unknown[] = [];
    const { structuredContent } = await client.callTool(
      { name: 'get_me', arguments: {} },
      { onprogress: (report) => reports.push(report) },
    );
    expect(structuredContent).toMatchObject({ status: 'ok' });
    expect(reports).toEqual([]);
  });

  it.each(['with', 'without'])(
    'ends the wait of a client that cancels its call, %s progress',
    async (how) => {
      const id = await filed();
      const abort = new AbortController();
      const waiting = client.callTool(
        { name: 'get_approval', arguments: { approval_id: id, wait_s: 25 } },
        { signal: abort.signal, ...(how === 'with' && { onprogress() {} }) },
      );
      await recorded();
      abort.abort();
      await expect(waiting).rejects.toThrow();
      expect(await answers.at(-1)).toMatchObject({ outcome: { status: 'pending_approval' } });
    },
  );

  it('ends the wait of a client that closes its stream', async () => {
    const id = await filed();
    const caller = new AbortController();
    const { promise: firstReport, resolve } = deferred();
    const body = JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: {
        name: 'get_approval',
        arguments: { approval_id: id, wait_s: 25 },
        _meta: { progressToken: 1 },
      },
    });
    const response = await fetch(`http://127.0.0.1:${server.port}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${server.apiKey}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body,
      signal: caller.signal,
    });
    response.body?.getReader().read().then(resolve, resolve);
    await firstReport;
    caller.abort();
    expect(await answers.at(-1)).toMatchObject({ outcome: { status: 'pending_approval' } });
  });
});

it('a client with another key cancels no call of the same id', async () => {
  const id = await filed();
  const send = (message: object, key = server.apiKey) =>
    fetch(`http://127.0.0.1:${server.port}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  const call = { name: 'get_approval', arguments: { approval_id: id, wait_s: 25 } };
  const waiting = send({ id: 7, method: 'tools/call', params: call });
  await recorded();
  const cancellation = { method: 'notifications/cancelled', params: { requestId: 7 } };
  expect((await send(cancellation, await server.key())).status).toBe(202);
  await server.service.approvals.reject(server.ownerId, id);
  expect(await (await waiting).json()).toMatchObject({
    result: { structuredContent: { result: { approval: { state: 'rejected' } } } },
  });
});

it('a service that stops ends its waits, and allows no more', async () => {
  const id = await filed();
  const waiting = rest(`/v1/approvals/${id}?wait_s=25`);
  await recorded();
  await server.service.calls.endWaits();
  expect((await waiting).status).toBe(202);
  expect((await rest(`/v1/approvals/${id}?wait_s=25`)).status).toBe(202);
});
