import { afterEach, describe, expect, it, vi } from 'vitest';
import type { WebhookEnd, WebhookSender } from '../../../core/ports/webhook-sender.ts';
import { openTestService, type TestService } from '../../open-service.ts';

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
    await vi.waitUntil(() => running('a') === 32);
    await add('b', 10, 10);
    await vi.waitUntil(() => running('b') === 32);
    await add('c', 1, 4);
    expect(running('c')).toBe(0);
    const freePlace = async () => {
      open.find(({ url }) => url.includes('//a.'))?.answer();
      await vi.waitUntil(() => open.length === 64);
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
});
