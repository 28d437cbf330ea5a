import { Buffer } from 'node:buffer';
import { expect, it } from 'vitest';
import { ROUTES } from '../../hosts/rest/routes.ts';
import { sendRaw } from '../hosts/rest/raw-http.ts';
import {
  approvalIn,
  doorOf,
  expectFailure,
  FRIEND,
  idOf,
  OWNER,
  ownDoor,
  refusedFields,
  resultIn,
} from './door.ts';
import { section } from './sections.ts';

// API.md, Endpoints: every route, its parameters at both sides of every bound, and its tool.

const someText: unknown = expect.stringMatching(/\S/);
const door = doorOf();

/** A character that is one code point, two UTF-16 units and four bytes. */
const WIDE = '\u{1f4dc}';

section('Endpoints: Common rules', () => {
  it.each([1, 255])('an Idempotency-Key of %i characters is taken', async (length) => {
    const { call, letter } = door();
    const answer = await call('POST', '/v1/messages', {
      body: letter(),
      idempotencyKey: `${length}-`.padEnd(length, 'k').slice(0, length),
    });
    expect(answer.status).toBe(202);
  });

  it.each(['x'.repeat(256), 'has space', 'caf\u00e9'])(
    'an Idempotency-Key like %j is not',
    async (idempotencyKey) => {
      const { call, letter } = door();
      expectFailure(
        await call('POST', '/v1/messages', { body: letter(), idempotencyKey }),
        400,
        'invalid_idempotency_key',
      );
    },
  );

  it('a body of 256 KB is read, one byte more is refused with the bound', async () => {
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

  const OPERATIONS = ROUTES.filter(({ call }) => call !== 'describe').map(
    ({ method, path }) => [method, path] as const,
  );

  it.each(OPERATIONS)('%s %s needs a key, and a body as bodies are', async (method, path) => {
    const { server } = door();
    const ask = async (headers: Readonly<Record<string, string>>, body = '') => {
      const given: Record<string, string> = {
        Host: `127.0.0.1:${server.port}`,
        Authorization: `Bearer ${server.apiKey}`,
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

  it.each(WRITES)('%s refuses what is no JSON object', async (path) => {
    const { call, deliver } = door();
    const at = path.includes('{id}') ? path.replace('{id}', await deliver()) : path;
    expect(refusedFields(await call('POST', at, { body: ['list'] }))).toEqual(['']);
  });
});

section('Endpoints: Meta', () => {
  it('GET /v1/tools lists what the key may use, each with its schema', async () => {
    const { status, json } = await door().call('GET', '/v1/tools');
    expect(status).toBe(200);
    expect(Object.keys(json)).toEqual(['tools']);
    for (const tool of json.tools as object[]) {
      expect(tool).toEqual({
        name: expect.stringMatching(/^[a-z_]{1,64}$/) as unknown,
        title: someText,
        description: someText,
        inputSchema: expect.objectContaining({ type: 'object', additionalProperties: false }) as unknown,
        annotations: { readOnlyHint: expect.any(Boolean) as unknown },
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

  it('only reads are hinted as read-only', async () => {
    const { json } = await door().call('GET', '/v1/tools');
    const hints = (json.tools as { name: string; annotations: { readOnlyHint: boolean } }[]).map(
      ({ name, annotations }) => [name, annotations.readOnlyHint] as const,
    );
    const reading = /^(get|list|search|summarize|read)_/;
    expect(hints.filter(([name, isRead]) => isRead !== reading.test(name))).toEqual([]);
  });

  it('POST /v1/tools/{name} calls it', async () => {
    expect(await door().tool('list_accounts')).toMatchObject({ status: 200, json: { status: 'ok' } });
    const { letter, tool } = door();
    expect(await tool('send_email', letter())).toMatchObject({ status: 202 });
  });

  it.each(['no_such_tool', 'x'.repeat(64), 'x'.repeat(65)])('POST /v1/tools/%s: 404', async (name) => {
    const answer = await door().tool(name);
    expectFailure(answer, 404, 'not_found', { reason: 'tool' });
    expect(answer.json.error).toBe('not_found');
  });

  it('POST /v1/tools/{name} wants arguments, an object', async () => {
    const { call } = door();
    expect(refusedFields(await call('POST', '/v1/tools/get_me', { body: {} }))).toEqual(['']);
    expect(refusedFields(await call('POST', '/v1/tools/get_me', { body: { arguments: 'x' } }))).toEqual(['']);
    const more = { arguments: {}, name: 'get_me' };
    expect(refusedFields(await call('POST', '/v1/tools/get_me', { body: more }))).toEqual(['body.name']);
  });

  it('GET /v1/openapi.json needs no key', async () => {
    const answer = await door().call('GET', '/v1/openapi.json', { headers: { authorization: '' } });
    expect(answer).toMatchObject({ status: 200, json: { openapi: '3.1.0', info: { version: '1.0.0' } } });
  });

  it.each(['/v1/me', '/v1/tools', '/v1/approvals', '/v1/approvals/apr_x'])(
    'GET %s: failures say error, too',
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
  it('the list is bare, newest first, of this key alone, open ones unless asked for all', async () => {
    const { call, letter, key, reject } = door();
    const own = await key();
    const ids: string[] = [];
    for (let n = 0; n < 3; n++)
      ids.unshift(approvalIn(await call('POST', '/v1/messages', { body: letter(), key: own })).id);
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

  it.each([1, 50])('GET /v1/approvals?limit=%i is taken', async (limit) => {
    expect((await door().call('GET', `/v1/approvals?limit=${limit}`)).status).toBe(200);
  });

  it('one is 202 while it waits, with its Location, and 200 when it has ended', async () => {
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

  it('of another key is not found, nor can it be cancelled', async () => {
    const { call, letter, key } = door();
    const { id } = approvalIn(await call('POST', '/v1/messages', { body: letter() }));
    const other = await key();
    expectFailure(await call('GET', `/v1/approvals/${id}`, { key: other }), 404, 'not_found', {
      reason: 'approval',
    });
    expectFailure(await call('POST', `/v1/approvals/${id}/cancel`, { key: other }), 404, 'not_found');
    expect((await call('GET', `/v1/approvals/${id}`)).status).toBe(202);
  });

  it('are permitted to a key that may do nothing else', async () => {
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

  it('GET /v1/folders of one account, or of none there', async () => {
    expect((await door().call('GET', '/v1/folders?account_id=1')).status).toBe(200);
    expectFailure(await door().call('GET', '/v1/folders?account_id=7'), 404, 'not_found', {
      reason: 'account',
    });
  });
});

section('Endpoints: Messages', () => {
  const queries: [query: string, field: string | undefined][] = [
    ['account_id=1', undefined],
    ['account_id=0', 'account_id'],
    ['account_id=1.5', 'account_id'],
    [`folder=${'x'.repeat(256)}`, 'folder'],
    ['folder=', 'folder'],
    ['unread=true', undefined],
    ['unread=false', undefined],
    ['unread=1', 'unread'],
    ['from=ma', undefined],
    ['from=m', 'from'],
    [`from=${'x'.repeat(200)}`, undefined],
    [`from=${'x'.repeat(201)}`, 'from'],
    [`from=${encodeURIComponent(WIDE.repeat(200))}`, undefined],
    [`from=${encodeURIComponent(WIDE.repeat(201))}`, 'from'],
    [`q=${'x'.repeat(200)}`, undefined],
    [`q=${'x'.repeat(201)}`, 'q'],
    [`q=${encodeURIComponent(WIDE.repeat(200))}`, undefined],
    ['q=', 'q'],
    ['since=2026-02-28', undefined],
    ['since=2026-02-29', 'since'],
    ['since=28.02.2026', 'since'],
    ['since=2026-02-28T00:00', 'since'],
    ['limit=1', undefined],
    ['limit=50', undefined],
    ['limit=0', 'limit'],
    ['limit=51', 'limit'],
    ['limit=', 'limit'],
    ['colour=red', 'colour'],
    ['limit=1&limit=2', 'limit'],
  ];
  it.each(queries)('GET /v1/messages?%s', async (query, field) => {
    const answer = await door().call('GET', `/v1/messages?${query}`);
    if (field === undefined) expect(answer.status).toBe(200);
    else expect(refusedFields(answer)).toContain(field);
  });

  it('GET /v1/messages shows the inbox, newest first, 20 unless told otherwise', async () => {
    const own = await ownDoor({ samples: () => [] });
    const ids: string[] = [];
    for (let n = 0; n < 21; n++) ids.unshift(await own.deliver());
    const { messages, returned, total, has_more } = resultIn(await own.call('GET', '/v1/messages'));
    expect({ returned, total, has_more }).toEqual({ returned: 20, total: 21, has_more: true });
    expect((messages as { id: string }[]).map(({ id }) => id)).toEqual(ids.slice(0, 20));
  });

  it('GET /v1/messages?unread=true shows unread ones only', async () => {
    const { call, deliver } = door();
    const [read, unread] = [await deliver(), await deliver()];
    await call('POST', `/v1/messages/${read}/mark-read`);
    const text = (await call('GET', '/v1/messages?unread=true&limit=50')).text;
    expect([text.includes(read), text.includes(unread)]).toEqual([false, true]);
  });

  it.each([
    ['q=quarterly%20zebra', 'all words must appear'],
    ['q=ZEBRA', 'in any case'],
    ['q=zebra@zoo.example', 'in the sender'],
    ['q=stripes', 'in the body'],
    ['q=owner@example.org%20zebra', 'in the recipient'],
    ['from=zebra@zoo', 'in the sender'],
    ['from=Zebra&since=2020-01-01', 'all that is given'],
    ['q=zebra&unread=true', 'all that is given'],
    ['q=zebra&folder=INBOX', 'in the folder'],
  ])('GET /v1/messages?%s: %s', async (query) => {
    const own = await ownDoor();
    const id = await own.deliver({
      from: 'Zebra <zebra@zoo.example>',
      subject: 'Quarterly',
      text: 'zebra stripes\n',
    });
    expect(idOf(await own.call('GET', `/v1/messages?${query}`))).toBe(id);
    expect((await own.call('GET', `/v1/messages?${query}x`)).text).not.toContain(id);
  });

  it('since means from that day on', async () => {
    const own = await ownDoor({ samples: () => [] });
    const id = await own.deliver({ subject: 'Today' });
    const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    // A day to each side, for a test that runs at midnight.
    expect(idOf(await own.call('GET', `/v1/messages?since=${day(-1)}`))).toBe(id);
    expect((await own.call('GET', `/v1/messages?since=${day(2)}`)).json.status).toBe('empty');
  });

  it('a search goes over every folder unless one is given', async () => {
    const own = await ownDoor();
    const id = await own.deliver({ folder: 'Projects/Atlas', subject: 'Kangaroo' });
    expect(idOf(await own.call('GET', '/v1/messages?q=kangaroo'))).toBe(id);
    expect((await own.call('GET', '/v1/messages?q=kangaroo&folder=inbox')).json.status).toBe('empty');
  });

  it('the pages of a list and of a search show every message once', async () => {
    const own = await ownDoor({ samples: () => [] });
    for (let n = 0; n < 7; n++) await own.deliver({ subject: 'Paged' });
    for (const query of ['limit=3', 'limit=3&q=paged']) {
      const seen: string[] = [];
      let cursor = '';
      do {
        const page = resultIn(await own.call('GET', `/v1/messages?${query}${cursor}`));
        seen.push(...(page.messages as { id: string }[]).map(({ id }) => id));
        cursor = page.next_cursor === undefined ? '' : `&cursor=${String(page.next_cursor)}`;
      } while (cursor !== '');
      expect(new Set(seen).size).toBe(7);
      expect(seen).toHaveLength(7);
    }
  });

  it('a cursor with other parameters is refused', async () => {
    const { call, deliver } = door();
    await deliver();
    await deliver();
    const { next_cursor } = resultIn(await call('GET', '/v1/messages?limit=1'));
    for (const query of ['limit=2', 'limit=1&folder=inbox', 'limit=1&q=x', 'limit=1&unread=true']) {
      expect(refusedFields(await call('GET', `/v1/messages?${query}&cursor=${String(next_cursor)}`))).toEqual(
        ['cursor'],
      );
    }
  });

  const local = (length: number) => `${'a'.repeat(length - '@example.org'.length)}@example.org`;
  const bodies: [name: string, changes: object, field: string | undefined][] = [
    ['1 recipient', { to: [FRIEND] }, undefined],
    ['5 recipients', { to: [1, 2, 3, 4, 5].map((n) => `r${n}@example.org`) }, undefined],
    ['6 recipients', { to: [1, 2, 3, 4, 5, 6].map((n) => `r${n}@example.org`) }, 'to'],
    ['no recipient', { to: [] }, 'to'],
    ['the same twice', { to: [FRIEND, FRIEND] }, 'to'],
    ['the same twice, in another case', { to: [FRIEND, FRIEND.toUpperCase()] }, 'to'],
    ['a text for recipients', { to: FRIEND }, 'to'],
    ['an address of 254 characters', { to: [local(254)] }, undefined],
    ['an address of 255 characters', { to: [local(255)] }, 'to[0]'],
    ['an address without @', { to: ['ada.example.org'] }, 'to[0]'],
    ['an address with two', { to: ['a@b@example.org'] }, 'to[0]'],
    ['a domain without a dot', { to: ['ada@example'] }, 'to[0]'],
    ...[' ', '<', '>', ',', ';', ':', '"', '(', ')', '[', ']', '\\'].map(
      (character): [string, object, string] => [
        `an address with ${character}`,
        { to: [`a${character}a@example.org`] },
        'to[0]',
      ],
    ),
    ['a name with the address', { to: ['Ada <ada@example.org>'] }, 'to[0]'],
    ['a subject of 1 character', { subject: 'x' }, undefined],
    ['a subject of 300', { subject: WIDE.repeat(300) }, undefined],
    ['a subject of 301', { subject: WIDE.repeat(301) }, 'subject'],
    ['no subject', { subject: '' }, 'subject'],
    ['a subject of two lines', { subject: 'a\nb' }, 'subject'],
    ['a body of 1 character', { body: 'x' }, undefined],
    ['a body of 50000', { body: WIDE.repeat(50_000) }, undefined],
    ['a body of 50001', { body: 'x'.repeat(50_001) }, 'body'],
    ['no body', { body: '' }, 'body'],
    ['a body with a control character', { body: 'a\u0007b' }, 'body'],
    ['an account that there is', { account_id: 1 }, undefined],
    ['account 0', { account_id: 0 }, 'account_id'],
    ['account as text', { account_id: '1' }, 'account_id'],
  ];
  it.each(bodies)('POST /v1/messages with %s', async (_name, changes, field) => {
    const { call, letter } = door();
    const answer = await call('POST', '/v1/messages', { body: letter(changes) });
    if (field === undefined)
      expect({ status: answer.status, code: answer.json.code }).toEqual({ status: 202, code: undefined });
    else expect(refusedFields(answer)).toContain(field);
  });

  it.each(['to', 'subject', 'body'])('POST /v1/messages needs %s', async (field) => {
    const { call, letter } = door();
    const { [field]: _left, ...body } = letter() as Record<string, unknown>;
    expect(refusedFields(await call('POST', '/v1/messages', { body }))).toEqual([field]);
  });

  it('POST /v1/messages sends from the active account, with its signature', async () => {
    const own = await ownDoor();
    const { service, ownerId, mail } = own.server;
    const signed = { ownerId, email: 'second@example.org', signature: 'Owner, by hand', settings: {} };
    const { accountId } = await service.accounts.connect(signed);
    const key = await own.key({ modes: { 'mail:send': 'direct' } });
    const send = async (changes: object) => {
      const answer = await own.call('POST', '/v1/messages', {
        body: own.letter({ to: [OWNER], ...changes }),
        key,
      });
      await own.approve(approvalIn(answer).id);
      const last = mail.transmitted().at(-1);
      return { account: last?.accountId, raw: Buffer.from(last?.raw ?? []).toString() };
    };
    expect(await send({})).toMatchObject({ account: 1 });
    const second = await send({ account_id: accountId });
    await service.accounts.activate(ownerId, accountId);
    expect(await send({})).toMatchObject({ account: accountId });
    expect(second).toMatchObject({
      account: accountId,
      raw: expect.stringContaining('Owner, by hand') as unknown,
    });
    expectFailure(
      await own.call('POST', '/v1/messages', { body: own.letter({ account_id: 9 }) }),
      404,
      'not_found',
    );
  });

  it.each([
    [0, undefined],
    [5, undefined],
    [100_000_000, undefined],
    [100_000_001, 'body_offset'],
    [-1, 'body_offset'],
    ['x', 'body_offset'],
  ])('GET /v1/messages/{id}?body_offset=%s', async (offset, field) => {
    const { call, deliver } = door();
    const answer = await call('GET', `/v1/messages/${await deliver()}?body_offset=${offset}`);
    if (field === undefined) expect(resultIn(answer).body_offset).toBe(offset);
    else expect(refusedFields(answer)).toEqual([field]);
  });

  it.each([
    [0, 404],
    [500, 404],
    [501, 400],
    [-1, 400],
    ['x', 400],
  ])('GET /v1/messages/{id}/attachments/%s: %i', async (index, status) => {
    const { call, deliver } = door();
    expect((await call('GET', `/v1/messages/${await deliver()}/attachments/${index}`)).status).toBe(status);
  });

  const changes: [path: string, body: object | undefined, field: string | undefined][] = [
    ['reply', { body: 'x' }, undefined],
    ['reply', { body: WIDE.repeat(50_000) }, undefined],
    ['reply', { body: 'x'.repeat(50_001) }, 'body'],
    ['reply', { body: '' }, 'body'],
    ['reply', {}, 'body'],
    ['forward', { to: [FRIEND] }, undefined],
    ['forward', { to: [FRIEND], note: WIDE.repeat(10_000) }, undefined],
    ['forward', { to: [FRIEND], note: 'x'.repeat(10_001) }, 'note'],
    ['forward', { to: [] }, 'to'],
    ['forward', {}, 'to'],
    ['archive', undefined, undefined],
    ['trash', undefined, undefined],
    ['move', { target_folder: 'Projects/Atlas' }, undefined],
    ['move', { target_folder: '' }, 'target_folder'],
    ['move', { target_folder: 'x'.repeat(256) }, 'target_folder'],
    ['move', {}, 'target_folder'],
    ['label', { label: 'x' }, undefined],
    ['label', { label: WIDE.repeat(100) }, undefined],
    ['label', { label: WIDE.repeat(101) }, 'label'],
    ['label', { label: '' }, 'label'],
    ['label', { label: 'a\nb' }, 'label'],
    ['label', {}, 'label'],
  ];
  it.each(changes)('POST /v1/messages/{id}/%s, row %#', async (path, body, field) => {
    const { call, deliver } = door();
    const answer = await call(
      'POST',
      `/v1/messages/${await deliver()}/${path}`,
      body === undefined ? {} : { body },
    );
    if (field === undefined) expect(answer.status).toBe(202);
    else expect(refusedFields(answer)).toContain(field);
  });

  it('POST /v1/messages/{id}/move takes an exact folder name only', async () => {
    const { call, deliver } = door();
    const id = await deliver();
    for (const target_folder of ['archive', 'Nowhere', 'x'.repeat(255)]) {
      const answer = await call('POST', `/v1/messages/${id}/move`, { body: { target_folder } });
      expectFailure(answer, 404, 'not_found', { reason: 'folder' });
    }
  });

  it.each([
    ['archive', undefined, 'Archive', 'archive'],
    ['trash', undefined, 'Trash', 'delete'],
    ['move', { target_folder: 'Projects/Atlas' }, 'Projects/Atlas', 'move'],
  ])('POST /v1/messages/{id}/%s, once approved, moves it', async (path, body, folder, action) => {
    const { call, deliver, approve } = door();
    const id = await deliver();
    const { id: request } = approvalIn(
      await call('POST', `/v1/messages/${id}/${path}`, body === undefined ? {} : { body }),
    );
    await approve(request);
    expect(approvalIn(await call('GET', `/v1/approvals/${request}`)).result).toMatchObject({
      done: true,
      action,
    });
    expect(resultIn(await call('GET', `/v1/messages/${id}`)).folder).toBe(folder);
  });

  it('POST /v1/messages/{id}/reply, once approved, answers the sender', async () => {
    const { call, deliver, approve, server } = door();
    const id = await deliver({ subject: 'Lunch?', from: `Maya <${FRIEND}>` });
    const { id: request } = approvalIn(
      await call('POST', `/v1/messages/${id}/reply`, { body: { body: 'Yes.' } }),
    );
    await approve(request);
    const raw = Buffer.from(server.mail.transmitted().at(-1)?.raw ?? []).toString();
    expect(raw).toMatch(/^Subject: Re: Lunch\?\r$/m);
    expect(raw).toMatch(/^In-Reply-To: <.+>\r$/m);
    expect(server.mail.transmitted().at(-1)?.to).toEqual([FRIEND]);
  });

  it('POST /v1/messages/{id}/forward, once approved, passes on the text, without attachments', async () => {
    const { call, deliver, approve, server } = door();
    const content = Buffer.from('secret plan');
    const id = await deliver({
      text: 'The text\n',
      attachments: [{ name: 'a.txt', mime: 'text/plain', content }],
    });
    const body = { to: [FRIEND], note: 'See below' };
    const { id: request } = approvalIn(await call('POST', `/v1/messages/${id}/forward`, { body }));
    await approve(request);
    const raw = Buffer.from(server.mail.transmitted().at(-1)?.raw ?? []).toString();
    expect(raw.indexOf('See below')).toBeLessThan(raw.indexOf('The text'));
    expect(raw).not.toContain(content.toString('base64'));
    expect(raw).not.toMatch(/Content-Disposition: attachment/i);
  });

  it.each(['mark-read', 'mark-unread', 'flag'])(
    'POST /v1/messages/{id}/%s waits in mode approval',
    async (path) => {
      const { call, deliver, key } = door();
      const asks = await key({ modes: { 'mail:organize': 'approval' } });
      expect((await call('POST', `/v1/messages/${await deliver()}/${path}`, { key: asks })).status).toBe(202);
    },
  );

  const PATHS = ['', '/attachments', '/attachments/0'];
  it.each(PATHS)('GET /v1/messages/{id}%s of another owner, or of nothing there', async (path) => {
    const { call, server, key, deliver } = door();
    const { ownerId } = await server.service.owners.create({ email: `eve${path.length}@example.org` });
    await server.service.accounts.connect({ ownerId, email: 'eve@example.org', settings: {} });
    const other = await key({ ownerId });
    const answer = await call('GET', `/v1/messages/${await deliver()}${path}`, { key: other });
    expectFailure(answer, 404, 'not_found', { reason: 'message' });
    expectFailure(await call('GET', `/v1/messages/m1_AAAA${path}`), 400, 'invalid_message_id');
  });
});

section('Endpoints: Threads', () => {
  it.each([
    ['limit=1', undefined],
    ['limit=50', undefined],
    ['limit=0', 'limit'],
    ['limit=51', 'limit'],
    ['cursor=c1_', 'cursor'],
    ['cursor=c1_AAAA', 'cursor'],
    [`cursor=c1_${'a'.repeat(118)}`, 'cursor'],
    ['folder=inbox', 'folder'],
  ])('GET /v1/threads/{id}?%s', async (query, field) => {
    const { call, deliver } = door();
    const answer = await call('GET', `/v1/threads/${await deliver()}?${query}`);
    if (field === undefined) expect(answer.status).toBe(200);
    else expect(refusedFields(answer)).toContain(field);
  });

  it('GET /v1/threads/{id} of what was not issued', async () => {
    expectFailure(await door().call('GET', '/v1/threads/m1_AAAA'), 400, 'invalid_message_id');
  });
});
