import { expect, it } from 'vitest';
import { MailError } from '../../core/ports/mail.ts';
import { hold } from '../hold.ts';
import { testClock } from '../open-service.ts';
import {
  type Answer,
  approvalIn,
  type Door,
  doorOf,
  expectFailure,
  LOST,
  ownDoor,
  PUT_OFF,
  REFUSED,
  REFUSED_AFTER,
  resultIn,
  STRANGER,
} from './door.ts';
import { section } from './sections.ts';

// States and transitions: real calls reach every state, and answers describe it as the contract says.

const HOUR_MS = 60 * 60_000;
const someText: unknown = expect.stringMatching(/\S/);
const door = doorOf();

/** Files a request and returns its id. */
async function fileRequest({ call, letter }: Door, changes: object = {}, key?: string): Promise<string> {
  const body = letter(changes);
  const answer = await call('POST', '/v1/messages', { body, ...(key === undefined ? {} : { key }) });
  expect(answer.status).toBe(202);
  return approvalIn(answer).id;
}

function read({ call }: Door, id: string, key?: string): Promise<Answer> {
  return call('GET', `/v1/approvals/${id}`, key === undefined ? {} : { key });
}

section('States: Approval request', () => {
  const direct = { 'mail:send': 'direct' } as const;

  it('new, in mode approval: pending, 202 with its Location', async () => {
    const { call, letter } = door();
    const answer = await call('POST', '/v1/messages', { body: letter() });
    expect(answer.status).toBe(202);
    const { id, state } = approvalIn(answer);
    expect({ state, location: answer.headers.get('location') }).toEqual({
      state: 'pending',
      location: `/v1/approvals/${id}`,
    });
  });

  it.each<[string, object]>([
    ['a first-time recipient', { to: [STRANGER] }],
    ['the safety filter', { body: 'Your one-time code is 482913.' }],
  ])('new, in mode direct, held by %s: pending', async (_name, changes) => {
    const key = await door().key({ modes: direct });
    await fileRequest(door(), changes, key);
  });

  it('new, in mode direct, over the send limit: pending', async () => {
    const { call, letter, key } = door();
    const sends = await key({ modes: direct });
    const states: number[] = [];
    for (let n = 0; n < 6; n++)
      states.push((await call('POST', '/v1/messages', { body: letter(), key: sends })).status);
    expect(states).toEqual([200, 200, 200, 200, 200, 202]);
  });

  it('new, in mode direct, without a hold: executed, 200', async () => {
    const { call, letter, key } = door();
    const answer = await call('POST', '/v1/messages', { body: letter(), key: await key({ modes: direct }) });
    expect(answer).toMatchObject({ status: 200, json: { executed: true, auto_approved: true } });
    expect(approvalIn(answer)).toMatchObject({ state: 'executed' });
  });

  it('pending, approved by the owner: executed', async () => {
    const id = await fileRequest(door());
    await door().approve(id);
    const answer = await read(door(), id);
    expect(answer).toMatchObject({
      status: 200,
      json: { status: 'ok', executed: true, result: { meaning: someText } },
    });
    expect(approvalIn(answer).state).toBe('executed');
  });

  it('pending, rejected by the owner: rejected; the same request is refused for one hour, and no longer', async () => {
    const own = await ownDoor();
    const body = own.letter();
    const ask = (key = own.server.apiKey) => own.call('POST', '/v1/messages', { body, key });
    const { id } = approvalIn(await ask());
    await own.reject(id);
    expect(approvalIn(await read(own, id))).toMatchObject({ state: 'rejected', decided_at: someText });
    expect(await read(own, id)).toMatchObject({ status: 200, json: { executed: false } });
    expectFailure(await ask(), 409, 'previously_rejected', { resets_at: someText });
    expectFailure(await ask(await own.key()), 409, 'previously_rejected');
    const respaced = { ...body, body: `${body.body.replaceAll(' ', '  ')} ` };
    const again = await own.call('POST', '/v1/messages', { body: respaced, key: await own.key() });
    expectFailure(again, 409, 'previously_rejected', { resets_at: someText });
    own.clock.shift(HOUR_MS - 60_000);
    expectFailure(await ask(), 409, 'previously_rejected');
    own.clock.shift(60_000);
    expect((await ask()).status).toBe(202);
  });

  it('pending for 24 hours: expired', async () => {
    const own = await ownDoor();
    const id = await fileRequest(own);
    own.clock.shift(24 * HOUR_MS - 60_000);
    await own.server.service.recover();
    expect(approvalIn(await read(own, id)).state).toBe('pending');
    own.clock.shift(60_000);
    await own.server.service.recover();
    const expired = approvalIn(await read(own, id));
    expect(expired.state).toBe('expired');
    expect(expired).not.toHaveProperty('decided_at');
    await own.approve(id);
    expect(approvalIn(await read(own, id)).state).toBe('expired');
    expect(own.server.mail.transmitted()).toEqual([]);
  });

  it('pending, withdrawn by the key: cancelled', async () => {
    const id = await fileRequest(door());
    const answer = await door().call('POST', `/v1/approvals/${id}/cancel`);
    expect(answer).toMatchObject({
      status: 200,
      json: { status: 'ok', executed: false, result: { meaning: someText } },
    });
    expect(approvalIn(answer)).toMatchObject({ state: 'cancelled', error: 'cancelled_by_agent' });
    expect(approvalIn(answer)).not.toHaveProperty('decided_at');
  });

  it('pending, then its key is revoked or its permission switched off: cancelled', async () => {
    const own = await ownDoor();
    const { service, ownerId } = own.server;
    const { keyId, apiKey } = await service.keys.create({ ownerId, name: 'k', preset: 'full' });
    const id = await fileRequest(own, {}, apiKey);
    await service.keys.setModes(ownerId, keyId, { 'mail:send': 'off' });
    const cancelled = approvalIn(await read(own, id, apiKey));
    expect(cancelled).toMatchObject({ state: 'cancelled' });
    expect(cancelled.error).not.toBe('cancelled_by_agent');
    await service.keys.setModes(ownerId, keyId, { 'mail:send': 'approval' });
    const other = await fileRequest(own, {}, apiKey);
    await service.keys.revoke(ownerId, keyId);
    await own.approve(other);
    const { approvals } = await service.approvals.list(ownerId, { state: 'all', limit: 10 });
    expect(approvals.map(({ approval }) => [approval.id, approval.state])).toEqual([
      [other, 'cancelled'],
      [id, 'cancelled'],
    ]);
    expect(own.server.mail.transmitted()).toEqual([]);
  });

  it('approved, then refused by the mail server before or after the start: failed, nothing was done', async () => {
    for (const to of [REFUSED, REFUSED_AFTER]) {
      const id = await fileRequest(door(), { to: [to] });
      await door().approve(id);
      const answer = await read(door(), id);
      expect(answer).toMatchObject({ status: 200, json: { executed: false } });
      expect(approvalIn(answer)).toMatchObject({ state: 'failed', error: 'upstream_mail_error' });
    }
  });

  it('approved, then the answer of the mail server is lost: outcome_unknown, with its meaning', async () => {
    const id = await fileRequest(door(), { to: [LOST] });
    await door().approve(id);
    const answer = await read(door(), id);
    expect(answer).toMatchObject({
      status: 200,
      json: {
        executed: false,
        result: { meaning: expect.stringMatching(/may or may not.*not repeat.*Sent/is) as unknown },
      },
    });
    expect(approvalIn(answer).state).toBe('outcome_unknown');
  });

  it('approved, then deferred by the mail server: still approved, 202, and still open', async () => {
    const id = await fileRequest(door(), { to: [PUT_OFF] });
    await door().approve(id);
    const answer = await read(door(), id);
    expect(answer).toMatchObject({ status: 202, json: { status: 'pending_approval', executed: false } });
    expect(approvalIn(answer)).toMatchObject({ state: 'approved', decided_at: someText });
    const open = await door().call('GET', '/v1/approvals?limit=50');
    expect(open.json.approvals).toContainEqual(expect.objectContaining({ id, state: 'approved' }));
  });

  it.each<[string, (id: string) => Promise<unknown>]>([
    ['executed', (id) => door().approve(id)],
    ['rejected', (id) => door().reject(id)],
    ['cancelled', (id) => door().call('POST', `/v1/approvals/${id}/cancel`)],
  ])('%s, and cancelled by the key: unchanged', async (state, end) => {
    const id = await fileRequest(door());
    await end(id);
    const before = await read(door(), id);
    const after = await door().call('POST', `/v1/approvals/${id}/cancel`);
    expect(approvalIn(after)).toMatchObject({ state });
    expect(after).toMatchObject({ status: 200, json: before.json });
  });

  it('expired or failed, and cancelled by the key: unchanged', async () => {
    const own = await ownDoor();
    const failed = await fileRequest(own, { to: [REFUSED] });
    await own.approve(failed);
    const expired = await fileRequest(own);
    own.clock.shift(24 * HOUR_MS);
    await own.server.service.recover();
    for (const [id, state] of [
      [failed, 'failed'],
      [expired, 'expired'],
    ]) {
      expect(approvalIn(await own.call('POST', `/v1/approvals/${id}/cancel`)).state).toBe(state);
    }
  });

  it('the same request while one is pending: the existing one, or 409 if it has a target', async () => {
    const { call, letter, deliver } = door();
    const body = letter();
    const first = approvalIn(await call('POST', '/v1/messages', { body }));
    const again = await call('POST', '/v1/messages', { body });
    expect({ status: again.status, id: approvalIn(again).id }).toEqual({ status: 202, id: first.id });
    const path = `/v1/messages/${await deliver()}`;
    const { id } = approvalIn(await call('POST', `${path}/archive`));
    expectFailure(await call('POST', `${path}/archive`), 409, 'pending_exists_for_target', {
      approval_id: id,
    });
    expectFailure(await call('POST', `${path}/trash`), 409, 'pending_exists_for_target', { approval_id: id });
  });

  it('the same request after an unknown outcome: that approval, and nothing is sent again', async () => {
    const own = await ownDoor();
    const body = own.letter({ to: [LOST] });
    const { id } = approvalIn(await own.call('POST', '/v1/messages', { body }));
    await own.approve(id);
    const again = await own.call('POST', '/v1/messages', { body });
    expect(again).toMatchObject({ status: 200, json: { executed: false } });
    expect(approvalIn(again)).toMatchObject({ id, state: 'outcome_unknown' });
    expect(own.server.mail.transmitted()).toHaveLength(1);
  });
});

section('States: Message read state', () => {
  it.each([
    ['mark-read', 'read'],
    ['mark-unread', 'unread'],
    ['flag', 'flagged'],
  ])('%s gives %s', async (change, state) => {
    const { call, deliver } = door();
    const id = await deliver();
    const answer = await call('POST', `/v1/messages/${id}/${change}`);
    expect(resultIn(answer)).toEqual({ id, account_id: 1, folder: 'INBOX', state, matches_request: true });
    const unread = resultIn(await call('GET', '/v1/messages?unread=true&limit=1')).messages;
    expect(JSON.stringify(unread).includes(id)).toBe(state !== 'read');
  });
});

section('Notes: Where the contract can be read in two ways', () => {
  it('a write that ran at once and failed: the error, and its approval is failed', async () => {
    const own = await ownDoor();
    const key = await own.key({ modes: { 'mail:send': 'direct' } });
    expectFailure(
      await own.call('POST', '/v1/messages', { body: own.letter({ to: [REFUSED] }), key }),
      502,
      'upstream_mail_error',
    );
    const { json } = await own.call('GET', '/v1/approvals?state=all', { key });
    expect(json.approvals).toMatchObject([{ state: 'failed', error: 'upstream_mail_error' }]);
  });

  it('a write that ran at once with an unknown outcome: 200, not executed, and its key cannot be reused', async () => {
    const own = await ownDoor();
    const key = await own.key({ modes: { 'mail:send': 'direct' } });
    const ask = { body: own.letter({ to: [LOST] }), key, idempotencyKey: 'once' };
    const first = await own.call('POST', '/v1/messages', ask);
    expect(first).toMatchObject({ status: 200, json: { executed: false, result: { meaning: someText } } });
    expect(approvalIn(first).state).toBe('outcome_unknown');
    const again = await own.call('POST', '/v1/messages', ask);
    expect({ text: again.text, replayed: again.headers.get('idempotent-replayed') }).toEqual({
      text: first.text,
      replayed: 'true',
    });
    expect(own.server.mail.transmitted()).toHaveLength(1);
  });

  it('a send that was executed in the last hour: its repeat is held', async () => {
    const own = await ownDoor();
    const key = await own.key({ modes: { 'mail:send': 'direct' } });
    const body = own.letter();
    expect((await own.call('POST', '/v1/messages', { body, key })).status).toBe(200);
    expect((await own.call('POST', '/v1/messages', { body, key })).status).toBe(202);
  });

  it('a direct write that takes longer than 25 s: 202, approved; it continues', async () => {
    const { wait, underWay, letGo } = hold();
    const clock = testClock();
    const waits: (() => void)[] = [];
    const after = (ms: number, task: () => void) => {
      if (ms !== 25_000) return clock.after(ms, task);
      waits.push(task);
      return () => undefined;
    };
    const own = await ownDoor({
      given: { clock: { ...clock, after } },
      mailAs: (mail) => ({
        ...mail,
        async transmit(call, message, start) {
          await wait();
          return mail.transmit(call, message, start);
        },
      }),
    });
    const key = await own.key({ modes: { 'mail:send': 'direct' } });
    const asked = own.call('POST', '/v1/messages', { body: own.letter(), key });
    await underWay;
    for (const endWait of waits) endWait();
    const answer = await asked;
    expect(answer).toMatchObject({ status: 202, json: { status: 'pending_approval', executed: false } });
    const { id, state } = approvalIn(answer);
    expect(state).toBe('approved');
    letGo();
    await expect.poll(async () => approvalIn(await read(own, id, key)).state).toBe('executed');
  });

  it('a light write does not collide with a request for the same message', async () => {
    const { call, deliver } = door();
    const path = `/v1/messages/${await deliver()}`;
    expect((await call('POST', `${path}/archive`)).status).toBe(202);
    expect((await call('POST', `${path}/mark-read`)).status).toBe(200);
  });

  it('the Idempotency-Key of a tool is the header of its POST', async () => {
    const { tool, letter } = door();
    const args = letter();
    const first = await tool('send_email', args, { idempotencyKey: 'tool-door' });
    const again = await tool('send_email', args, { idempotencyKey: 'tool-door' });
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
  });

  it('poll_after_s is 15 in the first 5 minutes, then 30', async () => {
    const own = await ownDoor();
    const id = await fileRequest(own);
    own.clock.shift(5 * 60_000 - 10_000);
    expect((await read(own, id)).json.poll_after_s).toBe(15);
    own.clock.shift(10_000);
    expect((await read(own, id)).json.poll_after_s).toBe(30);
  });

  it('a light write in mode direct: its own result, executed, without an approval', async () => {
    const { call, deliver } = door();
    const { json } = await call('POST', `/v1/messages/${await deliver()}/mark-read`);
    expect(json).toMatchObject({ executed: true, auto_approved: true });
    expect(json.result).not.toHaveProperty('approval');
  });

  it('several accounts without account_id are merged; if one is unreachable, the call is a 502 naming it', async () => {
    let isDown = false;
    const own = await ownDoor({
      mailAs: (mail) => ({
        ...mail,
        list: async (call, query) => {
          if (isDown && call.account.accountId === 2) throw new MailError('unavailable', 'down');
          return mail.list(call, query);
        },
        counts: async (call) => {
          if (isDown && call.account.accountId === 2) throw new MailError('unavailable', 'down');
          return mail.counts(call);
        },
      }),
    });
    const { service, ownerId } = own.server;
    await service.accounts.connect({ ownerId, email: 'second@example.org', settings: {} });
    const accounts = (answer: Answer) => resultIn(answer).messages as { account_id: number }[];
    const both = accounts(await own.call('GET', '/v1/messages?limit=50'));
    expect(both.map(({ account_id }) => account_id).toSorted()).toEqual([1, 2]);
    const one = accounts(await own.call('GET', '/v1/messages?account_id=2'));
    expect(one.map(({ account_id }) => account_id)).toEqual([2]);
    isDown = true;
    expectFailure(await own.call('GET', '/v1/messages'), 502, 'upstream_mail_error', { account_id: 2 });
    expect((await own.call('GET', '/v1/messages?account_id=1')).status).toBe(200);
    expect(resultIn(await own.call('GET', '/v1/accounts')).accounts).toMatchObject([
      { account_id: 1, folders: [{}, {}, {}, {}, {}, {}, {}] },
      { account_id: 2, folders: [], by_role: {}, error: 'upstream_mail_error' },
    ]);
  });
});
