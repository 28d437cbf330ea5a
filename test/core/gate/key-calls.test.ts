import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, expectTypeOf, it, onTestFinished } from 'vitest';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import { ServiceStoppedError } from '../../../core/contract/errors.ts';
import type { ToolArguments } from '../../../core/tools/catalogue.ts';
import { openTestService } from '../../open-service.ts';
import { approvalOf, digestOf, FRIEND, openScene, sendTo } from '../scene.ts';

async function open(limits = {}) {
  const scene = await openScene(limits);
  const key = await scene.addKey('full');
  return { ...scene, key, agent: scene.service.as({ ownerId: scene.ownerId, keyId: key.keyId }) };
}

describe('a call by the app in the name of a key', () => {
  it('returns what the same call through a door returns', async () => {
    const { agent, key } = await open();
    const [inside, outside] = [await agent.call('list_accounts', {}), await key.call('list_accounts')];
    expect(inside).toMatchObject({ status: 'ok' });
    expect(inside).toEqual(outside);
  });

  it('waits for the owner like any other, and is recorded', async () => {
    const { agent, service, ownerId, key } = await open();
    const { id } = approvalOf(await agent.call('send_email', sendTo(FRIEND)));
    expect((await service.approvals.show(ownerId, id))?.approval.credentialId).toBe(key.keyId);
    const {
      entries: [row],
    } = await service.owners.activity(ownerId, { limit: 1 });
    expect(row).toMatchObject({ kind: 'call', credentialId: key.keyId, tool: 'send_email', approvalId: id });
  });

  it('answers the same again for the same idempotency key', async () => {
    const { agent } = await open();
    const send = () => agent.call('send_email', sendTo(FRIEND), { idempotencyKey: 'k1' });
    expect(approvalOf(await send()).id).toBe(approvalOf(await send()).id);
  });

  it('accepts a purpose for a write, and the compiler allows it only there', async () => {
    const { agent, service, ownerId } = await open();
    const args = { ...sendTo(FRIEND), purpose: 'She asked.' } satisfies ToolArguments<'send_email'>;
    const { id } = approvalOf(await agent.call('send_email', args));
    expect((await service.approvals.show(ownerId, id))?.purpose).toBe('She asked.');
    // @ts-expect-error a read has none
    expect(await agent.call('list_unread', { purpose: 'x' })).toMatchObject({ code: 'invalid_arguments' });
  });

  it('fails for a group that is off, wrong arguments, and a key that is paused', async () => {
    const { agent, service, ownerId, key } = await open();
    await service.keys.setModes(ownerId, key.keyId, { 'mail:send': 'off' });
    expect(await agent.call('send_email', sendTo(FRIEND))).toMatchObject({ code: 'not_permitted' });
    const wrong = { limit: 0 } satisfies ToolArguments<'list_unread'>;
    expect(await agent.call('list_unread', wrong)).toMatchObject({ code: 'invalid_arguments' });
    await service.keys.pause(ownerId, key.keyId);
    expect(await agent.call('list_unread', {})).toMatchObject({ code: 'not_permitted' });
    expect(await agent.call('get_me', {})).toMatchObject({ status: 'ok', result: { paused: true } });
  });

  it('fails for a key that is unknown, of another owner, revoked or expired', async () => {
    const { agent, service, ownerId, key, clock } = await open();
    const { ownerId: other } = await service.owners.create({ email: 'other@example.org' });
    const refused = { status: 'error', code: 'invalid_token' };
    expect(await service.as({ ownerId, keyId: 'key_none' }).call('get_me', {})).toMatchObject(refused);
    expect(await service.as({ ownerId: other, keyId: key.keyId }).call('get_me', {})).toMatchObject(refused);
    const rotated = await service.keys.create({ ownerId, name: 'second', preset: 'read' });
    await service.keys.revoke(ownerId, rotated.keyId);
    const revoked = service.as({ ownerId, keyId: rotated.keyId });
    expect(await revoked.call('get_me', {})).toMatchObject(refused);
    clock.shift(91 * 86_400_000);
    expect(await agent.call('get_me', {})).toMatchObject(refused);
  });

  it('counts against the limits of the key, together with those through a door', async () => {
    const { agent, key } = await open({ limits: { callsPerMinute: 3 } });
    expect(await agent.call('get_me', {})).toMatchObject({ status: 'ok' });
    expect(await key.call('get_me')).toMatchObject({ status: 'ok' });
    expect(await agent.call('get_me', {})).toMatchObject({ status: 'ok' });
    expect(await agent.call('get_me', {})).toMatchObject({ code: 'rate_limited' });
    expect(await key.call('get_me')).toMatchObject({ code: 'rate_limited' });
  });

  it('takes one of the slots of the key', async () => {
    const { agent } = await open({ limits: { concurrentCalls: 1, callsPerMinute: 100 } });
    const outcomes = await Promise.all([agent.call('list_unread', {}), agent.call('list_unread', {})]);
    expect(outcomes.map((one) => (one.status === 'error' ? one.code : 'ok')).toSorted()).toEqual([
      'busy',
      'ok',
    ]);
  });

  it('is typed by the name of the tool', async () => {
    const { agent } = await open();
    const calls = async () => {
      const read = await agent.call('get_me', {});
      if (read.status === 'ok') expectTypeOf(read.result.timezone).toBeString();
      if (read.status === 'pending_approval') expectTypeOf(read.approval.id).toBeString();
      const sent = await agent.call('send_email', { to: [FRIEND], subject: 's', body: 'b' });
      if (sent.status === 'ok') expectTypeOf(sent.result.meaning).toBeString();
      // @ts-expect-error no such tool
      await agent.call('send_mail', {});
      // @ts-expect-error `to` is a list
      await agent.call('send_email', { to: FRIEND, subject: 's', body: 'b' });
      // @ts-expect-error `body` is missing
      await agent.call('send_email', { to: [FRIEND], subject: 's' });
      // @ts-expect-error an unknown argument
      await agent.call('mark_read', { id: 'm', ids: [], flag: true });
    };
    expectTypeOf(calls).toBeFunction();
  });

  it('fails once the service is stopped', async () => {
    const { agent, service } = await open();
    await service.stop();
    expect(await agent.call('get_me', {})).toMatchObject({ code: 'temporarily_unavailable' });
  });
});

describe('approvals.settled', () => {
  it('resolves when the owner has decided and the action has run', async () => {
    const { agent, service, ownerId } = await open();
    const { id } = approvalOf(await agent.call('send_email', sendTo(FRIEND)));
    const settled = service.approvals.settled(ownerId, id);
    await service.approvals.approve(ownerId, id, await digestOf(service, ownerId, id));
    expect(await settled).toMatchObject({ id, state: 'executed' });
    expect(await service.approvals.settled(ownerId, id)).toMatchObject({ state: 'executed' });
  });

  it('resolves when the owner rejects', async () => {
    const { agent, service, ownerId } = await open();
    const { id } = approvalOf(await agent.call('send_email', sendTo(FRIEND)));
    const settled = service.approvals.settled(ownerId, id);
    await service.approvals.reject(ownerId, id);
    expect(await settled).toMatchObject({ state: 'rejected' });
  });

  it('rejects with the reason of its signal, for a missing request, and when the service stops', async () => {
    const { agent, service, ownerId } = await open();
    const { id } = approvalOf(await agent.call('send_email', sendTo(FRIEND)));
    const abort = new AbortController();
    const aborted = service.approvals.settled(ownerId, id, { signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    const missing = service.approvals.settled(ownerId, 'apr_none');
    await expect(missing).rejects.toMatchObject({ code: 'not_found', details: { reason: 'approval' } });
    const [waiting] = [service.approvals.settled(ownerId, id).catch((error: unknown) => error)];
    await service.stop();
    expect(await waiting).toBeInstanceOf(ServiceStoppedError);
  });
});

describe('two services in one process', () => {
  const secretKeys = [randomBytes(32)];

  it('share a database: what one decides, the other sees', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-two-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'countersign.db');
    const one = await openTestService({ storage: sqliteStorage({ file }), secretKeys });
    const two = await openTestService({
      storage: sqliteStorage({ file }),
      secretKeys,
      email: 'b@example.org',
    });
    const { keyId } = await one.addKey('full');
    const agent = two.service.as({ ownerId: one.ownerId, keyId });
    const { id } = approvalOf(await agent.call('send_email', sendTo(FRIEND)));
    const settled = two.service.approvals.settled(one.ownerId, id);
    await one.service.approvals.approve(one.ownerId, id, await digestOf(one.service, one.ownerId, id));
    expect(await settled).toMatchObject({ state: 'executed' });
    await one.service.stop();
    expect(await agent.call('get_me', {})).toMatchObject({ status: 'ok' });
    await two.service.stop();
  });

  it('on two databases know nothing of each other', async () => {
    const [one, two] = [await openTestService({ secretKeys }), await openTestService({ secretKeys })];
    const { keyId, apiKey } = await one.addKey('full');
    expect(await two.service.as({ ownerId: one.ownerId, keyId }).call('get_me', {})).toMatchObject({
      code: 'invalid_token',
    });
    const admission = await two.service.calls.admitCaller({ token: apiKey, address: '192.0.2.1' });
    expect(admission).toMatchObject({ kind: 'refused', failure: { code: 'invalid_token' } });
    await two.service.stop();
    expect(await one.service.as({ ownerId: one.ownerId, keyId }).call('get_me', {})).toMatchObject({
      status: 'ok',
    });
    await one.service.stop();
  });
});
