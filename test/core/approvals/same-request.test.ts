import { describe, expect, it } from 'vitest';
import {
  answerOf,
  approvalOf,
  approve,
  detailsOf,
  FRIEND,
  firstId,
  openScene,
  STRANGER,
  sendTo,
  wordOf,
} from '../scene.ts';

async function open() {
  const scene = await openScene();
  return { scene, key: await scene.addKey('full') };
}

describe('the same request again', () => {
  it('returns the pending one if it has no target', async () => {
    const { scene, key } = await open();
    const first = await key.call('send_email', sendTo(FRIEND));
    scene.clock.shift(1000);
    const again = await key.call('send_email', {
      ...sendTo(FRIEND.toUpperCase()),
      body: 'Text\r\n',
    });
    expect(approvalOf(again)).toEqual(approvalOf(first));
    expect(
      (await scene.service.approvals.list(scene.ownerId, { state: 'all', limit: 5 })).approvals,
    ).toHaveLength(1);
  });

  it('is refused while one for its target is pending, and so is a different one for that target', async () => {
    const { key } = await open();
    const id = await firstId(key);
    const first = approvalOf(await key.call('send_reply', { id, body: 'Answer' })).id;
    for (const body of ['Answer', 'Another answer']) {
      expect(detailsOf(await key.call('send_reply', { id, body }))).toEqual({
        code: 'pending_exists_for_target',
        approval_id: first,
      });
    }
    await key.call('cancel_approval', { approval_id: first });
    expect(wordOf(await key.call('send_reply', { id, body: 'Answer' }))).toBe('pending_approval');
  });

  it('from a different key is a different request', async () => {
    const { scene, key } = await open();
    const other = await scene.addKey('full');
    const first = approvalOf(await key.call('send_email', sendTo(FRIEND))).id;
    expect(approvalOf(await other.call('send_email', sendTo(FRIEND))).id).not.toBe(first);
  });

  it('is a new one after it has expired, even before it is cleaned up', async () => {
    const { scene, key } = await open();
    const first = approvalOf(await key.call('send_email', sendTo(FRIEND))).id;
    scene.clock.shift(24 * 3_600_000);
    expect(approvalOf(await key.call('send_email', sendTo(FRIEND))).id).not.toBe(first);
  });

  it('is a new one after it was cancelled, or executed long ago', async () => {
    const { scene, key } = await open();
    const first = approvalOf(await key.call('send_email', sendTo(FRIEND))).id;
    await approve(scene, first);
    scene.clock.shift(3_600_001);
    const second = await key.call('send_email', sendTo(FRIEND));
    expect(approvalOf(second).id).not.toBe(first);
    const stored = await scene.storage.approval(scene.ownerId, approvalOf(second).id);
    expect(stored?.reasons).toEqual(['mode_approval']);
  });
});

describe('a request that the owner has rejected', () => {
  it('is refused for an hour, to every key of the owner', async () => {
    const { scene, key } = await open();
    const other = await scene.addKey('full', { 'mail:send': 'direct' });
    const { id } = approvalOf(await key.call('send_email', sendTo(FRIEND)));
    await scene.service.approvals.reject(scene.ownerId, id);
    const rejected = await scene.storage.approval(scene.ownerId, id);
    const rejectedAt = rejected?.state === 'rejected' ? rejected.endedAt.getTime() : 0;
    const refused = {
      code: 'previously_rejected',
      resets_at: new Date(rejectedAt + 3_600_000).toISOString(),
    };
    expect(detailsOf(await key.call('send_email', sendTo(FRIEND)))).toEqual(refused);
    scene.clock.shift(3_600_000 - 60_000);
    expect(detailsOf(await other.call('send_email', sendTo(FRIEND)))).toEqual(refused);
    expect(wordOf(await key.call('send_email', sendTo(FRIEND, 'Another')))).toBe('pending_approval');
    expect(scene.mail.transmitted()).toEqual([]);
    scene.clock.shift(60_001);
    expect(wordOf(await key.call('send_email', sendTo(FRIEND)))).toBe('pending_approval');
  });

  it('is refused in other clothes too, to every key', async () => {
    const { scene, key } = await open();
    const other = await scene.addKey('full', { 'mail:send': 'direct' });
    const letter = { to: [FRIEND], subject: 'The invoice', body: 'Please pay 1.50 today.\nThanks' };
    const { id } = approvalOf(await key.call('send_email', letter));
    await scene.service.approvals.reject(scene.ownerId, id);
    const clothes = [
      { body: 'Please  pay 1.50 today.\n\nThanks ' },
      { body: 'please pay 1.50 TODAY!!\nThanks…' },
      { body: 'Plea\u200bse pay 1.50 today.\nThanks' },
      { body: 'Ｐlease pay 1.50 tоday.\nThanks' },
      { subject: 'the invoice.' },
      { to: [FRIEND.toUpperCase()] },
    ];
    for (const [n, changes] of clothes.entries()) {
      const one = n % 2 === 0 ? key : other;
      expect(wordOf(await one.call('send_email', { ...letter, ...changes }))).toBe('previously_rejected');
    }
    for (const body of ['Please pay 150 today.\nThanks', 'Please pay 1.50 tomorrow.\nThanks']) {
      const outcome = await key.call('send_email', { ...letter, body });
      expect(wordOf(outcome)).toBe('pending_approval');
    }
  });

  it('is refused whatever the order of its recipients', async () => {
    const { scene, key } = await open();
    const letter = sendTo(FRIEND);
    const { id } = approvalOf(await key.call('send_email', { ...letter, to: [FRIEND, STRANGER] }));
    await scene.service.approvals.reject(scene.ownerId, id);
    const turned = await key.call('send_email', { ...letter, to: [STRANGER, FRIEND] });
    expect(wordOf(turned)).toBe('previously_rejected');
    expect(wordOf(await key.call('send_email', { ...letter, to: [STRANGER] }))).toBe('pending_approval');
  });

  it('is refused whichever id names the same message', async () => {
    const { scene, key } = await open();
    const id = await firstId(key);
    const first = approvalOf(await key.call('send_reply', { id, body: 'Answer' })).id;
    await scene.service.approvals.reject(scene.ownerId, first);
    expect(detailsOf(await key.call('send_reply', { id, body: 'Answer' }))).toMatchObject({
      code: 'previously_rejected',
    });
    expect(wordOf(await key.call('send_reply', { id, body: 'Another' }))).toBe('pending_approval');
  });

  it('does not affect other owners', async () => {
    const { scene, key } = await open();
    const { id } = approvalOf(await key.call('send_email', sendTo(FRIEND)));
    await scene.service.approvals.reject(scene.ownerId, id);
    const { ownerId } = await scene.service.owners.create({ email: 'eve@example.org' });
    await scene.service.accounts.connect({ ownerId, email: 'eve@example.org', settings: {} });
    const { apiKey } = await scene.service.keys.create({ ownerId, name: 'eve', preset: 'full' });
    const { outcome } = await answerOf(scene, { apiKey }, 'send_email', sendTo(FRIEND));
    expect(wordOf(outcome)).toBe('pending_approval');
  });
});
