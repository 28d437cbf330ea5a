import { describe, expect, it } from 'vitest';
import type { ServerHealth } from '../../../core/ports/account-health.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { USUAL_ROLES } from '../../folder-roles.ts';
import type { Store } from '../storage.ts';
import { addOwner, at, NOON } from './scene.ts';

type Report = Parameters<Storage['reportServer']>[0];

async function ownerWithAccount(storage: Storage): Promise<string> {
  const ownerId = await addOwner(storage);
  await storage.addAccount({
    ...{ ownerId, label: 'work', email: 'work@example.org', signature: '' },
    ...{ seal: () => 'settings', folderRoles: USUAL_ROLES, now: NOON },
  });
  return ownerId;
}

export function accountHealthPromises(store: Store): void {
  describe('the health of an account', () => {
    const works = (ownerId: string, others: Partial<Report> = {}): Report => ({
      ...{ ownerId, accountId: 1, revision: 1, server: 'reading', state: 'working', reason: null, now: NOON },
      ...others,
    });
    const fails = { state: 'password_refused', reason: 'it does not accept the password' } as const;

    it('says for each server since when it is in its state, and when it last worked', async () => {
      const { storage } = store();
      const ownerId = await ownerWithAccount(storage);
      expect(await storage.accountHealth(ownerId)).toEqual([]);
      await storage.reportServer(works(ownerId));
      await storage.reportServer(works(ownerId, { now: at(60_000) }));
      const reading: ServerHealth = {
        ...{ accountId: 1, server: 'reading', state: 'working', reason: null },
        ...{ since: NOON, workedAt: at(60_000) },
      };
      expect(await storage.accountHealth(ownerId)).toEqual([reading]);
      await storage.reportServer(works(ownerId, { ...fails, now: at(70_000) }));
      await storage.reportServer(works(ownerId, { ...fails, now: at(80_000) }));
      await storage.reportServer(works(ownerId, { ...fails, server: 'sending', now: at(90_000) }));
      const broken = { ...reading, ...fails, since: at(70_000) };
      const sending = { ...broken, server: 'sending', since: at(90_000), workedAt: null };
      expect(await storage.accountHealth(ownerId)).toEqual([broken, sending]);
      const again = await store().reopen();
      expect(await again.accountHealth(ownerId)).toEqual([broken, sending]);
      await again.reportServer(works(ownerId, { now: at(100_000) }));
      const mended = { ...reading, since: at(100_000), workedAt: at(100_000) };
      expect(await again.accountHealth(ownerId)).toEqual([mended, sending]);
    });

    it('is only about the current settings', async () => {
      const { storage } = store();
      const ownerId = await ownerWithAccount(storage);
      await storage.reportServer(works(ownerId, fails));
      await storage.changeSettings({ ownerId, accountId: 1, sealedSettings: 'others' });
      expect(await storage.accountHealth(ownerId)).toEqual([]);
      // A call that began with the old settings ends late.
      await storage.reportServer(works(ownerId, fails));
      expect(await storage.accountHealth(ownerId)).toEqual([]);
      await storage.reportServer(works(ownerId, { revision: 2 }));
      expect(await storage.accountHealth(ownerId)).toMatchObject([{ state: 'working' }]);
    });

    it('is checked by one process, once the account has been unused for long enough', async () => {
      const { storage } = store();
      const ownerId = await ownerWithAccount(storage);
      const take = (now: Date) =>
        storage.takeCheck({ ownerId, accountId: 1, idleMs: 1000, jitterMs: 10, now });
      const isDue = async (now: Date) =>
        (await storage.accountsToCheck({ now, limit: 1000 })).some((one) => one.ownerId === ownerId);
      // The first check plans the next.
      expect(await isDue(NOON)).toBe(true);
      expect(await take(NOON)).toEqual([]);
      expect(await isDue(at(1009))).toBe(false);
      expect(await take(at(1009))).toBeUndefined();
      expect(await isDue(at(1010))).toBe(true);
      const both = await Promise.all([take(at(1010)), take(at(1010))]);
      expect(both.filter((servers) => servers !== undefined)).toEqual([['reading', 'sending']]);
      // Every server is in use: the next check comes when the oldest use is old enough.
      const used = (server: 'reading' | 'sending' | 'calendar', now: Date) =>
        storage.reportServer(works(ownerId, { server, now }));
      await used('reading', at(1500));
      await used('sending', at(1400));
      await used('calendar', at(1600));
      expect(await take(at(2020))).toEqual([]);
      expect(await isDue(at(2409))).toBe(false);
      expect(await take(at(2410))).toEqual(['sending']);
      await used('sending', at(2410));
      expect(await take(at(9000))).toEqual(['reading', 'sending', 'calendar']);
      // A server that did not answer is checked again. One that refused the password is not, nor are the others.
      await storage.reportServer(works(ownerId, { state: 'no_answer', reason: 'away', now: at(9000) }));
      expect(await take(at(20_000))).toContain('reading');
      await storage.reportServer(works(ownerId, { ...fails, server: 'calendar', now: at(20_000) }));
      expect(await take(at(30_000))).toEqual([]);
      expect(await take(at(30_001))).toBeUndefined();
      await storage.removeAccount({ ownerId, accountId: 1, targetsBegin: 'none', now: NOON });
      expect(await isDue(at(90_000))).toBe(false);
      expect(await take(at(90_000))).toBeUndefined();
    });

    it('ends with the account, and is of one owner', async () => {
      const { storage } = store();
      const ownerId = await ownerWithAccount(storage);
      const other = await ownerWithAccount(storage);
      await storage.reportServer(works(ownerId));
      await storage.reportServer(works(other, fails));
      await storage.removeAccount({ ownerId, accountId: 1, targetsBegin: 'none', now: NOON });
      await storage.reportServer(works(ownerId));
      expect(await storage.accountHealth(ownerId)).toEqual([]);
      expect(await storage.accountHealth(other)).toMatchObject([fails]);
    });
  });
}
