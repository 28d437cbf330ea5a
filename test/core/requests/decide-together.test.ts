import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../core/contract/errors.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import type { DecidedMember } from '../../../core/requests/approvals.ts';
import { openTestService, type TestKey } from '../../open-service.ts';
import {
  approvalOf,
  digestOf,
  idsIn,
  letter,
  openScene,
  type Scene,
  STRANGER,
  sendTo,
  stateOf,
} from '../scene.ts';

/** A scene with messages in the inbox, and requests to archive the first of them. */
async function opened(count: number, options: Parameters<typeof openScene>[0] = {}) {
  const letters = Array.from({ length: count }, (_, n) => letter(String(n), { minutesAgo: n + 1 }));
  const scene = await openScene({ samples: () => letters, ...options });
  const key = await scene.addKey('full');
  const messages = await idsIn(key);
  const ids = [];
  for (const id of messages) ids.push(approvalOf(await key.call('archive_email', { id })).id);
  return { scene, key, ids };
}

async function membersOf({ service, ownerId }: Scene, ids: readonly string[]) {
  return Promise.all(
    ids.map(async (approvalId) => ({ approvalId, digest: await digestOf(service, ownerId, approvalId) })),
  );
}

const outcomes = (decided: readonly DecidedMember[]) =>
  decided.map(({ left, approval }) => left ?? approval?.state);

async function inArchive(key: TestKey): Promise<number> {
  return (await idsIn(key, 'archive')).length;
}

describe('requests that are decided together', () => {
  it('are each approved and carried out', async () => {
    const { scene, key, ids } = await opened(7);
    const members = await membersOf(scene, ids);
    const decided = await scene.service.approvals.decideTogether(scene.ownerId, 'approve', members);
    expect(decided.map(({ approvalId }) => approvalId)).toEqual(ids);
    expect(outcomes(decided)).toEqual(ids.map(() => 'executed'));
    expect(await inArchive(key)).toBe(7);
  });

  it('are each rejected, and nothing is done', async () => {
    const { scene, key, ids } = await opened(3);
    const members = await membersOf(scene, ids);
    const decided = await scene.service.approvals.decideTogether(scene.ownerId, 'reject', members);
    expect(outcomes(decided)).toEqual(ids.map(() => 'rejected'));
    expect(await inArchive(key)).toBe(0);
  });

  it('keep their own outcomes: approved, cancelled, rejected, changed, not there, and of another owner', async () => {
    const { scene, key, ids } = await opened(4);
    const [good = '', cancelled = '', rejected = '', changed = ''] = ids;
    const members = await membersOf(scene, ids);
    await key.call('cancel_approval', { approval_id: cancelled });
    await scene.service.approvals.reject(scene.ownerId, rejected);
    const other = await opened(1);
    const digest = 'a'.repeat(64);
    const posted = [
      ...members.map((member) => (member.approvalId === changed ? { ...member, digest } : member)),
      ...members.slice(0, 1),
      { approvalId: 'apr_none', digest },
      { approvalId: other.ids[0] ?? '', digest },
    ];
    const decided = await scene.service.approvals.decideTogether(scene.ownerId, 'approve', posted);
    expect(outcomes(decided)).toEqual([
      'executed',
      'not_possible',
      'not_possible',
      'changed',
      'not_found',
      'not_found',
    ]);
    expect(decided.slice(1, 4).map(({ approval }) => approval?.state)).toEqual([
      'cancelled',
      'rejected',
      'pending',
    ]);
    expect([await stateOf(scene, good), await stateOf(other.scene, other.ids[0] ?? '')]).toEqual([
      'executed',
      'pending',
    ]);
    expect(await inArchive(key)).toBe(1);
  });

  it.each(['approve', 'reject'] as const)(
    'never include sends or what has a finding: %s',
    async (decision) => {
      const { scene, key, ids } = await opened(1);
      const send = approvalOf(await key.call('send_email', sendTo(STRANGER))).id;
      const [message = ''] = await idsIn(key);
      await key.call('cancel_approval', { approval_id: ids[0] });
      const risky = await key.call('move_email', { id: message, target_folder: 'Drafts' });
      const found = approvalOf(risky).id;
      const members = await membersOf(scene, [send, found]);
      const decided = await scene.service.approvals.decideTogether(scene.ownerId, decision, members);
      expect(outcomes(decided)).toEqual(['alone', 'alone']);
      expect([await stateOf(scene, send), await stateOf(scene, found)]).toEqual(['pending', 'pending']);
    },
  );

  it('are not approved if they have expired, their key is off, or they are outside its fences', async () => {
    const expired = await opened(1);
    const members = await membersOf(expired.scene, expired.ids);
    expired.scene.clock.shift(24 * 3_600_000);
    const { service, ownerId } = expired.scene;
    expect(outcomes(await service.approvals.decideTogether(ownerId, 'approve', members))).toEqual([
      'not_possible',
    ]);
    expect(await inArchive(await expired.scene.addKey('full'))).toBe(0);

    const off = await opened(1);
    const ofOff = await membersOf(off.scene, off.ids);
    await off.scene.service.keys.revoke(off.scene.ownerId, off.key.keyId);
    const decided = await off.scene.service.approvals.decideTogether(off.scene.ownerId, 'approve', ofOff);
    expect(decided).toMatchObject([{ left: 'not_possible', approval: { state: 'cancelled' } }]);

    const fenced = await opened(1);
    const ofFenced = await membersOf(fenced.scene, fenced.ids);
    const { accountId } = await fenced.scene.service.accounts.connect({
      ownerId: fenced.scene.ownerId,
      email: 'second@countersign.test',
      settings: {},
    });
    await fenced.scene.service.keys.setFences(fenced.scene.ownerId, fenced.key.keyId, {
      accounts: [accountId],
    });
    const left = await fenced.scene.service.approvals.decideTogether(
      fenced.scene.ownerId,
      'approve',
      ofFenced,
    );
    expect(left).toMatchObject([{ left: 'not_possible', approval: { state: 'pending' } }]);
  });

  it('are decided and done once if two tabs send them at the same time', async () => {
    const { scene, key, ids } = await opened(6);
    const members = await membersOf(scene, ids);
    const { approvals } = scene.service;
    const both = await Promise.all([
      approvals.decideTogether(scene.ownerId, 'approve', members),
      approvals.decideTogether(scene.ownerId, 'approve', members.toReversed()),
    ]);
    const won = both.flat().filter(({ left }) => left === null);
    expect(new Set(won.map(({ approvalId }) => approvalId)).size).toBe(6);
    expect(won).toHaveLength(6);
    expect(await inArchive(key)).toBe(6);
  });

  it('are at most 50', async () => {
    const { scene } = await opened(0);
    const members = Array.from({ length: 51 }, (_, n) => ({
      approvalId: `apr_${n}`,
      digest: 'a'.repeat(64),
    }));
    const { approvals } = scene.service;
    await expect(approvals.decideTogether(scene.ownerId, 'reject', members)).rejects.toMatchObject({
      code: 'invalid_arguments',
    });
    expect(await approvals.decideTogether(scene.ownerId, 'reject', members.slice(1))).toHaveLength(50);
  });

  it('say so if storage fails for one of them, and decide the others', async () => {
    const failing: { id?: string | undefined } = {};
    const storageAs = (storage: Storage): Storage => ({
      ...storage,
      decide: (decision) =>
        decision.approvalId === failing.id
          ? Promise.reject(new ServiceError('temporarily_unavailable', { details: { retry_after_s: 1 } }))
          : storage.decide(decision),
    });
    const { scene, ids } = await opened(3, { storageAs });
    const members = await membersOf(scene, ids);
    failing.id = ids[1];
    const decided = await scene.service.approvals.decideTogether(scene.ownerId, 'approve', members);
    expect(outcomes(decided)).toEqual(['executed', 'unknown', 'executed']);
  });

  it('are decided or pending if the process ends in between, and another does what is approved once', async () => {
    let isDead = false;
    const ids: string[] = [];
    const storageAs = (storage: Storage): Storage => ({
      ...storage,
      async decide(decision) {
        if (isDead) throw new Error('the process has ended');
        const decided = await storage.decide(decision);
        isDead = decision.approvalId === ids[1];
        return decided;
      },
      start: (start) => (isDead ? new Promise(() => undefined) : storage.start(start)),
      renew: (...renewal) => (isDead ? new Promise(() => undefined) : storage.renew(...renewal)),
    });
    const secretKeys = [randomBytes(32)];
    const { scene, key, ids: filed } = await opened(3, { storageAs, secretKeys });
    ids.push(...filed);
    const members = await membersOf(scene, ids);
    void scene.service.approvals.decideTogether(scene.ownerId, 'approve', members);
    await expect.poll(() => isDead).toBe(true);
    const states = () => Promise.all(ids.map((id) => stateOf(scene, id)));
    expect(await states()).toEqual(['approved', 'approved', 'pending']);
    expect(await inArchive(key)).toBe(0);

    const { storage, mail, clock } = scene;
    const other = await openTestService({
      storage,
      mail,
      clock,
      secretKeys,
      email: 'other@countersign.test',
    });
    clock.shift(60_000);
    await other.service.recover();
    await expect.poll(states).toEqual(['executed', 'executed', 'pending']);
    expect(await inArchive(key)).toBe(2);
  });
});
