import { describe, expect, it } from 'vitest';
import type { LegHealth } from '../../../core/ports/account-health.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { USUAL_ROLES } from '../../folder-roles.ts';
import type { Store } from '../storage.ts';
import { addOwner, at, NOON } from './scene.ts';

type Report = Parameters<Storage['reportLeg']>[0];

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
      ...{ ownerId, accountId: 1, revision: 1, leg: 'reading', state: 'working', reason: null, now: NOON },
      ...others,
    });
    const fails = { state: 'password_refused', reason: 'it does not accept the password' } as const;

    it('says for each leg since when it is in its state, and when it last worked', async () => {
      const { storage } = store();
      const ownerId = await ownerWithAccount(storage);
      expect(await storage.accountHealth(ownerId)).toEqual([]);
      await storage.reportLeg(works(ownerId));
      await storage.reportLeg(works(ownerId, { now: at(60_000) }));
      const reading: LegHealth = {
        ...{ accountId: 1, leg: 'reading', state: 'working', reason: null },
        ...{ since: NOON, workedAt: at(60_000) },
      };
      expect(await storage.accountHealth(ownerId)).toEqual([reading]);
      await storage.reportLeg(works(ownerId, { ...fails, now: at(70_000) }));
      await storage.reportLeg(works(ownerId, { ...fails, now: at(80_000) }));
      await storage.reportLeg(works(ownerId, { ...fails, leg: 'sending', now: at(90_000) }));
      const broken = { ...reading, ...fails, since: at(70_000) };
      const sending = { ...broken, leg: 'sending', since: at(90_000), workedAt: null };
      expect(await storage.accountHealth(ownerId)).toEqual([broken, sending]);
      const again = await store().reopen();
      expect(await again.accountHealth(ownerId)).toEqual([broken, sending]);
      await again.reportLeg(works(ownerId, { now: at(100_000) }));
      const mended = { ...reading, since: at(100_000), workedAt: at(100_000) };
      expect(await again.accountHealth(ownerId)).toEqual([mended, sending]);
    });

    it('is only of the settings of now', async () => {
      const { storage } = store();
      const ownerId = await ownerWithAccount(storage);
      await storage.reportLeg(works(ownerId, fails));
      await storage.changeSettings({ ownerId, accountId: 1, sealedSettings: 'others' });
      expect(await storage.accountHealth(ownerId)).toEqual([]);
      // A call that began with the settings of before ends late.
      await storage.reportLeg(works(ownerId, fails));
      expect(await storage.accountHealth(ownerId)).toEqual([]);
      await storage.reportLeg(works(ownerId, { revision: 2 }));
      expect(await storage.accountHealth(ownerId)).toMatchObject([{ state: 'working' }]);
    });

    it('ends with the account, and is of one owner', async () => {
      const { storage } = store();
      const ownerId = await ownerWithAccount(storage);
      const other = await ownerWithAccount(storage);
      await storage.reportLeg(works(ownerId));
      await storage.reportLeg(works(other, fails));
      await storage.removeAccount({ ownerId, accountId: 1, targetsBegin: 'none', now: NOON });
      await storage.reportLeg(works(ownerId));
      expect(await storage.accountHealth(ownerId)).toEqual([]);
      expect(await storage.accountHealth(other)).toMatchObject([fails]);
    });
  });
}
