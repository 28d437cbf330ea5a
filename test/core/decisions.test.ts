import { describe, expect, it } from 'vitest';
import { errorOf } from '../../core/approvals/approval.ts';
import { meaningForOwner } from '../../hosts/dashboard/labels.ts';
import type { AnyApproval } from '../contracts/any-approval.ts';
import {
  approvalOf,
  approve,
  digestOf,
  FRIEND,
  LOST,
  openScene,
  PUT_OFF,
  REFUSED,
  REFUSED_AFTER,
  type Scene,
  type SceneOptions,
  sendTo,
  stateOf,
} from './scene.ts';

const DAY_MS = 86_400_000;

async function open(to = FRIEND, options: SceneOptions = {}) {
  const scene = await openScene(options);
  const key = await scene.addKey('full');
  const { id } = approvalOf(await key.call('send_email', sendTo(to)));
  const digest = await digestOf(scene.service, scene.ownerId, id);
  return { scene, key, id, digest };
}

async function told(scene: Scene): Promise<string[]> {
  const events = await scene.service.owners.events(scene.ownerId, 0, 100);
  return events.map((event) => {
    expect(event.id).toMatch(/^evt_/);
    if (event.type !== 'approval.decided') throw new Error(`told of ${event.type}`);
    expect(event.data.account_id).toBe(1);
    return event.data.state;
  });
}

describe('an approval by the owner', () => {
  it('runs the request once, and sends events for the decision and its end', async () => {
    const { scene, id, digest } = await open();
    const decided = await scene.service.approvals.approve(scene.ownerId, id, digest);
    expect(decided).toMatchObject({
      won: true,
      approval: { state: 'executed', authorization: { by: 'owner' } },
    });
    expect(scene.mail.transmitted()).toHaveLength(1);
    expect(await told(scene)).toEqual(['approved', 'executed']);
  });

  it('with the digest of a different page decides nothing', async () => {
    const { scene, key, id, digest } = await open();
    const other = approvalOf(await key.call('send_email', sendTo(FRIEND, 'Another'))).id;
    const foreign = await digestOf(scene.service, scene.ownerId, other);
    for (const wrong of [foreign, digest.toUpperCase(), digest.slice(0, -1), '']) {
      const decided = await scene.service.approvals.approve(scene.ownerId, id, wrong);
      expect(decided).toMatchObject({ won: false, approval: { state: 'pending' } });
    }
    expect(scene.mail.transmitted()).toEqual([]);
  });

  it('twice, or twice at once, runs it once', async () => {
    const { scene, id, digest } = await open();
    const both = await Promise.all(
      [1, 2].map(() => scene.service.approvals.approve(scene.ownerId, id, digest)),
    );
    expect(both.filter((decided) => decided?.won)).toHaveLength(1);
    expect((await approve(scene, id)).won).toBe(false);
    expect(await stateOf(scene, id)).toBe('executed');
    expect(scene.mail.transmitted()).toHaveLength(1);
    expect(await told(scene)).toEqual(['approved', 'executed']);
  });

  it('in a race with a rejection or a cancellation has one winner', async () => {
    for (const order of ['approve first', 'approve last']) {
      const { scene, key, id, digest } = await open();
      const approves = () => scene.service.approvals.approve(scene.ownerId, id, digest);
      const rejects = () => scene.service.approvals.reject(scene.ownerId, id);
      const cancels = () => key.call('cancel_approval', { approval_id: id });
      await Promise.all(
        (order === 'approve first' ? [approves, rejects, cancels] : [cancels, rejects, approves]).map((go) =>
          go(),
        ),
      );
      const state = await stateOf(scene, id);
      expect(['executed', 'rejected', 'cancelled']).toContain(state);
      expect(scene.mail.transmitted()).toHaveLength(state === 'executed' ? 1 : 0);
    }
  });

  it('after 24 hours is too late, even before the sweep', async () => {
    const { scene, id, digest } = await open();
    scene.clock.shift(DAY_MS);
    expect(await scene.service.approvals.approve(scene.ownerId, id, digest)).toMatchObject({ won: false });
    expect(await scene.service.approvals.reject(scene.ownerId, id)).toMatchObject({ won: false });
    await scene.service.recover();
    expect(await stateOf(scene, id)).toBe('expired');
    expect(await scene.service.approvals.approve(scene.ownerId, id, digest)).toMatchObject({ won: false });
    expect(scene.mail.transmitted()).toEqual([]);
    expect(await told(scene)).toEqual([]);
  });

  it('a minute before that is in time', async () => {
    const { scene, id } = await open();
    scene.clock.shift(DAY_MS - 60_000);
    await scene.service.recover();
    expect((await approve(scene, id)).approval.state).toBe('executed');
  });

  it('is only open to the owner: others do not find the request', async () => {
    const { scene, id, digest } = await open();
    const { ownerId } = await scene.service.owners.create({ email: 'eve@example.org' });
    expect(await scene.service.approvals.approve(ownerId, id, digest)).toBeUndefined();
    expect(await scene.service.approvals.reject(ownerId, id)).toBeUndefined();
    expect(await scene.service.approvals.show(ownerId, id)).toBeUndefined();
    expect(await stateOf(scene, id)).toBe('pending');
  });

  it.each(['key', 'group'])('sends nothing while the %s is being switched off', async (what) => {
    const { scene, key, id, digest } = await open();
    const off = () =>
      what === 'key'
        ? scene.service.keys.revoke(scene.ownerId, key.keyId)
        : scene.service.keys.setModes(scene.ownerId, key.keyId, { 'mail:send': 'off' });
    const [decided] = await Promise.all([scene.service.approvals.approve(scene.ownerId, id, digest), off()]);
    const { state, error }: Partial<AnyApproval> = decided?.approval ?? {};
    const end = [state, error];
    expect([
      ['cancelled', what === 'key' ? 'credential_off' : 'permission_off'],
      ['failed', 'credential_off'],
    ]).toContainEqual(end);
    expect(scene.mail.transmitted()).toEqual([]);
  });

  it.each([
    [REFUSED, 'failed', 'upstream_mail_error', 0],
    [REFUSED_AFTER, 'failed', 'upstream_mail_error', 0],
    [LOST, 'outcome_unknown', null, 1],
  ])('of a send to %s ends %s', async (to, state, error, transmitted) => {
    const { scene, id } = await open(to);
    const { approval } = await approve(scene, id);
    expect([approval.state, errorOf(approval)]).toEqual([state, error]);
    expect(approval).not.toHaveProperty('result');
    expect(scene.mail.transmitted()).toHaveLength(transmitted);
    expect(await told(scene)).toEqual(['approved', state]);
    await scene.service.recover();
    expect(scene.mail.transmitted()).toHaveLength(transmitted);
    expect((await approve(scene, id)).won).toBe(false);
  });

  it('for an account that was removed fails', async () => {
    const { scene, id, digest } = await open();
    const [decided] = await Promise.all([
      scene.service.approvals.approve(scene.ownerId, id, digest),
      scene.service.accounts.remove(scene.ownerId, 1),
    ]);
    expect(['failed', 'cancelled']).toContain(decided?.approval.state);
    expect(scene.mail.transmitted()).toEqual([]);
  });
});

describe('an approved send that the server defers', () => {
  it('is tried again until it is sent', async () => {
    let away = 2;
    const { scene, id } = await open(FRIEND, {
      leaseMs: 60,
      mailAs: (mail) => ({
        ...mail,
        async transmit(call, message, start) {
          const to = away-- > 0 ? [PUT_OFF] : message.envelope.to;
          return mail.transmit(call, { ...message, envelope: { ...message.envelope, to } }, start);
        },
      }),
    });
    expect((await approve(scene, id)).approval.state).toBe('approved');
    await expect
      .poll(async () => {
        await scene.service.recover();
        return stateOf(scene, id);
      })
      .toBe('executed');
    expect(scene.mail.transmitted()).toHaveLength(1);
    expect(await told(scene)).toEqual(['approved', 'executed']);
  });

  it('fails if it is not sent within 15 minutes', async () => {
    const { scene, key, id } = await open(PUT_OFF, { leaseMs: 60 });
    await approve(scene, id);
    const answer = await key.call('get_approval', { approval_id: id });
    expect(answer).toMatchObject({
      status: 'pending_approval',
      executed: false,
      approval: { state: 'approved' },
    });
    const waiting = await scene.storage.approval(scene.ownerId, id);
    if (waiting?.state !== 'approved') throw new Error('it is not approved');
    const until = new Date(waiting.authorization.at.getTime() + 15 * 60_000).toISOString();
    expect('message' in answer && answer.message).toContain(`so it is tried again until ${until}`);
    expect(answer).not.toHaveProperty('approval.error');
    expect(meaningForOwner(waiting)).toContain('put it off or could not be reached');
    scene.clock.shift(15 * 60_000);
    await expect
      .poll(async () => {
        await scene.service.recover();
        return stateOf(scene, id);
      })
      .toBe('failed');
    expect(await scene.storage.approval(scene.ownerId, id)).toMatchObject({ error: 'not_started_in_time' });
    expect(scene.mail.transmitted()).toEqual([]);
  });

  it('fails immediately if the key sends directly: its caller can try again', async () => {
    const scene = await openScene();
    const key = await scene.addKey('full', { 'mail:send': 'direct' });
    expect(await key.call('send_email', sendTo(PUT_OFF))).toMatchObject({
      status: 'error',
      code: 'upstream_mail_error',
    });
    const { approvals } = await scene.service.approvals.list(scene.ownerId, { state: 'all', limit: 5 });
    expect(approvals.map(({ approval }) => approval.state)).toEqual(['failed']);
    expect(await told(scene)).toEqual(['failed']);
  });
});

describe('a send that runs by policy', () => {
  it('sends an event only for its end', async () => {
    const scene = await openScene();
    const key = await scene.addKey('full', { 'mail:send': 'direct' });
    await key.call('send_email', sendTo(FRIEND));
    expect(await told(scene)).toEqual(['executed']);
  });
});

describe('the notice of a pending request', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('the app is down');
      },
    ],
    ['fails later', () => Promise.reject(new Error('the app is down'))],
  ])('does not affect the request if a listener %s', async (_name, listener) => {
    const failures: string[] = [];
    const log = { info: () => {}, warn: () => {}, error: (message: string) => failures.push(message) };
    const scene = await openScene({ log });
    const key = await scene.addKey('full');
    const told: string[] = [];
    scene.service.on('approval.pending', listener);
    scene.service.on('approval.pending', ({ approvalId }) => told.push(approvalId));
    const { id } = approvalOf(await key.call('send_email', sendTo(FRIEND)));
    expect(told).toEqual([id]);
    await expect.poll(() => failures).toEqual(['a listener of approval.pending failed']);
  });

  it('contains only ids, once per filed request, until nobody listens', async () => {
    const scene = await openScene();
    const key = await scene.addKey('full', { 'mail:reply': 'direct' });
    const notices: unknown[] = [];
    const stop = scene.service.on('approval.pending', (notice) => notices.push(notice));
    const { id } = approvalOf(await key.call('send_email', sendTo(FRIEND)));
    await key.call('send_email', sendTo(FRIEND));
    expect(notices).toEqual([{ ownerId: scene.ownerId, approvalId: id }]);
    stop();
    await key.call('send_email', sendTo(FRIEND, 'Another'));
    expect(notices).toHaveLength(1);
  });
});
