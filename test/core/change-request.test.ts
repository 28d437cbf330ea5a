import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editOf } from '../../core/approvals/approval.ts';
import { editDiff } from '../../core/plans/edit-diff.ts';
import { inWords } from '../../core/safety/finding-text.ts';
import { anyGrapheme } from '../any-character.ts';
import {
  answerOf,
  approvalOf,
  digestOf,
  FRIEND,
  filedAction,
  firstId,
  openScene,
  resultOf,
  STRANGER,
  sendTo,
  shownOf,
} from './scene.ts';

async function open(tool = 'send_email') {
  const scene = await openScene();
  const key = await scene.addKey('full');
  const args =
    tool === 'send_email'
      ? sendTo(FRIEND)
      : {
          id: await firstId(key),
          ...(tool === 'send_reply' ? { body: 'Text' } : { to: [FRIEND], note: 'Text' }),
        };
  const { id } = approvalOf(await key.call(tool, args));
  const digest = await digestOf(scene.service, scene.ownerId, id);
  const change = (
    draft: { to?: string[]; subject?: string; text?: string },
    options?: { isRiskConfirmed: boolean; confirms?: string },
  ) =>
    scene.service.approvals.approveChanged(
      scene.ownerId,
      id,
      digest,
      { to: [FRIEND], subject: 'Subject', text: 'Text', ...draft },
      options,
    );
  const read = async () =>
    resultOf((await answerOf(scene, key, 'get_approval', { approval_id: id })).outcome);
  const sent = () => scene.mail.transmitted();
  return { scene, key, id, digest, args, change, read, sent };
}

describe('a waiting send that the owner changes', () => {
  it('is sent once with the change, under the same id, and the agent reads the difference', async () => {
    const { scene, id, change, read, sent } = await open();
    const before = (await shownOf(scene, id)).message?.says.messageId;
    expect(await change({ subject: 'Better', text: 'Hello\r\nMaya\r\n' })).toMatchObject({
      won: true,
      approval: { id, state: 'executed', authorization: { by: 'owner' } },
    });
    expect(sent()).toHaveLength(1);
    const shown = await shownOf(scene, id);
    expect(shown.message?.says).toMatchObject({ subject: 'Better', text: 'Hello\nMaya' });
    expect(sent()[0]?.messageId).toBe(shown.message?.says.messageId);
    expect(sent()[0]?.messageId).not.toBe(before);
    expect(await read()).toMatchObject({
      approval: {
        edited: {
          diff: [
            '--- asked',
            '+++ approved',
            '@@ -1,4 +1,5 @@',
            ` To: ${FRIEND}`,
            '-Subject: Subject',
            '+Subject: Better',
            ' ',
            '-Text',
            '+Hello',
            '+Maya',
            '',
          ].join('\n'),
        },
      },
      meaning: expect.stringContaining("with the owner's changes") as string,
    });
    const view = await scene.service.approvals.show(scene.ownerId, id);
    expect(view?.asked).toMatchObject({
      kind: 'shown',
      message: { says: { subject: 'Subject', text: 'Text' } },
    });
    expect(view?.draft).toBeNull();
  });

  it.each([
    ['send_reply', 'answered'],
    ['forward_email', 'forwarded'],
  ])('keeps quote and thread of a %s', async (tool, flag) => {
    const { scene, id, change, sent } = await open(tool);
    const before = (await shownOf(scene, id)).message?.says;
    expect(await change({ text: 'Other words' })).toMatchObject({ won: true });
    const after = (await shownOf(scene, id)).message?.says;
    expect(after?.text).toBe(before?.text.replace('Text', 'Other words'));
    expect(after).toMatchObject({ subject: before?.subject, inReplyTo: before?.inReplyTo, to: [FRIEND] });
    expect((await filedAction(scene, id)).stored).toMatchObject({ about: { flag } });
    expect(sent()).toHaveLength(1);
  });

  it('without a change is approved as it was asked', async () => {
    const { digest, change, read } = await open();
    expect(await change({})).toMatchObject({
      won: true,
      approval: { digest, authorization: { by: 'owner', edit: null } },
    });
    expect(await read()).not.toHaveProperty('approval.edited');
  });

  it('goes out from the account that was shown, whichever is active now', async () => {
    const { scene, change, sent, id } = await open();
    const { ownerId, service } = scene;
    const { accountId } = await service.accounts.connect({
      ownerId,
      email: 'other@lab.example',
      settings: {},
    });
    await service.accounts.activate(ownerId, accountId);
    const before = (await shownOf(scene, id)).message?.envelope.from;
    expect(await change({ text: 'Other words' })).toMatchObject({ won: true });
    expect((await shownOf(scene, id)).message?.envelope.from).toBe(before);
    expect(Buffer.from(sent()[0]?.raw ?? '').toString()).toContain(`From: ${before}`);
  });

  it('is shown again if its sender or signature has changed since', async () => {
    const { scene, change, sent } = await open();
    const { ownerId, service } = scene;
    const account = { ownerId, accountId: 1, label: 'Work' };
    await service.accounts.edit({ ...account, displayName: 'Dr Other', signature: '' });
    const first = await change({ text: 'Other words' });
    expect(first).toMatchObject({ won: false, approval: { state: 'pending' } });
    const words = first?.preview?.findings.map(({ sentence }) => inWords(sentence)) ?? [];
    expect(words.join()).toMatch(
      /^It would be sent from Dr Other <[^>]*>, not from .* as when it was asked\.$/,
    );
    await service.accounts.edit({ ...account, displayName: '', signature: 'New' });
    const confirms = first?.preview?.confirms ?? '';
    const second = await change({ text: 'Other words' }, { isRiskConfirmed: false, confirms });
    expect(second?.preview?.findings.map(({ rule }) => rule)).toContain('other_rest');
    expect(sent()).toEqual([]);
    const seen = { isRiskConfirmed: false, confirms: second?.preview?.confirms ?? '' };
    expect(await change({ text: 'Other words' }, seen)).toMatchObject({ won: true });
    expect(sent()).toHaveLength(1);
  });

  it('shows a finding that the owner has not seen before it is approved, and takes the same tap then', async () => {
    const { scene, id, change, sent } = await open('send_reply');
    const first = await change({ to: [STRANGER] });
    expect(first).toMatchObject({ won: false, approval: { state: 'pending' } });
    expect(first?.preview?.content).toMatchObject({ message: { envelope: { to: [STRANGER] } } });
    expect(first?.preview?.findings.map(({ rule }) => rule)).toContain('first_time_recipient');
    expect(sent()).toEqual([]);
    const confirms = first?.preview?.confirms ?? '';
    expect(await change({ to: ['other@example.org'] }, { isRiskConfirmed: true, confirms })).toMatchObject({
      won: false,
    });
    expect(await change({ to: [STRANGER] }, { isRiskConfirmed: true, confirms })).toMatchObject({
      won: true,
    });
    expect(sent()).toMatchObject([{ to: [STRANGER] }]);
    expect((await scene.storage.approval(scene.ownerId, id))?.state).toBe('executed');
  });

  it('into what was sent a short time ago shows that before it is approved', async () => {
    const { scene, key, change, sent } = await open();
    const { id } = approvalOf(await key.call('send_email', sendTo(FRIEND, 'Sent before')));
    await scene.service.approvals.approve(
      scene.ownerId,
      id,
      await digestOf(scene.service, scene.ownerId, id),
    );
    const first = await change({ text: 'Sent before' });
    expect(first?.won).toBe(false);
    expect(first?.preview?.findings.map(({ rule }) => rule)).toEqual(['likely_repeat']);
    expect(sent()).toHaveLength(1);
    const confirms = first?.preview?.confirms ?? '';
    expect(await change({ text: 'Sent before' }, { isRiskConfirmed: false, confirms })).toMatchObject({
      won: true,
    });
    expect(sent()).toHaveLength(2);
  });

  it('into what was sent more than an hour ago is approved with one tap', async () => {
    const { scene, key, change, sent } = await open();
    const { id } = approvalOf(await key.call('send_email', sendTo(FRIEND, 'Sent before')));
    await scene.service.approvals.approve(
      scene.ownerId,
      id,
      await digestOf(scene.service, scene.ownerId, id),
    );
    scene.clock.shift(61 * 60_000);
    expect(await change({ text: 'Sent before' })).toMatchObject({ won: true });
    expect(sent()).toHaveLength(2);
  });

  it('into something wrong, or outside the fences of its key, stays as it was', async () => {
    const { scene, key, id, digest, change } = await open();
    await expect(change({ to: ['not an address'] })).rejects.toMatchObject({ code: 'invalid_arguments' });
    await expect(change({ to: [FRIEND, FRIEND] })).rejects.toMatchObject({ code: 'invalid_arguments' });
    await expect(change({ text: '' })).rejects.toMatchObject({ code: 'invalid_arguments' });
    await scene.service.keys.setFences(scene.ownerId, key.keyId, { recipients: [FRIEND] });
    await expect(change({ to: [STRANGER] })).rejects.toMatchObject({ code: 'not_permitted' });
    expect(await scene.storage.approval(scene.ownerId, id)).toMatchObject({ state: 'pending', digest });
    expect(scene.mail.transmitted()).toEqual([]);
  });

  it.each(['cancelled', 'rejected', 'executed', 'expired'] as const)(
    'changes nothing if it is %s meanwhile',
    async (state) => {
      const { scene, key, id, digest, change, sent } = await open();
      if (state === 'cancelled') await key.call('cancel_approval', { approval_id: id });
      if (state === 'rejected') await scene.service.approvals.reject(scene.ownerId, id);
      if (state === 'executed') await scene.service.approvals.approve(scene.ownerId, id, digest);
      if (state === 'expired') scene.clock.shift(86_400_000);
      const tooLate = await change({ text: 'Too late' });
      expect([tooLate?.won, tooLate && editOf(tooLate.approval)]).toEqual([false, null]);
      expect(sent()).toHaveLength(state === 'executed' ? 1 : 0);
    },
  );

  it('in a race with approval, a second change, rejection and cancellation has one outcome', async () => {
    const { scene, key, id, digest, change, sent } = await open();
    const { approvals } = scene.service;
    await Promise.all([
      change({ text: 'One' }),
      change({ text: 'Two' }),
      approvals.approve(scene.ownerId, id, digest),
      approvals.reject(scene.ownerId, id),
      key.call('cancel_approval', { approval_id: id }),
    ]);
    const approval = await scene.storage.approval(scene.ownerId, id);
    expect(sent()).toHaveLength(approval?.state === 'executed' ? 1 : 0);
    const { messageId } = (await shownOf(scene, id)).message?.says ?? {};
    if (sent().length > 0) expect(sent()[0]?.messageId).toBe(messageId);
  });

  it('makes both what was asked and what was approved a likely repeat', async () => {
    const { scene, key, change, sent } = await open();
    expect(await change({ text: 'Other' })).toMatchObject({ won: true });
    for (const body of ['Text', 'Other']) {
      const { id } = approvalOf(await key.call('send_email', sendTo(FRIEND, body)));
      expect((await scene.storage.approval(scene.ownerId, id))?.reasons).toContain('likely_repeat');
    }
    expect(sent()).toHaveLength(1);
  });
});

describe('the difference', () => {
  const draft = fc.record({
    to: fc.array(fc.emailAddress(), { minLength: 1, maxLength: 5 }),
    subject: fc.option(fc.string({ unit: anyGrapheme })),
    text: fc.array(fc.string({ unit: anyGrapheme })).map((lines) => lines.join('\n')),
  });

  it('has at most 4,000 characters, and is never torn within one', () => {
    fc.assert(
      fc.property(draft, draft, fc.nat(5000), (asked, approved, times) => {
        const long = { ...approved, text: `${approved.text}😀`.repeat(1 + (times % 2000)) };
        const diff = editDiff(asked, long);
        expect(Array.from(diff).length).toBeLessThanOrEqual(4000);
        expect(() => encodeURIComponent(diff)).not.toThrow();
      }),
      { numRuns: 100 },
    );
  });

  it('of a text that is entirely different names each side once', () => {
    const lines = (of: string) => Array.from({ length: 300 }, (_, n) => `${of}${n}`).join('\n');
    const diff = editDiff(
      { to: ['a@b.example'], subject: null, text: lines('-') },
      { to: ['a@b.example'], subject: null, text: lines('+') },
    );
    expect(diff).toMatch(/^--- asked\n\+\+\+ approved\n@@ -1,302 \+1,302 @@\n-To: a@b.example\n/);
  });
});
