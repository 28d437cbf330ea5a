import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../core/time/durations.ts';
import { erasing } from '../contracts/storage/scene.ts';
import { answerOf, approvalOf, FRIEND, openScene, resultOf, type Scene, sendTo } from './scene.ts';

async function open() {
  const scene = await openScene();
  const key = await scene.addKey('full');
  const { id } = approvalOf(await key.call('send_email', sendTo(FRIEND)));
  return { scene, key, id };
}

/** What the key reads of the request. */
async function readBy(scene: Scene, key: { apiKey: string }, id: string) {
  const { outcome } = await answerOf(scene, key, 'get_approval', { approval_id: id });
  return resultOf(outcome);
}

describe('a rejection', () => {
  it.each([
    ['wrong_recipient', 'Not Maya: Nina.', /wrong person/],
    ['reword', undefined, /other words/],
    ['not_now', undefined, /not want it now/],
    ['suspicious', undefined, /suspicious/],
    ['other', 'We talked already.', /may say why/],
  ] as const)('for %s is read by the agent, with the note', async (reason, note, meaning) => {
    const { scene, key, id } = await open();
    await scene.service.approvals.reject(scene.ownerId, id, { reason, note });
    const rejection = note === undefined ? { reason } : { reason, note };
    const read = await readBy(scene, key, id);
    expect(read).toMatchObject({ approval: { state: 'rejected', rejection } });
    expect(read.meaning).toMatch(meaning);
    const listed = resultOf(await key.call('list_approvals', { state: 'all' }));
    expect(listed).toMatchObject({ approvals: [{ id, rejection }] });
    const view = await scene.service.approvals.show(scene.ownerId, id);
    expect(view).toMatchObject({ words: { note: note ?? null }, decidedIn: { kind: 'app' } });
  });

  it('without a reason says none, and a note alone is the reason `other`', async () => {
    const { scene, key, id } = await open();
    await scene.service.approvals.reject(scene.ownerId, id, { note: ' \r\n' });
    expect(await readBy(scene, key, id)).not.toHaveProperty('approval.rejection');
    const other = approvalOf(await key.call('send_email', sendTo(FRIEND, 'Another'))).id;
    await scene.service.approvals.reject(scene.ownerId, other, { note: 'No.\r\nReally.\n' });
    expect(await readBy(scene, key, other)).toMatchObject({
      approval: { rejection: { reason: 'other', note: 'No.\nReally.' } },
    });
  });

  it('with a note that is too long, or has control characters, decides nothing', async () => {
    const { scene, id } = await open();
    const { approvals } = scene.service;
    for (const note of ['x'.repeat(501), 'a\u0000b', '\u009b31m']) {
      await expect(approvals.reject(scene.ownerId, id, { note })).rejects.toMatchObject({
        code: 'invalid_arguments',
      });
    }
    expect((await scene.storage.approval(scene.ownerId, id))?.state).toBe('pending');
    expect((await approvals.reject(scene.ownerId, id, { note: '😀'.repeat(500) }))?.won).toBe(true);
  });

  it('has its note sealed at rest, and erased with the plan', async () => {
    const { scene, key, id } = await open();
    await scene.service.approvals.reject(scene.ownerId, id, { reason: 'reword', note: 'friendlier' });
    expect(JSON.stringify(await scene.storage.approval(scene.ownerId, id))).not.toContain('friendlier');
    const at = new Date(scene.clock.now().getTime() + 30 * DAY_MS + 1);
    await scene.storage.erase(erasing({ plansKeptUntil: at }));
    const { approval } = await readBy(scene, key, id);
    expect(approval).toMatchObject({ rejection: { reason: 'reword' } });
    expect(approval).not.toHaveProperty('rejection.note');
  });
});
