import { describe, expect, it } from 'vitest';
import type { BegunAttempt } from '../../../core/events/delivery-storage.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/time/durations.ts';
import type { Store } from '../storage.ts';
import { addKey, addOwner, addOwnerAndKey, at, erasing, LAPSED_MS, NOON, ROOMY, SIGNER } from './scene.ts';
import { addEndpoint, begun, deliveriesOf, end, ended, happening, record, URL } from './webhook-scene.ts';

function only(attempts: readonly BegunAttempt[]): BegunAttempt {
  const [attempt, ...others] = attempts;
  if (attempt === undefined || others.length > 0) throw new Error(`begun: ${attempts.length} attempts`);
  return attempt;
}

export function webhookPromises(store: Store): void {
  describe('webhook endpoints', () => {
    it('are numbered per owner, are stored as they were added, and never share a number', async () => {
      const { storage, reopen } = store();
      const key = await addOwnerAndKey(storage);
      const other = await addOwnerAndKey(storage);
      const first = await addEndpoint(storage, key);
      const second = await addEndpoint(storage, key, { types: ['approval.decided'] });
      expect((await addEndpoint(storage, other)).endpointId).toBe(1);
      expect(first).toEqual({
        ownerId: key.ownerId,
        endpointId: 1,
        credentialId: key.credentialId,
        url: URL,
        types: ['message.received', 'approval.decided'],
        sealedSecret: 'secret of 1',
        previous: null,
        health: { failingSinceMs: null, disabled: null },
        createdAt: NOON,
      });
      const again = await reopen();
      expect(await again.endpoints(key.ownerId)).toEqual([first, second]);
      expect(await again.removeEndpoint(key.ownerId, 2)).toBe(true);
      expect(await again.removeEndpoint(key.ownerId, 2)).toBe(false);
      expect((await addEndpoint(again, key)).endpointId).toBe(3);
    });

    it('belong to an active key, and the plan limits their number', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage, { limits: { ...ROOMY, webhookEndpoints: 2 } });
      const key = await addKey(storage, ownerId);
      const add = (credentialId: string) =>
        storage.addEndpoint({
          ownerId,
          credentialId,
          url: URL,
          types: [],
          seal: () => 's',
          signer: SIGNER,
          now: NOON,
        });
      expect(await add('key_nobody')).toEqual({ kind: 'no_key' });
      expect(await add((await addOwnerAndKey(storage)).credentialId)).toEqual({ kind: 'no_key' });
      await add(key.credentialId);
      await add(key.credentialId);
      expect(await add(key.credentialId)).toEqual({ kind: 'too_many', most: 2 });
      await storage.removeEndpoint(ownerId, 1);
      await storage.revoke({ signer: SIGNER, ownerId, credentialId: key.credentialId, now: NOON });
      expect(await add(key.credentialId)).toEqual({ kind: 'no_key' });
    });

    it('keep the previous secret until the overlap of a rotation ends', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const { ownerId, endpointId } = await addEndpoint(storage, key);
      const rotation = { ownerId, endpointId, sealedSecret: 'new', overlapUntil: at(DAY_MS) };
      const rotated = await storage.rotateEndpoint(rotation);
      expect(rotated).toMatchObject({
        sealedSecret: 'new',
        previous: { sealedSecret: 'secret of 1', until: at(DAY_MS) },
      });
      expect(await storage.endpoints(ownerId)).toEqual([rotated]);
      expect(await storage.rotateEndpoint({ ...rotation, endpointId: 9 })).toBeUndefined();
    });
  });

  describe('webhook deliveries', () => {
    it('are filed once for each endpoint of the key that subscribes to the event', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const another = await addKey(storage, key.ownerId);
      await happening(storage, key);
      const first = await addEndpoint(storage, key);
      const second = await addEndpoint(storage, key);
      await addEndpoint(storage, key, { types: ['message.received'] });
      await addEndpoint(storage, another);
      expect(await storage.ownersWithDeliveries({ after: '', limit: 10 })).toEqual([]);
      const approval = await happening(storage, key);
      expect(await storage.ownersWithDeliveries({ after: '', limit: 10 })).toEqual([key.ownerId]);
      const attempts = await begun(storage, key.ownerId);
      expect(attempts.map(({ endpoint, attempt }) => [endpoint.endpointId, attempt])).toEqual([
        [1, 1],
        [2, 1],
      ]);
      for (const { event } of attempts) {
        expect(event).toMatchObject({ type: 'approval.decided', data: { approval_id: approval.id } });
      }
      expect(await begun(storage, key.ownerId)).toEqual([]);
      expect(await storage.ownersWithDeliveries({ after: '', limit: 10 })).toEqual([]);
      for (const endpoint of [first, second]) {
        expect(await deliveriesOf(storage, endpoint)).toMatchObject([
          { state: 'waiting', attempts: 1, log: [] },
        ]);
      }
    });

    it('end when the receiver answers 2xx, with a log of the attempt', async () => {
      const { storage, reopen } = store();
      const key = await addOwnerAndKey(storage);
      const endpoint = await addEndpoint(storage, key);
      await happening(storage, key);
      const attempt = only(await begun(storage, key.ownerId));
      await end(storage, attempt, 204);
      const again = await reopen();
      expect(await deliveriesOf(again, endpoint)).toEqual([
        {
          event: attempt.event,
          state: 'delivered',
          attempts: 1,
          dueAt: null,
          log: [{ at: NOON, durationMs: 12, status: 204, text: 'answer 204\u202e 😀' }],
        },
      ]);
      expect(await begun(again, key.ownerId)).toEqual([]);
    });

    it('come from their owners in a circle', async () => {
      const { storage } = store();
      const keys = await Promise.all(Array.from({ length: 3 }, () => addOwnerAndKey(storage)));
      for (const key of keys) {
        await addEndpoint(storage, key);
        await happening(storage, key);
      }
      const circle = await storage.ownersWithDeliveries({ after: '', limit: 10 });
      expect(circle.toSorted()).toEqual(keys.map(({ ownerId }) => ownerId).toSorted());
      const [first = '', second = '', third = ''] = circle;
      expect(await storage.ownersWithDeliveries({ after: first, limit: 10 })).toEqual([second, third, first]);
      expect(await storage.ownersWithDeliveries({ after: second, limit: 2 })).toEqual([third, first]);
      expect(await storage.ownersWithDeliveries({ after: third, limit: 2 })).toEqual([first, second]);
    });

    it('are tried six times, each when it is due', async () => {
      const opened = store();
      const { storage } = opened;
      const key = await addOwnerAndKey(storage);
      const endpoint = await addEndpoint(storage, key);
      await happening(storage, key);
      const waits = [MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 5 * HOUR_MS, 16 * HOUR_MS + 50 * MINUTE_MS];
      for (const [index, waitMs] of waits.entries()) {
        const attempt = only(await begun(storage, key.ownerId));
        expect(attempt.attempt).toBe(index + 1);
        expect(await deliveriesOf(storage, endpoint)).toMatchObject([{ state: 'waiting', dueAt: null }]);
        await end(storage, attempt, 500);
        expect(await deliveriesOf(storage, endpoint)).toMatchObject([{ dueAt: expect.any(Date) }]);
        await opened.passTime(waitMs / 2);
        expect(await begun(storage, key.ownerId)).toEqual([]);
        expect(await storage.ownersWithDeliveries({ after: '', limit: 10 })).toEqual([]);
        await opened.passTime(waitMs / 2);
        expect(await storage.ownersWithDeliveries({ after: '', limit: 10 })).toEqual([key.ownerId]);
      }
      await end(storage, only(await begun(storage, key.ownerId)), null);
      const [delivery] = await deliveriesOf(storage, endpoint);
      expect(delivery).toMatchObject({ state: 'failed', attempts: 6, dueAt: null });
      expect(delivery?.log.map(({ status }) => status)).toEqual([500, 500, 500, 500, 500, null]);
    });

    it('are taken over when a lease ends, and the process that lost it cannot record a result', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const endpoint = await addEndpoint(storage, key);
      await happening(storage, key);
      const lost = only(await begun(storage, key.ownerId, { leaseMs: LAPSED_MS }));
      const taken = only(await begun(storage, key.ownerId));
      expect(taken).toMatchObject({ attempt: 2, event: lost.event });
      await end(storage, lost, 204);
      expect(await deliveriesOf(storage, endpoint)).toMatchObject([{ state: 'waiting', attempts: 2 }]);
      await end(storage, taken, 204);
      expect(await deliveriesOf(storage, endpoint)).toMatchObject([{ state: 'delivered', attempts: 2 }]);
    });

    it('start only while their endpoint has room, and do not wait for other endpoints', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      await addEndpoint(storage, key);
      for (let n = 0; n < 3; n++) await happening(storage, key);
      const { ownerId } = key;
      const begin = async (room: (endpointId: number) => number, limit = 100) => {
        const request = { ownerId, ends: [], limit, room, leaseMs: 60_000, signer: SIGNER, now: NOON };
        return (await storage.moveDeliveries(request)).begun;
      };
      expect(await begin(() => 2)).toHaveLength(2);
      await addEndpoint(storage, key);
      await happening(storage, key);
      const attempts = await begin((endpointId) => (endpointId === 1 ? 0 : 5));
      expect(attempts.map(({ endpoint }) => endpoint.endpointId)).toEqual([2]);
      const later = [...(await begin(() => 5, 1)), ...(await begin(() => 5))];
      expect(later.map(({ endpoint, event }) => [endpoint.endpointId, event.sequence])).toEqual([
        [1, 3],
        [1, 4],
      ]);
    });

    it('are dropped once their key is revoked', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const endpoint = await addEndpoint(storage, key);
      await happening(storage, key);
      await begun(storage, key.ownerId, { leaseMs: LAPSED_MS });
      const { ownerId, credentialId } = key;
      await storage.revoke({ signer: SIGNER, ownerId, credentialId, now: NOON });
      expect(await begun(storage, ownerId)).toEqual([]);
      expect(await deliveriesOf(storage, endpoint)).toMatchObject([{ state: 'dropped', attempts: 1 }]);
    });

    it('to an endpoint that returned 410 are dropped, and events until it is enabled again are not delivered', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const endpoint = await addEndpoint(storage, key);
      const { ownerId } = key;
      await happening(storage, key);
      await happening(storage, key);
      const [first, second] = await begun(storage, ownerId, { leaseMs: LAPSED_MS });
      if (first === undefined || second === undefined) throw new Error('two attempts were begun');
      const told = await end(storage, first, 410);
      expect(told).toMatchObject([{ endpointId: 1, health: { disabled: 'gone' } }]);
      expect(await begun(storage, ownerId)).toEqual([]);
      expect(await deliveriesOf(storage, endpoint)).toMatchObject([
        { state: 'dropped' },
        { state: 'waiting' },
      ]);
      await happening(storage, key);
      expect(await begun(storage, ownerId)).toEqual([]);
      expect(await storage.testEndpoint({ ownerId, endpointId: 1, now: NOON })).toBeUndefined();
      const enabled = await storage.enableEndpoint(ownerId, 1);
      expect(enabled?.health).toEqual({ failingSinceMs: null, disabled: null });
      await happening(storage, key);
      const attempts = await begun(storage, ownerId);
      expect(attempts.map(({ event }) => event.sequence)).toContain(4);
      expect(attempts.map(({ event }) => event.sequence)).not.toContain(3);
    });

    it('of a test only go to the endpoint under test, whatever it subscribes to', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const { ownerId } = key;
      await addEndpoint(storage, key, { types: [] });
      await addEndpoint(storage, key);
      const filed = await storage.testEndpoint({ ownerId, endpointId: 1, now: NOON });
      expect(filed).toEqual({ ownerId, endpointId: 1, sequence: 1 });
      const attempt = only(await begun(storage, ownerId));
      expect(attempt.event).toMatchObject({ type: 'webhook.test', data: { endpoint_id: 'wh_1' } });
      expect(attempt.endpoint.endpointId).toBe(1);
      expect(await storage.testEndpoint({ ownerId, endpointId: 9, now: NOON })).toBeUndefined();
    });

    it('that ended can be made due again with the same event', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const endpoint = await addEndpoint(storage, key);
      const { ownerId, endpointId } = endpoint;
      await happening(storage, key);
      const ref = { ownerId, endpointId, sequence: 1, now: NOON };
      const first = only(await begun(storage, ownerId));
      expect(await storage.redeliver(ref)).toBe(false);
      await end(storage, first, 200);
      expect(await storage.redeliver({ ...ref, sequence: 9 })).toBe(false);
      expect(await storage.redeliver(ref)).toBe(true);
      const second = only(await begun(storage, ownerId));
      expect(second).toMatchObject({ attempt: 1, event: first.event });
      await record(storage, ownerId, [ended(first, 500), ended(second, 200)]);
      expect(await deliveriesOf(storage, endpoint)).toMatchObject([
        { state: 'delivered', log: [{ status: 200 }] },
      ]);
    });

    it('come in pages, and are erased with their events', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage, { ...ROOMY });
      const { ownerId, endpointId } = await addEndpoint(storage, key);
      for (let n = 0; n < 3; n++) await happening(storage, key);
      await begun(storage, ownerId);
      const page = (before: number | undefined) =>
        storage.deliveries({ ownerId, endpointId, before, limit: 2 });
      const first = await page(undefined);
      expect(first).toMatchObject({
        deliveries: [{ event: { sequence: 3 } }, { event: { sequence: 2 } }],
        more: true,
      });
      expect(await page(2)).toMatchObject({ deliveries: [{ event: { sequence: 1 } }], more: false });
      await storage.erase(erasing({ eventsBefore: NOON }));
      expect((await page(undefined)).deliveries).toHaveLength(2);
      await storage.erase(erasing({ eventsBefore: at(DAY_MS) }));
      expect((await page(undefined)).deliveries).toEqual([]);
      expect(await storage.events({ ownerId, afterId: 0, limit: 10 })).toEqual([]);
    });

    it('stay with their owner', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const other = await addOwnerAndKey(storage);
      const endpoint = await addEndpoint(storage, key);
      await happening(storage, key);
      const attempt = only(await begun(storage, key.ownerId));
      expect(await begun(storage, other.ownerId)).toEqual([]);
      const { ownerId } = other;
      expect(await storage.endpoints(ownerId)).toEqual([]);
      expect(await storage.removeEndpoint(ownerId, 1)).toBe(false);
      await record(storage, ownerId, [ended(attempt, 200)]);
      expect(await deliveriesOf(storage, endpoint)).toMatchObject([{ state: 'waiting' }]);
    });
  });
}
