import { describe, expect, it } from 'vitest';
import type { EventKey } from '../../../core/calendar/event.ts';
import { USUAL_ROLES } from '../../folder-roles.ts';
import type { Store } from '../storage.ts';
import { addOwner, NOON } from './scene.ts';

const key = (uid: string, recurrenceId: string | null = null): EventKey => ({
  calendar: '/calendars/ada/work/',
  uid,
  recurrenceId,
});

export function eventNumberPromises(store: Store): void {
  describe('event numbers', () => {
    it('count from 1 for each owner, and never change', async () => {
      const { storage, reopen } = store();
      const [ada, bob] = [await addOwner(storage), await addOwner(storage)];
      const series = [key('series', '20260310T090000Z'), key('series', '20260317T090000Z'), key('series')];
      expect(await storage.eventNumbers(ada, 1, series)).toEqual([1, 2, 3]);
      expect(await storage.eventNumbers(bob, 1, [key('other')])).toEqual([1]);
      const again = [key('new'), ...series.toReversed()];
      expect(await storage.eventNumbers(ada, 1, again)).toEqual([4, 3, 2, 1]);
      expect(await (await reopen()).eventNumbers(ada, 1, again)).toEqual([4, 3, 2, 1]);
    });

    it('also distinguish events by account and calendar', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      const elsewhere = { ...key('one'), calendar: '/calendars/ada/home/' };
      expect(await storage.eventNumbers(ownerId, 1, [key('one'), elsewhere])).toEqual([1, 2]);
      expect(await storage.eventNumbers(ownerId, 2, [key('one')])).toEqual([3]);
    });

    it('distinguish the documents of an event that several have', async () => {
      const { storage, reopen } = store();
      const ownerId = await addOwner(storage);
      const twice = ['cleo.ics', 'dora.ics'].map((documentName) => ({ ...key('one'), documentName }));
      expect(await storage.eventNumbers(ownerId, 1, [key('one'), ...twice])).toEqual([1, 2, 3]);
      const again = await reopen();
      expect(await again.eventNumbers(ownerId, 1, [...twice, key('one')])).toEqual([2, 3, 1]);
      expect(await again.event(ownerId, 1)).toEqual({ accountId: 1, key: key('one') });
      expect(await again.event(ownerId, 3)).toEqual({ accountId: 1, key: twice[1] });
    });

    it('are given to more events than one unit takes, to each once', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      const many = Array.from({ length: 1100 }, (_, n) => key(`many-${n}`));
      const numbers = await storage.eventNumbers(ownerId, 1, [...many, key('many-0'), key('many-1099')]);
      expect(numbers).toEqual([...many.map((_, n) => n + 1), 1, 1100]);
      expect(await storage.eventNumbers(ownerId, 1, [])).toEqual([]);
    });

    it('lead back to the event, only for its owner', async () => {
      const { storage } = store();
      const [ada, bob] = [await addOwner(storage), await addOwner(storage)];
      const keys = [key('one'), key('series', '20260310')];
      await storage.eventNumbers(ada, 7, keys);
      expect(await storage.event(ada, 1)).toEqual({ accountId: 7, key: keys[0] });
      expect(await storage.event(ada, 2)).toEqual({ accountId: 7, key: keys[1] });
      expect(await storage.event(ada, 3)).toBeUndefined();
      expect(await storage.event(bob, 1)).toBeUndefined();
    });

    it('are not reused for another event when the account is removed', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      const account = {
        ownerId,
        label: 'a',
        email: 'a@example.org',
        signature: '',
        seal: () => '',
        folderRoles: USUAL_ROLES,
        now: NOON,
      };
      const { accountId } = await storage.addAccount(account);
      await storage.eventNumbers(ownerId, accountId, [key('one')]);
      await storage.removeAccount({ ownerId, accountId, targetsBegin: '', now: NOON });
      expect(await storage.eventNumbers(ownerId, accountId + 1, [key('one')])).toEqual([2]);
      expect(await storage.event(ownerId, 1)).toEqual({ accountId, key: key('one') });
    });
  });
}
