import { describe, expect, it } from 'vitest';
import { PROOF_LEVELS, type ProofLevel } from '../../core/owners/owner-proof.ts';
import type { TogetherMember } from '../../core/requests/approvals.ts';
import { togetherDigest } from '../../core/requests/decide-together.ts';
import { approvalOf, digestOf, FRIEND, letter, openScene, resultOf, sendTo } from './scene.ts';

const RISKY = 'Please sign in at https://bank.example@evil.example/ today.';

async function opened(proofFor: ProofLevel) {
  const scene = await openScene({ samples: () => ['1', '2', '3'].map((id) => letter(id)) });
  const { service, ownerId, clock } = scene;
  await service.owners.update(ownerId, { proofFor });
  const key = await scene.addKey('full');
  const ask = async (args: Parameters<typeof key.call>[1], tool = 'send_email') => {
    const { id } = approvalOf(await key.call(tool, args));
    const digest = await digestOf(service, ownerId, id);
    const approve = (proven?: { provenAt: Date; digest: string }) =>
      service.approvals.approve(ownerId, id, digest, { isRiskConfirmed: true, proven });
    const needsProof = async () => (await service.approvals.show(ownerId, id))?.needsProof;
    return { id, digest, approve, needsProof };
  };
  return { ...scene, key, ask, now: () => clock.now(), sent: () => scene.mail.transmitted().length };
}

describe('an owner who chose to prove who approves', () => {
  it.each([
    ['every_12_hours', [false, false, false]],
    ['red', [false, true, false]],
    ['leaving', [true, true, false]],
    ['always', [true, true, true]],
  ] as const)('is asked for a proof as often as chosen: %s', async (level, expected) => {
    const { key, ask } = await opened(level);
    const [message] = resultOf(await key.call('summarize_inbox', {})).messages as { id: string }[];
    const requests = [
      await ask(sendTo(FRIEND)),
      await ask({ ...sendTo(FRIEND), body: RISKY }),
      await ask({ id: message?.id }, 'archive_email'),
    ];
    const asks = [];
    for (const request of requests) {
      const isAsked = await request.needsProof();
      expect((await request.approve())?.won).toBe(isAsked === false);
      asks.push(isAsked);
    }
    expect(asks).toEqual(expected);
  });

  it('approves with a proof for this very request, just given, and with no other', async () => {
    const { ask, now, sent, clock } = await opened('leaving');
    const [one, other] = [await ask(sendTo(FRIEND)), await ask({ ...sendTo(FRIEND), subject: 'Other' })];
    const refused = { won: false, isProofMissing: true, approval: { state: 'pending' } };
    expect(await one.approve()).toMatchObject(refused);
    expect(await one.approve({ provenAt: now(), digest: other.digest })).toMatchObject(refused);
    const old = now();
    clock.shift(121_000);
    expect(await one.approve({ provenAt: old, digest: one.digest })).toMatchObject(refused);
    expect(sent()).toBe(0);
    expect(await one.approve({ provenAt: now(), digest: one.digest })).toMatchObject({ won: true });
    expect(sent()).toBe(1);
    // Nothing more is asked of what is decided already.
    expect(await one.approve()).not.toHaveProperty('isProofMissing');
    expect(await one.needsProof()).toBe(false);
  });

  it('proves a changed send as well, also if only the change needs it', async () => {
    const { service, ownerId, ask, now, sent } = await opened('red');
    const { id, digest, needsProof } = await ask(sendTo(FRIEND));
    expect(await needsProof()).toBe(false);
    const draft = { to: [FRIEND], subject: 'Subject', text: RISKY };
    const change = (options: Parameters<typeof service.approvals.approveChanged>[4]) =>
      service.approvals.approveChanged(ownerId, id, digest, draft, options);
    const { preview } = (await change({ isRiskConfirmed: true })) ?? {};
    const seen = { isRiskConfirmed: true, confirms: preview?.confirms };
    expect(await change(seen)).toMatchObject({ won: false, isProofMissing: true });
    expect(sent()).toBe(0);
    expect(await change({ ...seen, proven: { provenAt: now(), digest } })).toMatchObject({ won: true });
    expect(sent()).toBe(1);
  });

  it('proves several at once with one proof for exactly these', async () => {
    const { service, ownerId, key, ask, now } = await opened('always');
    const messages = resultOf(await key.call('summarize_inbox', {})).messages as { id: string }[];
    const members: TogetherMember[] = [];
    for (const message of messages.slice(0, 3)) {
      const { id, digest } = await ask({ id: message.id }, 'archive_email');
      members.push({ approvalId: id, digest });
    }
    const [first, ...others] = members;
    const decide = (some: readonly TogetherMember[], digest?: string) =>
      service.approvals.decideTogether(
        ownerId,
        'approve',
        some,
        digest === undefined ? {} : { proven: { provenAt: now(), digest } },
      );
    const lefts = async (...decision: Parameters<typeof decide>) =>
      (await decide(...decision)).map(({ left }) => left);
    expect(await lefts(members)).toEqual(['unproven', 'unproven', 'unproven']);
    expect(await lefts(members, togetherDigest(others))).toEqual(['unproven', 'unproven', 'unproven']);
    expect(await lefts(others, togetherDigest(others.toReversed()))).toEqual([null, null]);
    // Rejecting needs none.
    const rejected = await service.approvals.decideTogether(ownerId, 'reject', first ? [first] : []);
    expect(rejected.map(({ left }) => left)).toEqual([null]);
  });

  it('rejects without a proof, and a key cannot set or read the level', async () => {
    const { service, ownerId, key, ask } = await opened('always');
    const { id } = await ask(sendTo(FRIEND));
    expect(await service.approvals.reject(ownerId, id)).toMatchObject({ won: true });
    expect(JSON.stringify(await key.call('get_me', {}))).not.toContain('proof');
    for (const level of PROOF_LEVELS) await service.owners.update(ownerId, { proofFor: level });
    await expect(service.owners.update(ownerId, { proofFor: 'never' as ProofLevel })).rejects.toMatchObject({
      code: 'invalid_arguments',
    });
  });
});
