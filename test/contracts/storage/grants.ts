import { describe, expect, it } from 'vitest';
import type { Storage } from '../../../core/ports/storage.ts';
import { USUAL_ROLES } from '../../folder-roles.ts';
import type { Store } from '../storage.ts';
import { addOwner, at, NOON } from './scene.ts';

async function addAccountWithGrant(storage: Storage): Promise<string> {
  const ownerId = await addOwner(storage);
  await storage.addAccount({
    ...{ ownerId, label: 'l', email: 'l@x.org', signature: '', folderRoles: USUAL_ROLES, now: NOON },
    seal: () => 'settings',
    sealGrant: (accountId) => `grant of ${accountId}`,
  });
  return ownerId;
}

export function grantPromises(store: Store): void {
  describe('grants of providers', () => {
    it('are saved with their account, and leased to one process at a time', async () => {
      const { storage } = store();
      const ownerId = await addAccountWithGrant(storage);
      const lease = () => storage.leaseGrant({ ownerId, accountId: 1, leaseMs: 60_000 });
      expect(await storage.accounts(ownerId)).toMatchObject([
        { grant: { sealed: 'grant of 1', withdrawnAt: null, leaseUntilMs: 0 } },
      ]);
      const leases = await Promise.all([lease(), lease(), lease()]);
      expect(leases.filter((one) => one?.isLeased === true)).toHaveLength(1);
      const fence = leases[0]?.grant.fence ?? 0;
      const save = (request: { fence: number; withdrawnAt?: Date }) =>
        storage.saveGrant({ ownerId, accountId: 1, sealed: 'new tokens', withdrawnAt: null, ...request });
      expect(await save({ fence: fence - 1 })).toBe(false);
      expect(await save({ fence })).toBe(true);
      expect(await lease()).toMatchObject({
        isLeased: true,
        grant: { sealed: 'new tokens', fence: fence + 1 },
      });
      expect(await save({ fence, withdrawnAt: at(1) })).toBe(false);
      expect(await save({ fence: fence + 1, withdrawnAt: at(1) })).toBe(true);
      expect(await storage.accounts(ownerId)).toMatchObject([{ grant: { withdrawnAt: at(1) } }]);
    });

    it('are replaced when the owner signs in again, whoever has the lease', async () => {
      const { storage } = store();
      const ownerId = await addAccountWithGrant(storage);
      const lease = await storage.leaseGrant({ ownerId, accountId: 1, leaseMs: 60_000 });
      const fence = lease?.grant.fence ?? 0;
      expect(await storage.replaceGrant({ ownerId, accountId: 1, sealed: 'signed in again' })).toBe(true);
      const late = { ownerId, accountId: 1, fence, sealed: 'late', withdrawnAt: NOON };
      expect(await storage.saveGrant(late)).toBe(false);
      expect(await storage.accounts(ownerId)).toMatchObject([
        { grant: { sealed: 'signed in again', withdrawnAt: null, leaseUntilMs: 0 } },
      ]);
    });

    it('belong to accounts that sign in at a provider', async () => {
      const { storage } = store();
      const ownerId = await addAccountWithGrant(storage);
      const password = { ownerId, label: 'p', email: 'p@x.org', signature: '', folderRoles: USUAL_ROLES };
      await storage.addAccount({ ...password, seal: () => 'settings', now: NOON });
      for (const accountId of [2, 3]) {
        expect(await storage.leaseGrant({ ownerId, accountId, leaseMs: 1 })).toBeUndefined();
        expect(await storage.replaceGrant({ ownerId, accountId, sealed: 'x' })).toBe(false);
      }
      expect((await storage.accounts(ownerId))[1]?.grant).toBeNull();
    });

    it('begin with a sign-in that ends once, in time, and for its owner only', async () => {
      const { storage } = store();
      const [ownerId, other] = [await addOwner(storage), await addOwner(storage)];
      const pending = { stateHash: 'hash', sealed: 'what for', expiresAt: at(1000) };
      const take = (request: { ownerId?: string; now?: Date } = {}) =>
        storage.takePendingGrant({ ownerId, stateHash: 'hash', now: NOON, ...request });
      await storage.addPendingGrant({ ownerId, pending, now: NOON });
      expect(await take({ ownerId: other })).toBeUndefined();
      const taken = await Promise.all([take(), take()]);
      expect(taken.filter((one) => one !== undefined)).toEqual([pending]);
      await storage.addPendingGrant({ ownerId, pending, now: NOON });
      expect(await take({ now: at(1000) })).toBeUndefined();
      expect(await take()).toBeUndefined();
      await storage.addPendingGrant({ ownerId: 'nobody', pending, now: NOON });
      expect(await take({ ownerId: 'nobody' })).toBeUndefined();
    });

    it('keep the newest of many that were begun', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      for (let index = 0; index < 30; index += 1) {
        const pending = { stateHash: `hash ${index}`, sealed: 's', expiresAt: at(1000 + index) };
        await storage.addPendingGrant({ ownerId, pending, now: NOON });
      }
      const take = (index: number) =>
        storage.takePendingGrant({ ownerId, stateHash: `hash ${index}`, now: NOON });
      expect(await take(0)).toBeUndefined();
      expect(await take(29)).toBeDefined();
    });
  });
}
