import { describe, expect, it } from 'vitest';
import { hold } from '../../hold.ts';
import { including, textLike } from '../matchers.ts';
import {
  answerOf,
  approvalOf,
  approve,
  detailsOf,
  FRIEND,
  firstId,
  LOST,
  openScene,
  REFUSED_AFTER,
  type SceneOptions,
  sendTo,
} from '../scene.ts';

async function open(options: SceneOptions = {}) {
  const scene = await openScene(options);
  const key = await scene.addKey('full', { 'mail:send': 'direct' });
  const send = (body = 'Text', idempotencyKey = 'k', by = key) =>
    answerOf(scene, by, 'send_email', sendTo(FRIEND, body), idempotencyKey);
  return { scene, key, send };
}

describe('the same call with the same Idempotency-Key', () => {
  it('returns the result of the first one, and does not run again', async () => {
    const { scene, send } = await open();
    const first = await send();
    const second = await send();
    expect([first.replayed, second.replayed]).toEqual([false, true]);
    expect(second.outcome).toEqual(first.outcome);
    expect(first.outcome).toMatchObject({ status: 'ok', executed: true });
    expect(scene.mail.transmitted()).toHaveLength(1);
  });

  it('returns the same 202 if it was filed, whatever its state is now', async () => {
    const { scene } = await open();
    const key = await scene.addKey('full');
    const first = await answerOf(scene, key, 'send_email', sendTo(FRIEND), 'k');
    await approve(scene, approvalOf(first.outcome).id);
    const second = await answerOf(scene, key, 'send_email', sendTo(FRIEND), 'k');
    expect(second).toEqual({ outcome: first.outcome, replayed: true });
    expect(scene.mail.transmitted()).toHaveLength(1);
  });

  it('is the same call in any order of its arguments', async () => {
    const { scene, key, send } = await open();
    await send();
    const { to, subject, body } = sendTo(FRIEND);
    expect((await answerOf(scene, key, 'send_email', { body, subject, to }, 'k')).replayed).toBe(true);
  });

  it.each([
    ['mark_read', async (id: string) => ({ id })],
    ['send_reply', async (id: string) => ({ id, body: 'Answer' })],
  ])('of %s also returns the first result', async (tool, args) => {
    const { scene } = await open();
    const key = await scene.addKey('full');
    const given = await args(await firstId(key));
    const first = await answerOf(scene, key, tool, given, 'k');
    expect(await answerOf(scene, key, tool, given, 'k')).toEqual({ outcome: first.outcome, replayed: true });
  });

  it('of cancel_approval also returns the first result', async () => {
    const { scene } = await open();
    const key = await scene.addKey('full');
    const approval_id = approvalOf(await key.call('send_email', sendTo(FRIEND))).id;
    const first = await answerOf(scene, key, 'cancel_approval', { approval_id }, 'k');
    const second = await answerOf(scene, key, 'cancel_approval', { approval_id }, 'k');
    expect(second).toEqual({ outcome: first.outcome, replayed: true });
  });
});

describe('an Idempotency-Key', () => {
  it('that is in use is reported', async () => {
    const { wait, underWay, letGo } = hold();
    const { scene, send } = await open({
      mailAs: (mail) => ({
        ...mail,
        async transmit(call, message, start) {
          await wait();
          return mail.transmit(call, message, start);
        },
      }),
    });
    const first = send();
    await underWay;
    expect(detailsOf((await send()).outcome)).toEqual({ code: 'idempotency_in_progress', retry_after_s: 1 });
    letGo();
    expect((await first).outcome).toMatchObject({ executed: true });
    expect((await send()).replayed).toBe(true);
    expect(scene.mail.transmitted()).toHaveLength(1);
  });

  it('of a different request is refused, whether arguments or tool differ', async () => {
    const { scene, key, send } = await open();
    await send();
    expect(detailsOf((await send('Another')).outcome)).toEqual({ code: 'idempotency_key_reused' });
    const id = await firstId(key);
    const { outcome } = await answerOf(scene, key, 'mark_read', { id }, 'k');
    expect(detailsOf(outcome)).toEqual({ code: 'idempotency_key_reused' });
    expect(scene.mail.transmitted()).toHaveLength(1);
  });

  it('is the key\u2019s own: another API key may use it for anything', async () => {
    const { scene, send } = await open();
    const other = await scene.addKey('full', { 'mail:send': 'direct' });
    await send('Text');
    expect((await send('Another', 'k', other)).outcome).toMatchObject({ status: 'ok', executed: true });
    expect(scene.mail.transmitted()).toHaveLength(2);
  });

  it('is kept for 24 hours and no longer', async () => {
    const { scene, send } = await open();
    await send();
    scene.clock.shift(24 * 3_600_000 - 60_000);
    expect((await send()).replayed).toBe(true);
    scene.clock.shift(60_000);
    const later = await send();
    expect([later.replayed, later.outcome.status]).toEqual([false, 'ok']);
    expect(scene.mail.transmitted()).toHaveLength(2);
  });

  it('survives a rotation of the API key', async () => {
    const { scene, key, send } = await open();
    const first = await send();
    const { apiKey } = await scene.service.keys.rotate(scene.ownerId, key.keyId);
    expect(await send('Text', 'k', { ...key, apiKey })).toEqual({ outcome: first.outcome, replayed: true });
  });
});

describe('a call that failed', () => {
  it('may be tried again with the same key', async () => {
    let failures = 1;
    const { scene, send } = await open({
      mailAs: (mail) => ({
        ...mail,
        async transmit(call, message, start) {
          if (failures-- > 0)
            await mail.transmit(
              call,
              { ...message, envelope: { ...message.envelope, to: ['tempfail@sandbox.invalid'] } },
              start,
            );
          return mail.transmit(call, message, start);
        },
      }),
    });
    expect(detailsOf((await send()).outcome)).toMatchObject({ code: 'upstream_mail_error' });
    const second = await send();
    expect([second.replayed, second.outcome.status]).toEqual([false, 'ok']);
    expect(scene.mail.transmitted()).toHaveLength(1);
    expect((await send()).replayed).toBe(true);
  });

  it('may also be tried again if the server refused it in the middle', async () => {
    const { scene, key } = await open();
    for (let tries = 0; tries < 2; tries++) {
      const { outcome, replayed } = await answerOf(scene, key, 'send_email', sendTo(REFUSED_AFTER), 'k');
      expect([detailsOf(outcome).code, replayed]).toEqual(['upstream_mail_error', false]);
    }
    const { approvals } = await scene.service.approvals.list(scene.ownerId, { state: 'all', limit: 10 });
    expect(approvals.map(({ approval }) => approval.state)).toEqual(['failed', 'failed']);
  });

  it('leaves the key free if nothing was filed', async () => {
    const { scene, key } = await open();
    const { outcome } = await answerOf(scene, key, 'send_email', { ...sendTo(FRIEND), account_id: 9 }, 'k');
    expect(detailsOf(outcome)).toMatchObject({ code: 'not_found' });
    await scene.service.accounts.connect({
      ownerId: scene.ownerId,
      email: 'two@countersign.test',
      settings: {},
    });
    const again = await answerOf(scene, key, 'send_email', sendTo(FRIEND), 'k');
    expect([again.replayed, again.outcome.status]).toEqual([false, 'ok']);
  });
});

describe('a send of which nobody knows whether it happened', () => {
  it('burns its key: it is answered 200, not executed, and never sent again', async () => {
    const { scene, key } = await open();
    const first = await answerOf(scene, key, 'send_email', sendTo(LOST), 'k');
    expect(first.outcome).toEqual({
      status: 'ok',
      executed: false,
      result: {
        approval: including({ state: 'outcome_unknown' }),
        meaning: textLike(/may or may not have happened.*Do not repeat/),
      },
    });
    expect(await answerOf(scene, key, 'send_email', sendTo(LOST), 'k')).toEqual({
      outcome: first.outcome,
      replayed: true,
    });
    expect(scene.mail.transmitted()).toHaveLength(1);
  });

  it('is the answer to the same request without a key, for 24 hours', async () => {
    const { scene, key } = await open();
    const first = await key.call('send_email', sendTo(LOST));
    scene.clock.shift(24 * 3_600_000 - 60_000);
    expect(approvalOf(await key.call('send_email', sendTo(LOST))).id).toBe(approvalOf(first).id);
    expect(scene.mail.transmitted()).toHaveLength(1);
    scene.clock.shift(60_001);
    expect(approvalOf(await key.call('send_email', sendTo(LOST))).id).not.toBe(approvalOf(first).id);
  });
});
