import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RestServer, restServer } from './rest-server.ts';
import { approvalIdIn, firstMessageIn, readWireBody } from './wire-body.ts';

// Each route, through a plain HTTP client.

const someText: unknown = expect.any(String);
const someNumber: unknown = expect.any(Number);

let server: RestServer;
let messageId: string;

beforeAll(async () => {
  server = await restServer();
  messageId = firstMessageIn((await call('GET', '/v1/messages?limit=1')).json).id;
});
afterAll(() => server.stop());

interface Wanted {
  body?: unknown;
  key?: string;
  idempotencyKey?: string;
}

async function call(
  method: string,
  path: string,
  { body, key = server.apiKey, idempotencyKey }: Wanted = {},
) {
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: readWireBody(text) };
}

let sent = 0;
function message() {
  sent += 1;
  return { to: ['ada@example.org'], subject: `Hello ${sent}`, body: 'Hello from a test.' };
}

describe('GET /v1/me', () => {
  it('describes the key, bare', async () => {
    const { status, json } = await call('GET', '/v1/me');
    expect(status).toBe(200);
    expect(json).toMatchObject({ credential: { kind: 'pat' }, plan: 'paid', permissions_rev: 1 });
  });
});

describe('GET /v1/tools', () => {
  it('lists what the key may use, bare, within 64 KB', async () => {
    const { status, json, text } = await call('GET', '/v1/tools');
    expect(status).toBe(200);
    expect(Object.keys(json)).toEqual(['tools']);
    expect(json.tools?.[0]).toEqual({
      name: someText,
      title: someText,
      description: someText,
      inputSchema: expect.objectContaining({ type: 'object' }) as unknown,
      annotations: expect.objectContaining({ readOnlyHint: expect.any(Boolean) as unknown }) as unknown,
    });
    expect(text.length).toBeLessThanOrEqual(65_536);
    const readOnly = await call('GET', '/v1/tools', { key: await server.key({ preset: 'read' }) });
    const names = readOnly.json.tools?.map(({ name }) => name);
    expect(names).toContain('get_email');
    expect(names).not.toContain('send_email');
  });
});

describe('POST /v1/tools/{name}', () => {
  it('runs a tool', async () => {
    const { status, json } = await call('POST', '/v1/tools/get_email', {
      body: { arguments: { id: messageId } },
    });
    expect(status).toBe(200);
    expect(json).toMatchObject({ status: 'ok', result: { id: messageId } });
  });

  it('files a write', async () => {
    const { status, headers, json } = await call('POST', '/v1/tools/send_email', {
      body: { arguments: message() },
    });
    expect(status).toBe(202);
    expect(headers.get('location')).toBe(`/v1/approvals/${approvalIdIn(json)}`);
  });

  it.each([
    ['no arguments', {}, ''],
    ['arguments that are no object', { arguments: [] }, ''],
    ['something beside them', { arguments: {}, tool: 'get_me' }, 'body.tool'],
    ['an unknown one among them', { arguments: { colour: 'red' } }, 'colour'],
  ])('refuses %s', async (_name, body, field) => {
    const { status, json } = await call('POST', '/v1/tools/get_me', { body });
    expect(status).toBe(400);
    expect(json).toMatchObject({
      error: 'invalid_arguments',
      code: 'invalid_arguments',
      details: { errors: [{ field }] },
    });
  });

  it.each(['no_such_tool', 'x'.repeat(65), 'constructor'])('knows no tool %s', async (name) => {
    const { status, json } = await call('POST', `/v1/tools/${name}`, { body: { arguments: {} } });
    expect(status).toBe(404);
    expect(json).toMatchObject({ error: 'not_found', code: 'not_found' });
  });
});

describe('approvals', () => {
  it('are listed bare, read with 202 while they wait, and with 200 once they are decided', async () => {
    const filed = await call('POST', '/v1/messages', { body: message() });
    const id = approvalIdIn(filed.json);

    const list = await call('GET', '/v1/approvals?limit=1');
    expect(list.status).toBe(200);
    expect(list.json).toMatchObject({ approvals: [{ id, state: 'pending' }], returned: 1 });

    const waiting = await call('GET', `/v1/approvals/${id}`);
    expect(waiting.status).toBe(202);
    expect(waiting.headers.get('location')).toBe(`/v1/approvals/${id}`);
    expect(waiting.json).toMatchObject({ status: 'pending_approval', executed: false, poll_after_s: 15 });

    const view = await server.service.approvals.show(server.ownerId, id);
    await server.service.approvals.approve(server.ownerId, id, view?.approval.digest ?? '');
    const done = await call('GET', `/v1/approvals/${id}`);
    expect(done.status).toBe(200);
    expect(done.json).toMatchObject({
      status: 'ok',
      executed: true,
      result: {
        approval: { id, state: 'executed', result: { sent: true, recipients: 1 } },
        meaning: someText,
      },
    });
  });

  it('are withdrawn by the key that asked', async () => {
    const { json } = await call('POST', '/v1/messages', { body: message() });
    const cancelled = await call('POST', `/v1/approvals/${approvalIdIn(json)}/cancel`);
    expect(cancelled.status).toBe(200);
    expect(cancelled.json).toMatchObject({
      status: 'ok',
      executed: false,
      result: { approval: { state: 'cancelled', error: 'cancelled_by_agent' } },
    });
  });

  it('of another key are not found', async () => {
    const { json } = await call('POST', '/v1/messages', { body: message() });
    const other = await call('GET', `/v1/approvals/${approvalIdIn(json)}`, { key: await server.key() });
    expect(other.status).toBe(404);
    expect(other.json).toMatchObject({ error: 'not_found', code: 'not_found' });
  });
});

describe('reading mail', () => {
  it('GET /v1/accounts, enveloped', async () => {
    const { status, json } = await call('GET', '/v1/accounts');
    expect(status).toBe(200);
    expect(json).toMatchObject({
      status: 'ok',
      result: { accounts: [{ account_id: 1 }], total: 1, returned: 1 },
    });
  });

  it('GET /v1/messages, page by page', async () => {
    const first = await call('GET', '/v1/messages?limit=2&account_id=1');
    expect(first.json.result).toMatchObject({ returned: 2, has_more: true });
    const next_cursor = first.json.result?.next_cursor;
    const second = await call('GET', `/v1/messages?limit=2&account_id=1&cursor=${next_cursor}`);
    expect(firstMessageIn(second.json).id).not.toBe(firstMessageIn(first.json).id);
    expect((await call('GET', `/v1/messages?limit=3&account_id=1&cursor=${next_cursor}`)).status).toBe(400);
  });

  it('GET /v1/messages?unread=false is the plain list', async () => {
    const [plain, all] = [await call('GET', '/v1/messages'), await call('GET', '/v1/messages?unread=false')];
    expect(all.json).toEqual(plain.json);
  });

  it('GET /v1/messages/{id}, from an offset', async () => {
    const whole = await call('GET', `/v1/messages/${messageId}`);
    expect(whole.status).toBe(200);
    const rest = await call('GET', `/v1/messages/${messageId}?body_offset=5`);
    expect(rest.json.result).toMatchObject({ id: messageId, body_offset: 5 });
  });

  it('never returns more than 64 KB at once', async () => {
    const account = {
      ownerId: server.ownerId,
      accountId: 1,
      email: 'owner@example.org',
      settings: async () => ({}),
    };
    const text = `${'"'.repeat(70)}\r\n`.repeat(5000);
    const raw = `From: ada@example.org\r\nTo: owner@example.org\r\nSubject: Long\r\nMessage-ID: <long@example.org>\r\n\r\n${text}`;
    await server.mail.deliver(account, 'INBOX', Buffer.from(raw));
    const list = await call('GET', '/v1/messages?limit=1');
    const { id, subject } = firstMessageIn(list.json);
    expect(subject).toBe('Long');
    for (const answer of [
      await call('GET', `/v1/messages/${id}`),
      await call('POST', '/v1/tools/get_email', { body: { arguments: { id } } }),
    ]) {
      expect(answer.json.result).toMatchObject({
        body_truncated: true,
        body_next_offset: someNumber,
      });
      expect(Buffer.byteLength(answer.text)).toBeLessThanOrEqual(65_536);
      expect(Buffer.byteLength(answer.text)).toBeGreaterThan(60_000);
    }
  });
});

describe('the rest of reading mail', () => {
  it('GET /v1/folders, of one account', async () => {
    const { status, json } = await call('GET', '/v1/folders?account_id=1');
    expect(status).toBe(200);
    const folder = { name: 'INBOX', role: 'inbox', account_id: 1 };
    expect(json).toMatchObject({
      status: 'ok',
      result: { folders: expect.arrayContaining([folder]) as unknown },
    });
    expect(await call('GET', '/v1/folders?account_id=2')).toMatchObject({
      status: 404,
      json: { code: 'not_found', details: { reason: 'account' } },
    });
    expect(await call('GET', '/v1/folders?account_id=x')).toMatchObject({
      status: 400,
      json: { details: { errors: [{ field: 'account_id', rule: 'type' }] } },
    });
  });

  it('GET /v1/messages?unread=true is the list of unread messages', async () => {
    const id = await delivered('Nobody has read this');
    const before = await call('GET', '/v1/messages?unread=true&limit=1');
    expect(firstMessageIn(before.json).id).toBe(id);
    await call('POST', `/v1/messages/${id}/mark-read`);
    const after = await call('GET', '/v1/messages?unread=true&limit=1');
    expect(after.json.result?.messages?.map((row) => row.id)).not.toContain(id);
    expect(await call('GET', '/v1/messages?unread=maybe')).toMatchObject({
      status: 400,
      json: { details: { errors: [{ field: 'unread' }] } },
    });
  });

  it.each([
    'q=zeppelin',
    'from=Zoe',
    'q=zeppelin&from=zoe&since=2020-01-01&folder=inbox',
    'q=zeppelin&unread=true',
  ])('GET /v1/messages?%s searches', async (query) => {
    const id = await delivered('A Zeppelin', 'Zoe <zoe@example.org>');
    const { status, json } = await call('GET', `/v1/messages?${query}&limit=50`);
    expect(status).toBe(200);
    expect(json.result?.messages?.map((row) => row.id)).toContain(id);
    expect(json.result?.messages?.every(({ subject }) => subject === 'A Zeppelin')).toBe(true);
  });

  it('GET /v1/messages that finds nothing is empty with 200', async () => {
    const { status, json } = await call('GET', '/v1/messages?q=nothing%20has%20this');
    expect(status).toBe(200);
    expect(json).toMatchObject({ status: 'empty', result: { messages: [], reason: 'no_match' } });
  });

  it.each([
    ['q=', 'q'],
    ['q=%20', 'q'],
    ['from=a', 'from'],
    ['since=yesterday', 'since'],
    ['since=2026-02-30', 'since'],
    ['q=a&unread=1', 'unread'],
    ['q=a&limit=51', 'limit'],
    ['q=a&q=b', 'q'],
    ['q=a&body_offset=1', 'body_offset'],
  ])('GET /v1/messages?%s is refused', async (query, field) => {
    const { status, json } = await call('GET', `/v1/messages?${query}`);
    expect(status).toBe(400);
    expect(json.code).toBe('invalid_arguments');
    expect(json.details?.errors?.map((error) => error.field)).toContain(field);
  });

  it('GET /v1/threads/{id}, page by page', async () => {
    const { status, json } = await call('GET', `/v1/threads/${messageId}?limit=1`);
    expect(status).toBe(200);
    expect(json.result).toMatchObject({
      returned: 1,
      messages: [{ body: someText, body_shown: someNumber }],
    });
    expect((await call('GET', `/v1/threads/${messageId}?limit=0`)).status).toBe(400);
    expect(await call('GET', '/v1/threads/m1_AAAA')).toMatchObject({
      status: 400,
      json: { code: 'invalid_message_id' },
    });
  });

  it('GET /v1/messages/{id}/attachments, and one of them by its index', async () => {
    const id = await delivered('With a file', 'ada@example.org', ATTACHED);
    const list = await call('GET', `/v1/messages/${id}/attachments`);
    expect(list.json).toMatchObject({
      status: 'ok',
      result: { id, attachments: [{ index: 0, name: 'a.txt', mime: 'text/plain', size: 5 }], total: 1 },
    });
    const one = await call('GET', `/v1/messages/${id}/attachments/0`);
    expect(one.status).toBe(200);
    expect(one.json.result).toMatchObject({ id, index: 0, name: 'a.txt' });
    expect(await call('GET', `/v1/messages/${id}/attachments/1`)).toMatchObject({
      status: 404,
      json: { status: 'error', code: 'not_found', details: { reason: 'attachment' } },
    });
    for (const index of ['x', '-1', '501', '0.5', '1e0']) {
      expect(await call('GET', `/v1/messages/${id}/attachments/${index}`)).toMatchObject({
        status: 400,
        json: { code: 'invalid_arguments', details: { errors: [{ field: 'index' }] } },
      });
    }
    const none = await call('GET', `/v1/messages/${messageId}/attachments`);
    expect(none).toMatchObject({ status: 200, json: { status: 'empty' } });
  });
});

const ATTACHED = [
  'Content-Type: multipart/mixed; boundary=b',
  '',
  '--b',
  'Content-Type: text/plain',
  '',
  'See the file.',
  '--b',
  'Content-Type: text/plain; name=a.txt',
  'Content-Disposition: attachment; filename=a.txt',
  '',
  'Hello',
  '--b--',
  '',
].join('\r\n');

/** Puts a message into the inbox. @returns its id */
async function delivered(subject: string, from = 'ada@example.org', rest = '\r\nText\r\n'): Promise<string> {
  const email = 'owner@example.org';
  const account = { ownerId: server.ownerId, accountId: 1, email, settings: async () => ({}) };
  sent += 1;
  const head = `From: ${from}\r\nTo: ${email}\r\nSubject: ${subject}\r\nMessage-ID: <d${sent}@example.org>\r\n`;
  await server.mail.deliver(account, 'INBOX', Buffer.from(head + rest));
  return firstMessageIn((await call('GET', '/v1/messages?limit=1')).json).id;
}

describe('changing mail', () => {
  const CHANGES: [path: string, body: object | undefined, tool: string, action: string][] = [
    ['forward', { to: ['ada@example.org'], note: 'See below.' }, 'forward_email', 'forward'],
    ['forward', { to: ['ada@example.org'] }, 'forward_email', 'forward'],
    ['archive', undefined, 'archive_email', 'archive'],
    ['archive', {}, 'archive_email', 'archive'],
    ['trash', undefined, 'delete_email', 'delete'],
    ['move', { target_folder: 'Archive' }, 'move_email', 'move'],
    ['label', { label: 'Bills' }, 'label_email', 'label'],
  ];

  it.each(CHANGES)(
    'POST /v1/messages/{id}/%s with %j files a request of %s',
    async (path, body, tool, action) => {
      const id = await delivered('To be changed');
      const key = await server.key();
      const { status, headers, json } = await call('POST', `/v1/messages/${id}/${path}`, { body, key });
      expect(status).toBe(202);
      expect(headers.get('location')).toBe(`/v1/approvals/${approvalIdIn(json)}`);
      expect(json.approval).toMatchObject({ tool, action, state: 'pending' });
      const again = await call('POST', `/v1/messages/${id}/${path}`, { body, key });
      expect(again).toMatchObject({
        status: 409,
        json: { code: 'pending_exists_for_target', details: { approval_id: approvalIdIn(json) } },
      });
    },
  );

  it('POST /v1/messages/{id}/move runs at once for a key that may', async () => {
    const id = await delivered('To be moved');
    const key = await server.key({ modes: { 'mail:manage': 'direct' } });
    const body = { target_folder: 'Projects/Atlas' };
    const { status, json } = await call('POST', `/v1/messages/${id}/move`, { body, key });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      status: 'ok',
      executed: true,
      auto_approved: true,
      result: { approval: { state: 'executed', result: { done: true, action: 'move' } }, meaning: someText },
    });
    expect((await call('GET', `/v1/messages/${id}`)).json.result).toMatchObject({ folder: 'Projects/Atlas' });
  });

  it.each([
    ['mark-unread', 'unread'],
    ['flag', 'flagged'],
  ])('POST /v1/messages/{id}/%s runs at once', async (path, state) => {
    const id = await delivered('To be flagged');
    const { status, json } = await call('POST', `/v1/messages/${id}/${path}`);
    expect(status).toBe(200);
    expect(json).toEqual({
      status: 'ok',
      executed: true,
      auto_approved: true,
      result: { id, account_id: 1, folder: 'INBOX', state, matches_request: true },
    });
    const key = await server.key({ modes: { 'mail:organize': 'approval' } });
    expect((await call('POST', `/v1/messages/${id}/${path}`, { key })).status).toBe(202);
  });

  it.each([
    ['forward', { note: 'To whom?' }, 'to'],
    ['forward', { to: ['Ada <ada@example.org>'] }, 'to[0]'],
    ['forward', { to: ['ada@example.org'], body: 'x' }, 'body'],
    ['move', {}, 'target_folder'],
    ['move', { target_folder: '' }, 'target_folder'],
    ['move', { target_folder: 'Archive', ids: [] }, 'ids'],
    ['label', { label: 7 }, 'label'],
    ['label', { label: 'a\nb' }, 'label'],
    ['label', { label: 'a', id: 'm1_A' }, 'body.id'],
    ['archive', { target_folder: 'Archive' }, 'target_folder'],
    ['trash', { ids: [] }, 'ids'],
    ['flag', { on: false }, 'on'],
  ])('POST /v1/messages/{id}/%s with %j is refused', async (path, body, field) => {
    const { status, json } = await call('POST', `/v1/messages/${messageId}/${path}`, { body });
    expect(status).toBe(400);
    expect(json.code).toBe('invalid_arguments');
    expect(json.details?.errors?.map((error) => error.field)).toContain(field);
  });

  it.each(['forward', 'move', 'label'])('POST /v1/messages/{id}/%s requires a body', async (path) => {
    const answer = await call('POST', `/v1/messages/${messageId}/${path}`);
    expect(answer.status).toBe(400);
  });

  it.each(['archive', 'trash', 'move', 'label', 'forward', 'mark-unread', 'flag'])(
    'POST /v1/messages/{id}/%s refuses other ids, and does not find messages of others',
    async (path) => {
      const bodies: Record<string, object> = {
        move: { target_folder: 'Archive' },
        label: { label: 'Bills' },
        forward: { to: ['ada@example.org'] },
      };
      const body = bodies[path];
      expect(await call('POST', `/v1/messages/m1_AAAA/${path}`, { body })).toMatchObject({
        status: 400,
        json: { status: 'error', code: 'invalid_message_id' },
      });
      const { ownerId } = await server.service.owners.create({ email: `eve-${path}@example.org` });
      await server.service.accounts.connect({ ownerId, email: 'eve@example.org', settings: {} });
      const key = await server.key({ ownerId });
      expect(await call('POST', `/v1/messages/${messageId}/${path}`, { body, key })).toMatchObject({
        status: 404,
        json: { status: 'error', code: 'not_found', details: { reason: 'message' } },
      });
    },
  );

  it('POST /v1/messages/{id}/move to a missing folder is not found, to its own a wrong argument', async () => {
    const move = (target_folder: string) =>
      call('POST', `/v1/messages/${messageId}/move`, { body: { target_folder } });
    expect(await move('Nowhere')).toMatchObject({ status: 404, json: { details: { reason: 'folder' } } });
    const { folder } = (await call('GET', `/v1/messages/${messageId}`)).json.result ?? {};
    expect(await move(String(folder))).toMatchObject({ status: 400, json: { code: 'invalid_arguments' } });
  });

  it('through the tool route takes several, but not too many', async () => {
    const ids = [await delivered('One'), await delivered('Two')];
    const filed = await call('POST', '/v1/tools/archive_email', { body: { arguments: { ids } } });
    expect(filed).toMatchObject({ status: 202, json: { approval: { tool: 'archive_email' } } });
    const many = Array.from({ length: 51 }, (_, n) => `m1_${n}`);
    const refused = await call('POST', '/v1/tools/archive_email', { body: { arguments: { ids: many } } });
    expect(refused).toMatchObject({
      status: 400,
      json: { code: 'too_many_targets', details: { max_targets: 50 } },
    });
  });
});

describe('writing mail', () => {
  it('POST /v1/messages files a request', async () => {
    const { status, headers, json } = await call('POST', '/v1/messages', { body: message() });
    expect(status).toBe(202);
    expect(headers.get('location')).toBe(`/v1/approvals/${approvalIdIn(json)}`);
    expect(json).toMatchObject({
      status: 'pending_approval',
      executed: false,
      approval: { tool: 'send_email' },
    });
  });

  it('POST /v1/messages/{id}/reply files a request', async () => {
    const { status, json } = await call('POST', `/v1/messages/${messageId}/reply`, {
      body: { body: 'Thanks.' },
    });
    expect(status).toBe(202);
    expect(json.approval).toMatchObject({ tool: 'send_reply', action: 'reply' });
  });

  it('POST /v1/messages/{id}/mark-read runs at once', async () => {
    const { status, json } = await call('POST', `/v1/messages/${messageId}/mark-read`);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      status: 'ok',
      executed: true,
      auto_approved: true,
      result: { id: messageId, state: 'read', matches_request: true },
    });
  });

  it('POST /v1/messages/{id}/mark-read takes no ids', async () => {
    const answer = await call('POST', `/v1/messages/${messageId}/mark-read`, { body: { ids: [messageId] } });
    expect(answer).toMatchObject({ status: 400, json: { details: { errors: [{ field: 'id' }] } } });
  });

  it('is refused to a key that may not send', async () => {
    const { status, json } = await call('POST', '/v1/messages', {
      body: message(),
      key: await server.key({ preset: 'read' }),
    });
    expect(status).toBe(403);
    expect(json).toMatchObject({ status: 'error', code: 'not_permitted', details: { group: 'mail:send' } });
    expect(json).not.toHaveProperty('error');
  });
});

describe('Idempotency-Key', () => {
  it('replays the answer and says so', async () => {
    const wanted = { body: message(), idempotencyKey: 'once' };
    const first = await call('POST', '/v1/messages', wanted);
    const again = await call('POST', '/v1/messages', wanted);
    expect(first.headers.has('idempotent-replayed')).toBe(false);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again).toMatchObject({ status: 202, json: first.json });
  });

  it('stands for one request', async () => {
    await call('POST', '/v1/messages', { body: message(), idempotencyKey: 'mine' });
    const other = await call('POST', '/v1/messages', { body: message(), idempotencyKey: 'mine' });
    expect(other).toMatchObject({ status: 422, json: { code: 'idempotency_key_reused' } });
  });

  it.each(['has space', 'x'.repeat(256), 'caf\u00e9'])(
    'is refused as %j, on a read too',
    async (idempotencyKey) => {
      const answer = await call('GET', '/v1/me', { idempotencyKey });
      expect(answer).toMatchObject({ status: 400, json: { code: 'invalid_idempotency_key' } });
    },
  );
});

describe('what waits', () => {
  it('is bounded, and says when to come back', async () => {
    const key = await server.key();
    const answers = [];
    for (let request = 0; request <= 10; request++) {
      answers.push(await call('POST', '/v1/messages', { body: message(), key }));
    }
    expect(answers.at(-1)).toMatchObject({ status: 429, json: { code: 'too_many_pending' } });
    expect(answers.at(-1)?.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  });
});
