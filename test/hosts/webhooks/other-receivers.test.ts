import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { httpsSender } from '../../../adapters/webhooks/https-sender.ts';
import { blocksIn, documentText } from '../../docs/documents.ts';
import { openTestService } from '../../open-service.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../servers/webhook-receiver.ts';
import { until } from '../../until.ts';

// Receivers that use nothing of Countersign's verify what a real service posts.

type Verify = (rawBody: Buffer, header: string, secret: string) => boolean;

/** The signature scheme is Stripe's. */
const withStripe: Verify = (rawBody, header, secret) => {
  try {
    Stripe.webhooks.constructEvent(rawBody, header, secret);
    return true;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) return false;
    throw error;
  }
};

/** Written from the description of the signature alone. */
const fromTheSpecification: Verify = (rawBody, header, secret) => {
  const [, t = '', signatures = ''] = /^t=(\d+)((?:,v1=[0-9a-f]{64})+)$/.exec(header) ?? [];
  const signed = Buffer.concat([Buffer.from(`${t}.`), rawBody]);
  const expected = createHmac('sha256', secret).update(signed).digest('hex');
  const isRecent = Math.abs(Date.now() / 1000 - Number(t)) <= 300;
  return isRecent && signatures.split(',v1=').includes(expected);
};

/** The code of the page, as it is printed there. */
const withPython: Verify = (rawBody, header, secret) => {
  const [code] = blocksIn(documentText('docs/webhooks.md'), 'python');
  const call = 'import sys\nprint(is_genuine(sys.stdin.buffer.read(), sys.argv[1], sys.argv[2]))';
  const printed = execFileSync('python3', ['-c', `${code}\n${call}`, header, secret], { input: rawBody });
  return { True: true, False: false }[printed.toString().trim()] ?? expect.fail(printed.toString());
};

describe.each([
  ["Stripe's constructEvent", withStripe],
  ['code written from the specification', fromTheSpecification],
  ['the Python of docs/webhooks.md', withPython],
])('a receiver that verifies with %s', (_name, verify) => {
  let receiver: WebhookReceiver;
  /** What the receiver verifies with. */
  let receiverSecret = '';

  beforeAll(async () => {
    receiver = await startWebhookReceiver();
    receiver.answer = ({ body, headers }, response) => {
      const isGenuine = verify(body, String(headers['service-signature']), receiverSecret);
      response.writeHead(isGenuine ? 204 : 400).end();
    };
  });
  afterAll(() => receiver.close());

  it('accepts events, during a rotation too, and refuses every change', async () => {
    const { service, ownerId, addKey } = await openTestService({
      webhookSender: httpsSender({ allowPrivateTargets: ['localhost'], ca: receiver.ca }),
    });
    const key = await addKey('full');
    const { endpointId, secret } = await service.webhooks.add({
      ownerId,
      keyId: key.keyId,
      url: receiver.origin,
    });
    receiverSecret = secret;
    service.start();
    /** The response to the newest of `count` deliveries. */
    const responseTo = (count: number) =>
      until(async () => {
        const { deliveries } = await service.webhooks.deliveries(ownerId, endpointId, { limit: 100 });
        const [newest] = deliveries;
        const [line] = newest?.log ?? [];
        return deliveries.length === count && line && { type: newest?.event.type, status: line.status };
      });

    const sent = await key.call('send_email', { to: ['new@example.org'], subject: 'Hello', body: 'Grüße' });
    if (sent.status !== 'pending_approval') throw new Error(sent.status);
    await service.approvals.reject(ownerId, sent.approval.id);
    expect(await responseTo(1)).toEqual({ type: 'approval.decided', status: 204 });

    const rotated = await service.webhooks.rotateSecret(ownerId, endpointId);
    await service.webhooks.sendTest(ownerId, endpointId);
    expect(await responseTo(2)).toEqual({ type: 'webhook.test', status: 204 });
    receiverSecret = rotated.secret;
    await service.webhooks.sendTest(ownerId, endpointId);
    expect(await responseTo(3)).toEqual({ type: 'webhook.test', status: 204 });
    receiverSecret = `${secret}x`;
    await service.webhooks.sendTest(ownerId, endpointId);
    expect(await responseTo(4)).toEqual({ type: 'webhook.test', status: 400 });
    await service.stop();

    const [request] = receiver.requests;
    if (request === undefined) throw new Error('nothing was received');
    const header = String(request.headers['service-signature']);
    const isGenuine = (body: Buffer, changed = header) => verify(body, changed, secret);
    expect(isGenuine(request.body)).toBe(true);
    expect(isGenuine(Buffer.concat([request.body, Buffer.from(' ')]))).toBe(false);
    expect(isGenuine(Buffer.from(request.body.toString().replace('rejected', 'executed')))).toBe(false);
    expect(isGenuine(request.body, header.replace(/v1=./, 'v1=x'))).toBe(false);
    expect(isGenuine(request.body, header.replace(/t=\d+/, 't=1'))).toBe(false);
    expect(isGenuine(request.body, header.replace(/t=\d+,/, ''))).toBe(false);
    const oldS = Math.floor(Date.now() / 1000) - 310;
    const old = createHmac('sha256', secret).update(`${oldS}.`).update(request.body).digest('hex');
    expect(isGenuine(request.body, `t=${oldS},v1=${old}`)).toBe(false);
  });
});
