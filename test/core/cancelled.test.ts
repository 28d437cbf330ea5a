import { describe, expect, it } from 'vitest';
import type { AnyApproval } from '../contracts/any-approval.ts';
import { including, textLike } from './matchers.ts';
import { approvalOf, approve, FRIEND, firstId, openScene, type Scene, sendTo, stateOf } from './scene.ts';

/** Requests of two keys, in two groups and for two accounts. */
async function open() {
  const scene = await openScene();
  const { ownerId } = scene;
  const key = await scene.addKey('full');
  const other = await scene.addKey('full');
  const id = await firstId(key);
  const second = await scene.service.accounts.connect({
    ownerId,
    email: 'two@countersign.test',
    settings: {},
  });
  const file = async (by: typeof key, tool: string, args: object) => approvalOf(await by.call(tool, args)).id;
  return {
    scene,
    key,
    second: second.accountId,
    requests: {
      send: await file(key, 'send_email', sendTo(FRIEND)),
      reply: await file(key, 'send_reply', { id, body: 'Answer' }),
      fromSecond: await file(key, 'send_email', { ...sendTo(FRIEND), account_id: second.accountId }),
      ofOther: await file(other, 'send_email', sendTo(FRIEND)),
    },
  };
}

async function ends(scene: Scene, requests: Record<string, string>) {
  const ended = Object.entries(requests).map(async ([name, id]) => {
    const approval: AnyApproval | undefined = await scene.storage.approval(scene.ownerId, id);
    return [name, approval?.error ?? approval?.state];
  });
  return Object.fromEntries(await Promise.all(ended));
}

describe('a pending request is cancelled', () => {
  it('when its key is revoked', async () => {
    const { scene, key, requests } = await open();
    await scene.service.keys.revoke(scene.ownerId, key.keyId);
    const off = 'credential_off';
    expect(await ends(scene, requests)).toEqual({
      send: off,
      reply: off,
      fromSecond: off,
      ofOther: 'pending',
    });
  });

  it('when its key is found in a URL', async () => {
    const { scene, key, requests } = await open();
    await scene.service.keys.revokeLeaked(key.apiKey);
    expect(await ends(scene, requests)).toMatchObject({ send: 'credential_off', ofOther: 'pending' });
  });

  it('when its group is switched off, and no other', async () => {
    const { scene, key, requests } = await open();
    await scene.service.keys.setModes(scene.ownerId, key.keyId, { 'mail:send': 'off' });
    const off = 'permission_off';
    expect(await ends(scene, requests)).toEqual({
      send: off,
      reply: 'pending',
      fromSecond: off,
      ofOther: 'pending',
    });
    await scene.service.keys.setModes(scene.ownerId, key.keyId, { 'mail:send': 'approval' });
    expect(await stateOf(scene, requests.send)).toBe('cancelled');
  });

  it('when its account is removed', async () => {
    const { scene, second, requests } = await open();
    await scene.service.accounts.remove(scene.ownerId, second);
    expect(await ends(scene, requests)).toEqual({
      send: 'pending',
      reply: 'pending',
      fromSecond: 'account_removed',
      ofOther: 'pending',
    });
  });

  it('and is shown as cancelled to the key, cannot be approved, and sends no webhook event', async () => {
    const { scene, key, requests } = await open();
    await scene.service.keys.setModes(scene.ownerId, key.keyId, { 'mail:send': 'off' });
    expect(await key.call('get_approval', { approval_id: requests.send })).toEqual({
      status: 'ok',
      executed: false,
      result: {
        approval: including({ state: 'cancelled', error: 'permission_off' }),
        meaning: textLike('Nothing was done'),
      },
    });
    expect((await approve(scene, requests.send)).won).toBe(false);
    expect(scene.mail.transmitted()).toEqual([]);
    expect(await scene.service.owners.events(scene.ownerId, 0, 10)).toEqual([]);
  });

  it('but not when a mode becomes stricter or more open without being off', async () => {
    const { scene, key, requests } = await open();
    await scene.service.keys.setModes(scene.ownerId, key.keyId, {
      'mail:send': 'direct',
      'mail:manage': 'off',
    });
    expect(await stateOf(scene, requests.send)).toBe('pending');
    expect((await approve(scene, requests.send)).approval.state).toBe('executed');
  });

  it('but not once it is decided', async () => {
    const { scene, key, requests } = await open();
    await approve(scene, requests.send);
    await scene.service.keys.revoke(scene.ownerId, key.keyId);
    expect(await stateOf(scene, requests.send)).toBe('executed');
  });
});
