import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { httpsSender } from '../../adapters/webhooks/https-sender.ts';
import { killAfter } from './kill-after.ts';
import { sceneParts, sceneService } from './scene.ts';

const webhookScene = z.object({
  ownerId: z.string(),
  approvalId: z.string(),
  endpointId: z.string(),
  /** The certificate of the receiver. */
  ca: z.string(),
});

export type WebhookStep = 'reject' | 'deliver';

/**
 * Delivers the event of the scene in this folder; `reject` rejects its pending request before. Kills this process right
 * after its n-th call (0: it runs to the end).
 */
export async function performWebhookAct(folder: string, step: WebhookStep, nth: number): Promise<void> {
  const scene = webhookScene.parse(JSON.parse(readFileSync(join(folder, 'scene.json'), 'utf8')));
  const { ownerId, approvalId, endpointId, ca } = scene;
  const { storage, ...parts } = sceneParts(folder, 'sandbox');
  const counted = killAfter(nth, folder);
  // The look-ups, and the other background work beside this, would change the count from run to run.
  const calls = ['decide', 'moveDeliveries'];
  const service = sceneService({
    ...parts,
    storage: counted('storage', storage, calls),
    webhookSender: counted('sender', httpsSender({ allowPrivateTargets: ['localhost'], ca })),
  });

  if (step === 'reject') await service.approvals.reject(ownerId, approvalId);
  service.start();
  const isOpen = async () => {
    const { deliveries } = await service.webhooks.deliveries(ownerId, endpointId, { limit: 10 });
    return deliveries.length === 0 || deliveries.some(({ state }) => state === 'waiting');
  };
  while (await isOpen()) await new Promise((resolve) => setTimeout(resolve, 20));
  await service.stop();
}
