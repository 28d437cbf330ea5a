import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { httpsSender } from '../../../adapters/webhooks/https-sender.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/time/durations.ts';
import { verifyWebhook } from '../../../hosts/webhooks/verify-webhook.ts';
import { openTestService, type TestService } from '../../open-service.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../servers/webhook-receiver.ts';
import { until } from '../../until.ts';

describe('webhooks', () => {
  let receiver: WebhookReceiver;
  const opened: TestService[] = [];

  beforeAll(async () => {
    receiver = await startWebhookReceiver();
  });
  afterEach(async () => {
    for (const { service } of opened.splice(0)) await service.stop();
    (receiver.requests as unknown[]).length = 0;
    receiver.answer = (_request, response) => response.writeHead(204).end();
  });
  afterAll(() => receiver.close());

  async function open() {
    const scene = await openTestService({
      webhookSender: httpsSender({ allowPrivateTargets: ['localhost'], ca: receiver.ca }),
    });
    opened.push(scene);
    const { service, ownerId } = scene;
    const key = await scene.addKey('full');
    const add = (path = '/hook') =>
      service.webhooks.add({ ownerId, keyId: key.keyId, url: `${receiver.origin}${path}` });
    const received = (count: number) => until(() => receiver.requests.length >= count);
    const settled = (endpointId: string) =>
      until(async () => {
        const { deliveries } = await service.webhooks.deliveries(ownerId, endpointId, { limit: 100 });
        return (
          deliveries.length > 0 &&
          deliveries.every(({ log, attempts }) => log.length === attempts) &&
          deliveries
        );
      });
    return { ...scene, key, add, received, settled };
  }

  it('tell the key of a decision, signed and without content', async () => {
    const { service, ownerId, key, add, received, settled, clock } = await open();
    const { endpointId, secret } = await add();
    service.start();
    const sent = await key.call('send_email', {
      to: ['new@example.org'],
      subject: 'Secret plans',
      body: 'Body',
    });
    if (sent.status !== 'pending_approval') throw new Error(sent.status);
    await service.approvals.reject(ownerId, sent.approval.id);
    await received(1);
    const [request] = receiver.requests;
    if (request === undefined) throw new Error('nothing was received');
    const event = verifyWebhook(request.body, request.headers, secret, { now: clock.now() });
    expect(event).toMatchObject({
      type: 'approval.decided',
      api_version: 'v1',
      data: { approval_id: sent.approval.id, state: 'rejected', account_id: 1 },
    });
    expect(request).toMatchObject({
      method: 'POST',
      path: '/hook',
      headers: {
        'content-type': 'application/json',
        'service-event-id': event.id,
        'service-event-type': 'approval.decided',
        'service-delivery-attempt': '1',
      },
    });
    expect(request.body.toString()).not.toMatch(/Secret|Body|example/);
    const [delivery] = await settled(endpointId);
    expect(delivery).toMatchObject({ state: 'delivered', attempts: 1, log: [{ status: 204 }] });
  });

  it('are retried on schedule with the same event and a new signature', async () => {
    const { service, ownerId, add, received, settled, clock } = await open();
    receiver.answer = (_request, response) => response.writeHead(503).end('later');
    const { endpointId, secret } = await add();
    await service.webhooks.sendTest(ownerId, endpointId);
    service.start();
    const waits = [MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 5 * HOUR_MS, 17 * HOUR_MS];
    for (const [index, waitMs] of waits.entries()) {
      await received(index + 1);
      await settled(endpointId);
      clock.shift(waitMs * 1.1);
    }
    await received(6);
    const [delivery] = await settled(endpointId);
    expect(delivery).toMatchObject({ state: 'failed', attempts: 6 });
    expect(delivery?.log.map(({ status, text }) => [status, text])).toEqual(Array(6).fill([503, '']));
    const attempts = receiver.requests.map(({ headers }) => headers['service-delivery-attempt']);
    expect(attempts).toEqual(['1', '2', '3', '4', '5', '6']);
    expect(new Set(receiver.requests.map(({ headers }) => headers['service-event-id'])).size).toBe(1);
    expect(new Set(receiver.requests.map(({ headers }) => headers['service-signature'])).size).toBe(6);
    const last = receiver.requests.at(-1);
    if (last === undefined) throw new Error('nothing was received');
    expect(verifyWebhook(last.body, last.headers, secret, { now: clock.now() })).toMatchObject({
      type: 'webhook.test',
      data: { endpoint_id: endpointId },
    });
  });

  it('are signed with both secrets for 24 hours after a rotation', async () => {
    const { service, ownerId, add, received, clock } = await open();
    const { endpointId, secret } = await add();
    const rotated = await service.webhooks.rotateSecret(ownerId, endpointId);
    service.start();
    const verified = async (count: number) => {
      await service.webhooks.sendTest(ownerId, endpointId);
      await received(count);
      const request = receiver.requests[count - 1];
      if (request === undefined) throw new Error('nothing was received');
      return [secret, rotated.secret].map((one) => {
        try {
          return verifyWebhook(request.body, request.headers, one, { now: clock.now() }).type;
        } catch (error) {
          return error instanceof Error ? error.message : 'no error';
        }
      });
    };
    expect(await verified(1)).toEqual(['webhook.test', 'webhook.test']);
    clock.shift(DAY_MS);
    expect(await verified(2)).toEqual([expect.stringContaining('does not match'), 'webhook.test']);
  });

  it('of a receiver that does not answer do not hold up those of others', async () => {
    const { service, ownerId, add, received } = await open();
    receiver.answer = ({ path }, response) => {
      if (path !== '/silent') response.writeHead(204).end();
    };
    const silent = await add('/silent');
    const other = await add('/other');
    for (let n = 0; n < 20; n++) await service.webhooks.sendTest(ownerId, silent.endpointId);
    await service.webhooks.sendTest(ownerId, other.endpointId);
    service.start();
    await until(() => receiver.requests.some(({ path }) => path === '/other'));
    await received(5);
    expect(receiver.requests.filter(({ path }) => path === '/silent').length).toBe(4);
  });

  it('cannot be added without HTTPS, to a key of somebody else, or beyond the plan', async () => {
    const { service, ownerId, key, add } = await open();
    const url = (text: string) => service.webhooks.add({ ownerId, keyId: key.keyId, url: text });
    for (const text of [
      'http://localhost/',
      'ftp://x.org/',
      'x',
      'https://u:p@x.org/',
      'https://x.org/#a',
      '',
    ]) {
      await expect(url(text)).rejects.toMatchObject({ code: 'invalid_arguments' });
    }
    await expect(
      service.webhooks.add({ ownerId, keyId: 'key_other', url: receiver.origin }),
    ).rejects.toMatchObject({
      code: 'not_found',
    });
    for (let n = 0; n < 10; n++) await add();
    await expect(add()).rejects.toMatchObject({ code: 'invalid_arguments' });
    expect(await service.webhooks.list(ownerId)).toHaveLength(10);
    await service.webhooks.remove(ownerId, 'wh_1');
    await expect(service.webhooks.remove(ownerId, 'wh_1')).rejects.toMatchObject({ code: 'not_found' });
    expect(await add()).toMatchObject({ endpointId: 'wh_11', secret: expect.stringMatching(/^whsec_/) });
  });
});
