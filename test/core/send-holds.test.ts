import { describe, expect, it } from 'vitest';
import { MailError } from '../../core/ports/mail.ts';
import type { TestKey } from '../open-service.ts';
import {
  approvalOf,
  approve,
  FRIEND,
  firstId,
  letter,
  openScene,
  REFUSED,
  type Scene,
  type SceneOptions,
  STRANGER,
  sendTo,
} from './scene.ts';

async function open(options: SceneOptions = {}) {
  const scene = await openScene(options);
  return { scene, key: await scene.addKey('full', { 'mail:send': 'direct', 'mail:reply': 'direct' }) };
}

/** `ran`, or the names of the holds that made it wait. */
async function fate(scene: Scene, key: TestKey, args: object): Promise<string[]> {
  const outcome = await key.call('send_email', args);
  if (outcome.status === 'error') return [outcome.code];
  if (outcome.status === 'ok') return ['ran'];
  expect(JSON.stringify(outcome)).not.toMatch(/first_time|recipient_lookup|send_limit|likely_repeat/);
  const approval = await scene.storage.approval(scene.ownerId, approvalOf(outcome).id);
  return [...(approval?.reasons ?? [])];
}

describe('a first-time recipient', () => {
  it('makes a send wait, and is known once it was sent to', async () => {
    const { scene, key } = await open();
    const first = await key.call('send_email', sendTo(STRANGER, 'one'));
    expect(first).toMatchObject({ status: 'pending_approval', executed: false });
    expect(await fate(scene, key, sendTo(STRANGER, 'two'))).toEqual(['first_time_recipient']);
    await approve(scene, approvalOf(first).id);
    expect(await fate(scene, key, sendTo(STRANGER.toUpperCase(), 'three'))).toEqual(['ran']);
  });

  it('is held even if other recipients of the same send are known', async () => {
    const { scene, key } = await open();
    expect(await fate(scene, key, { ...sendTo(FRIEND), to: [FRIEND, STRANGER] })).toEqual([
      'first_time_recipient',
    ]);
  });

  it('is an exact address: one that contains a known address is not known', async () => {
    const { scene, key } = await open();
    for (const near of [`x${FRIEND}`, `${FRIEND}.example`, FRIEND.replace('@', '+1@')]) {
      expect(await fate(scene, key, sendTo(near))).toContain('first_time_recipient');
    }
  });

  it('is known per account', async () => {
    const { scene, key } = await open();
    await approve(scene, approvalOf(await key.call('send_email', sendTo(STRANGER))).id);
    const other = { ownerId: scene.ownerId, email: 'two@countersign.test', settings: {} };
    const { accountId } = await scene.service.accounts.connect(other);
    const args = { ...sendTo(STRANGER, 'another'), account_id: accountId };
    expect(await fate(scene, key, args)).toEqual(['first_time_recipient']);
  });

  it('stays one if the send fails', async () => {
    const { scene, key } = await open({
      mailAs: (mail) => ({ ...mail, sentCopies: async () => [] }),
    });
    await approve(scene, approvalOf(await key.call('send_email', sendTo(REFUSED))).id);
    expect(await fate(scene, key, sendTo(REFUSED, 'again'))).toEqual(['first_time_recipient']);
  });

  it('is held if the lookup fails, and is looked up again', async () => {
    let away = true;
    const { scene, key } = await open({
      mailAs: (mail) => ({
        ...mail,
        async sentCopies(call, path, addresses) {
          if (away) throw new MailError('unavailable', 'The server is away.');
          return mail.sentCopies(call, path, addresses);
        },
      }),
    });
    expect(await fate(scene, key, sendTo(FRIEND, 'one'))).toEqual(['recipient_lookup_failed']);
    away = false;
    expect(await fate(scene, key, sendTo(FRIEND, 'two'))).toEqual(['ran']);
    away = true;
    expect(await fate(scene, key, sendTo(FRIEND, 'three'))).toEqual(['ran']);
  });

  it('of a reply is held too', async () => {
    const { scene, key } = await open({ samples: () => [letter('1', { from: STRANGER })] });
    const id = await firstId(key);
    expect((await key.call('send_reply', { id, body: 'Answer' })).status).toBe('pending_approval');
    expect(scene.mail.transmitted()).toEqual([]);
  });
});

describe('the send limit', () => {
  const sends = async (scene: Scene, key: TestKey, from: number, count: number) => {
    const fates: string[][] = [];
    for (let n = from; n < from + count; n++) fates.push(await fate(scene, key, sendTo(FRIEND, `body ${n}`)));
    return fates;
  };
  const ran = (count: number) => Array.from({ length: count }, () => ['ran']);

  it('lets 5 run in 10 minutes, and holds the 6th', async () => {
    const { scene, key } = await open();
    expect(await sends(scene, key, 0, 6)).toEqual([...ran(5), ['send_limit']]);
    scene.clock.shift(10 * 60_000);
    expect(await sends(scene, key, 6, 6)).toEqual([...ran(5), ['send_limit']]);
    expect(scene.mail.transmitted()).toHaveLength(10);
  });

  it('lets 20 run in 24 hours, and holds the 21st', async () => {
    const { scene, key } = await open();
    for (let round = 0; round < 4; round++) {
      expect(await sends(scene, key, round * 5, 5)).toEqual(ran(5));
      scene.clock.shift(10 * 60_000 + 1);
    }
    expect(await sends(scene, key, 20, 1)).toEqual([['send_limit']]);
    scene.clock.shift(24 * 3_600_000);
    expect(await sends(scene, key, 21, 1)).toEqual([['ran']]);
  });

  it('can be set, and counts neither what failed nor what the owner approved', async () => {
    const limits = { callsPerMinute: 1e6, callsPerDay: 1e6, directSendsPer10Min: 2 };
    const { scene, key } = await open({ limits });
    expect(await fate(scene, key, sendTo(REFUSED))).toEqual(['upstream_mail_error']);
    await approve(scene, approvalOf(await key.call('send_email', sendTo(STRANGER))).id);
    expect(await sends(scene, key, 0, 3)).toEqual([...ran(2), ['send_limit']]);
  });

  it('is each key\u2019s own', async () => {
    const { scene, key } = await open();
    await sends(scene, key, 0, 5);
    const other = await scene.addKey('full', { 'mail:send': 'direct' });
    expect(await sends(scene, other, 10, 1)).toEqual([['ran']]);
  });
});

describe('a likely repeat', () => {
  it('is held for an hour after the same send, by any key', async () => {
    const { scene, key } = await open();
    const other = await scene.addKey('full', { 'mail:send': 'direct' });
    expect(await fate(scene, key, sendTo(FRIEND))).toEqual(['ran']);
    scene.clock.shift(3_600_000 - 60_000);
    expect(await fate(scene, other, sendTo(FRIEND))).toEqual(['likely_repeat']);
    expect(await fate(scene, key, { ...sendTo(FRIEND.toUpperCase()), body: 'Text\n' })).toEqual([
      'likely_repeat',
    ]);
    const { approvals } = await scene.service.approvals.list(scene.ownerId, { state: 'open', limit: 5 });
    for (const { approval } of approvals) await scene.service.approvals.reject(scene.ownerId, approval.id);
    scene.clock.shift(3_600_000);
    expect(await fate(scene, key, sendTo(FRIEND))).toEqual(['ran']);
  });

  it('compares account, recipients, subject and body', async () => {
    const { scene, key } = await open({
      limits: { callsPerMinute: 1e6, callsPerDay: 1e6, directSendsPer10Min: 50 },
    });
    await fate(scene, key, sendTo(FRIEND));
    for (const args of [
      { ...sendTo(FRIEND), subject: 'Another' },
      sendTo(FRIEND, 'Another'),
      { ...sendTo(FRIEND), to: [FRIEND, 'lost@sandbox.invalid'] },
    ]) {
      expect(await fate(scene, key, args)).toEqual(['ran']);
    }
  });
});

describe('in mode approval', () => {
  it('the same holds are warnings on the owner\u2019s page', async () => {
    const { scene, key } = await open();
    await fate(scene, key, sendTo(FRIEND));
    const asking = await scene.addKey('full');
    expect(await fate(scene, asking, sendTo(FRIEND))).toEqual(['mode_approval', 'likely_repeat']);
    const outcome = await asking.call('send_email', sendTo(STRANGER));
    const view = await scene.service.approvals.show(scene.ownerId, approvalOf(outcome).id);
    expect(view?.approval.reasons).toEqual(['mode_approval', 'first_time_recipient']);
    expect(view?.isAlwaysAsked).toBe(true);
    expect(view?.findings).toEqual([
      {
        rule: 'first_time_recipient',
        severity: 'amber',
        marks: [],
        sentence: ['You have never written from this account to ', { name: STRANGER }, '.'],
      },
    ]);
  });

  it('a plan without direct mode asks even if the key is set to direct', async () => {
    const { scene, key } = await open({ plan: 'free' });
    expect(await fate(scene, key, sendTo(FRIEND))).toEqual(['mode_approval']);
  });
});
