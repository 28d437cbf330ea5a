import { describe, expect, it, onTestFinished } from 'vitest';
import type { SandboxMail } from '../../adapters/sandbox/mail.ts';
import type { Mail } from '../../core/ports/ports.ts';
import { approvalOf, approve, detailsOf, FRIEND, openScene, sendTo } from './scene.ts';

/** A scene in which something happens between the approval of a message and its first byte. */
async function openWith(meanwhile: () => Promise<void>) {
  const mailAs = (mail: SandboxMail): Mail => ({
    ...mail,
    async transmit(...args) {
      await meanwhile();
      await mail.transmit(...args);
    },
  });
  const scene = await openScene({ mailAs });
  onTestFinished(() => scene.service.stop());
  return scene;
}

const CHANGES = [
  { what: 'is paused', reason: 'credential_paused', details: { reason: 'paused' } },
  { what: 'is paused and resumed', reason: 'credential_paused', details: { reason: 'paused' } },
  { what: 'gets a fence', reason: 'outside_fence', details: { reason: 'fence', field: '' } },
] as const;

describe.each(CHANGES)('a key that $what before its message goes out', ({ what, reason, details }) => {
  async function open(mode: 'approval' | 'direct') {
    let change = async (): Promise<void> => undefined;
    const scene = await openWith(() => change());
    const key = await scene.addKey('full', { 'mail:send': mode });
    const { service, ownerId } = scene;
    change = async () => {
      if (what === 'gets a fence') {
        return service.keys.setFences(ownerId, key.keyId, { recipients: ['nova.example'] });
      }
      await service.keys.pause(ownerId, key.keyId);
      if (what === 'is paused and resumed') await service.keys.resume(ownerId, key.keyId);
    };
    return { scene, key };
  }

  it('sends nothing that the owner approved before', async () => {
    const { scene, key } = await open('approval');
    const { id } = approvalOf(await key.call('send_email', sendTo(FRIEND)));
    expect((await approve(scene, id)).approval).toMatchObject({
      state: 'failed',
      error: reason,
      startedAt: null,
    });
    expect(scene.mail.transmitted()).toEqual([]);
  });

  it('sends nothing directly, and says why', async () => {
    const { scene, key } = await open('direct');
    expect(detailsOf(await key.call('send_email', sendTo(FRIEND)))).toEqual({
      code: 'not_permitted',
      group: 'mail:send',
      ...details,
    });
    expect(scene.mail.transmitted()).toEqual([]);
  });
});

describe('a request on the page of the owner', () => {
  it('says that its key is paused, and that it is outside the fences', async () => {
    const scene = await openScene();
    onTestFinished(() => scene.service.stop());
    const { service, ownerId } = scene;
    const key = await scene.addKey('full');
    const { id } = approvalOf(await key.call('send_email', sendTo(FRIEND)));
    const view = async () => {
      const { isKeyPaused, isOutsideFence } = (await service.approvals.show(ownerId, id)) ?? {};
      return { isKeyPaused, isOutsideFence };
    };
    expect(await view()).toEqual({ isKeyPaused: false, isOutsideFence: false });
    await service.keys.pause(ownerId, key.keyId);
    await service.keys.setFences(ownerId, key.keyId, { recipients: ['nova.example'] });
    expect(await view()).toEqual({ isKeyPaused: true, isOutsideFence: true });
  });
});

describe('the fences that an owner enters', () => {
  const MANY = Array.from({ length: 101 }, (_, n) => `a${n}.example`);

  it.each([
    { fences: { accounts: [] }, error: { code: 'invalid_arguments' } },
    { fences: { accounts: [1, 9] }, error: { code: 'not_found', details: { reason: 'account' } } },
    { fences: { recipients: [] }, error: { code: 'invalid_arguments' } },
    { fences: { recipients: MANY }, error: { code: 'invalid_arguments' } },
    {
      fences: { recipients: ['a.example', 'not an address'] },
      error: { code: 'invalid_arguments', details: { errors: [{ field: 'recipients[1]' }] } },
    },
    { fences: { until: new Date(0) }, error: { code: 'invalid_arguments' } },
  ])('are refused: %j', async ({ fences, error }) => {
    const { service, ownerId, addKey } = await openScene();
    onTestFinished(() => service.stop());
    const { keyId } = await addKey('full');
    await expect(service.keys.setFences(ownerId, keyId, fences)).rejects.toMatchObject(error);
    const create = service.keys.create({ ownerId, name: 'agent', preset: 'full', fences });
    await expect(create).rejects.toMatchObject(error);
  });
});
