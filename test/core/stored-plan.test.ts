import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Filing } from '../../core/approvals/filing-storage.ts';
import { sealPlan } from '../../core/execution/sealed-plan.ts';
import type { LogFields } from '../../core/ports/log.ts';
import { createKeyring } from '../../core/secrets/keyring.ts';
import { canonicalJson, digestOf } from '../../core/text/canonical-json.ts';
import { silentLog } from '../open-service.ts';
import { approvalOf, detailsOf, FRIEND, filedAction, openScene, sendTo } from './scene.ts';

/** Whether messages are composed for a wrong recipient. */
const composed = vi.hoisted(() => ({ otherwise: false }));
vi.mock(import('../../core/mail/compose.ts'), async (importOriginal) => {
  const original = await importOriginal();
  const compose: typeof original.composeMessage = (draft) =>
    original.composeMessage(composed.otherwise ? { ...draft, to: ['eve@example.org'] } : draft);
  return { ...original, composeMessage: compose };
});

const secret = randomBytes(32);
const keyring = createKeyring([secret], (bytes) => randomBytes(bytes));

/** What the store returns instead of the filed plan. */
const SPOILT: [name: string, spoil: (filing: Filing) => Partial<Filing>][] = [
  ['no longer exists', () => ({ sealedPlan: '' })],
  [
    'was changed',
    ({ sealedPlan }) => ({ sealedPlan: `${sealedPlan.slice(0, 40)}AAAA${sealedPlan.slice(44)}` }),
  ],
  [
    'was sealed for a different request',
    ({ ownerId, sealedPlan }) => ({ sealedPlan: sealPlan(keyring, ownerId, 'apr_other', sealedPlan) }),
  ],
  ['does not match its digest', () => ({ digest: 'f'.repeat(64) })],
  ['has an unknown version', (filing) => rewritten(filing, { v: 5 })],
  ['has an unknown field', (filing) => rewritten(filing, { bcc: 'eve@example.org' })],
  ['belongs to a different tool', (filing) => rewritten(filing, { tool: 'forward_email' })],
];

/** The plan with other fields, sealed and digested as it should be. */
function rewritten(filing: Filing, changes: object): Partial<Filing> {
  const { ownerId, approvalId, sealedPlan } = filing;
  const plan: unknown = JSON.parse(keyring.open('plan', `${ownerId}\n${approvalId}`, sealedPlan));
  const text = canonicalJson({ ...Object(plan), ...changes });
  return { sealedPlan: sealPlan(keyring, ownerId, approvalId, text), digest: digestOf(text) };
}

describe.each(SPOILT)('a stored plan that %s', (_name, spoil) => {
  const open = () =>
    openScene({
      secretKeys: [secret],
      storageAs: (storage) => ({
        ...storage,
        file: (filing) => storage.file({ ...filing, ...spoil(filing) }),
      }),
    });

  it('is not run, and says so', async () => {
    const scene = await open();
    const key = await scene.addKey('full');
    const { id } = approvalOf(await key.call('send_email', sendTo(FRIEND)));
    const stored = await scene.storage.approval(scene.ownerId, id);
    const decided = await scene.service.approvals.approve(scene.ownerId, id, stored?.digest ?? '');
    expect(decided).toMatchObject({
      won: true,
      approval: { state: 'failed', error: 'plan_unreadable' },
    });
    expect(decided?.approval).not.toHaveProperty('result');
    expect(scene.mail.transmitted()).toEqual([]);
    const answer = await key.call('get_approval', { approval_id: id });
    expect(answer).toMatchObject({
      status: 'ok',
      executed: false,
      result: { approval: { error: 'plan_unreadable' } },
    });
  });

  it('does not keep the owner from seeing and rejecting the request', async () => {
    const scene = await open();
    const key = await scene.addKey('full');
    const { id } = approvalOf(await key.call('send_email', sendTo(FRIEND)));
    const view = await scene.service.approvals.show(scene.ownerId, id);
    expect(['unreadable', 'other_version']).toContain(view?.content.kind);
    expect(await scene.service.approvals.reject(scene.ownerId, id)).toMatchObject({ won: true });
  });
});

/** A send as version 1 of plans stored it. */
const VERSION_1 = {
  v: 1,
  tool: 'send_email',
  account: { accountId: 1, email: 'demo@countersign.test' },
  envelope: { from: 'demo@countersign.test', to: [FRIEND] },
  raw: 'RnJvbTogZGVtb0Bjb3VudGVyc2lnbi50ZXN0DQoNCg==',
  messageId: '<1@countersign.test>',
  targets: [],
  holds: [],
  warnings: [],
  display: [],
  record: null,
};

describe('a plan of version 1 that still waits', () => {
  const open = async () => {
    const warnings: [string, LogFields | undefined][] = [];
    const log = {
      ...silentLog,
      error: (...line: [string, LogFields?]) => void warnings.push([line[0], line[1]]),
    };
    const scene = await openScene({
      secretKeys: [secret],
      log,
      storageAs: (storage) => ({
        ...storage,
        file(filing) {
          const text = canonicalJson(VERSION_1);
          const sealedPlan = sealPlan(keyring, filing.ownerId, filing.approvalId, text);
          return storage.file({ ...filing, sealedPlan, digest: digestOf(text) });
        },
      }),
    });
    const key = await scene.addKey('full');
    const { id } = approvalOf(await key.call('send_email', sendTo(FRIEND)));
    return { scene, key, id, warnings };
  };

  it('is shown as a plan of a different version, and can be rejected', async () => {
    const { scene, id } = await open();
    const view = await scene.service.approvals.show(scene.ownerId, id);
    expect(view?.content).toEqual({ kind: 'other_version' });
    expect(await scene.service.approvals.reject(scene.ownerId, id)).toMatchObject({ won: true });
  });

  it('fails as unreadable when it is approved, sends nothing, and the log says why', async () => {
    const { scene, key, id, warnings } = await open();
    const decided = await scene.service.approvals.approve(
      scene.ownerId,
      id,
      digestOf(canonicalJson(VERSION_1)),
    );
    expect(decided?.approval).toMatchObject({ state: 'failed', error: 'plan_unreadable' });
    expect(scene.mail.transmitted()).toEqual([]);
    expect(warnings).toContainEqual([
      'a plan could not be read',
      { approval: id, error: 'UnreadablePlan', code: 'version' },
    ]);
    expect(approvalOf(await key.call('get_approval', { approval_id: id }))).toMatchObject({
      state: 'failed',
      error: 'plan_unreadable',
    });
  });
});

describe('a stored plan', () => {
  it('is the filed one, sealed, with its digest', async () => {
    const filings: Filing[] = [];
    const scene = await openScene({
      secretKeys: [secret],
      storageAs: (storage) => ({
        ...storage,
        file(filing) {
          filings.push(filing);
          return storage.file(filing);
        },
      }),
    });
    const key = await scene.addKey('full');
    const { id } = approvalOf(await key.call('send_email', sendTo(FRIEND, 'A secret word')));
    const [filing] = filings;
    const approval = await scene.storage.approval(scene.ownerId, id);
    if (filing === undefined || approval === undefined) throw new Error('nothing was filed');
    const text = keyring.open('plan', `${filing.ownerId}\n${id}`, filing.sealedPlan);
    expect(digestOf(text)).toBe(approval.digest);
    const { stored } = await filedAction(scene, id);
    expect(JSON.parse(text)).toMatchObject({ v: 4, tool: 'send_email', action: stored });
    expect(stored).toMatchObject({ message: { envelope: { from: 'demo@countersign.test', to: [FRIEND] } } });
    expect(JSON.stringify(filing)).not.toContain('secret word');
    expect(Buffer.from(filing.sealedPlan, 'base64url').toString('latin1')).not.toContain('secret word');
  });

  it('is erased 30 days after the end of its request, and its digest stays', async () => {
    const scene = await openScene();
    const key = await scene.addKey('full');
    const { id } = approvalOf(await key.call('send_email', sendTo(FRIEND)));
    await scene.service.approvals.reject(scene.ownerId, id);
    const shown = async () => {
      await scene.service.recover();
      return scene.service.approvals.show(scene.ownerId, id);
    };
    scene.clock.shift(30 * 86_400_000 - 60_000);
    const before = await shown();
    expect(before?.content).toMatchObject({ kind: 'shown', message: { says: { to: [FRIEND] } } });
    scene.clock.shift(60_001);
    const later = await shown();
    expect(later).toMatchObject({ content: { kind: 'erased' }, approval: { state: 'rejected' } });
    expect(later?.approval.digest).toBe(before?.approval.digest);
  });

  it('sealed with an older key is still run', async () => {
    const newer = randomBytes(32);
    let file = (_: Filing) => ({});
    const scene = await openScene({
      secretKeys: [newer, secret],
      storageAs: (storage) => ({
        ...storage,
        file: (filing) => storage.file({ ...filing, ...file(filing) }),
      }),
    });
    const ring = createKeyring([newer, secret], (bytes) => randomBytes(bytes));
    file = ({ ownerId, approvalId, sealedPlan }) => ({
      sealedPlan: sealPlan(
        keyring,
        ownerId,
        approvalId,
        ring.open('plan', `${ownerId}\n${approvalId}`, sealedPlan),
      ),
    });
    const key = await scene.addKey('full');
    const { id } = approvalOf(await key.call('send_email', sendTo(FRIEND)));
    const digest = (await scene.storage.approval(scene.ownerId, id))?.digest ?? '';
    expect(await scene.service.approvals.approve(scene.ownerId, id, digest)).toMatchObject({
      approval: { state: 'executed' },
    });
  });

  it('that does not match the request is never filed', async () => {
    composed.otherwise = true;
    onTestFinished(() => {
      composed.otherwise = false;
    });
    const scene = await openScene();
    const key = await scene.addKey('full', { 'mail:send': 'direct' });
    expect(detailsOf(await key.call('send_email', sendTo(FRIEND)))).toEqual({ code: 'internal_error' });
    expect((await scene.service.approvals.list(scene.ownerId, { state: 'all', limit: 5 })).approvals).toEqual(
      [],
    );
    expect(scene.mail.transmitted()).toEqual([]);
  });
});
