import { describe, expect, it } from 'vitest';
import type { TestKey } from '../open-service.ts';
import { answerOf, approvalOf, FRIEND, openScene, type Scene, sendTo, wordOf } from './scene.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

async function works({ service }: Scene, apiKey: string): Promise<boolean> {
  const admission = await service.calls.admitCaller({ token: apiKey, address: '192.0.2.1' });
  if (admission.kind === 'admitted') await service.calls.endCall(admission.caller, 'ok');
  else expect(admission.failure.code).toBe('invalid_token');
  return admission.kind === 'admitted';
}

function create({ service, ownerId }: Scene, days?: number) {
  return service.keys.create({
    ownerId,
    name: 'agent',
    preset: 'full',
    ...(days === undefined ? {} : { days }),
  });
}

describe('a key', () => {
  it.each([
    [undefined, 90],
    [1, 1],
    [180, 180],
  ])('created for %s days works for %i days and no longer', async (days, lives) => {
    const scene = await openScene();
    const { apiKey } = await create(scene, days);
    scene.clock.shift(lives * DAY_MS - 60_000);
    expect(await works(scene, apiKey)).toBe(true);
    scene.clock.shift(60_000);
    expect(await works(scene, apiKey)).toBe(false);
  });

  it.each([0, 181, -1, 1.5, Number.NaN])('cannot be created for %d days', async (days) => {
    await expect(create(await openScene(), days)).rejects.toMatchObject({ code: 'invalid_arguments' });
  });

  it('cannot be created with a mode that its group lacks, or an invalid name', async () => {
    const { service, ownerId } = await openScene();
    const base = { ownerId, name: 'agent', preset: 'full' } as const;
    for (const wrong of [
      { modes: { 'mail:read': 'direct' as const } },
      { modes: { 'mail:send': 'on' as const } },
      { name: '' },
      { name: 'a\nb' },
      { name: 'x'.repeat(101) },
    ]) {
      await expect(service.keys.create({ ...base, ...wrong })).rejects.toMatchObject({
        code: 'invalid_arguments',
      });
    }
    await expect(service.keys.create({ ...base, ownerId: 'nobody' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('that was revoked no longer works, and revoking it again changes nothing', async () => {
    const scene = await openScene();
    const { apiKey, keyId } = await create(scene);
    expect(await works(scene, apiKey)).toBe(true);
    await scene.service.keys.revoke(scene.ownerId, keyId);
    await scene.service.keys.revoke(scene.ownerId, keyId);
    expect(await works(scene, apiKey)).toBe(false);
    await expect(scene.service.keys.rotate(scene.ownerId, keyId)).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(scene.service.keys.revoke(scene.ownerId, 'key_none')).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('found in a URL is revoked, old or new, and anything else is ignored', async () => {
    const scene = await openScene();
    const { apiKey, keyId } = await create(scene);
    const rotated = await scene.service.keys.rotate(scene.ownerId, keyId);
    await scene.service.keys.revokeLeaked('svc_pat_nothing');
    expect(await works(scene, apiKey)).toBe(true);
    await scene.service.keys.revokeLeaked(apiKey);
    expect([await works(scene, apiKey), await works(scene, rotated.apiKey)]).toEqual([false, false]);
  });

  it('of another owner cannot be changed', async () => {
    const scene = await openScene();
    const { apiKey, keyId } = await create(scene);
    const { ownerId } = await scene.service.owners.create({ email: 'eve@example.org' });
    for (const attempt of [
      () => scene.service.keys.revoke(ownerId, keyId),
      () => scene.service.keys.rotate(ownerId, keyId),
      () => scene.service.keys.setModes(ownerId, keyId, { 'mail:send': 'direct' }),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'not_found' });
    }
    expect(await works(scene, apiKey)).toBe(true);
  });
});

describe('rotation', () => {
  it('leaves the old key working for 24 hours', async () => {
    const scene = await openScene();
    const { apiKey: older, keyId } = await create(scene);
    const { apiKey: newer } = await scene.service.keys.rotate(scene.ownerId, keyId);
    expect(newer).not.toBe(older);
    scene.clock.shift(DAY_MS - 60_000);
    expect([await works(scene, older), await works(scene, newer)]).toEqual([true, true]);
    scene.clock.shift(60_000);
    expect([await works(scene, older), await works(scene, newer)]).toEqual([false, true]);
  });

  it('does not let the old key live longer than it would have', async () => {
    const scene = await openScene();
    const { apiKey: older, keyId } = await create(scene, 1);
    scene.clock.shift(DAY_MS - HOUR_MS);
    await scene.service.keys.rotate(scene.ownerId, keyId);
    scene.clock.shift(HOUR_MS);
    expect(await works(scene, older)).toBe(false);
  });

  it('gives the new key 90 days, whatever the lifetime of the first one', async () => {
    const scene = await openScene();
    const { keyId } = await create(scene, 180);
    scene.clock.shift(100 * DAY_MS);
    const { apiKey } = await scene.service.keys.rotate(scene.ownerId, keyId);
    scene.clock.shift(90 * DAY_MS - 60_000);
    expect(await works(scene, apiKey)).toBe(true);
    scene.clock.shift(60_000);
    expect(await works(scene, apiKey)).toBe(false);
  });

  it('keeps modes, requests and limits of the key', async () => {
    const scene = await openScene();
    const key: TestKey = await scene.addKey('full', { 'mail:manage': 'off' });
    const { id } = approvalOf(await key.call('send_email', sendTo(FRIEND)));
    const { apiKey } = await scene.service.keys.rotate(scene.ownerId, key.keyId);
    const admission = await scene.service.calls.admitCaller({ token: apiKey, address: '192.0.2.1' });
    if (admission.kind !== 'admitted') throw new Error(admission.kind);
    expect(admission.caller.credential).toMatchObject({
      credentialId: key.keyId,
      modes: { 'mail:manage': 'off' },
    });
    await scene.service.calls.endCall(admission.caller, 'ok');
    const { outcome } = await answerOf(scene, { apiKey }, 'get_approval', { approval_id: id });
    expect(wordOf(outcome)).toBe('pending_approval');
  });
});

describe('a switched-off group', () => {
  it('takes effect at the next call, and its tools are no longer listed', async () => {
    const scene = await openScene();
    const key = await scene.addKey('full');
    const listed = async () => {
      const admission = await scene.service.calls.admitCaller({ token: key.apiKey, address: '192.0.2.1' });
      if (admission.kind !== 'admitted') throw new Error(admission.kind);
      await scene.service.calls.endCall(admission.caller, 'ok');
      return scene.service.calls.tools(admission.caller).map(({ name }) => name);
    };
    expect(await listed()).toContain('send_email');
    await scene.service.keys.setModes(scene.ownerId, key.keyId, { 'mail:send': 'off' });
    expect(await listed()).not.toContain('send_email');
    expect(await listed()).toContain('send_reply');
    expect(wordOf(await key.call('send_email', sendTo(FRIEND)))).toBe('not_permitted');
  });
});
