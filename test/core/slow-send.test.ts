import { describe, expect, it } from 'vitest';
import { WAIT_MS } from '../../core/work/within-limit.ts';
import { hold } from '../hold.ts';
import { testClock } from '../open-service.ts';
import { approvalOf, approve, digestOf, FRIEND, openScene, sendTo, stateOf } from './scene.ts';

/** A clock that does not move. The time of callers ends when the test says so. */
function patientClock() {
  const waits = new Set<() => void>();
  return {
    ...testClock(),
    after(ms: number, task: () => void) {
      if (ms === WAIT_MS) waits.add(task);
      return () => waits.delete(task);
    },
    endWaits() {
      for (const task of waits) task();
    },
  };
}

/** A scene with a send in progress, which continues when the test says so. */
async function open(mode: 'direct' | 'approval') {
  const clock = patientClock();
  const { wait, underWay, letGo } = hold();
  const scene = await openScene({
    clock,
    mailAs: (mail) => ({
      ...mail,
      async transmit(call, message, start) {
        await wait();
        return mail.transmit(call, message, start);
      },
    }),
  });
  const key = await scene.addKey('full', { 'mail:send': mode });
  return { scene, key, clock, underWay, letGo };
}

describe('a send that takes longer than its caller waits', () => {
  it('answers 202, approved, in mode direct, and continues', async () => {
    const { scene, key, clock, underWay, letGo } = await open('direct');
    const answer = key.call('send_email', sendTo(FRIEND));
    await underWay;
    clock.endWaits();
    const outcome = await answer;
    expect(outcome).toMatchObject({
      status: 'pending_approval',
      executed: false,
      approval: { state: 'approved' },
    });
    letGo();
    const { id } = approvalOf(outcome);
    await expect.poll(() => stateOf(scene, id)).toBe('executed');
    expect(await key.call('get_approval', { approval_id: id })).toMatchObject({
      status: 'ok',
      executed: true,
    });
    expect(scene.mail.transmitted()).toHaveLength(1);
  });

  it('is waited for to its end by a call that began to wait before the decision', async () => {
    const { scene, key, underWay, letGo } = await open('approval');
    const { id } = approvalOf(await key.call('send_email', sendTo(FRIEND)));
    let begun = () => {};
    const begins = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const program = scene.service.as({ ownerId: scene.ownerId, keyId: key.keyId });
    const read = { approval_id: id, wait_s: 25 };
    const waiting = program.call('get_approval', read, { onWaiting: () => begun() });
    await begins;
    const decided = approve(scene, id);
    await underWay;
    letGo();
    expect(await waiting).toMatchObject({ status: 'ok', executed: true });
    expect(await decided).toMatchObject({ approval: { state: 'executed' } });
  });

  it('shows the owner who pressed Approve a page that says approved', async () => {
    const { scene, key, clock, underWay, letGo } = await open('approval');
    const { id } = approvalOf(await key.call('send_email', sendTo(FRIEND)));
    const digest = await digestOf(scene.service, scene.ownerId, id);
    const decision = scene.service.approvals.approve(scene.ownerId, id, digest);
    await underWay;
    clock.endWaits();
    expect(await decision).toMatchObject({ won: true, approval: { state: 'approved' } });
    letGo();
    await expect.poll(() => stateOf(scene, id)).toBe('executed');
  });

  it('delays the end of the service', async () => {
    const { scene, key, underWay, letGo } = await open('direct');
    const answer = key.call('send_email', sendTo(FRIEND));
    await underWay;
    let stopped = false;
    const stop = scene.service.stop().then(() => {
      stopped = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(stopped).toBe(false);
    letGo();
    expect(await answer).toMatchObject({ status: 'ok', executed: true });
    await stop;
  });
});
