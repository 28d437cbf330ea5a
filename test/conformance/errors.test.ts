import { expect, it } from 'vitest';
import { failure } from '../../core/call/outcome.ts';
import { ERRORS, type ErrorCode } from '../../core/contract/errors.ts';
import { MailError } from '../../core/ports/mail.ts';
import { hold } from '../hold.ts';
import { sendBytes } from '../hosts/rest/raw-http.ts';
import { type Answer, approvalIn, doorOf, expectFailure, LOST, ownDoor, REFUSED, resultIn } from './door.ts';
import { section } from './sections.ts';

// Errors: each code with its status and condition, and the rules of Idempotency-Key.

const HOUR_MS = 60 * 60_000;
const door = doorOf();

/** The status of each code, which stays as it is. */
const TABLE: Record<ErrorCode, number> = {
  invalid_arguments: 400,
  invalid_content_length: 400,
  invalid_idempotency_key: 400,
  invalid_message_id: 400,
  token_in_url: 400,
  too_many_targets: 400,
  invalid_token: 401,
  quota_exceeded: 402,
  not_permitted: 403,
  origin_not_allowed: 403,
  not_found: 404,
  method_not_allowed: 405,
  idempotency_in_progress: 409,
  no_mail_account_connected: 409,
  pending_exists_for_target: 409,
  previously_rejected: 409,
  length_required: 411,
  payload_too_large: 413,
  unsupported_media_type: 415,
  misdirected_request: 421,
  idempotency_key_reused: 422,
  busy: 429,
  daily_limit_reached: 429,
  rate_limited: 429,
  too_many_pending: 429,
  internal_error: 500,
  upstream_mail_error: 502,
  temporarily_unavailable: 503,
  unavailable: 503,
};

section('Errors', () => {
  it('codes and statuses match the table', () => {
    const statuses = Object.entries(ERRORS).map(([code, { status }]) => [code, status]);
    expect(Object.fromEntries(statuses)).toEqual(TABLE);
  });

  it('the message of a code is fixed, and contains nothing of the request', async () => {
    const { call } = door();
    const secret = 'do-not-echo';
    const [one, other] = [
      await call('GET', `/v1/messages?limit=${secret}`),
      await call('GET', '/v1/messages?limit=0'),
    ];
    expect(one.json.message).toBe(other.json.message);
    expect(one.text).not.toContain(secret);
  });

  it('invalid_arguments names every field, with the rule', async () => {
    const { json } = await door().call('POST', '/v1/messages', { body: { to: ['x'], subject: '' } });
    expect(json.details).toEqual({
      errors: expect.arrayContaining(
        [
          { field: 'to[0]', rule: 'pattern' },
          { field: 'subject', rule: 'minLength' },
          { field: 'body', rule: 'required' },
        ].map((error) => expect.objectContaining(error) as unknown),
      ) as unknown,
    });
  });

  it.each(['abc', '-1', '1.5'])('invalid_content_length: Content-Length %s', async (length) => {
    const { server } = door();
    const answer = await sendBytes(
      server.port,
      `POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${server.apiKey}\r\nContent-Length: ${length}\r\n\r\n`,
    );
    expect(answer).toMatchObject({ status: 400, json: { code: 'invalid_content_length' } });
  });

  it.each([
    ['without a length', ''],
    ['chunked', 'Transfer-Encoding: chunked\r\n'],
  ])('length_required: a body %s', async (_name, header) => {
    const { server } = door();
    const answer = await sendBytes(
      server.port,
      `POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${server.apiKey}\r\nContent-Type: application/json\r\n${header}\r\n`,
    );
    expect(answer).toMatchObject({ status: 411, json: { code: 'length_required' } });
  });

  it('invalid_message_id: an altered id', async () => {
    const { call, deliver } = door();
    const id = await deliver();
    const changed = `${id.slice(0, -1)}${id.endsWith('A') ? 'B' : 'A'}`;
    expectFailure(await call('GET', `/v1/messages/${changed}`), 400, 'invalid_message_id');
  });

  it('not_found: reason says what is missing', async () => {
    const { call, deliver } = door();
    expectFailure(await call('GET', '/v1/nowhere'), 404, 'not_found', { reason: 'route' });
    expectFailure(await call('GET', '/v1/messages?account_id=9'), 404, 'not_found', { reason: 'account' });
    const id = await deliver();
    const { service, ownerId, mail } = door().server;
    const { accountId } = await service.accounts.connect({
      ownerId,
      email: 'gone@example.org',
      settings: {},
    });
    const account = { ownerId, accountId, email: 'gone@example.org', settings: async () => ({}) };
    await mail.deliver(account, 'INBOX', Buffer.from('Subject: Gone\r\n\r\nx\r\n'));
    const list = resultIn(await call('GET', `/v1/messages?account_id=${accountId}&limit=1`));
    const [{ id: gone } = { id: '' }] = list.messages as { id: string }[];
    await service.accounts.remove(ownerId, accountId);
    expectFailure(await call('GET', `/v1/messages/${gone}`), 404, 'not_found', { reason: 'message' });
    expect((await call('GET', `/v1/messages/${id}`)).status).toBe(200);
  });

  it.each([
    ['PUT', '/v1/messages', 'GET, HEAD, POST'],
    ['DELETE', '/v1/me', 'GET, HEAD'],
    ['GET', '/v1/messages/m1_x/reply', 'POST'],
    ['POST', '/v1/openapi.json', 'GET, HEAD'],
  ] as const)('method_not_allowed: %s %s, Allow %s', async (method, path, allow) => {
    const answer = await door().call(method, path);
    expectFailure(answer, 405, 'method_not_allowed');
    expect(answer.headers.get('allow')).toBe(allow);
  });

  it('no_mail_account_connected: no mailbox, on reads and on sends', async () => {
    const { call, key, server, letter } = door();
    const { ownerId } = await server.service.owners.create({ email: 'bare@example.org' });
    const bare = await key({ ownerId });
    for (const path of ['accounts', 'folders', 'messages', 'messages?q=x']) {
      expectFailure(await call('GET', `/v1/${path}`, { key: bare }), 409, 'no_mail_account_connected');
    }
    expectFailure(
      await call('POST', '/v1/messages', { body: letter(), key: bare }),
      409,
      'no_mail_account_connected',
    );
  });

  it('upstream_mail_error: the mail server did not do it, and nothing is reported as done', async () => {
    let fails = false;
    const own = await ownDoor({
      mailAs: (mail) => ({
        ...mail,
        folders: async (call, options) => {
          if (fails) throw new MailError('unavailable', 'down');
          return mail.folders(call, options);
        },
      }),
    });
    fails = true;
    const answer = await own.call('GET', '/v1/folders');
    expectFailure(answer, 502, 'upstream_mail_error', { account_id: 1 });
    expect(answer.text).not.toContain('down');
  });

  it('internal_error: an internal failure, reported without its text', async () => {
    let fails = false;
    const own = await ownDoor({
      mailAs: (mail) => ({
        ...mail,
        folders: async (call, options) => {
          if (fails) throw new RangeError('secret');
          return mail.folders(call, options);
        },
      }),
    });
    fails = true;
    const answer = await own.call('GET', '/v1/folders');
    expectFailure(answer, 500, 'internal_error');
    expect(answer.text).not.toContain('secret');
  });

  it('temporarily_unavailable: storage does not answer; with Retry-After', async () => {
    const own = await ownDoor({
      between: (service) => ({
        ...service,
        calls: {
          ...service.calls,
          runTool: async () => {
            const outcome = failure('temporarily_unavailable', { retry_after_s: 5 });
            return { outcome, replayed: false };
          },
        },
      }),
    });
    const answer = await own.call('GET', '/v1/me');
    expectFailure(answer, 503, 'temporarily_unavailable', { retry_after_s: 5 });
    expect(answer.headers.get('retry-after')).toBe('5');
  });

  it('too_many_targets: more than one call may act on', async () => {
    const ids = Array.from({ length: 51 }, (_, n) => `m1_${n}`);
    expectFailure(await door().tool('archive_email', { ids }), 400, 'too_many_targets', { max_targets: 50 });
    expectFailure(await door().tool('archive_email', { ids: ids.slice(1) }), 400, 'invalid_message_id');
  });

  const send = (answer: Answer) => ({
    status: answer.status,
    text: answer.text,
    replayed: answer.headers.get('idempotent-replayed'),
  });

  it('the same request with the same Idempotency-Key: the same bytes, marked as a replay', async () => {
    const own = await ownDoor();
    const key = await own.key({ modes: { 'mail:send': 'direct' } });
    const asks = { body: own.letter(), key, idempotencyKey: 'k' };
    const first = await own.call('POST', '/v1/messages', asks);
    expect(first.headers.has('idempotent-replayed')).toBe(false);
    const again = await own.call('POST', '/v1/messages', asks);
    expect(send(again)).toEqual({ ...send(first), replayed: 'true' });
    expect(own.server.mail.transmitted()).toHaveLength(1);
    const filed = { body: own.letter(), idempotencyKey: 'k' };
    const waiting = await own.call('POST', '/v1/messages', filed);
    await own.approve(approvalIn(waiting).id);
    const replay = await own.call('POST', '/v1/messages', filed);
    expect(send(replay)).toEqual({ ...send(waiting), replayed: 'true' });
    expect(replay.headers.get('location')).toBe(waiting.headers.get('location'));
  });

  it('it is stored for 24 hours', async () => {
    const own = await ownDoor();
    const key = await own.key({ modes: { 'mail:send': 'direct' } });
    const asks = { body: own.letter(), key, idempotencyKey: 'k' };
    const first = await own.call('POST', '/v1/messages', asks);
    own.clock.shift(24 * HOUR_MS - 60_000);
    await own.server.service.recover();
    expect(send(await own.call('POST', '/v1/messages', asks))).toEqual({ ...send(first), replayed: 'true' });
    own.clock.shift(2 * 60_000);
    await own.server.service.recover();
    const later = await own.call('POST', '/v1/messages', asks);
    expect(later.headers.has('idempotent-replayed')).toBe(false);
    expect(own.server.mail.transmitted()).toHaveLength(2);
  });

  it('idempotency_key_reused: the same key with a different request; another API key may use it', async () => {
    const { call, letter, key, deliver } = door();
    await call('POST', '/v1/messages', { body: letter(), idempotencyKey: 'mine' });
    expectFailure(
      await call('POST', '/v1/messages', { body: letter(), idempotencyKey: 'mine' }),
      422,
      'idempotency_key_reused',
    );
    const archive = `/v1/messages/${await deliver()}/archive`;
    expectFailure(await call('POST', archive, { idempotencyKey: 'mine' }), 422, 'idempotency_key_reused');
    const other = await call('POST', '/v1/messages', {
      body: letter(),
      idempotencyKey: 'mine',
      key: await key(),
    });
    expect(other.status).toBe(202);
  });

  it('idempotency_in_progress: the first call is still running', async () => {
    const { wait, underWay, letGo } = hold();
    const own = await ownDoor({
      mailAs: (mail) => ({
        ...mail,
        async transmit(call, message, start) {
          await wait();
          return mail.transmit(call, message, start);
        },
      }),
    });
    const key = await own.key({ modes: { 'mail:send': 'direct' } });
    const asks = { body: own.letter(), key, idempotencyKey: 'k' };
    const first = own.call('POST', '/v1/messages', asks);
    await underWay;
    expectFailure(await own.call('POST', '/v1/messages', asks), 409, 'idempotency_in_progress', {
      retry_after_s: 1,
    });
    letGo();
    // The first has its answer before the repeat; otherwise it might still be running.
    const { text } = await first;
    expect(send(await own.call('POST', '/v1/messages', asks))).toMatchObject({ text, replayed: 'true' });
  });

  it('4. only 2xx is stored: a failed call may be retried with the same key', async () => {
    const own = await ownDoor();
    const key = await own.key({ modes: { 'mail:send': 'direct' } });
    const refused = { body: own.letter({ to: [REFUSED] }), key, idempotencyKey: 'k' };
    for (let n = 0; n < 2; n++) {
      const answer = await own.call('POST', '/v1/messages', refused);
      expectFailure(answer, 502, 'upstream_mail_error');
      expect(answer.headers.has('idempotent-replayed')).toBe(false);
    }
    expect(
      await own.call('POST', '/v1/messages', { body: own.letter(), key, idempotencyKey: 'k2' }),
    ).toMatchObject({ status: 200 });
    const invalid = await own.call('POST', '/v1/messages', { body: {}, key, idempotencyKey: 'k3' });
    expectFailure(invalid, 400, 'invalid_arguments');
    expect(
      await own.call('POST', '/v1/messages', { body: own.letter(), key, idempotencyKey: 'k3' }),
    ).toMatchObject({ status: 200 });
  });

  it('an unknown outcome is stored, because the request must not be repeated', async () => {
    const own = await ownDoor();
    const key = await own.key({ modes: { 'mail:send': 'direct' } });
    const asks = { body: own.letter({ to: [LOST] }), key, idempotencyKey: 'k' };
    const first = await own.call('POST', '/v1/messages', asks);
    expect(send(await own.call('POST', '/v1/messages', asks))).toEqual({ ...send(first), replayed: 'true' });
    expect(own.server.mail.transmitted()).toHaveLength(1);
  });

  it('every failure has the common headers', async () => {
    const { call } = door();
    for (const path of ['/v1/nowhere', '/v1/messages?limit=0', '/v1/messages/m1_A', '/v1/approvals/apr_x']) {
      const { headers } = await call('GET', path);
      for (const name of [
        'ratelimit-limit',
        'ratelimit-remaining',
        'ratelimit-reset',
        'ratelimit-policy',
        'x-request-id',
      ]) {
        expect(headers.has(name)).toBe(true);
      }
    }
  });
});
