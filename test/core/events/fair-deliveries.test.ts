import { afterEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../core/contract/errors.ts';
import type { WebhookEnd, WebhookSender } from '../../../core/ports/webhook-sender.ts';
import { openTestService, silentLog, type TestService, testClock } from '../../open-service.ts';
import { sqliteOnClock } from '../../store-clock.ts';
import { eventually, until } from '../../until.ts';

/** Receivers that answer when the test says so. */
function heldSender() {
  const open: { readonly url: string; answer(): void }[] = [];
  const sender: WebhookSender = {
    post: ({ url, signal }) =>
      new Promise<WebhookEnd>((resolve) => {
        const end = (result: WebhookEnd) => {
          open.splice(open.indexOf(attempt), 1);
          resolve(result);
        };
        const attempt = { url, answer: () => end({ kind: 'answered', status: 204, retryAfter: null }) };
        signal.addEventListener('abort', () => end({ kind: 'unanswered', reason: 'It was interrupted.' }));
        open.push(attempt);
      }),
    close: async () => undefined,
  };
  const running = (name: string) => open.filter(({ url }) => url.includes(`//${name}.`)).length;
  return { open, sender, running };
}

describe('owners of webhooks', () => {
  let scene: TestService | undefined;
  afterEach(() => scene?.service.stop(200));

  it('take turns: a third owner gets the first place that becomes free, although two hold all of them', async () => {
    const { open, sender, running } = heldSender();
    const warnings: Error[] = [];
    const warned = (warning: Error) => warnings.push(warning);
    process.on('warning', warned);
    scene = await openTestService({ webhookSender: sender });
    const { service } = scene;
    const add = async (name: string, endpoints: number, events: number) => {
      const { ownerId } = await service.owners.create({ ownerId: name, email: `${name}@example.org` });
      const { keyId } = await service.keys.create({ ownerId, name: 'agent', preset: 'full' });
      for (let n = 0; n < endpoints; n++) {
        const url = `https://${name}.example.org/${n}`;
        const { endpointId } = await service.webhooks.add({ ownerId, keyId, url });
        for (let m = 0; m < events; m++) await service.webhooks.sendTest(ownerId, endpointId);
      }
    };
    await add('a', 10, 10);
    service.start();
    await until(() => running('a') === 32);
    await add('b', 10, 10);
    await until(() => running('b') === 32);
    await add('c', 1, 4);
    expect(running('c')).toBe(0);
    const freePlace = async () => {
      open.find(({ url }) => url.includes('//a.'))?.answer();
      await until(() => open.length === 64);
    };
    await freePlace();
    expect(running('c')).toBe(1);
    // From now on three owners take turns.
    for (let n = 0; n < 9; n++) await freePlace();
    expect(running('c')).toBe(4);
    process.off('warning', warned);
    // Node warns of a signal that more than ten requests listen to.
    expect(warnings).toEqual([]);
  });

  it('whose deliveries cannot be stored are logged, and the round goes on for the others', async () => {
    const { open, sender, running } = heldSender();
    const errors: unknown[] = [];
    // Only the first round runs by itself. After it, a round runs for each attempt that ends.
    const clock = { ...testClock(), every: () => () => undefined };
    const storage = sqliteOnClock(':memory:', () => clock.now().getTime());
    /** In turns that run at once, and at the end of the circle. */
    const failing = new Set(['owner1', 'owner2', 'owner7', 'owner9']);
    scene = await openTestService({
      clock,
      webhookSender: sender,
      log: { ...silentLog, error: (message, fields) => errors.push([message, fields]) },
      storage: {
        ...storage,
        async moveDeliveries(request) {
          if (failing.has(request.ownerId)) {
            throw new ServiceError('temporarily_unavailable', { details: { retry_after_s: 1 } });
          }
          return storage.moveDeliveries(request);
        },
      },
    });
    const { service } = scene;
    const names = Array.from({ length: 10 }, (_, n) => `owner${n}`);
    for (const name of names) {
      const { ownerId } = await service.owners.create({ ownerId: name, email: `${name}@example.org` });
      const { keyId } = await service.keys.create({ ownerId, name: 'agent', preset: 'full' });
      const url = `https://${name}.example.org/`;
      const { endpointId } = await service.webhooks.add({ ownerId, keyId, url });
      await service.webhooks.sendTest(ownerId, endpointId);
    }
    service.start();
    const others = names.filter((name) => !failing.has(name));
    await eventually(() => expect(names.filter((name) => running(name) === 1)).toEqual(others));
    expect(errors.length).toBeGreaterThanOrEqual(failing.size);
    for (const error of errors) {
      expect(error).toEqual([
        'webhook deliveries of an owner were not stored: attempts that ended are made again',
        { ends: 0, error: 'ServiceError', code: 'temporarily_unavailable' },
      ]);
    }
    const recovered = [...failing];
    failing.clear();
    open[0]?.answer();
    await eventually(() => expect(recovered.map(running)).toEqual(recovered.map(() => 1)));
  });
});
