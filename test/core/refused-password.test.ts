import { describe, expect, it } from 'vitest';
import { MailError } from '../../core/ports/mail.ts';
import { approvalOf, approve, FRIEND, openScene, sendTo } from './scene.ts';

/** A mailbox whose server refuses the password, or the sign-in, until it is mended. */
async function open(trouble: 'password_refused' | 'sign_in_again' = 'password_refused', modes = {}) {
  const state = { isBroken: true, attempts: 0 };
  const scene = await openScene({
    mailAs: (mail) => ({
      ...mail,
      async transmit(...args) {
        state.attempts += 1;
        if (state.isBroken) throw new MailError('auth', 'the server refuses it', { trouble });
        return mail.transmit(...args);
      },
    }),
  });
  const key = await scene.addKey('full', modes);
  const later = async (minutes: number) => {
    scene.clock.shift(minutes * 60_000);
    await scene.service.recover();
  };
  const read = async (id: string) => scene.storage.approval(scene.ownerId, id);
  return { scene, key, state, later, read };
}

describe('an approved send whose mail server refuses the password', () => {
  it.each(['password_refused', 'sign_in_again'] as const)(
    'waits, says why, and is carried out once after the mending: %s',
    async (trouble) => {
      const { scene, key, state, later, read } = await open(trouble);
      const { id } = approvalOf(await key.call('send_email', sendTo(FRIEND)));
      expect((await approve(scene, id)).approval).toMatchObject({ state: 'approved', error: trouble });
      // The program only learns that it is not done yet.
      const shown = approvalOf(await key.call('get_approval', { approval_id: id }));
      expect(shown).toMatchObject({ state: 'approved' });
      expect(shown.error).toBeUndefined();
      await later(1);
      expect(state.attempts).toBe(2);
      expect(await read(id)).toMatchObject({ state: 'approved', startedAt: null, error: trouble });
      state.isBroken = false;
      await later(1);
      expect(await read(id)).toMatchObject({ state: 'executed', error: null });
      await later(1);
      expect(scene.mail.transmitted()).toHaveLength(1);
    },
  );

  it('fails after 15 minutes, still says why, and can be tried again', async () => {
    const { scene, key, state, later, read } = await open();
    const { id } = approvalOf(await key.call('send_email', sendTo(FRIEND)));
    await approve(scene, id);
    await later(14);
    expect(await read(id)).toMatchObject({ state: 'approved' });
    await later(2);
    expect(await read(id)).toMatchObject({ state: 'failed', startedAt: null, error: 'password_refused' });
    expect(approvalOf(await key.call('get_approval', { approval_id: id })).error).toBe('password_refused');
    expect((await scene.service.approvals.show(scene.ownerId, id))?.canTryAgain).toBe(true);
    state.isBroken = false;
    await later(1);
    expect(scene.mail.transmitted()).toEqual([]);
  });

  it('fails at once if the key may send without approval', async () => {
    const { scene, key } = await open('password_refused', { 'mail:send': 'direct' });
    const outcome = await key.call('send_email', sendTo(FRIEND));
    expect(outcome).toMatchObject({ status: 'error', code: 'upstream_mail_error' });
    const { approvals } = await scene.service.approvals.list(scene.ownerId, { state: 'all', limit: 5 });
    expect(approvals).toMatchObject([{ approval: { state: 'failed', error: 'password_refused' } }]);
  });
});
