import { describe, expect, it } from 'vitest';
import type { SampleMessage } from '../../adapters/sandbox/sample-message.ts';
import { inWords } from '../../core/safety/finding-text.ts';
import { approvalOf, FRIEND, firstId, letter, openScene, type Scene, sendTo, shownOf } from './scene.ts';

const DIRECT = { 'mail:send': 'direct', 'mail:reply': 'direct' } as const;
const ELSEWHERE = 'maya@freemail.example';

async function open(changes: Partial<SampleMessage> = {}) {
  const scene = await openScene({ samples: () => [letter('1', changes)] });
  return { scene, key: await scene.addKey('full', DIRECT) };
}

async function findingsOf({ service, ownerId }: Scene, id: string) {
  const view = await service.approvals.show(ownerId, id);
  return (view?.findings ?? []).map(({ severity, sentence }) => [severity, inWords(sentence)]);
}

const NEVER = `You have never written from this account to ${ELSEWHERE}.`;

it('what comes from a stranger names the known domain that the stranger imitates', async () => {
  const { scene, key } = await open({ from: 'maya@at1as.example', text: 'See https://portal.test/x' });
  await key.call('send_email', sendTo(FRIEND, 'one'));
  await key.call('get_email', { id: await firstId(key) });
  const outcome = await key.call('send_email', sendTo(FRIEND, 'See https://portal.test/x'));
  const [[severity, sentence] = []] = await findingsOf(scene, approvalOf(outcome).id);
  expect(severity).toBe('red');
  expect(sentence).toMatch(
    /^The link to portal\.test comes from .* by maya@at1as\.example \(a domain that looks like atlas\.example\)/,
  );
});

it('one line names a recipient who comes from a stranger', async () => {
  const { scene, key } = await open({ from: 'news@shop.example', text: `Write to ${ELSEWHERE}` });
  await key.call('get_email', { id: await firstId(key) });
  const one = await key.call('send_email', sendTo(ELSEWHERE, 'Here it is'));
  const found = await findingsOf(scene, approvalOf(one).id);
  expect(found).toEqual([['red', expect.stringContaining(`The recipient ${ELSEWHERE} comes from`)]]);
  const two = await key.call('send_email', {
    ...sendTo(ELSEWHERE, 'And here'),
    to: [ELSEWHERE, 'other@new.test'],
  });
  expect(await findingsOf(scene, approvalOf(two).id)).toContainEqual([
    'amber',
    `You have never written from this account to ${ELSEWHERE}, other@new.test.`,
  ]);
});

describe('a reply', () => {
  const reply = async (changes: Partial<SampleMessage>, body = 'Gladly') => {
    const { scene, key } = await open(changes);
    const outcome = await key.call('send_reply', { id: await firstId(key), body });
    return { scene, outcome };
  };

  it('that a Reply-To takes away from somebody the owner writes to is high risk', async () => {
    const { scene, outcome } = await reply({ replyTo: ELSEWHERE });
    expect(await findingsOf(scene, approvalOf(outcome).id)).toEqual([
      ['red', `The answer goes to ${ELSEWHERE}, not to the sender, ${FRIEND}.`],
      ['amber', NEVER],
    ]);
    expect(JSON.stringify(outcome)).not.toMatch(/reply_elsewhere|answer goes/);
  });

  it('that goes elsewhere for a sender the owner has never written to is high risk', async () => {
    const { scene, outcome } = await reply({ from: 'news@shop.example', replyTo: ELSEWHERE });
    expect(await findingsOf(scene, approvalOf(outcome).id)).toEqual([
      ['red', `The answer goes to ${ELSEWHERE}, not to the sender, news@shop.example.`],
      ['amber', NEVER],
    ]);
  });

  it('to the mailing list that the message went to is not high risk', async () => {
    const { scene, outcome } = await reply({ replyTo: ELSEWHERE, to: `Team <${ELSEWHERE}>` });
    expect(await findingsOf(scene, approvalOf(outcome).id)).toEqual([
      ['amber', NEVER],
      ['info', `The answer goes to ${ELSEWHERE}, not to the sender, ${FRIEND}.`],
    ]);
  });

  it('names the sender whose domain imitates one that was written to, and how often', async () => {
    const { scene, key } = await open({ from: 'maya@at1as.example' });
    for (const text of ['one', 'two']) await key.call('send_email', sendTo(FRIEND, text));
    const outcome = await key.call('send_reply', { id: await firstId(key), body: 'Gladly' });
    expect(await findingsOf(scene, approvalOf(outcome).id)).toContainEqual([
      'red',
      "The recipient's domain at1as.example looks like atlas.example, where you wrote 3 times.",
    ]);
  });

  it('that names a different time runs: such a note does not hold it', async () => {
    const { outcome } = await reply({ text: 'Lunch at 13:00?\n' }, 'At 14:00, please.');
    expect(outcome).toMatchObject({ status: 'ok', executed: true });
  });
});

describe('a high-risk request', () => {
  const open = async () => {
    const scene = await openScene();
    const key = await scene.addKey('full', DIRECT);
    const { id } = approvalOf(
      await key.call('send_email', sendTo(FRIEND, 'https://bank.example@evil.example')),
    );
    const digest = (await scene.storage.approval(scene.ownerId, id))?.digest ?? '';
    return { scene, id, digest };
  };

  it('is approved only with a separate confirmation', async () => {
    const { scene, id, digest } = await open();
    const { approvals } = scene.service;
    expect(await approvals.approve(scene.ownerId, id, digest)).toMatchObject({
      won: false,
      isRiskUnconfirmed: true,
      approval: { state: 'pending' },
    });
    expect(scene.mail.transmitted()).toEqual([]);
    const decided = await approvals.approve(scene.ownerId, id, digest, { isRiskConfirmed: true });
    expect(decided).toMatchObject({ won: true, approval: { state: 'executed' } });
  });

  it('needs no confirmation to be rejected', async () => {
    const { scene, id } = await open();
    expect(await scene.service.approvals.reject(scene.ownerId, id)).toMatchObject({ won: true });
  });

  it('reports a wrong digest as any other request does', async () => {
    const { scene, id } = await open();
    const decided = await scene.service.approvals.approve(scene.ownerId, id, 'f'.repeat(64));
    expect(decided).toEqual({
      won: false,
      approval: expect.objectContaining({ state: 'pending' }) as unknown,
    });
  });
});

describe('findings', () => {
  it('mark their evidence in the text that is sent', async () => {
    const text = 'Your verification code is 482913.\n';
    const { scene, key } = await open({ text, subject: 'Hello' });
    const marked = async (tool: string, args: object) => {
      const { id } = approvalOf(await key.call(tool, args));
      const view = await scene.service.approvals.show(scene.ownerId, id);
      const { message } = await shownOf(scene, id);
      await scene.service.approvals.reject(scene.ownerId, id);
      const marks = view?.findings.find(({ rule }) => rule === 'secret')?.marks ?? [];
      return marks.map(({ in: where, from, to }) => message?.says[where].slice(from, to));
    };
    const id = await firstId(key);
    expect(await marked('forward_email', { id, to: [FRIEND] })).toEqual(['verification code is 482913.']);
    expect(await marked('forward_email', { id, to: [FRIEND], note: 'Here' })).toEqual([
      'verification code is 482913.',
    ]);
    expect(await marked('send_reply', { id, body: 'It’s  PIN: ４８２９' })).toEqual(['PIN: ４８２９']);
    expect(
      await marked('send_email', { to: [FRIEND], subject: 'Verification code', body: '482913 it is' }),
    ).toEqual(['Verification code', '482913']);
  });

  it('are those of the moment when the request was filed', async () => {
    const { scene, key } = await open();
    const { id } = approvalOf(await key.call('send_email', sendTo('maya@new.example')));
    const before = await findingsOf(scene, id);
    expect(before).toEqual([['amber', 'You have never written from this account to maya@new.example.']]);
    await scene.storage.rememberRecipients(scene.ownerId, 1, ['maya@new.example'], scene.clock.now());
    expect(await findingsOf(scene, id)).toEqual(before);
  });
});
