import { describe, expect, it } from 'vitest';
import type { Store } from '../storage.ts';
import {
  addOwnerAndKey,
  approve,
  ask,
  call,
  execute,
  NOON,
  reclaim,
  SIGNER,
  webhookStates,
} from './scene.ts';

export function lastingPromises(store: Store): void {
  describe('a store', () => {
    it('answers while it is healthy, and throws once it is closed', async () => {
      const { storage } = store();
      const { ownerId } = await addOwnerAndKey(storage);
      await expect(storage.healthy()).resolves.toBeUndefined();
      await storage.close();
      await expect(storage.healthy()).rejects.toThrow();
      // Never as if there were nothing.
      await expect(storage.owner(ownerId)).rejects.toThrow();
      await expect(storage.accounts(ownerId)).rejects.toThrow();
      await expect(storage.expire(NOON)).rejects.toThrow();
      await expect(
        storage.admit({ signer: SIGNER, secretHash: 'h', slotId: 's', leaseMs: 1, now: NOON }),
      ).rejects.toThrow();
    });

    it('keeps what was stored when it is opened again', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const waiting = await ask(storage, key);
      const done = await execute(storage, key, {}, { recipients: ['a@x.org'], followUp: true, leaseMs: 0 });
      const [owner, credentials] = [
        await storage.owner(key.ownerId),
        await storage.credentials(key.ownerId, SIGNER),
      ];
      const again = await store().reopen();
      expect(await again.owner(key.ownerId)).toEqual(owner);
      expect(await again.credentials(key.ownerId, SIGNER)).toEqual(credentials);
      expect(await again.approval(key.ownerId, waiting.id)).toEqual(waiting);
      expect(await again.approval(key.ownerId, done.id)).toEqual(done);
      expect(await webhookStates(again, done)).toEqual(['executed']);
      expect(await again.knownRecipients(key.ownerId, 1, ['a@x.org'])).toEqual(new Map([['a@x.org', 1]]));
      expect((await reclaim(again)).followUps).toMatchObject([{ approval: { id: done.id } }]);
      expect((await approve(again, waiting)).won).toBe(true);
    });

    it('shows every process its current state', async () => {
      const { storage, second } = store();
      const other = await second();
      const key = await addOwnerAndKey(storage);
      expect(await call(other, key)).toBe('admitted');
      const waiting = await ask(other, key);
      expect((await approve(storage, waiting)).won).toBe(true);
      expect((await approve(other, waiting)).won).toBe(false);
      await other.revoke({ signer: SIGNER, ...key, now: NOON });
      expect(await call(storage, key)).toBe('unknown');
    });
  });
}
