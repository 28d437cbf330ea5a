import { describe, expect, it } from 'vitest';
import { MailError } from '../../../core/ports/mail.ts';
import { hold } from '../../hold.ts';
import { approvalOf, approve, FRIEND, openScene, sendTo } from '../scene.ts';

describe('a connection that is lost while the start of an action is stored', () => {
  /** Its storage takes its time, and its mail server is gone by then. */
  async function open() {
    const start = hold();
    const scene = await openScene({
      storageAs: (storage) => ({
        ...storage,
        start: async (request) => {
          await start.wait();
          return storage.start(request);
        },
      }),
      mailAs: (mail) => ({
        ...mail,
        transmit: async (_call, _message, begin) => {
          void begin();
          throw new MailError('unavailable', 'The connection was lost.');
        },
      }),
    });
    return { start, scene };
  }

  it('ends a direct request, which was not carried out', async () => {
    const { start, scene } = await open();
    const key = await scene.addKey('full', { 'mail:send': 'direct' });
    const answer = key.call('send_email', sendTo(FRIEND));
    await start.underWay;
    start.letGo();
    expect(await answer).toMatchObject({ status: 'error', code: 'upstream_mail_error' });
    const { approvals } = await scene.service.approvals.list(scene.ownerId, { state: 'all', limit: 1 });
    expect(approvals).toMatchObject([{ approval: { state: 'failed', error: 'upstream_mail_error' } }]);
  });

  it('ends an approved request, which the owner approved once', async () => {
    const { start, scene } = await open();
    const { id } = approvalOf(await (await scene.addKey('full')).call('send_email', sendTo(FRIEND)));
    const approved = approve(scene, id);
    await start.underWay;
    start.letGo();
    await approved;
    const view = await scene.service.approvals.show(scene.ownerId, id);
    expect(view?.approval).toMatchObject({
      ...{ state: 'failed', error: 'upstream_mail_error' },
      startedAt: expect.any(Date) as unknown,
    });
  });
});
