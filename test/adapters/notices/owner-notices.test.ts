import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type OwnerNoticesOptions, ownerNotices } from '../../../adapters/notices/owner-notices.ts';
import { encryptPush } from '../../../adapters/notices/push-message.ts';
import { signatureFault } from '../../../core/events/signature.ts';
import type { Notice, NoticeSender } from '../../../core/ports/notice-sender.ts';
import { type NoticeTarget, vapidPublicKey } from '../../../core/ports/notice-target.ts';
import {
  created,
  type NoticeReceiver,
  newSubscriber,
  readVapid,
  startNoticeReceiver,
} from '../../servers/notice-receiver.ts';

const AT = new Date('2026-03-10T12:00:00Z');
const PAGE = 'https://approve.example.org/approvals/apr_1';
const WAITING: Notice = {
  kind: 'waiting',
  at: AT,
  waiting: 1,
  approvalId: 'apr_1',
  toMend: 0,
  hasAccessChanged: false,
  page: PAGE,
};
const VAPID = 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw';

/** The example of RFC 8291, section 5. */
const RFC = {
  text: 'When I grow up, I want to be a watermelon',
  sender: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  receiver: 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  body:
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru' +
    '3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
};

describe('the example of RFC 8291', () => {
  const subscriber = newSubscriber(RFC.receiver, RFC.auth);

  it('is what the message becomes', () => {
    const once = {
      salt: Buffer.from(RFC.salt, 'base64url'),
      privateKey: Buffer.from(RFC.sender, 'base64url'),
    };
    expect(encryptPush(Buffer.from(RFC.text), subscriber, once).toString('base64url')).toBe(RFC.body);
  });

  it("is read by the test's own decryption", () => {
    expect(subscriber.decrypt(Buffer.from(RFC.body, 'base64url'))).toBe(RFC.text);
  });
});

describe('ownerNotices', () => {
  let receiver: NoticeReceiver;
  const senders: NoticeSender[] = [];
  beforeAll(async () => {
    receiver = await startNoticeReceiver();
  });
  beforeEach(() => {
    receiver.requests.length = 0;
    receiver.answer = created;
  });
  afterEach(async () => {
    for (const sender of senders.splice(0)) await sender.close();
  });
  afterAll(() => receiver.close());

  function sendTo(
    target: NoticeTarget,
    { notice = WAITING, timeLimitMs = 5000, ...options }: SendOptions = {},
  ): ReturnType<NoticeSender['send']> {
    const sender = ownerNotices({ allowPrivateTargets: ['localhost'], ca: receiver.ca, ...options });
    senders.push(sender);
    return sender.send(target, notice, { timeLimitMs, signal: new AbortController().signal });
  }

  function subscription(path = '/push/1') {
    const subscriber = newSubscriber();
    const { p256dh, auth } = subscriber;
    const endpoint = `${receiver.origin}${path}`;
    const target = { kind: 'push', browser: 'b', endpoint, p256dh, auth, vapidKey: VAPID } as const;
    return { subscriber, target };
  }

  const ntfy = (token: string | null = null): NoticeTarget => ({
    ...{ kind: 'ntfy', server: `${receiver.origin}/`, topic: 'mine', token },
  });
  const webhook = (): NoticeTarget => ({
    kind: 'webhook',
    url: `${receiver.origin}/hook`,
    secret: 'whsec_1',
  });

  it('pushes ids and counts that only the browser can read, signed for the push service', async () => {
    const { subscriber, target } = subscription();
    expect(await sendTo(target)).toEqual({ kind: 'sent' });
    const [{ path, headers, body } = expect.fail()] = receiver.requests;
    expect(path).toBe('/push/1');
    expect(headers).toMatchObject({
      'content-encoding': 'aes128gcm',
      ttl: expect.stringMatching(/^\d+$/),
      urgency: 'high',
      topic: expect.stringMatching(/^[\w-]{1,32}$/),
    });
    expect(JSON.parse(subscriber.decrypt(body))).toEqual({
      ...{ waiting: 1, approval_id: 'apr_1', accounts_to_mend: 0, access_changed: false },
    });
    const { claims, publicKey } = readVapid(headers.authorization ?? '');
    expect(publicKey).toBe(vapidPublicKey(VAPID));
    expect(claims).toMatchObject({ aud: receiver.origin, sub: 'https://approve.example.org' });
    expect(claims.exp - AT.getTime() / 1000).toBeGreaterThan(0);
    expect(claims.exp - AT.getTime() / 1000).toBeLessThanOrEqual(86_400);
  });

  it('never encrypts two messages with the same key and salt', async () => {
    const { target } = subscription();
    await sendTo(target);
    await sendTo(target);
    const heads = receiver.requests.map(({ body }) => body.subarray(0, 86).toString('hex'));
    expect(new Set(heads).size).toBe(2);
  });

  it('posts to a topic of ntfy as its API requires', async () => {
    expect(await sendTo(ntfy('tk_1'), { notice: { ...WAITING, waiting: 3 } })).toEqual({ kind: 'sent' });
    const [{ path, headers, body } = expect.fail()] = receiver.requests;
    expect(path).toBe('/mine');
    expect(headers).toMatchObject({ title: 'Countersign', click: PAGE, authorization: 'Bearer tk_1' });
    expect(body.toString()).toBe('3 requests wait for your decision.');
    await sendTo(ntfy());
    expect(receiver.requests[1]?.headers.authorization).toBeUndefined();
  });

  it('posts to a webhook, signed like events', async () => {
    expect(await sendTo(webhook())).toEqual({ kind: 'sent' });
    const [{ headers, body } = expect.fail()] = receiver.requests;
    expect(JSON.parse(body.toString())).toEqual({
      type: 'requests.waiting',
      created_at: AT.toISOString(),
      api_version: 'v1',
      data: { waiting: 1, approval_id: 'apr_1', accounts_to_mend: 0, access_changed: false },
    });
    const signature = String(headers['service-signature']);
    expect(signatureFault(signature, body, 'whsec_1', AT.getTime() / 1000)).toBeUndefined();
  });

  it.each([
    ['push', 404, 'gone'],
    ['push', 410, 'gone'],
    ['push', 429, 'failed'],
    ['push', 500, 'failed'],
    ['ntfy', 404, 'failed'],
    ['ntfy', 401, 'failed'],
    ['webhook', 404, 'failed'],
    ['webhook', 410, 'gone'],
  ] as const)('reports the answer of %s: %d means %s', async (kind, status, end) => {
    receiver.answer = (_request, response) => response.writeHead(status, { 'retry-after': '90' }).end();
    const target = { push: subscription().target, ntfy: ntfy(), webhook: webhook() }[kind];
    const failed = { reason: `Its server answered ${status}.`, retryAfterMs: 90_000 };
    expect(await sendTo(target)).toEqual({ kind: end, ...(end === 'failed' ? failed : {}) });
  });

  describe('with a hostile push endpoint', () => {
    it.each([
      'https://127.0.0.1/push',
      'https://[::1]/push',
      'https://169.254.169.254/latest/meta-data',
      'https://10.0.0.1/push',
    ])('connects to no private address: %s', async (endpoint) => {
      const { target } = subscription();
      expect(await sendTo({ ...target, endpoint }, { allowPrivateTargets: [] })).toMatchObject({
        ...{ kind: 'failed', reason: expect.stringContaining('private') },
      });
    });

    it('connects to no private address that a name resolves to', async () => {
      const { target } = subscription();
      const addressesOf = async () => ['192.0.2.1', '127.0.0.1'];
      const endpoint = `https://push.example.org:${receiver.port}/push`;
      expect(await sendTo({ ...target, endpoint }, { addressesOf })).toMatchObject({ kind: 'failed' });
      expect(receiver.requests).toEqual([]);
    });

    it('follows no redirect', async () => {
      receiver.answer = (_request, response) =>
        response.writeHead(307, { location: `${receiver.origin}/inside` }).end();
      expect(await sendTo(subscription().target)).toMatchObject({ reason: 'Its server answered 307.' });
      expect(receiver.requests).toHaveLength(1);
    });

    it('waits no longer than the time limit', async () => {
      receiver.answer = () => undefined;
      const sent = sendTo(subscription().target, { timeLimitMs: 50 });
      expect(await sent).toMatchObject({ kind: 'failed', reason: 'It did not answer in time.' });
    });

    it('does not read an answer of 10 MB', async () => {
      let written = 0;
      let closed: Promise<unknown> = Promise.resolve();
      receiver.answer = (_request, response) => {
        const piece = Buffer.alloc(64 * 1024);
        closed = new Promise((resolve) => response.once('close', resolve));
        response.writeHead(201);
        const writeMore = () => {
          while (written < 10_000_000 && !response.destroyed) {
            written += piece.length;
            if (response.write(piece)) continue;
            response.once('drain', writeMore);
            return;
          }
          response.end();
        };
        writeMore();
      };
      expect(await sendTo(subscription().target)).toEqual({ kind: 'sent' });
      await closed;
      expect(written).toBeLessThan(10_000_000);
    });
  });
});

interface SendOptions extends OwnerNoticesOptions {
  readonly notice?: Notice;
  readonly timeLimitMs?: number;
}
