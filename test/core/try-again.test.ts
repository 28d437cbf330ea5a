import { describe, expect, it } from 'vitest';
import { MailError } from '../../core/ports/mail.ts';
import { approvalOf, approve, FRIEND, firstId, openScene, sendTo, shownOf } from './scene.ts';

/** A mailbox whose changes fail, with nothing done, until it is mended. */
async function open(tool: 'send_email' | 'send_reply' | 'archive_email', modes = {}) {
  const state = { isBroken: true };
  const broken = () => {
    if (state.isBroken) throw new MailError('refused', 'not today');
  };
  const scene = await openScene({
    mailAs: (mail) => ({
      ...mail,
      async transmit(...args) {
        broken();
        return mail.transmit(...args);
      },
      async move(...args) {
        broken();
        return mail.move(...args);
      },
    }),
  });
  const key = await scene.addKey('full', modes);
  const message = { id: await firstId(key) };
  const args = {
    send_email: { ...sendTo(FRIEND), purpose: 'You asked me to.' },
    send_reply: { ...message, body: 'Text' },
    archive_email: message,
  }[tool];
  const ask = () => key.call(tool, args);
  const mend = () => {
    state.isBroken = false;
  };
  const again = (id: string) => scene.service.approvals.tryAgain(scene.ownerId, id);
  return { scene, key, ask, mend, again };
}

describe('a request that failed before anything was done', () => {
  it.each(['send_email', 'send_reply', 'archive_email'] as const)(
    'is planned again if the owner tries it again, and waits for one more tap: %s',
    async (tool) => {
      const { scene, ask, mend, again } = await open(tool);
      const { id } = approvalOf(await ask());
      expect((await approve(scene, id)).approval).toMatchObject({ state: 'failed', startedAt: null });
      expect((await scene.service.approvals.show(scene.ownerId, id))?.canTryAgain).toBe(true);
      mend();
      const second = await again(id);
      expect(second).toMatchObject({
        state: 'pending',
        reasons: expect.arrayContaining(['tried_again']) as string[],
      });
      if (second === undefined) throw new Error('nothing was filed');
      expect(second.id).not.toBe(id);
      if (tool !== 'archive_email') {
        const ids = await Promise.all(
          [id, second.id].map(async (one) => (await shownOf(scene, one)).message?.says.messageId),
        );
        expect(new Set(ids).size).toBe(2);
      }
      // A second click, and the program's own retry, lead to the same request.
      expect((await again(id))?.id).toBe(second.id);
      const retry = await ask();
      expect(retry.status === 'error' ? retry.details : retry).toMatchObject(
        tool === 'send_email' ? { approval: { id: second.id } } : { approval_id: second.id },
      );
      expect((await approve(scene, second.id)).approval.state).toBe('executed');
      expect(scene.mail.transmitted()).toHaveLength(tool === 'archive_email' ? 0 : 1);
    },
  );

  it('is sent once if its program sends it at once while the owner tries it again', async () => {
    const { scene, ask, mend, again } = await open('send_email', { 'mail:send': 'direct' });
    await ask();
    const [failed] = (await scene.service.approvals.list(scene.ownerId, { state: 'all', limit: 5 }))
      .approvals;
    expect(failed?.approval.state).toBe('failed');
    mend();
    await Promise.all([ask(), again(failed?.approval.id ?? '')]);
    expect(scene.mail.transmitted().length).toBeLessThanOrEqual(1);
    const { approvals } = await scene.service.approvals.list(scene.ownerId, { state: 'open', limit: 5 });
    // If the send won, the owner's request warns that it is a repeat. If the owner's won, the send waits as that request.
    for (const { approval } of approvals) {
      if (scene.mail.transmitted().length === 1) expect(approval.reasons).toContain('likely_repeat');
    }
    expect(approvals.length + scene.mail.transmitted().length).toBeGreaterThan(0);
    expect(approvals.length).toBeLessThanOrEqual(1);
  });

  it('keeps the purpose', async () => {
    const { scene, ask, again } = await open('send_email');
    const { id } = approvalOf(await ask());
    await approve(scene, id);
    const second = await again(id);
    const view = await scene.service.approvals.show(scene.ownerId, second?.id ?? '');
    expect(view?.purpose).toBe('You asked me to.');
  });

  it('cannot be tried again by a key that is off, and only by its owner', async () => {
    const { scene, key, ask, again } = await open('send_email');
    const { id } = approvalOf(await ask());
    await approve(scene, id);
    const { ownerId } = await scene.service.owners.create({ email: 'eve@example.org' });
    expect(await scene.service.approvals.tryAgain(ownerId, id)).toBeUndefined();
    await scene.service.keys.revoke(scene.ownerId, key.keyId);
    await expect(again(id)).rejects.toMatchObject({ code: 'invalid_token' });
  });

  it.each(['pending', 'executed', 'rejected'])('is not offered for a request that is %s', async (state) => {
    const { scene, ask, mend, again } = await open('send_email');
    mend();
    const { id } = approvalOf(await ask());
    if (state === 'executed') await approve(scene, id);
    if (state === 'rejected') await scene.service.approvals.reject(scene.ownerId, id);
    expect((await scene.service.approvals.show(scene.ownerId, id))?.canTryAgain).toBe(false);
    expect(await again(id)).toBeUndefined();
  });
});
