import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createNoticeDelivery } from '../../../core/notices/send-notices.ts';
import type { Log } from '../../../core/ports/log.ts';
import {
  type Notice,
  type NoticeEnd,
  type NoticeSender,
  noticeText,
} from '../../../core/ports/notice-sender.ts';
import type { NoticeTarget } from '../../../core/ports/notice-target.ts';
import type { Ports } from '../../../core/ports/ports.ts';
import { createKeyring } from '../../../core/secrets/keyring.ts';
import { openTestService, testClock } from '../../open-service.ts';
import { sqliteOnClock } from '../../store-clock.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DASHBOARD = 'http://127.0.0.1:8788';
const NTFY = { kind: 'ntfy', server: 'https://ntfy.example.org', topic: 'mine', token: 'tk_secret' } as const;
const ACCOUNT = 'owner@gmail.com';

interface Sent {
  readonly target: NoticeTarget;
  readonly notice: Notice;
}

/** A service whose notices are sent by hand, to a sender that keeps them. `answer` forces faults. */
async function open() {
  const sent: Sent[] = [];
  const logged: string[] = [];
  const note = (text: string, fields?: unknown) => void logged.push(`${text} ${JSON.stringify(fields)}`);
  const log: Log = { info: note, warn: note, error: note };
  let answerWith = async (_signal: AbortSignal): Promise<NoticeEnd> => ({ kind: 'sent' });
  const noticeSender: NoticeSender = {
    kinds: ['push', 'ntfy', 'webhook', 'mail'],
    send(target, notice, { signal }) {
      sent.push({ target, notice });
      return answerWith(signal);
    },
    close: async () => undefined,
  };
  const clock = testClock();
  const storage = sqliteOnClock(':memory:', () => clock.now().getTime());
  const secretKeys = [randomBytes(32)];
  const opened = await openTestService({ clock, storage, secretKeys, noticeSender, log, email: ACCOUNT });
  const keyring = createKeyring(secretKeys, randomBytes);
  // Only what the delivery uses.
  const ports = { storage, clock, log } as unknown as Ports;
  const newDelivery = () => createNoticeDelivery(ports, noticeSender, keyring, DASHBOARD);
  const key = await opened.addKey('full');
  let asked = 0;
  return {
    ...opened,
    ...{ sent, logged, storage, newDelivery },
    notices: opened.service.notices,
    answerWith(next: typeof answerWith) {
      answerWith = next;
    },
    async ask(): Promise<string> {
      asked += 1;
      const to = [`ada${asked}@example.net`];
      const outcome = await key.call('send_email', { to, subject: `secret ${asked}`, body: 'b' });
      if (outcome.status !== 'pending_approval') throw new Error(outcome.status);
      return outcome.approval.id;
    },
    /** One round, and the end of what it started. */
    async round(): Promise<void> {
      const delivery = newDelivery();
      await delivery.round();
      await delivery.stop(10_000);
    },
  };
}

const FAILED: NoticeEnd = { kind: 'failed', reason: 'It cannot be reached.', retryAfterMs: null };

describe('notices', () => {
  it('say how much waits and where, once for many requests, and nothing of their content', async () => {
    const { notices, ownerId, ask, round, clock, sent } = await open();
    await notices.add(ownerId, NTFY);
    const id = await ask();
    await round();
    expect(sent).toEqual([]);
    clock.shift(5 * MINUTE_MS);
    await round();
    await round();
    expect(sent).toMatchObject([
      {
        target: NTFY,
        notice: { kind: 'waiting', waiting: 1, approvalId: id, page: `${DASHBOARD}/approvals/${id}` },
      },
    ]);
    await ask();
    await ask();
    clock.shift(HOUR_MS);
    await round();
    const [, second] = sent;
    expect(second?.notice).toMatchObject({ waiting: 3, approvalId: null, page: `${DASHBOARD}/approvals` });
    expect(JSON.stringify(sent)).not.toMatch(/secret \d|ada\d/);
  });

  it('say that an account has to be mended and where, without its address', async () => {
    const { notices, ownerId, service, ask, round, clock, sent, storage } = await open();
    await notices.add(ownerId, NTFY);
    const broken = { state: 'password_refused', reason: 'refused', now: clock.now() } as const;
    await storage.reportServer({ ...broken, ownerId, accountId: 1, revision: 1, server: 'sending' });
    clock.shift(5 * MINUTE_MS);
    await round();
    await ask();
    clock.shift(HOUR_MS);
    await round();
    const texts = sent.map(({ notice }) => [noticeText(notice), notice.kind === 'waiting' && notice.page]);
    expect(texts).toEqual([
      ['1 account does not work until you mend it.', `${DASHBOARD}/accounts`],
      [
        '1 request waits for your decision. 1 account does not work until you mend it.',
        `${DASHBOARD}/approvals`,
      ],
    ]);
    expect(JSON.stringify(sent)).not.toContain((await service.accounts.list(ownerId))[0]?.email);
  });

  it('say at once that the password was changed, and not by whom or from where', async () => {
    const { notices, ownerId, service, round, sent } = await open();
    await service.owners.setPassword(ownerId, 'the first password');
    await notices.add(ownerId, NTFY);
    await service.owners.setPassword(ownerId, 'the second password');
    await notices.looked(ownerId);
    await round();
    await round();
    const texts = sent.map(({ notice }) => [noticeText(notice), notice.kind === 'waiting' && notice.page]);
    expect(texts).toEqual([
      ['How you sign in has changed. Check under Settings that it was you.', `${DASHBOARD}/settings`],
    ]);
  });

  it('stop once the owner has looked', async () => {
    const { notices, ownerId, ask, round, clock, sent } = await open();
    await notices.add(ownerId, NTFY);
    await ask();
    await notices.looked(ownerId);
    clock.shift(HOUR_MS);
    await round();
    expect(sent).toEqual([]);
    await ask();
    clock.shift(HOUR_MS);
    await round();
    expect(sent).toMatchObject([{ notice: { waiting: 2 } }]);
  });

  it('that fail are sent again, and one that may have been sent before a crash is not', async () => {
    const { notices, ownerId, ask, round, clock, sent, answerWith, newDelivery } = await open();
    await notices.add(ownerId, NTFY);
    answerWith(async () => FAILED);
    await ask();
    clock.shift(5 * MINUTE_MS);
    await round();
    expect(await notices.list(ownerId)).toMatchObject([
      { problem: 'It cannot be reached.', failingSince: expect.any(Date) },
    ]);
    clock.shift(MINUTE_MS);
    // The process dies during the second attempt.
    answerWith(() => new Promise(() => undefined));
    await newDelivery().round();
    expect(sent).toHaveLength(2);
    answerWith(async () => ({ kind: 'sent' }));
    const next = newDelivery();
    clock.shift(HOUR_MS);
    await next.round();
    await next.stop(0);
    expect(sent).toHaveLength(2);
  });

  it('that run when the service stops are interrupted, and sent after it starts again', async () => {
    const { notices, ownerId, ask, clock, sent, answerWith, newDelivery } = await open();
    await notices.add(ownerId, NTFY);
    answerWith((signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(FAILED))));
    await ask();
    clock.shift(5 * MINUTE_MS);
    const before = newDelivery();
    await before.round();
    await before.stop(0);
    answerWith(async () => ({ kind: 'sent' }));
    const next = newDelivery();
    await next.round();
    await next.stop(0);
    expect(sent).toHaveLength(2);
    expect(await notices.list(ownerId)).toMatchObject([{ problem: null, failingSince: null }]);
  });

  it('end for a target that is gone, and never log where they go', async () => {
    const { notices, ownerId, ask, round, clock, answerWith, logged } = await open();
    await notices.add(ownerId, NTFY);
    answerWith(async () => ({ kind: 'gone' }));
    await ask();
    clock.shift(5 * MINUTE_MS);
    await round();
    expect(await notices.list(ownerId)).toEqual([]);
    await notices.add(ownerId, NTFY);
    answerWith(() => Promise.reject(new Error(`https://ntfy.example.org/mine with tk_secret failed`)));
    await ask();
    clock.shift(HOUR_MS);
    await round();
    expect(logged.length).toBeGreaterThan(1);
    expect(logged.join()).not.toMatch(/ntfy\.example|mine|tk_secret/);
  });
});

describe('an address for notices', () => {
  it('is confirmed by the code that it got, and gets nothing else before', async () => {
    const { notices, ownerId, ask, round, clock, sent } = await open();
    const added = await notices.add(ownerId, { kind: 'mail', address: 'me@example.net' });
    if (added.kind !== 'added') throw new Error(added.kind);
    const [{ notice } = { notice: undefined }] = sent;
    if (notice?.kind !== 'code') throw new Error('no code was sent');
    await ask();
    clock.shift(6 * MINUTE_MS);
    await round();
    expect(sent).toHaveLength(1);
    await expect(notices.sendTest(ownerId, added.channelId)).rejects.toMatchObject({ code: 'not_found' });
    const wrong = notice.code === '000000' ? '000001' : '000000';
    expect(await notices.confirm(ownerId, added.channelId, wrong)).toBe('wrong');
    expect(await notices.confirm(ownerId, added.channelId, ` ${notice.code} `)).toBe('confirmed');
    await round();
    expect(sent).toMatchObject([{}, { notice: { kind: 'waiting' }, target: { address: 'me@example.net' } }]);
  });

  it.each([ACCOUNT, 'OWNER@gmail.com', 'owner+notices@gmail.com', 'o.w.n.e.r@googlemail.com'])(
    'is refused if programs can read its mail: %s',
    async (address) => {
      const { notices, ownerId, sent } = await open();
      await expect(notices.add(ownerId, { kind: 'mail', address })).rejects.toMatchObject({
        ...{
          code: 'invalid_arguments',
          details: { errors: [{ field: 'address', rule: 'connected_account' }] },
        },
      });
      expect(sent).toEqual([]);
    },
  );

  it('gets nothing more once it is connected as an account', async () => {
    const { notices, ownerId, ask, round, clock, sent, service } = await open();
    const added = await notices.add(ownerId, { kind: 'mail', address: 'me@example.net' });
    const [{ notice } = { notice: undefined }] = sent;
    if (added.kind !== 'added' || notice?.kind !== 'code') throw new Error('no code was sent');
    await notices.confirm(ownerId, added.channelId, notice.code);
    await service.accounts.connect({ ownerId, email: 'me@example.net', settings: {} });
    await ask();
    clock.shift(6 * MINUTE_MS);
    await round();
    expect(sent).toHaveLength(1);
    expect(await notices.list(ownerId)).toMatchObject([
      { problem: 'The address belongs to a connected account.' },
    ]);
  });

  it('is not kept if its code cannot be sent, and few codes are sent in an hour', async () => {
    const { notices, ownerId, answerWith, sent, clock } = await open();
    answerWith(async () => FAILED);
    const add = () => notices.add(ownerId, { kind: 'mail', address: 'stranger@example.net' });
    for (let n = 0; n < 5; n += 1) {
      expect(await add()).toEqual({ kind: 'not_sent', reason: 'It cannot be reached.' });
    }
    expect(await notices.list(ownerId)).toEqual([]);
    await expect(add()).rejects.toMatchObject({ code: 'invalid_arguments' });
    expect(sent).toHaveLength(5);
    clock.shift(HOUR_MS);
    expect(await add()).toMatchObject({ kind: 'not_sent' });
  });
});

describe('a channel', () => {
  const POINT = 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8';
  const PUSH = { kind: 'push', browser: 'Firefox on Linux', p256dh: POINT, auth: 'A'.repeat(22) } as const;
  it.each([
    ['endpoint', { ...PUSH, endpoint: 'http://push.example.org/1' }],
    ['endpoint', { ...PUSH, endpoint: 'https://user:pass@push.example.org/1' }],
    ['p256dh', { ...PUSH, endpoint: 'https://push.example.org/1', p256dh: `B${'A'.repeat(86)}` }],
    ['auth', { ...PUSH, endpoint: 'https://push.example.org/1', auth: 'short' }],
    ['server', { ...NTFY, server: 'http://ntfy.example.org' }],
    ['server', { ...NTFY, server: 'https://ntfy.example.org/?x=y' }],
    ['topic', { ...NTFY, topic: 'a/b' }],
    ['token', { ...NTFY, token: 'a\r\nX-Header: b' }],
    ['url', { kind: 'webhook', url: 'file:///etc/passwd' }],
    ['address', { kind: 'mail', address: 'a@example.net, b@example.net' }],
    ['address', { kind: 'mail', address: 'a@example.net\r\nBcc: b@example.net' }],
  ] as const)('with a wrong %s is refused: %j', async (field, channel) => {
    const { notices, ownerId, sent } = await open();
    await expect(notices.add(ownerId, channel)).rejects.toMatchObject({
      ...{ code: 'invalid_arguments', details: { errors: [{ field }] } },
    });
    expect(sent).toEqual([]);
  });

  it('of the same browser replaces the one before, and an owner has ten at most', async () => {
    const { notices, ownerId } = await open();
    const push = { ...PUSH, endpoint: 'https://push.example.org/1' };
    await notices.add(ownerId, push);
    await notices.add(ownerId, push);
    expect(await notices.list(ownerId)).toMatchObject([{ name: 'Firefox on Linux', isConfirmed: true }]);
    for (let n = 1; n < 10; n += 1) await notices.add(ownerId, NTFY);
    await expect(notices.add(ownerId, NTFY)).rejects.toMatchObject({ code: 'invalid_arguments' });
  });

  it('keeps its address, token and secrets sealed', async () => {
    const { notices, ownerId, storage } = await open();
    const webhook = await notices.add(ownerId, { kind: 'webhook', url: 'https://hooks.example.org/1' });
    expect(webhook).toMatchObject({ secret: expect.stringMatching(/^whsec_/) });
    await notices.add(ownerId, NTFY);
    const stored = JSON.stringify(await storage.noticeChannels(ownerId));
    expect(stored).not.toMatch(/hooks\.example|ntfy\.example|tk_secret|whsec_/);
  });
});
