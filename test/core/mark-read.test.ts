import { describe, expect, it } from 'vitest';
import type { Mode } from '../../core/keys/permissions.ts';
import { messageRow } from '../../core/mail/message-row.ts';
import { MailError } from '../../core/ports/mail.ts';
import { including } from './matchers.ts';
import {
  approvalOf,
  approve,
  detailsOf,
  firstId,
  idsIn,
  letter,
  openScene,
  resultOf,
  type Scene,
  type SceneOptions,
  stateOf,
} from './scene.ts';

async function open(mode: Mode, count = 1, options: SceneOptions = {}) {
  const samples = () => Array.from({ length: count }, (_, n) => letter(String(n), { minutesAgo: n + 1 }));
  const scene = await openScene({ ...options, samples });
  const key = await scene.addKey('organise', { 'mail:organize': mode });
  return { scene, key, ids: await idsIn(key) };
}

async function unread(scene: Scene): Promise<unknown> {
  const key = await scene.addKey('read');
  const [account] = resultOf(await key.call('list_accounts')).accounts as {
    by_role: { inbox: { unread: number } };
  }[];
  return account?.by_role.inbox.unread;
}

describe('mark_read in mode direct', () => {
  it('runs immediately for one message, with its own result and no approval', async () => {
    const { scene, key, ids } = await open('direct');
    const [id] = ids;
    for (const args of [{ id }, { ids: [id] }]) {
      expect(await key.call('mark_read', args)).toEqual({
        status: 'ok',
        executed: true,
        auto_approved: true,
        result: { id, account_id: 1, folder: 'INBOX', state: 'read', matches_request: true },
      });
    }
    expect(await unread(scene)).toBe(0);
    expect(resultOf(await key.call('list_approvals', { state: 'all' }))).toMatchObject({ returned: 0 });
  });

  it('has an outcome for each of several messages, and counts one named twice once', async () => {
    const { scene, key, ids } = await open('direct', 3);
    const [first = '', second = ''] = ids;
    expect(resultOf(await key.call('mark_read', { ids: [second, first, second] }))).toEqual({
      items: [second, first].map((id) => ({
        id,
        account_id: 1,
        done: true,
        state: 'read',
        matches_request: true,
      })),
    });
    expect(await unread(scene)).toBe(1);
  });

  it('takes 50 messages on the paid plan and not 51', async () => {
    const { key, ids } = await open('direct', 50);
    expect((resultOf(await key.call('mark_read', { ids })).items as unknown[]).length).toBe(50);
    const more = [...ids, `${ids[0]}A`];
    expect(detailsOf(await key.call('mark_read', { ids: more }))).toEqual({
      code: 'too_many_targets',
      max_targets: 50,
    });
  });

  it('on the free plan covers one message; several wait, 25 at most', async () => {
    const { scene, key, ids } = await open('direct', 26, { plan: 'free' });
    expect((await key.call('mark_read', { id: ids[0] })).status).toBe('ok');
    expect(detailsOf(await key.call('mark_read', { ids }))).toEqual({
      code: 'too_many_targets',
      max_targets: 25,
    });
    const outcome = await key.call('mark_read', { ids: ids.slice(1) });
    expect(approvalOf(outcome)).toMatchObject({ tool: 'mark_read', state: 'pending' });
    expect(approvalOf(outcome)).not.toHaveProperty('action');
    expect(await unread(scene)).toBe(25);
    await approve(scene, approvalOf(outcome).id);
    expect(await unread(scene)).toBe(0);
  });

  it('reports the one of several messages that no longer exists', async () => {
    let gone: number | undefined;
    const { key, ids } = await open('direct', 2, {
      mailAs: (mail) => ({
        ...mail,
        async row(call, place) {
          const row = await mail.row(call, place);
          // Gone between the plan and the run.
          if (gone !== undefined && place.uid === gone) return undefined;
          if (row !== undefined && messageRow(row).subject === 'Subject 1') gone = place.uid;
          return row;
        },
      }),
    });
    expect(resultOf(await key.call('mark_read', { ids })).items).toEqual([
      including({ id: ids[0], done: true }),
      { id: ids[1], account_id: 1, done: false, code: 'not_found' },
    ]);
  });

  it.each(['refused', 'auth', 'unavailable'] as const)(
    'reports the one of several messages that the server does not change (%s), and keeps the other changes',
    async (code) => {
      let calls = 0;
      const { scene, key, ids } = await open('approval', 3, {
        mailAs: (mail) => ({
          ...mail,
          async setFlag(call, place, flag, on, start) {
            calls += 1;
            if (calls === 2) throw new MailError(code, 'The server did not do it.');
            return mail.setFlag(call, place, flag, on, start);
          },
        }),
      });
      const { approval } = await approve(scene, approvalOf(await key.call('mark_read', { ids })).id);
      expect(approval).toMatchObject({ state: 'executed', result: { done: true } });
      expect(approval.result?.items).toEqual([
        including({ id: ids[0], done: true }),
        { id: ids[1], account_id: 1, done: false, code: 'upstream_mail_error' },
        including({ id: ids[2], done: true }),
      ]);
      expect(await unread(scene)).toBe(1);
    },
  );

  it('fails if no message could be changed, and says that nothing was done', async () => {
    const { scene, key, ids } = await open('approval', 2, {
      mailAs: (mail) => ({
        ...mail,
        setFlag: async () => {
          throw new MailError('refused', 'The folder is read-only.');
        },
      }),
    });
    const { id } = approvalOf(await key.call('mark_read', { ids }));
    expect((await approve(scene, id)).approval).toMatchObject({
      state: 'failed',
      error: 'upstream_mail_error',
    });
    expect(await unread(scene)).toBe(2);
  });
});

describe('mark_read in mode approval', () => {
  it('waits, and its approval contains the result', async () => {
    const { scene, key, ids } = await open('approval');
    const outcome = await key.call('mark_read', { id: ids[0] });
    expect(outcome).toMatchObject({ status: 'pending_approval', executed: false });
    expect(await unread(scene)).toBe(1);
    const { approval } = await approve(scene, approvalOf(outcome).id);
    expect(approval.state).toBe('executed');
    expect(approval.result).toMatchObject({ done: true });
    expect(await unread(scene)).toBe(0);
  });

  it('fails as not found if the message no longer exists', async () => {
    let gone = false;
    const { scene, key, ids } = await open('approval', 1, {
      mailAs: (mail) => ({ ...mail, row: async (call, place) => (gone ? undefined : mail.row(call, place)) }),
    });
    const { id } = approvalOf(await key.call('mark_read', { id: ids[0] }));
    gone = true;
    const { approval } = await approve(scene, id);
    expect(approval).toMatchObject({ state: 'failed', error: 'not_found' });
    expect(approval).not.toHaveProperty('result');
    expect(await stateOf(scene, id)).toBe('failed');
    expect(await firstId(key)).toBe(ids[0]);
  });

  it('collides with a request for the same message, but not with a light direct write', async () => {
    const { scene, key, ids } = await open('approval', 2);
    const { id } = approvalOf(await key.call('mark_read', { id: ids[0] }));
    for (const args of [{ id: ids[0] }, { ids }, { ids: [ids[1], ids[0]] }]) {
      expect(detailsOf(await key.call('mark_read', args))).toEqual({
        code: 'pending_exists_for_target',
        approval_id: id,
      });
    }
    expect((await key.call('mark_read', { id: ids[1] })).status).toBe('pending_approval');
    const direct = await scene.addKey('organise');
    expect((await direct.call('mark_read', { id: ids[0] })).status).toBe('ok');
    await scene.service.keys.setModes(scene.ownerId, key.keyId, { 'mail:organize': 'direct' });
    expect((await key.call('mark_read', { id: ids[0] })).status).toBe('ok');
  });
});
