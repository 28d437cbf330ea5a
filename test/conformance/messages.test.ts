import { Buffer } from 'node:buffer';
import { expect, it } from 'vitest';
import { MailError } from '../../core/ports/mail.ts';
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

// Endpoints: messages and threads, with their parameters on both sides of every limit.

const door = doorOf();

/** A character that is one code point, two UTF-16 units and four bytes. */
const WIDE = '\u{1f4dc}';

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

  it.each(['unread=1', 'unread=', 'unread=true&unread=true'])(
    'GET /v1/messages?%s: the error states what unread must be',
    async (query) => {
      const { json } = await door().call('GET', `/v1/messages?${query}`);
      expect(json.details).toEqual({
        errors: [{ field: 'unread', rule: 'type', message: 'must be boolean' }],
      });
    },
  );

  it('GET /v1/messages lists the inbox, newest first, 20 by default', async () => {
    const own = await ownDoor({ samples: () => [] });
    const ids: string[] = [];
    for (let n = 0; n < 21; n++) ids.unshift(await own.deliver());
    const { messages, returned, total, has_more } = resultIn(await own.call('GET', '/v1/messages'));
    expect({ returned, total, has_more }).toEqual({ returned: 20, total: 21, has_more: true });
    expect((messages as { id: string }[]).map(({ id }) => id)).toEqual(ids.slice(0, 20));
  });

  it('GET /v1/messages?unread=true lists only unread ones', async () => {
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
    ['from=Zebra&since=2020-01-01', 'all parameters'],
    ['q=zebra&unread=true', 'all parameters'],
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
    // A day to each side, in case the test runs at midnight.
    expect(idOf(await own.call('GET', `/v1/messages?since=${day(-1)}`))).toBe(id);
    expect((await own.call('GET', `/v1/messages?since=${day(2)}`)).json.status).toBe('empty');
  });

  it('a search covers every folder by default', async () => {
    const own = await ownDoor();
    const id = await own.deliver({ folder: 'Projects/Atlas', subject: 'Kangaroo' });
    expect(idOf(await own.call('GET', '/v1/messages?q=kangaroo'))).toBe(id);
    expect((await own.call('GET', '/v1/messages?q=kangaroo&folder=inbox')).json.status).toBe('empty');
  });

  it('the pages of a list and of a search return every message once', async () => {
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

  it('a page of a folder that has gone meanwhile: not_found, naming the folder', async () => {
    const own = await ownDoor({
      mailAs: (mail) => ({
        ...mail,
        async list() {
          throw new MailError('not_found', 'the folder was recreated since that page');
        },
      }),
    });
    expectFailure(await own.call('GET', '/v1/messages'), 404, 'not_found', { reason: 'folder' });
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
    ['a string for recipients', { to: FRIEND }, 'to'],
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
    ['a subject with two lines', { subject: 'a\nb' }, 'subject'],
    ['a body of 1 character', { body: 'x' }, undefined],
    ['a body of 50000', { body: WIDE.repeat(50_000) }, undefined],
    ['a body of 50001', { body: 'x'.repeat(50_001) }, 'body'],
    ['no body', { body: '' }, 'body'],
    ['a body with a control character', { body: 'a\u0007b' }, 'body'],
    ['an existing account', { account_id: 1 }, undefined],
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

  it.each([
    ['max_chars=1', undefined],
    ['max_chars=50000', undefined],
    ['max_chars=0', 'max_chars'],
    ['max_chars=50001', 'max_chars'],
    ['offset=100000000', undefined],
    ['offset=100000001', 'offset'],
    ['offset=-1', 'offset'],
    ['offset=x', 'offset'],
  ])('GET /v1/messages/{id}/attachments/{index}?%s', async (query, field) => {
    const { call, deliver } = door();
    const attachments = [{ name: 'a.txt', mime: 'text/plain', content: Buffer.from('Hello') }];
    const answer = await call('GET', `/v1/messages/${await deliver({ attachments })}/attachments/0?${query}`);
    if (field === undefined) expect(resultIn(answer).index).toBe(0);
    else expect(refusedFields(answer)).toEqual([field]);
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

  it('POST /v1/messages/{id}/move accepts only an exact folder name', async () => {
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

  it('POST /v1/messages/{id}/forward, once approved, forwards the text, without attachments', async () => {
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
    'POST /v1/messages/{id}/%s is pending in mode approval',
    async (path) => {
      const { call, deliver, key } = door();
      const asks = await key({ modes: { 'mail:organize': 'approval' } });
      expect((await call('POST', `/v1/messages/${await deliver()}/${path}`, { key: asks })).status).toBe(202);
    },
  );

  const PATHS = ['', '/attachments', '/attachments/0'];
  it.each(PATHS)('GET /v1/messages/{id}%s of another owner, or that does not exist', async (path) => {
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

  it('GET /v1/threads/{id} with an id that was never issued', async () => {
    expectFailure(await door().call('GET', '/v1/threads/m1_AAAA'), 400, 'invalid_message_id');
  });
});
