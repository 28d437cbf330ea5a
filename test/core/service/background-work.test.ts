import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { sandboxMail } from '../../../adapters/sandbox/mail.ts';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import { httpsSender } from '../../../adapters/webhooks/https-sender.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import { openTestService, type TestService } from '../../open-service.ts';
import { startWebhookReceiver } from '../../servers/webhook-receiver.ts';
import { until } from '../../until.ts';

const SEND = { to: ['new@example.org'], subject: 'Plans', body: 'Body' };

describe('a service that stops', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-background-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Work that starts and never ends. */
  function hanging() {
    let isRunning = false;
    const work = () => {
      isRunning = true;
      return new Promise<never>(() => undefined);
    };
    return { work, running: () => until(() => isRunning) };
  }

  function mailThat(changes: Partial<Mail>): Mail {
    const mail = sandboxMail();
    return new Proxy(mail, {
      get: (_mail, name: keyof Mail) => changes[name] ?? mail[name],
    });
  }

  async function filed({ addKey }: TestService): Promise<string> {
    const key = await addKey('full');
    const outcome = await key.call('send_email', SEND);
    if (outcome.status !== 'pending_approval') throw new Error(outcome.status);
    return outcome.approval.id;
  }

  async function approve(scene: TestService, approvalId: string): Promise<void> {
    const view = await scene.service.approvals.show(scene.ownerId, approvalId);
    void scene.service.approvals.approve(scene.ownerId, approvalId, view?.approval.digest ?? '');
  }

  it('does not wait for a run that hangs', async () => {
    const { work, running } = hanging();
    const scene = await openTestService({ mail: mailThat({ transmit: work }) });
    scene.service.start();
    await approve(scene, await filed(scene));
    await running();
    await scene.service.stop(200);
  });

  it('does not wait for a run that it took over and that hangs', async () => {
    const file = join(folder, 'app.db');
    const secretKeys = [Buffer.alloc(32, 1)];
    const first = hanging();
    const crashed = await openTestService({
      ...{ storage: sqliteStorage({ file }), mail: mailThat({ transmit: first.work }), leaseMs: 100 },
      secretKeys,
    });
    const approvalId = await filed(crashed);
    await approve(crashed, approvalId);
    await first.running();
    await crashed.service.stop(100);
    const second = hanging();
    const scene = await openTestService({
      ...{ storage: sqliteStorage({ file }), mail: mailThat({ transmit: second.work }) },
      secretKeys,
      email: 'second@countersign.test',
    });
    scene.service.start();
    await second.running();
    await scene.service.stop(200);
  });

  it('does not wait for an inbox that hangs', async () => {
    const { work, running } = hanging();
    const scene = await openTestService({ mail: mailThat({ list: work }) });
    const key = await scene.addKey('full');
    await key.call('create_tracker', { title: 'Atlas', keywords: 'atlas' });
    scene.service.start();
    await running();
    await scene.service.stop(200);
  });

  it('does not wait for a listener that hangs', async () => {
    const { work, running } = hanging();
    const scene = await openTestService();
    await scene.service.on('approval.decided', work);
    scene.service.start();
    await scene.service.approvals.reject(scene.ownerId, await filed(scene));
    await running();
    await scene.service.stop(200);
  });

  it('gives back the webhook attempts that it interrupts, and another process repeats them at once', async () => {
    const file = join(folder, 'app.db');
    const receiver = await startWebhookReceiver();
    onTestFinished(() => receiver.close());
    receiver.answer = () => undefined;
    const process = (email: string) =>
      openTestService({
        storage: sqliteStorage({ file }),
        webhookSender: httpsSender({ allowPrivateTargets: ['localhost'], ca: receiver.ca }),
        secretKeys: [Buffer.alloc(32, 1)],
        email,
      });
    const { service, ownerId, addKey } = await process('first@countersign.test');
    const { keyId } = await addKey('full');
    const { endpointId } = await service.webhooks.add({ ownerId, keyId, url: `${receiver.origin}/hook` });
    service.start();
    await service.webhooks.sendTest(ownerId, endpointId);
    await until(() => receiver.requests.length === 1);
    await service.stop(400);
    receiver.answer = (_request, response) => response.writeHead(204).end();
    const other = await process('second@countersign.test');
    onTestFinished(() => other.service.stop());
    other.service.start();
    const delivery = await until(async () => {
      const page = await other.service.webhooks.deliveries(ownerId, endpointId, { limit: 10 });
      return page.deliveries.find(({ state }) => state === 'delivered');
    });
    expect(delivery).toMatchObject({ attempts: 1, log: [{ status: 204 }] });
    const headers = receiver.requests.map((request) => [
      request.headers['service-event-id'],
      request.headers['service-delivery-attempt'],
    ]);
    expect(headers).toEqual([headers[0], headers[0]]);
  });
});
